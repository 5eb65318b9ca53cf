"""List the facts of runs that reports show: each is declared here, once, for all formats. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from harness.analysis.summary import Summary
from harness.model.subject import SubjectInfo
from harness.reports.text.phrases import format_time, near_limits
from harness.text import escape_nonprintable, pluralize, shell_line, shorten

_NAME: Final = 200  # characters
_COMMAND: Final = 2_000
_COMMIT: Final = 12  # digits
_MOST_FAILURES: Final = 100  # builds
_MOST_NAMES: Final = 3  # machines, versions or commits; more are not named


class Fact(NamedTuple):
    """A fact of runs: its name in data, its label for people, and a printable text, or ""."""

    name: str
    label: str
    value: str


def facts_of(summary: Summary) -> list[Fact]:
    """Return the facts that are known."""
    return [fact for declared in FACTS if (fact := declared(summary)).value]


def build_failures(summary: Summary) -> Iterator[tuple[str, str, str]]:
    """Yield name, reason and printed lines of the first subjects whose builds failed."""
    for subject in list(summary.unbuilt.values())[:_MOST_FAILURES]:
        lines = "\n".join(map(escape_nonprintable, subject.build_output))
        yield shorten(subject.name, _NAME), shorten(subject.build_failure, _COMMAND), lines


def _continued(summary: Summary) -> str:
    return summary.starts[0].continued if len(summary.starts) == 1 else ""


def _took(summary: Summary) -> str:
    since = " since it was resumed" if _continued(summary) else ""
    return f"{_duration(summary.wall_s)}{since}"


def _subject(summary: Summary) -> Fact:
    return _name_or_count("subject", "Subject", summary.matrix.subjects if summary.runs else ())


def _suite(summary: Summary) -> Fact:
    suites = summary.matrix.suites if summary.runs else ()
    names = [
        f"{suite} ({title})" if (title := title_of(summary, suite)) else suite for suite in suites
    ]
    return _name_or_count("suite", "Suite", names)


def title_of(summary: Summary, suite: str) -> str:
    info = summary.suite_infos.get(suite)
    return "" if info is None else info.title


def _points(summary: Summary) -> str:
    subjects = summary.matrix.subjects
    is_graded = summary.book.has_points and len(subjects) == 1
    return str(summary.book.grade(subjects[0])) if is_graded else ""


def _tests(summary: Summary) -> str:
    matrix = summary.matrix
    if not matrix.has_tests or len(matrix.subjects) != 1:
        return ""
    tests = matrix.tests(matrix.subjects[0])
    return f"{tests.passed:,} of {tests.all:,} passed"


def _not_run(summary: Summary) -> str:
    if not summary.not_run:
        return ""
    reasons = _few(summary.why_not_run)
    return pluralize(summary.not_run, "case") + (f": {reasons}" if reasons else "")


def _subjects(summary: Summary) -> list[SubjectInfo]:
    return [each for start in summary.starts for each in start.subjects]


def _suite_commits(summary: Summary) -> Iterator[str]:
    return (each.commit for start in summary.starts for each in start.suite_infos)


def _seeds(summary: Summary) -> Iterator[str]:
    return (f"{each.seed}" for each in summary.sessions if each.repeated)


def _command(summary: Summary) -> str:
    lines = {shell_line(start.command_line) for start in summary.starts}
    # Several runs of xtest have several commands.
    return shorten(lines.pop(), _COMMAND) if len(lines) == 1 else ""


def _few(values: Iterable[str], most: int = _NAME) -> str:
    """Return the different values, if there are few."""
    shown = [escape_nonprintable(value)[:most] for value in dict.fromkeys(values) if value]
    return ", ".join(shown) if len(shown) <= _MOST_NAMES else ""


def _version(summary: Summary) -> str:
    """Return the version of the subjects, if they have one in common."""
    versions = {subject.version for subject in _subjects(summary)}
    return _few(versions) if len(versions) == 1 else ""


def _name_or_count(name: str, label: str, names: Sequence[str]) -> Fact:
    if len(names) == 1:
        return Fact(name, label, shorten(names[0], _NAME))
    return Fact(name, f"{label}s", f"{len(names):,}" if names else "")


def _duration(wall_s: float) -> str:
    if round(wall_s, 1) < 60:
        return f"{wall_s:.1f} s"
    minutes, seconds = divmod(round(wall_s), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {seconds} s"


def _fact(name: str, label: str, value: Callable[[Summary], str]) -> Callable[[Summary], Fact]:
    return lambda summary: Fact(name, label, value(summary))


# In the order in which they are shown.
FACTS: Final[tuple[Callable[[Summary], Fact], ...]] = (
    _fact("started", "Started", lambda one: format_time(one.started)),
    _fact("resumed", "Resumed", lambda one: format_time(_continued(one))),
    _fact("took", "Took", _took),
    _subject,
    _suite,
    _fact("points", "Points", _points),
    _fact(
        "withheld_points",
        "Points of cases that are not shown",
        lambda one: _few(start.withheld_points for start in one.starts),
    ),
    _fact("tests", "Tests", _tests),
    _fact("near_limits", "Near a limit", lambda one: near_limits(one.counts)),
    _fact("not_run", "Not run", _not_run),
    _fact("machine", "Machine", lambda one: _few(start.host for start in one.starts)),
    _fact("version", "Version", _version),
    _fact("commit", "Commit", lambda one: _few((each.commit for each in _subjects(one)), _COMMIT)),
    _fact("suite_commit", "Commit of the suites", lambda one: _few(_suite_commits(one), _COMMIT)),
    _fact("seed", "Seed of the sessions", lambda one: _few(_seeds(one))),
    _fact("command", "Command", _command),
    _fact("xtest", "xtest", lambda one: escape_nonprintable(one.xtest)),
)

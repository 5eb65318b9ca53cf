"""List the facts of runs that reports show: each is declared here, once, for all formats. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from harness.analysis.summary import Summary
from harness.reports.text.phrases import near_limits
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


def _xtest(summary: Summary) -> Fact:
    return Fact("xtest", "xtest", escape_nonprintable(summary.xtest))


def _started(summary: Summary) -> Fact:
    return Fact("started", "Started", _time(summary.started))


def _continued(summary: Summary) -> str:
    return summary.starts[0].continued if len(summary.starts) == 1 else ""


def _resumed(summary: Summary) -> Fact:
    return Fact("resumed", "Resumed", _time(_continued(summary)))


def _took(summary: Summary) -> Fact:
    since = " since it was resumed" if _continued(summary) else ""
    return Fact("took", "Took", f"{_duration(summary.wall_s)}{since}")


def _subject(summary: Summary) -> Fact:
    return _name_or_count("subject", "Subject", summary.matrix.subjects if summary.runs else ())


def _suite(summary: Summary) -> Fact:
    suites = summary.matrix.suites if summary.runs else ()
    names = [
        f"{suite} ({title})" if (title := title_of(summary, suite)) else suite for suite in suites
    ]
    return _name_or_count("suite", "Suite", names)


def title_of(summary: Summary, suite: str) -> str:
    about = summary.suite_infos.get(suite)
    return "" if about is None else about.title


def _points(summary: Summary) -> Fact:
    subjects = summary.matrix.subjects
    is_graded = summary.book.has_points and len(subjects) == 1
    return Fact("points", "Points", str(summary.book.grade(subjects[0])) if is_graded else "")


def _withheld_points(summary: Summary) -> Fact:
    points = (start.withheld_points for start in summary.starts)
    return _few("withheld_points", "Points of cases that are not shown", points)


def _tests(summary: Summary) -> Fact:
    matrix = summary.matrix
    value = ""
    if matrix.has_tests and len(matrix.subjects) == 1:
        tests = matrix.tests(matrix.subjects[0])
        value = f"{tests.passed:,} of {tests.all:,} passed"
    return Fact("tests", "Tests", value)


def _near_a_limit(summary: Summary) -> Fact:
    return Fact("near_limits", "Near a limit", near_limits(summary.counts))


def _not_run(summary: Summary) -> Fact:
    number = summary.not_run
    return Fact("not_run", "Not run", pluralize(number, "case") if number else "")


def _machine(summary: Summary) -> Fact:
    return _few("machine", "Machine", (start.host for start in summary.starts))


def _version(summary: Summary) -> Fact:
    subjects = (each for start in summary.starts for each in start.subjects)
    return _few("version", "Version", (each.version for each in subjects))


def _commit(summary: Summary) -> Fact:
    subjects = (each for start in summary.starts for each in start.subjects)
    return _few("commit", "Commit", (each.commit for each in subjects), _COMMIT)


def _suite_commit(summary: Summary) -> Fact:
    suites = (each for start in summary.starts for each in start.suite_infos)
    commits = (each.commit for each in suites)
    return _few("suite_commit", "Commit of the suites", commits, _COMMIT)


def _seed(summary: Summary) -> Fact:
    seeds = (f"{each.seed}" for each in summary.sessions if each.repeated)
    return _few("seed", "Seed of the sessions", seeds)


def _command(summary: Summary) -> Fact:
    lines = {shell_line(start.command_line) for start in summary.starts}
    # Several runs of xtest have several commands.
    line = shorten(lines.pop(), _COMMAND) if len(lines) == 1 else ""
    return Fact("command", "Command", line)


# In the order in which they are shown.
FACTS: Final[tuple[Callable[[Summary], Fact], ...]] = (
    _started,
    _resumed,
    _took,
    _subject,
    _suite,
    _points,
    _withheld_points,
    _tests,
    _near_a_limit,
    _not_run,
    _machine,
    _version,
    _commit,
    _suite_commit,
    _seed,
    _command,
    _xtest,
)


def _few(name: str, label: str, values: Iterable[str], most: int = _NAME) -> Fact:
    """Return a fact with the different values, if there are few."""
    shown = [escape_nonprintable(value)[:most] for value in dict.fromkeys(values) if value]
    return Fact(name, label, ", ".join(shown) if len(shown) <= _MOST_NAMES else "")


def _name_or_count(name: str, label: str, names: Sequence[str]) -> Fact:
    if len(names) == 1:
        return Fact(name, label, shorten(names[0], _NAME))
    return Fact(name, f"{label}s", f"{len(names):,}" if names else "")


def _time(text: str) -> str:
    return escape_nonprintable(text).replace("T", " ").replace("Z", " UTC")


def _duration(wall_s: float) -> str:
    if round(wall_s, 1) < 60:
        return f"{wall_s:.1f} s"
    minutes, seconds = divmod(round(wall_s), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {seconds} s"

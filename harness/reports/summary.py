"""Count the outcomes of a run by suite and subject, and collect what went wrong.

Pure: events in, counts out, without keeping cases. All formats take the outcome of a run, and the
words for it, from here. Source: docs/reports.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import Enum
from typing import Final, NamedTuple

from harness.delivery.registry import Delivery
from harness.model.case_names import natural
from harness.model.events import Diagnostic, Event, Judged, KnownFailure, RunEnded, RunStarted
from harness.model.exit_codes import ExitCode
from harness.model.verdict import Verdict
from harness.text import pluralize

__all__ = [
    "UNEXPECTED_PASS",
    "Group",
    "RunOutcome",
    "Summary",
    "delivery_suffix",
    "headline",
    "is_unexpected_pass",
    "outcome_of",
    "reason_and_link",
    "summary_of",
]

UNEXPECTED_PASS: Final = "passed, but is listed as a known failure: remove it from [[known]]"


class RunOutcome(Enum):
    """The outcome of a run, coarser than its verdict."""

    PASSED = "passed"
    KNOWN = "known"  # failed as suite.toml expects
    FAILED = "failed"  # failed, or passed although it is listed as a known failure
    BROKEN = "broken"  # the case is invalid or xtest failed; not the subject's fault


def outcome_of(event: Judged) -> RunOutcome:
    """Return the outcome of a run."""
    if event.verdict.is_fault:
        return RunOutcome.BROKEN
    if event.failed:
        return RunOutcome.FAILED
    return RunOutcome.PASSED if event.verdict is Verdict.PASSED else RunOutcome.KNOWN


def is_unexpected_pass(event: Judged) -> bool:
    """Return whether a run passed although it is listed as a known failure."""
    return event.verdict is Verdict.PASSED and event.failed


def delivery_suffix(event: Judged) -> str:
    """Return the delivery in parentheses, after a space; nothing for the plain one."""
    return "" if event.delivery == Delivery.PLAIN.value else f" ({event.delivery})"


def reason_and_link(known: KnownFailure) -> str:
    """Return the reason of a known failure, and its link, if any."""
    return f"{known.reason}, {known.link}" if known.link else known.reason


class Group(NamedTuple):
    """A subject on a suite: the number of runs with each outcome, and their time in sequence."""

    suite: str
    subject: str
    passed: int
    known: int
    failed: int
    broken: int
    wall_s: float

    @property
    def runs(self) -> int:
        """Return the number of all runs."""
        return self.passed + self.known + self.failed + self.broken


class Summary(NamedTuple):
    """The groups in natural order of suites and subjects, and facts about the whole.

    Attributes:
        xtest: the version of xtest, or empty
        started: the start of the first run, or empty
        wall_s: the time of all runs together
        problems: diagnostics; also runs that were interrupted or cut off
        not_run: the number of cases that were not run, or not with every delivery
        idle: why nothing was run, or empty
        exit: the exit status; 130 if a run was interrupted or cut off
    """

    xtest: str
    started: str
    wall_s: float
    groups: tuple[Group, ...]
    problems: tuple[Diagnostic, ...]
    not_run: int
    idle: str
    exit: int

    def count(self, outcome: RunOutcome) -> int:
        """Return the number of runs with this outcome."""
        counts: Iterator[int] = (getattr(group, outcome.value) for group in self.groups)
        return sum(counts)

    @property
    def runs(self) -> int:
        """Return the number of judged runs."""
        return sum(group.runs for group in self.groups)


def summary_of(events: Iterable[Event]) -> Summary:
    """Return the summary of one run, or of several."""
    counter = _Counter()
    for event in events:
        counter.add(event)
    return counter.summary()


def headline(summary: Summary) -> str:
    """Return the result in one line without a period; for an idle run, without the reason."""
    if not summary.runs:
        return "nothing was run"
    passed, known = summary.count(RunOutcome.PASSED), summary.count(RunOutcome.KNOWN)
    line = f"all {passed:,} passed" if passed == summary.runs else _score(passed, summary)
    line += f"; {pluralize(known, 'known failure')}" if known else ""
    line += f"; {pluralize(summary.not_run, 'case')} not run" if summary.not_run else ""
    if summary.exit in (ExitCode.OK, ExitCode.FAILED) or passed + known < summary.runs:
        return line
    return f"{line}, but there were problems"


def _score(passed: int, summary: Summary) -> str:
    counts = {each.value: summary.count(each) for each in (RunOutcome.FAILED, RunOutcome.BROKEN)}
    others = ", ".join(f"{number:,} {name}" for name, number in counts.items() if number)
    score = f"{passed:,} of {summary.runs:,} passed"
    return f"{score}: {others}" if others else score


class _GroupCounts:
    """The counts of one group so far."""

    __slots__ = ("outcomes", "wall_s")

    def __init__(self) -> None:
        self.outcomes = dict.fromkeys(RunOutcome, 0)
        self.wall_s = 0.0


class _Counter:
    """Counts events, and adds a problem for each run that did not end normally."""

    def __init__(self) -> None:
        self._first: RunStarted | None = None
        self._open: RunStarted | None = None  # the run that has not ended
        self._judged = 0  # of that run
        self._ended: list[RunEnded] = []
        self._counts: dict[tuple[str, str], _GroupCounts] = {}
        self._problems: list[Diagnostic] = []

    def add(self, event: Event) -> None:
        """Count an event."""
        if isinstance(event, Judged):
            counts = self._counts.setdefault((event.suite, event.subject), _GroupCounts())
            counts.outcomes[outcome_of(event)] += 1
            counts.wall_s += event.wall_s
            self._judged += 1
        elif isinstance(event, RunStarted):
            self._close_unended_run()
            self._first = self._first or event
            self._open, self._judged = event, 0
        elif isinstance(event, Diagnostic):
            self._problems.append(event)
        elif isinstance(event, RunEnded):
            self._open = None
            self._end(event)

    def summary(self) -> Summary:
        """Return the summary of all events."""
        self._close_unended_run()
        groups = tuple(self._groups())
        idle = next((ended.idle for ended in self._ended if ended.idle), "")
        if not groups and not self._problems and not idle:
            self._problems.append(Diagnostic("xtest", "nothing was run"))
        return Summary(
            xtest=self._first.xtest if self._first is not None else "",
            started=self._first.started if self._first is not None else "",
            wall_s=round(sum(ended.wall_s for ended in self._ended), 6),
            groups=groups,
            problems=tuple(self._problems),
            not_run=sum(ended.not_run for ended in self._ended),
            idle=idle if not groups else "",
            exit=self._exit(groups),
        )

    def _close_unended_run(self) -> None:
        if self._open is not None:
            runs = pluralize(self._open.runs, "run")
            message = f"the results end early: {self._judged:,} of {runs} judged"
            self._problems.append(Diagnostic("xtest", message))
            self._ended.append(RunEnded({}, 0.0, ExitCode.INTERRUPTED))
            self._open = None

    def _end(self, event: RunEnded) -> None:
        self._ended.append(event)
        if event.interrupted:
            left = f"; {pluralize(event.not_run, 'case')} not run" if event.not_run else ""
            self._problems.append(Diagnostic("xtest", f"interrupted{left}"))

    def _groups(self) -> Iterator[Group]:
        for suite, subject in sorted(self._counts, key=lambda pair: (*map(natural, pair), pair)):
            counts = self._counts[suite, subject]
            numbers = {outcome.value: number for outcome, number in counts.outcomes.items()}
            yield Group(suite, subject, wall_s=round(counts.wall_s, 6), **numbers)

    def _exit(self, groups: tuple[Group, ...]) -> int:
        if any(ended.exit == ExitCode.INTERRUPTED for ended in self._ended):
            return ExitCode.INTERRUPTED
        if self._problems or any(group.broken for group in groups):
            return ExitCode.FAULT
        return ExitCode.FAILED if any(group.failed for group in groups) else ExitCode.OK

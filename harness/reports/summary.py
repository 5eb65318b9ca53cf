"""Count the outcomes of a run by suite and subject, and collect what went wrong. Pure."""

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
    "GroupCounts",
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
    if event.verdict.is_fault:
        return RunOutcome.BROKEN
    if event.failed:
        return RunOutcome.FAILED
    return RunOutcome.PASSED if event.verdict is Verdict.PASSED else RunOutcome.KNOWN


def is_unexpected_pass(event: Judged) -> bool:
    return event.verdict is Verdict.PASSED and event.failed


def delivery_suffix(event: Judged) -> str:
    """Return the delivery in parentheses, after a space; nothing for the plain one."""
    return "" if event.delivery == Delivery.PLAIN.value else f" ({event.delivery})"


def reason_and_link(known: KnownFailure) -> str:
    return f"{known.reason}, {known.link}" if known.link else known.reason


class Group(NamedTuple):
    """A subject on a suite: the number of runs with each outcome, and their time in sequence."""

    suite: str
    subject: str
    passed: int = 0
    known: int = 0
    failed: int = 0
    broken: int = 0
    wall_s: float = 0.0

    @property
    def runs(self) -> int:
        return self.passed + self.known + self.failed + self.broken


class GroupCounts:
    def __init__(self) -> None:
        self._groups: dict[tuple[str, str], Group] = {}
        self.unit = "cases"  # "runs" as soon as a case counts more than once

    def add(self, event: Judged) -> None:
        if event.delivery != Delivery.PLAIN.value:
            self.unit = "runs"
        key = event.suite, event.subject
        group = self._groups.get(key) or Group(*key)
        outcome = outcome_of(event).value
        counted = {outcome: getattr(group, outcome) + 1, "wall_s": group.wall_s + event.wall_s}
        self._groups[key] = group._replace(**counted)

    def groups(self) -> tuple[Group, ...]:
        """Return the groups in natural order of suites and subjects."""
        order = sorted(self._groups, key=lambda pair: tuple(map(natural, pair)))
        groups = (self._groups[key] for key in order)
        return tuple(group._replace(wall_s=round(group.wall_s, 6)) for group in groups)


class Summary(NamedTuple):
    """The groups in natural order of suites and subjects, and facts about the whole."""

    xtest: str  # the version of xtest, or empty
    started: str  # the start of the first run, or empty
    starts: tuple[RunStarted, ...]
    wall_s: float  # of all runs together
    groups: tuple[Group, ...]
    problems: tuple[Diagnostic, ...]  # also runs that were interrupted or cut off
    not_run: int  # cases that were not run, or not with every delivery
    idle: str  # why nothing was run, or empty
    exit: int  # the exit status; 130 if a run was interrupted or cut off

    def count(self, outcome: RunOutcome) -> int:
        counts: Iterator[int] = (getattr(group, outcome.value) for group in self.groups)
        return sum(counts)

    @property
    def runs(self) -> int:
        return sum(group.runs for group in self.groups)


def summary_of(events: Iterable[Event]) -> Summary:
    counter = _Counter()
    for event in events:
        counter.add(event)
    return counter.summary()


def headline(summary: Summary) -> str:
    """Return the result in one line without a period; for an idle run, without the reason."""
    if not summary.runs:
        return "nothing was run"
    passed, known = summary.count(RunOutcome.PASSED), summary.count(RunOutcome.KNOWN)
    line = f"all {passed:,} passed"
    if passed < summary.runs:
        outcomes = RunOutcome.FAILED, RunOutcome.BROKEN
        counts = ((summary.count(each), each.value) for each in outcomes)
        others = ", ".join(f"{number:,} {name}" for number, name in counts if number)
        line = f"{passed:,} of {summary.runs:,} passed{': ' if others else ''}{others}"
    line += f"; {pluralize(known, 'known failure')}" if known else ""
    line += f"; {pluralize(summary.not_run, 'case')} not run" if summary.not_run else ""
    if summary.exit in (ExitCode.OK, ExitCode.FAILED) or passed + known < summary.runs:
        return line
    return f"{line}, but there were problems"


class _Counter:
    def __init__(self) -> None:
        self._starts: list[RunStarted] = []
        self._open: RunStarted | None = None  # the run that has not ended
        self._judged = 0  # of that run
        self._ended: list[RunEnded] = []
        self._counts = GroupCounts()
        self._problems: list[Diagnostic] = []

    def add(self, event: Event) -> None:
        if isinstance(event, Judged):
            self._counts.add(event)
            self._judged += 1
        elif isinstance(event, RunStarted):
            self._close_unended_run()
            self._starts.append(event)
            self._open, self._judged = event, 0
        elif isinstance(event, Diagnostic):
            self._problems.append(event)
        elif isinstance(event, RunEnded):
            self._open = None
            self._ended.append(event)
            if event.interrupted:
                left = f"; {pluralize(event.not_run, 'case')} not run" if event.not_run else ""
                self._problems.append(Diagnostic("xtest", f"interrupted{left}"))

    def summary(self) -> Summary:
        self._close_unended_run()
        groups = self._counts.groups()
        idle = next((ended.idle for ended in self._ended if ended.idle), "")
        if not groups and not self._problems and not idle:
            self._problems.append(Diagnostic("xtest", "nothing was run"))
        status = ExitCode.FAILED if any(group.failed for group in groups) else ExitCode.OK
        if self._problems or any(group.broken for group in groups):
            status = ExitCode.FAULT
        if any(ended.exit == ExitCode.INTERRUPTED for ended in self._ended):
            status = ExitCode.INTERRUPTED
        return Summary(
            xtest=self._starts[0].xtest if self._starts else "",
            started=self._starts[0].started if self._starts else "",
            starts=tuple(self._starts),
            wall_s=round(sum(ended.wall_s for ended in self._ended), 6),
            groups=groups,
            problems=tuple(self._problems),
            not_run=sum(ended.not_run for ended in self._ended),
            idle=idle if not groups else "",
            exit=status,
        )

    def _close_unended_run(self) -> None:
        if self._open is not None:
            runs = pluralize(self._open.runs, "run")
            message = f"the results end early: {self._judged:,} of {runs} judged"
            self._problems.append(Diagnostic("xtest", message))
            self._ended.append(RunEnded({}, 0.0, ExitCode.INTERRUPTED))
            self._open = None

"""Collect the events of runs once: counts, scores, points, problems, and the exit status. Pure.

All reports print what is here. Memory grows with the number of cases, not with their outputs.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Final, NamedTuple

from harness.analysis.grades import Gradebook
from harness.analysis.matrix import Matrix
from harness.delivery.registry import Delivery
from harness.model.case_names import natural
from harness.model.events import (
    DependsOnOrder,
    Diagnostic,
    Event,
    LimitUse,
    RunEnded,
    RunResult,
    RunStarted,
    SessionsEnded,
)
from harness.model.exit_codes import ExitCode
from harness.model.subject import SubjectInfo
from harness.model.suite_info import SuiteInfo
from harness.model.tally import RunTally
from harness.model.verdict import Verdict
from harness.text import pluralize

_NEAREST: Final = 3  # runs that are named


class Group(RunTally):
    """The runs of a subject on a suite."""

    def __init__(self, suite: str, subject: str) -> None:
        super().__init__()
        self.suite: Final = suite
        self.subject: Final = subject


class NearLimit(NamedTuple):
    """A run that used more than half of a limit: the share, SUITE/CASE, and the use."""

    share: float
    case: str
    use: LimitUse


class Groups:
    """Counts the runs of each suite and subject, and those that came near a limit."""

    def __init__(self) -> None:
        self.unit = "cases"  # "runs" as soon as a case counts more than once
        self.near_limits = 0  # runs
        self.nearest: list[NearLimit] = []
        self._groups: Final[dict[tuple[str, str], Group]] = {}

    def add(self, event: RunResult) -> None:
        key = event.suite, event.subject
        group = self._groups.get(key)
        if group is None:
            group = self._groups[key] = Group(*key)
        group.add(event)
        if event.delivery != Delivery.PLAIN.value:
            self.unit = "runs"
        if event.near_limits:
            self.near_limits += 1
            use = max(event.near_limits, key=lambda use: use.used / use.allowed)
            near = NearLimit(use.used / use.allowed, f"{event.suite}/{event.case}", use)
            self.nearest = sorted([*self.nearest, near], reverse=True)[:_NEAREST]

    def in_order(self) -> tuple[Group, ...]:
        """Return the groups in natural order of suites and subjects."""
        keys = sorted(self._groups, key=lambda pair: tuple(map(natural, pair)))
        return tuple(self._groups[key] for key in keys)

    def total(self) -> RunTally:
        return RunTally.total(self._groups.values())


class _OpenRun:
    """A run that has not ended: the number of judged runs, and their cases by suite and subject."""

    def __init__(self, started: RunStarted) -> None:
        self.started: Final = started
        self.judged_runs = 0
        self.cases: Final = defaultdict[tuple[str, str], set[str]](set)
        self.left_out: Final[set[tuple[str, str, str]]] = set()  # cases that were not run

    def add(self, event: RunResult) -> None:
        self.judged_runs += 1
        self.cases[event.suite, event.subject].add(event.case)
        if event.verdict is Verdict.NOT_RUN:
            self.left_out.add((event.suite, event.subject, event.case))


class Summary:
    """Facts about runs that reports state. `add` their events, then `close`."""

    def __init__(self, order: Sequence[str] = ()) -> None:
        """The subjects in `order` come first."""
        self.starts: Final[list[RunStarted]] = []
        self.ends: Final[list[RunEnded]] = []  # of each of them
        self.sessions: Final[list[SessionsEnded]] = []
        self.counts: Final = Groups()
        self.matrix: Final = Matrix(order)
        self.book: Final = Gradebook()
        # Computed by `close`.
        self.groups: tuple[Group, ...] = ()  # in natural order of suites and subjects
        self.total = RunTally()
        # Cases that pass only in a session, and runs that --max-failures stopped: they fail.
        self._findings: Final[list[Diagnostic]] = []
        self.why_not_run: Final[dict[str, None]] = {}  # the reasons, in order
        self._faults: Final[list[Diagnostic]] = []
        self._open: _OpenRun | None = None

    def add(self, event: Event) -> None:
        self.matrix.add(event)
        if isinstance(event, RunResult):
            self.book.add(event)
            self.counts.add(event)
            if event.verdict is Verdict.NOT_RUN:
                self.why_not_run[event.message] = None
            if self._open is not None:
                self._open.add(event)
        elif isinstance(event, RunStarted):
            self._close_unended_run()
            self.starts.append(event)
            self.book.start_run(event)
            self._open = _OpenRun(event)
        elif isinstance(event, SessionsEnded):
            self.sessions.append(event)
        elif isinstance(event, DependsOnOrder):
            message = f"depends on order: {event.message}"
            self._findings.append(Diagnostic(f"{event.where} by {event.subject}", message))
        elif isinstance(event, Diagnostic):
            self._faults.append(event)
        elif isinstance(event, RunEnded) and self._open is not None:
            self._end_run(event, self._open)

    def close(self) -> None:
        """Compute the totals, after the last event."""
        self._close_unended_run()
        self.groups, self.total = self.counts.in_order(), self.counts.total()
        if not self.groups and not self._faults and not self.why_nothing_ran:
            self._faults.append(Diagnostic("xtest", "nothing was run"))

    def _end_run(self, event: RunEnded, run: _OpenRun) -> None:
        self._open = None
        self.book.end_run(run.started, run.cases, event.not_run)
        if Verdict.NOT_RUN.value in event.counts:
            # Without those that another run judged.
            event = event._replace(not_run=len(run.left_out))
        self.ends.append(event)
        if reason := incomplete_reason(event):
            problems = self._faults if event.interrupted else self._findings
            problems.append(Diagnostic("xtest", reason))

    def _close_unended_run(self) -> None:
        if self._open is not None:
            message = "the results end early"
            if not self._open.started.withheld:
                planned = pluralize(self._open.started.runs, "run")
                message += f": {self._open.judged_runs:,} of {planned} judged"
            self._faults.append(Diagnostic("xtest", message))
            self.book.end_run(self._open.started, self._open.cases)
            self.ends.append(RunEnded({}, 0.0, ExitCode.INTERRUPTED))
            self._open = None

    @property
    def xtest(self) -> str:
        """The version of xtest, or empty."""
        return self.starts[0].xtest if self.starts else ""

    @property
    def started(self) -> str:
        """The start of the first run, or empty."""
        return self.starts[0].started if self.starts else ""

    @property
    def unbuilt(self) -> dict[str, SubjectInfo]:
        """The subjects whose build failed, by name; of several runs, the last one counts."""
        latest = {each.name: each for start in self.starts for each in start.subjects}
        return {name: each for name, each in latest.items() if each.build_failure}

    @property
    def suite_infos(self) -> dict[str, SuiteInfo]:
        """Facts about suites, by name; of several runs of a suite, the last one counts."""
        return {each.suite: each for start in self.starts for each in start.suite_infos}

    @property
    def problems(self) -> tuple[Diagnostic, ...]:
        """All problems, also of cases and runs that make xtest exit with status 1."""
        return (*self._findings, *self._faults)

    @property
    def wall_s(self) -> float:
        """The duration of all runs together."""
        return round(sum(ended.wall_s for ended in self.ends), 6)

    @property
    def runs(self) -> int:
        """The number of runs of claimed cases."""
        return self.total.runs

    @property
    def not_run(self) -> int:
        """The number of cases that were not run, or not with every delivery."""
        return sum(ended.not_run for ended in self.ends)

    @property
    def why_nothing_ran(self) -> str:
        """The reason why nothing was run, or empty."""
        reasons = (ended.why_nothing_ran for ended in self.ends)
        return "" if self.groups else next(filter(None, reasons), "")

    @property
    def exit(self) -> int:
        """The exit status; 130 if a run was interrupted or cut off."""
        if any(ended.exit == ExitCode.INTERRUPTED for ended in self.ends):
            return ExitCode.INTERRUPTED
        return self.total.exit_code(faulty=bool(self._faults), failing=bool(self._findings))


def summary_of(events: Iterable[Event], *observers: Callable[[RunResult], object]) -> Summary:
    """Return the summary of events; call each observer with every judged run."""
    summary = Summary()
    for event in events:
        summary.add(event)
        if isinstance(event, RunResult):
            for observe in observers:
                observe(event)
    summary.close()
    return summary


def incomplete_reason(ended: RunEnded) -> str:
    """Return how a run was cut short, and how many cases it left out, or "" if it was not."""
    left = f"; {pluralize(ended.not_run, 'case')} not run" if ended.not_run else ""
    if ended.interrupted:
        return f"interrupted{left}"
    return f"stopped early{left}" if ended.stopped else ""

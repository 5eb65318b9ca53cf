"""Count the outcomes of runs by suite and subject, and collect problems. Pure."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from enum import Enum
from typing import Any, Final, NamedTuple

from harness.analysis.matrix import Matrix
from harness.delivery.registry import Delivery
from harness.model.case_names import natural
from harness.model.events import (
    DependsOnOrder,
    Diagnostic,
    Event,
    Judged,
    KnownFailure,
    LimitUse,
    RunEnded,
    RunStarted,
)
from harness.model.exit_codes import ExitCode
from harness.model.limits import Limit
from harness.model.verdict import Verdict
from harness.reports.grades import Gradebook
from harness.text import escape_nonprintable, format_number, pluralize

_NEAREST: Final = 3  # runs that are named
UNEXPECTED_PASS_NAME: Final = "unexpected pass"  # in place of a verdict
UNEXPECTED_PASS: Final = "passed, but is listed as a known failure: remove the entry"


class RunOutcome(Enum):
    """The outcome of a run, coarser than its verdict."""

    PASSED = "passed"
    KNOWN = "known"  # failed as suite.toml expects
    FAILED = "failed"  # failed, or passed although it is listed as a known failure
    BROKEN = "broken"  # the case is invalid or xtest failed; not the subject's fault
    NOT_RUN = "not_run"  # xtest ended before its verdict
    SKIPPED = "skipped"  # not claimed by the subject, and not counted among the runs


def outcome_of(event: Judged) -> RunOutcome:
    if event.verdict.is_fault:
        return RunOutcome.BROKEN
    if event.verdict is Verdict.NOT_RUN:
        return RunOutcome.NOT_RUN
    if event.verdict is Verdict.SKIPPED:
        return RunOutcome.SKIPPED
    if event.failed:
        return RunOutcome.FAILED
    return RunOutcome.PASSED if event.verdict is Verdict.PASSED else RunOutcome.KNOWN


def is_unexpected_pass(event: Judged) -> bool:
    return event.verdict is Verdict.PASSED and event.failed


def message_of(event: Judged) -> str:
    """Return the message of a run, or what to do about an unexpected pass."""
    return UNEXPECTED_PASS if is_unexpected_pass(event) else event.message


def known_note(event: Judged) -> str:
    """Return a remark to follow the reason of a known failure if the run failed differently."""
    is_other = event.known is not None and not event.known.holds
    return " (not this failure)" if is_other and not is_unexpected_pass(event) else ""


def delivery_suffix(event: Judged) -> str:
    """Return the delivery in parentheses, after a space, or "" for the plain one."""
    return "" if event.delivery == Delivery.PLAIN.value else f" ({event.delivery})"


def not_claimed(skipped: int) -> str:
    """Return a remark on the cases that were skipped, or ""."""
    return f"; {skipped:,} not claimed" if skipped else ""


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
    not_run: int = 0
    skipped: int = 0
    wall_s: float = 0.0

    @property
    def runs(self) -> int:
        """The number of runs of claimed cases."""
        return self.passed + self.known + self.failed + self.broken + self.not_run


def shorten_groups(groups: Sequence[Group], most: int | None) -> tuple[Sequence[Group], str]:
    """Return the groups, only those with failures if there are more than `most`, and a note."""
    failed = [group for group in groups if group.failed or group.broken or group.not_run]
    left_out = len(groups) - len(failed)
    if most is None or len(groups) <= most or not left_out:
        return groups, ""
    note = f"left out: {pluralize(left_out, 'row')} without failures"
    subjects = {group.subject for group in groups}
    if len(subjects) > 1:
        clean = len(subjects - {group.subject for group in failed})
        note += f"; {clean:,} of {len(subjects):,} subjects have none"
    return failed, note


class NearLimits:
    """The runs that used more than half of a limit: their number, and those that used the most."""

    def __init__(self) -> None:
        self.runs = 0
        self._most: list[tuple[float, str]] = []

    def add(self, event: Judged) -> None:
        if event.near_limits:
            self.runs += 1
            share, use = max((use.used / use.allowed, format_use(use)) for use in event.near_limits)
            self._most.append((share, f"{event.suite}/{event.case} {use}"))
            self._most = sorted(self._most, reverse=True)[:_NEAREST]

    def __str__(self) -> str:
        """Return a line, or "" if there are none."""
        if not self.runs:
            return ""
        shown = ", ".join(escape_nonprintable(text) for _, text in self._most)
        more = ", ..." if self.runs > len(self._most) else ""
        return f"{pluralize(self.runs, 'run')} used more than half of a limit: {shown}{more}"


def format_use(use: LimitUse) -> str:
    """Return how much of a limit was used, such as "4.1 s of 5 s"."""
    unit = "s" if use.limit.endswith("_s") else "MiB"
    used = format_number(float(f"{use.used:.2g}"))
    name = "" if use.limit == Limit.WALL.value else f" ({use.limit})"
    return f"{used} {unit} of {format_number(use.allowed)} {unit}{name}"


class GroupCounts:
    def __init__(self) -> None:
        # By suite and subject.
        self._outcomes: defaultdict[tuple[str, str], Counter[RunOutcome]] = defaultdict(Counter)
        self._wall_s: defaultdict[tuple[str, str], float] = defaultdict(float)
        self.unit = "cases"  # "runs" as soon as a case counts more than once
        self.near_limits = NearLimits()
        self._passed_tests = self._tests = 0
        self._runs = 0  # that have these tests
        self._has_tests = False

    @property
    def tests(self) -> str:
        """A remark on the tests that passed, or "" if no suite counts them."""
        if not self._has_tests:
            return ""
        tests = pluralize(self._tests, "test")
        runs = pluralize(self._runs, self.unit.removesuffix("s"))
        return f"; {self._passed_tests:,} of {tests} in {runs}"

    def add(self, event: Judged) -> None:
        self.near_limits.add(event)
        self._has_tests |= event.tests > 0
        if event.verdict.concerns_subject:
            passed = event.tests_passed if event.tests else event.verdict is Verdict.PASSED
            self._passed_tests += passed
            self._tests += event.tests or 1
            self._runs += 1
        if event.delivery != Delivery.PLAIN.value:
            self.unit = "runs"
        key = event.suite, event.subject
        self._outcomes[key][outcome_of(event)] += 1
        self._wall_s[key] += event.wall_s

    def groups(self) -> tuple[Group, ...]:
        """Return the groups in natural order of suites and subjects."""
        groups = []
        for key in sorted(self._outcomes, key=lambda pair: tuple(map(natural, pair))):
            counts: Any = {outcome.value: count for outcome, count in self._outcomes[key].items()}
            groups.append(Group(*key, **counts, wall_s=round(self._wall_s[key], 6)))
        return tuple(groups)


class Summary(NamedTuple):
    """The groups in natural order of suites and subjects, and facts about all of them."""

    xtest: str  # the version of xtest, or empty
    started: str  # the start of the first run, or empty
    starts: tuple[RunStarted, ...]
    ended: tuple[RunEnded, ...]  # how each of them ended
    wall_s: float  # of all runs together
    groups: tuple[Group, ...]
    matrix: Matrix
    book: Gradebook
    near_limits: NearLimits
    tests: str  # a remark, or empty
    # Also cases that pass only in a session, and runs that were stopped, interrupted or cut off.
    problems: tuple[Diagnostic, ...]
    not_run: int  # cases that were not run, or not with every delivery
    why_nothing_ran: str
    exit: int  # the exit status; 130 if a run was interrupted or cut off

    def count(self, outcome: RunOutcome) -> int:
        return sum(int(getattr(group, outcome.value)) for group in self.groups)

    @property
    def runs(self) -> int:
        """The number of runs of claimed cases."""
        return sum(group.runs for group in self.groups)

    @property
    def skipped(self) -> int:
        return self.count(RunOutcome.SKIPPED)


def summary_of(events: Iterable[Event], *observers: Callable[[Judged], object]) -> Summary:
    """Return the summary of events; call each observer with every judged run."""
    builder = _SummaryBuilder()
    for event in events:
        builder.add(event)
        if isinstance(event, Judged):
            for observe in observers:
                observe(event)
    return builder.summary()


def headline(summary: Summary) -> str:
    """Return the result in one line without a period, and without the reason if nothing was run."""
    is_withheld = any(each.withheld for each in summary.starts)
    if not summary.runs:
        nothing = "nothing that may be shown" if is_withheld else "nothing"
        return f"{nothing} was run{not_claimed(summary.skipped)}"
    passed, known = summary.count(RunOutcome.PASSED), summary.count(RunOutcome.KNOWN)
    line = f"all {passed:,} passed"
    if passed < summary.runs or summary.runs == 1 or summary.not_run:
        outcomes = RunOutcome.FAILED, RunOutcome.BROKEN
        counts = ((summary.count(each), each.value) for each in outcomes)
        others = ", ".join(f"{number:,} {name}" for number, name in counts if number)
        line = f"{passed:,} of {summary.runs:,} passed{': ' if others else ''}{others}"
    line += f"{summary.tests}{not_claimed(summary.skipped)}"
    line += f"; {pluralize(known, 'known failure')}" if known else ""
    line += f"; {pluralize(summary.not_run, 'case')} not run" if summary.not_run else ""
    line += "; other cases are not shown" if is_withheld else ""
    if summary.exit in (ExitCode.OK, ExitCode.FAILED) or passed + known < summary.runs:
        return line
    return f"{line}, but there were problems"


def incomplete_reason(ended: RunEnded) -> str:
    """Return how a run was cut short, and how many cases it left out, or "" if it was not."""
    left = f"; {pluralize(ended.not_run, 'case')} not run" if ended.not_run else ""
    if ended.interrupted:
        return f"interrupted{left}"
    return f"stopped early{left}" if ended.stopped else ""


class _SummaryBuilder:
    def __init__(self) -> None:
        self._starts: list[RunStarted] = []
        self._open: RunStarted | None = None  # the run that has not ended
        self._judged = 0  # of that run
        self._left_out: set[tuple[str, str, str]] = set()  # its cases with the verdict not-run
        self._ended: list[RunEnded] = []
        self._counts = GroupCounts()
        self._matrix = Matrix()
        self._book = Gradebook()
        # Cases that pass only in a session, and runs that --max-failures stopped: they fail.
        self._findings: list[Diagnostic] = []
        self._problems: list[Diagnostic] = []

    def add(self, event: Event) -> None:
        self._book.add(event)
        self._matrix.add(event)
        if isinstance(event, Judged):
            self._counts.add(event)
            self._judged += 1
            if event.verdict is Verdict.NOT_RUN:
                self._left_out.add((event.suite, event.subject, event.case))
        elif isinstance(event, RunStarted):
            self._close_unended_run()
            self._starts.append(event)
            self._open, self._judged = event, 0
            self._left_out.clear()
        elif isinstance(event, DependsOnOrder):
            message = f"depends on order: {event.message}"
            self._findings.append(Diagnostic(f"{event.where} by {event.subject}", message))
        elif isinstance(event, Diagnostic):
            self._problems.append(event)
        elif isinstance(event, RunEnded) and self._open is not None:
            self._open = None
            if Verdict.NOT_RUN.value in event.counts:
                # Without those that another run judged.
                event = event._replace(not_run=len(self._left_out))
            self._ended.append(event)
            if reason := incomplete_reason(event):
                problems = self._problems if event.interrupted else self._findings
                problems.append(Diagnostic("xtest", reason))

    def summary(self) -> Summary:
        self._close_unended_run()
        groups = self._counts.groups()
        reasons = (ended.why_nothing_ran for ended in self._ended)
        why_nothing_ran = next(filter(None, reasons), "")
        if not groups and not self._problems and not why_nothing_ran:
            self._problems.append(Diagnostic("xtest", "nothing was run"))
        has_failed = any(group.failed or group.not_run for group in groups)
        status = ExitCode.FAILED if has_failed or self._findings else ExitCode.OK
        if self._problems or any(group.broken for group in groups):
            status = ExitCode.FAULT
        if any(ended.exit == ExitCode.INTERRUPTED for ended in self._ended):
            status = ExitCode.INTERRUPTED
        return Summary(
            xtest=self._starts[0].xtest if self._starts else "",
            started=self._starts[0].started if self._starts else "",
            starts=tuple(self._starts),
            ended=tuple(self._ended),
            wall_s=round(sum(ended.wall_s for ended in self._ended), 6),
            groups=groups,
            matrix=self._matrix,
            book=self._book,
            near_limits=self._counts.near_limits,
            tests=self._counts.tests,
            problems=(*self._findings, *self._problems),
            not_run=sum(ended.not_run for ended in self._ended),
            why_nothing_ran=why_nothing_ran if not groups else "",
            exit=status,
        )

    def _close_unended_run(self) -> None:
        if self._open is not None:
            message = "the results end early"
            if not self._open.withheld:
                message += f": {self._judged:,} of {pluralize(self._open.runs, 'run')} judged"
            self._problems.append(Diagnostic("xtest", message))
            self._ended.append(RunEnded({}, 0.0, ExitCode.INTERRUPTED))
            self._open = None

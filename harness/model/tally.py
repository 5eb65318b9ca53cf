"""Count runs by verdict and outcome, and derive an exit status. Pure.

The engine, its results file and all reports count with this class. Source: docs/results.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from enum import Enum
from functools import cached_property
from typing import Final, Self

from harness.model.events import RunResult
from harness.model.exit_codes import ExitCode
from harness.model.verdict import Verdict

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

    @cached_property
    def is_failure(self) -> bool:
        """Return whether somebody must look at the run."""
        return self in (RunOutcome.FAILED, RunOutcome.BROKEN)


def outcome_of(event: RunResult) -> RunOutcome:
    if event.verdict is Verdict.PASSED and event.known is None:
        return RunOutcome.PASSED
    if event.verdict.is_fault:
        return RunOutcome.BROKEN
    if event.verdict is Verdict.NOT_RUN:
        return RunOutcome.NOT_RUN
    if event.verdict is Verdict.SKIPPED:
        return RunOutcome.SKIPPED
    return RunOutcome.FAILED if event.failed else RunOutcome.KNOWN


def is_unexpected_pass(event: RunResult) -> bool:
    return event.verdict is Verdict.PASSED and event.failed


def message_of(event: RunResult) -> str:
    """Return the message of a run, or what to do about an unexpected pass."""
    if not is_unexpected_pass(event):
        return event.message
    file = event.known.file if event.known is not None else ""
    return f"{UNEXPECTED_PASS} from {file}" if file else UNEXPECTED_PASS


_MOST_WRITTEN: Final = 3  # files that are named


class RunTally:
    """Counts of runs, and their time in sequence. The properties are named after outcomes."""

    def __init__(self) -> None:
        self.verdicts: Final = Counter[Verdict]()
        self.known_failures: Final = Counter[Verdict]()  # among them
        self.unexpected_pass = 0
        self.cached = 0
        self.retried = 0
        self.wall_s = 0.0
        self.runs_that_wrote = 0  # into their private working folders
        self.shared_folders = 0  # runs that could have no private working folder
        self._wrote: dict[str, None] = {}
        # Of the runs that concern the subject; a run without tests of its own counts as one.
        self.tests = 0
        self.tests_passed = 0
        self.has_tests = False  # a suite declares tests

    def add(self, event: RunResult) -> None:
        verdict = event.verdict
        self.verdicts[verdict] += 1
        if event.known is not None:
            self.known_failures[verdict] += outcome_of(event) is RunOutcome.KNOWN
            self.unexpected_pass += is_unexpected_pass(event)
        self.cached += event.cached
        self.retried += event.retried
        self.shared_folders += event.shared_folder
        if event.wrote:
            self.runs_that_wrote += 1
            self._wrote |= dict.fromkeys(event.wrote[: _MOST_WRITTEN - len(self._wrote)])
        self.wall_s += event.wall_s
        if event.tests:
            self.has_tests = True
        if verdict.concerns_subject:
            self.tests += event.tests or 1
            self.tests_passed += event.tests_passed if event.tests else verdict is Verdict.PASSED

    @classmethod
    def total(cls, tallies: Iterable[RunTally]) -> Self:
        """Return the sum of several tallies."""
        total = cls()
        for each in tallies:
            total.verdicts.update(each.verdicts)
            total.known_failures.update(each.known_failures)
            total.unexpected_pass += each.unexpected_pass
            total.cached += each.cached
            total.retried += each.retried
            total.wall_s += each.wall_s
            total.tests += each.tests
            total.tests_passed += each.tests_passed
            total.has_tests |= each.has_tests
        return total

    @property
    def wrote(self) -> tuple[str, ...]:
        """Some of the files that runs wrote into their private working folders."""
        return tuple(self._wrote)

    @property
    def passed(self) -> int:
        return self.verdicts[Verdict.PASSED] - self.unexpected_pass

    @property
    def known(self) -> int:
        return self.known_failures.total()

    @property
    def failed(self) -> int:
        return self.runs - self.passed - self.known - self.broken - self.not_run

    @property
    def broken(self) -> int:
        return sum(count for verdict, count in self.verdicts.items() if verdict.is_fault)

    @property
    def not_run(self) -> int:
        return self.verdicts[Verdict.NOT_RUN]

    @property
    def skipped(self) -> int:
        return self.verdicts[Verdict.SKIPPED]

    @property
    def runs(self) -> int:
        """The number of runs of claimed cases."""
        return self.verdicts.total() - self.skipped

    @property
    def tested(self) -> int:
        """The number of runs that have the tests."""
        return sum(count for verdict, count in self.verdicts.items() if verdict.concerns_subject)

    def count(self, outcome: RunOutcome) -> int:
        number: int = getattr(self, outcome.value)
        return number

    def exit_code(self, *, faulty: bool, failing: bool = False) -> ExitCode:
        """Return an exit status; apart from the runs, something may be `faulty` or `failing`."""
        if faulty or self.broken:
            return ExitCode.FAULT
        return ExitCode.FAILED if failing or self.failed or self.not_run else ExitCode.OK


def by_name(counts: Counter[Verdict]) -> dict[str, int]:
    """Return counts by the names of verdicts, in the order of their declaration."""
    return {verdict.value: counts[verdict] for verdict in Verdict if counts[verdict]}

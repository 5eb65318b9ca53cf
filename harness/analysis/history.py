"""Compute the trend over earlier runs: which cases began to fail or to pass, and in which run.

Pure: events of runs in, oldest first; findings out. Memory grows with the number of cases and adds
five bytes per case and run. Source: docs/site.md.
"""

from __future__ import annotations

from array import array
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import Enum, IntEnum
from itertools import pairwise
from typing import Final, NamedTuple

from harness.delivery.registry import Delivery
from harness.model.case_names import natural
from harness.model.events import Event, RunResult, RunStarted
from harness.model.tally import RunTally
from harness.model.verdict import Verdict
from harness.text import pluralize


class CaseKey(NamedTuple):
    """The names of an outcome."""

    suite: str
    subject: str
    case: str
    delivery: str


class RunOrder(Enum):
    """The property by which runs are ordered and named; runs without it come first, by time."""

    TIME = "time"
    VERSION = "version"
    COMMIT = "commit"

    def key(self, run: RunStarted) -> tuple[object, ...]:
        """Return the sort key of a run; a resumed run comes after its earlier parts."""
        times = run.started, run.continued
        if self is RunOrder.COMMIT:
            return _latest_commit(run), times
        return natural(versions(run)) if self is RunOrder.VERSION else (), times


def versions(run: RunStarted) -> str:
    """Return the versions of the subjects of a run, joined by commas, or "" without any."""
    return ", ".join(dict.fromkeys(each.version for each in run.subjects if each.version))


def _latest_commit(run: RunStarted) -> tuple[str, str]:
    """Return time (in UTC) and name of the latest commit of subjects, or else suites, or ""."""
    subjects = [(each.committed, each.commit) for each in run.subjects if each.commit]
    commits = subjects or [(each.committed, each.commit) for each in run.suite_infos if each.commit]
    return max(((_in_utc(time), name) for time, name in commits), default=("", ""))


def _in_utc(time: str) -> str:
    with suppress(ValueError, OverflowError):
        return datetime.fromisoformat(time).astimezone(UTC).isoformat()
    return ""


class RunLine(RunTally):
    """A run of xtest: its start time, its results file, and counts of cases per delivery."""

    def __init__(self, heading: RunStarted, file: str) -> None:
        super().__init__()
        self.started: Final = heading.started
        self.file: Final = file
        self.version: Final = versions(heading)
        self.commit: Final = _latest_commit(heading)[1]
        self.began_to_fail = 0  # in this run
        self.began_to_pass = 0

    @property
    def failures(self) -> int:
        """The number of failed runs, and of broken ones."""
        return self.failed + self.broken


class SuiteLine(NamedTuple):
    """A suite and a subject: the number of runs, and of cases by their current state."""

    suite: str
    subject: str
    runs: int
    passed: int
    known: int  # known failures
    failed: int
    began_to_fail: int
    began_to_pass: int


class Mark(IntEnum):
    """The outcome of a case in one run."""

    ABSENT = 0  # also if the subject does not claim the case
    PASSED = 1
    KNOWN = 2
    FAILED = 3


class OutcomeChange(NamedTuple):
    """A change of a case's outcome."""

    before: str = ""  # the last verdict before it
    case_changed: bool = False  # the input or expected output changed as well
    more_failed_tests: int = 0  # that began to fail in a case that failed before

    @property
    def remark(self) -> str:
        """Return the rest of a report's sentence on it, or ""."""
        more = pluralize(self.more_failed_tests, "more test") + " failed"
        parts = [more] * (self.more_failed_tests > 0) + [
            "the case changed, too"
        ] * self.case_changed
        return "".join(f"; {part}" for part in parts)


@dataclass(slots=True)
class CaseHistory:
    """A case of a subject with a delivery: its outcomes, and its latest change."""

    key: CaseKey
    fails: bool = False  # when it was last run, not as a known failure
    verdict: Verdict = Verdict.PASSED  # the latest one
    latest: OutcomeChange = OutcomeChange()
    run: int = 0  # the index of the first run with the current outcome
    since: str = ""  # when that run started
    runs: int = 0  # with the current outcome since then; 0 if the subject does not claim the case
    changes: int = 0  # of the outcome, in all
    failed_tests: tuple[str, ...] = ()  # of the last run
    content: str = ""  # a fingerprint of the case
    # For each run up to the last one that had the case, oldest first.
    marks: bytearray = field(default_factory=bytearray)
    times: array[float] = field(default_factory=lambda: array("f"))  # seconds; 0 without a run

    @property
    def is_known(self) -> bool:
        """Return whether the case fails as a list of known failures says."""
        return not self.fails and self.verdict is not Verdict.PASSED

    @property
    def outcome(self) -> str:
        """The verdict, with a remark on an unexpected pass."""
        is_unexpected = self.fails and self.verdict is Verdict.PASSED
        return f"{self.verdict.value}{' (though listed as known)' * is_unexpected}"

    @property
    def remark(self) -> str:
        """Return the rest of a report's sentence on its latest change, or ""."""
        often = f"; changed {self.changes:,} times" if self.changes > 1 else ""
        return f"{self.latest.remark}{often}"

    @property
    def is_listed(self) -> bool:
        return self.changes > 0 and not self.is_known

    @property
    def flips(self) -> int:
        """Return how often it began to fail or to pass, apart from runs as a known failure."""
        shown = (Mark.PASSED, Mark.FAILED)
        fails = [mark == Mark.FAILED for mark in self.marks if mark in shown]
        return sum(one != other for one, other in pairwise(fails))

    @property
    def is_flaky(self) -> bool:
        """Return whether it changed repeatedly, or its last run gave different verdicts."""
        return self.flips > 1 or self.verdict is Verdict.FLAKY

    @property
    def latest_s(self) -> float:
        """Return how long it took when it was last run."""
        return next((time for time in reversed(self.times) if time), 0.0)

    def add(self, event: RunResult, run: int, since: str) -> bool:
        """Add the outcome in a run, and return whether the case began to fail or to pass."""
        content, self.content = self.content, event.content or self.content
        case_changed = event.content not in ("", content)
        more_failed = 0
        if event.failed and self.failed_tests and not case_changed:
            more_failed = len({*event.failed_tests}.difference(self.failed_tests))
        is_change = self.runs > 0 and (self._is_changed_by(event) or more_failed > 0)
        if is_change:
            self.latest = OutcomeChange(self.verdict.value, case_changed, more_failed)
            self.changes += 1
        if is_change or not self.runs:
            self.run, self.since, self.runs = run, since, 0
        self.fails, self.verdict = event.failed, event.verdict
        self.failed_tests = event.failed_tests
        self.runs += 1
        self.fill(run + 1)
        passed = Mark.PASSED if event.verdict is Verdict.PASSED else Mark.KNOWN
        self.marks[-1] = Mark.FAILED if self.fails else passed
        self.times[-1] = event.wall_s
        return is_change

    def _is_changed_by(self, event: RunResult) -> bool:
        """Return whether the case began to fail or to pass.

        Becoming a known failure is neither; nor is a change with the same verdict: then only the
        list of known failures changed. One that fails otherwise than listed is a change.
        """
        is_known = not event.failed and event.verdict is not Verdict.PASSED
        if self.is_known and event.failed and event.known is not None:
            return True
        if is_known or self.verdict is event.verdict:
            return False
        return self.fails != event.failed or self.is_known

    def forget(self) -> None:
        """Begin anew, as the subject does not claim the case any more."""
        self.runs = self.changes = 0
        self.latest = OutcomeChange()

    def fill(self, runs: int) -> None:
        """Note that the case was not run, up to this number of runs."""
        missing = runs - len(self.marks)
        if missing > 0:
            self.marks.extend(bytes(missing))
            self.times.extend([0.0] * missing)


class History:
    """Collects runs, oldest first.

    A case that is renamed, as by a new import, keeps its history: its name changes, but not its
    content.
    """

    def __init__(self) -> None:
        self._runs: Final[list[RunLine]] = []
        self._cases: Final[dict[CaseKey, CaseHistory]] = {}
        # The indices of their runs, by suite and subject.
        self._runs_of: Final[dict[tuple[str, str], set[int]]] = {}
        # Of the current run: those whose names meant other cases before, or none.
        self._unsettled: Final[dict[CaseKey, RunResult]] = {}

    @property
    def runs(self) -> list[RunLine]:
        self._settle()
        return self._runs

    def begin(self, heading: RunStarted, file: str) -> None:
        """Begin the next run; the events added from now on belong to it."""
        self._settle()
        self._runs.append(RunLine(heading, file))

    def add(self, event: Event) -> None:
        """Count an event of the current run; only the verdict of a run matters."""
        if not isinstance(event, RunResult) or event.verdict is Verdict.NOT_RUN:
            return
        run, number = self._runs[-1], len(self._runs) - 1
        run.add(event)
        key = CaseKey(event.suite, event.subject, event.case, event.delivery)
        if event.verdict is Verdict.SKIPPED:
            for delivery in Delivery:
                if case := self._cases.get(key._replace(delivery=delivery.value)):
                    case.forget()
            return
        runs = self._runs_of.setdefault(key[:2], set())
        case = self._cases.get(key)
        is_same = case is not None and event.content in ("", case.content)
        if is_same or not runs - {number} or not event.content:
            self._add_to(key, event)
        else:
            self._unsettled[key] = event._replace(evidence=None)
        runs.add(number)

    def _add_to(self, key: CaseKey, event: RunResult) -> None:
        """Add an outcome of the current run to the history of a case, or begin one."""
        run = self._runs[-1]
        case = self._cases.setdefault(key, CaseHistory(key))
        if case.add(event, len(self._runs) - 1, run.started):
            run.began_to_fail += case.fails
            run.began_to_pass += not case.fails

    def _settle(self) -> None:
        """Find out which cases of the current run were renamed, and add their outcomes."""
        if not self._unsettled:
            return
        # Those that did not run under their own names.
        missing = {
            (case.key._replace(case=""), case.content): case
            for case in self._cases.values()
            if case.content and len(case.marks) < len(self._runs)
        }
        renamed: dict[CaseKey, CaseHistory] = {}
        for key, event in self._unsettled.items():
            if (case := missing.pop((key._replace(case=""), event.content), None)) is not None:
                renamed[key] = self._cases.pop(case.key)
        for key, case in renamed.items():
            case.key = key
        self._cases.update(renamed)
        for key, event in self._unsettled.items():
            self._add_to(key, event)
        self._unsettled.clear()

    def changes(self) -> list[CaseHistory]:
        """Return the cases whose outcome changed: latest change first, failures before passes."""
        self._settle()
        changed = (case for case in self._cases.values() if case.is_listed)
        return sorted(
            changed, key=lambda case: (-case.run, not case.fails, tuple(map(natural, case.key)))
        )

    def cases(self) -> list[CaseHistory]:
        """Return all cases in natural order, each with as many marks as there are runs."""
        runs = len(self.runs)
        for case in self._cases.values():
            case.fill(runs)
        return [self._cases[key] for key in sorted(self._cases, key=_in_natural_order)]

    def suites(self) -> list[SuiteLine]:
        """Return the current state of each suite and subject, in natural order."""
        self._settle()
        counts = {pair: Counter[str]() for pair in self._runs_of}
        for case in self._cases.values():
            if case.runs:
                outcome = "failed" if case.fails else "known" if case.is_known else "passed"
                counts[case.key[:2]][outcome] += 1
                if case.is_listed:
                    began = "began_to_fail" if case.fails else "began_to_pass"
                    counts[case.key[:2]][began] += 1
        names = SuiteLine._fields[3:]
        return [
            SuiteLine(*pair, len(self._runs_of[pair]), *(counts[pair][name] for name in names))
            for pair in sorted(self._runs_of, key=_in_natural_order)
        ]

    @property
    def has_new_failures(self) -> bool:
        return bool(self.runs) and self.runs[-1].began_to_fail > 0


def _in_natural_order(names: tuple[str, ...]) -> tuple[object, ...]:
    return tuple(map(natural, names))

"""Compute the trend over earlier runs: which cases began to fail or to pass, and in which run.

Pure: events of runs in, oldest first; findings out. Memory grows with the number of cases and adds
one line per run. Source: docs/history.md.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import Enum, IntEnum
from itertools import pairwise
from typing import Final, NamedTuple

from harness.delivery.registry import Delivery
from harness.model.case_names import natural
from harness.model.events import Event, Judged, RunStarted
from harness.model.verdict import Verdict

# The suite, subject, case and delivery of an outcome.
_Key = tuple[str, str, str, str]


class RunOrder(Enum):
    """The property by which runs are ordered and named; runs without it come first, by time."""

    TIME = "time"
    VERSION = "version"
    COMMIT = "commit"

    def key(self, run: RunStarted) -> tuple[object, ...]:
        """Return the sort key of a run; a resumed run comes after its earlier parts."""
        times = run.started, run.continued
        if self is RunOrder.COMMIT:
            return latest_commit(run), times
        return natural(versions(run)) if self is RunOrder.VERSION else (), times


def versions(run: RunStarted) -> str:
    """Return the versions of the subjects of a run, joined by commas, or "" without any."""
    return ", ".join(dict.fromkeys(each.version for each in run.subjects if each.version))


def latest_commit(run: RunStarted) -> tuple[str, str]:
    """Return time (in UTC) and name of the latest commit of subjects, or else suites, or ""."""
    subjects = [(each.committed, each.commit) for each in run.subjects if each.commit]
    found = subjects or [(each.committed, each.commit) for each in run.suite_infos if each.commit]
    return max(((_in_utc(time), name) for time, name in found), default=("", ""))


def _in_utc(time: str) -> str:
    with suppress(ValueError, OverflowError):
        return datetime.fromisoformat(time).astimezone(UTC).isoformat()
    return ""


class RunLine(NamedTuple):
    """A run of xtest: its start time, its results file, and counts of cases per delivery."""

    started: str
    file: str
    passed: int = 0
    known: int = 0  # known failures
    failed: int = 0
    began_to_fail: int = 0  # in this run
    began_to_pass: int = 0
    version: str = ""
    commit: str = ""
    skipped: int = 0  # cases that their subjects do not claim


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


class OutcomeState(NamedTuple):
    """The current outcome of a case, and its latest change."""

    suite: str
    subject: str
    case: str
    delivery: str
    fails: bool  # not as a known failure
    verdict: str
    before: str = ""  # the last verdict before the change
    run: int = 0  # the index of the first run with the current outcome
    since: str = ""  # when that run started
    runs: int = 1  # with the current outcome since then
    changes: int = 0  # of the outcome, in all
    case_changed: bool = False  # its input or expected output changed as well

    @property
    def is_known(self) -> bool:
        """True if the case fails as a list of known failures says."""
        return not self.fails and self.verdict != Verdict.PASSED.value

    @property
    def outcome(self) -> str:
        """The verdict, with a remark on an unexpected pass."""
        is_unexpected = self.fails and self.verdict == Verdict.PASSED.value
        return self.verdict + " (though listed as known)" * is_unexpected

    @property
    def is_listed(self) -> bool:
        return self.changes > 0 and not self.is_known

    @property
    def began(self) -> str:
        return "began_to_fail" if self.fails else "began_to_pass"


class History:
    """Collects runs, oldest first."""

    def __init__(self) -> None:
        self.runs: list[RunLine] = []
        self._states: dict[_Key, OutcomeState] = {}
        self._contents: dict[_Key, str] = {}  # fingerprints of the cases
        # The indices of their runs, by suite and subject.
        self._runs_of: dict[tuple[str, str], set[int]] = {}

    def begin(self, heading: RunStarted, file: str) -> None:
        """Begin the next run; the events added from now on belong to it."""
        commit = latest_commit(heading)[1]
        run = RunLine(heading.started, file, version=versions(heading), commit=commit)
        self.runs.append(run)

    def add(self, event: Event) -> None:
        """Count an event of the current run; only the verdict of a run matters."""
        if not isinstance(event, Judged) or event.verdict is Verdict.NOT_RUN:
            return
        key = event.suite, event.subject, event.case, event.delivery
        if event.verdict is Verdict.SKIPPED:
            self._increase("skipped")
            for delivery in Delivery:
                self._states.pop((*key[:3], delivery.value), None)
            return
        passed = "passed" if event.known is None else "known"
        self._increase("failed" if event.failed else passed)
        number = len(self.runs) - 1
        self._runs_of.setdefault(key[:2], set()).add(number)
        content = self._contents.get(key, "")
        self._contents[key] = event.content or content
        since = self.runs[number].started
        now = OutcomeState(*key, event.failed, event.verdict.value, run=number, since=since)
        state = self._states.get(key)
        if state is None:
            self._states[key] = now
        elif _is_unchanged(state, now):
            self._states[key] = state._replace(
                verdict=now.verdict, fails=now.fails, runs=state.runs + 1
            )
        else:
            self._states[key] = now._replace(
                before=state.verdict,
                changes=state.changes + 1,
                case_changed=event.content not in ("", content),
            )
            self._increase(now.began)

    def changes(self) -> list[OutcomeState]:
        """Return the cases whose outcome changed: latest change first, failures before passes."""
        changed = (state for state in self._states.values() if state.is_listed)
        return sorted(
            changed, key=lambda each: (-each.run, not each.fails, tuple(map(natural, each[:4])))
        )

    def suites(self) -> list[SuiteLine]:
        """Return the current state of each suite and subject, in natural order."""
        counts = {pair: Counter[str]() for pair in self._runs_of}
        for (suite, subject, _, _), state in self._states.items():
            outcome = "failed" if state.fails else "known" if state.is_known else "passed"
            counts[suite, subject][outcome] += 1
            if state.is_listed:
                counts[suite, subject][state.began] += 1
        names = SuiteLine._fields[3:]
        return [
            SuiteLine(*pair, len(self._runs_of[pair]), *(counts[pair][name] for name in names))
            for pair in sorted(self._runs_of, key=lambda pair: tuple(map(natural, pair)))
        ]

    @property
    def has_new_failures(self) -> bool:
        return bool(self.runs) and self.runs[-1].began_to_fail > 0

    def _increase(self, count: str) -> None:
        run = self.runs[-1]
        self.runs[-1] = run._replace(**{count: getattr(run, count) + 1})


def _is_unchanged(before: OutcomeState, now: OutcomeState) -> bool:
    """Return whether a case neither began to fail nor to pass.

    Becoming a known failure is neither; nor is a change with the same verdict: then only the list
    of known failures changed.
    """
    if now.is_known or before.verdict == now.verdict:
        return True
    return before.fails == now.fails and not before.is_known


class Mark(IntEnum):
    """The outcome of a case in one run."""

    ABSENT = 0  # also if the subject does not claim the case
    PASSED = 1
    KNOWN = 2
    FAILED = 3


@dataclass(slots=True)
class Timeline:
    """A case of a subject with a delivery: a mark and seconds for each run, oldest first."""

    key: _Key
    verdict: Verdict  # the latest one
    marks: bytearray = field(default_factory=bytearray)
    times: array[float] = field(default_factory=lambda: array("f"))  # 0 where it was not run

    @property
    def fails(self) -> bool:
        """Return whether it failed when it was last run."""
        return self.marks.rstrip(bytes([Mark.ABSENT])).endswith(bytes([Mark.FAILED]))

    @property
    def changes(self) -> int:
        """Return how often it began to fail or to pass, apart from runs as a known failure."""
        shown = (Mark.PASSED, Mark.FAILED)
        fails = [mark == Mark.FAILED for mark in self.marks if mark in shown]
        return sum(one != other for one, other in pairwise(fails))

    @property
    def is_flaky(self) -> bool:
        """Return whether it changed repeatedly, or its last run gave different verdicts."""
        return self.changes > 1 or self.verdict is Verdict.FLAKY

    @property
    def latest_s(self) -> float:
        """Return how long it took when it was last run."""
        return next((time for time in reversed(self.times) if time), 0.0)


class Timelines:
    """Collects the timelines of all cases; the events of runs come oldest run first."""

    def __init__(self) -> None:
        self.runs = 0
        self._found: Final[dict[_Key, Timeline]] = {}

    def begin(self) -> None:
        """Begin the next run; the events added from now on belong to it."""
        self.runs += 1

    def add(self, event: Event) -> None:
        if not isinstance(event, Judged) or event.verdict in (Verdict.NOT_RUN, Verdict.SKIPPED):
            return
        key = event.suite, event.subject, event.case, event.delivery
        line = self._found.setdefault(key, Timeline(key, event.verdict))
        self._fill(line)
        passed = Mark.PASSED if event.verdict is Verdict.PASSED else Mark.KNOWN
        line.marks[-1] = Mark.FAILED if event.failed else passed
        line.times[-1] = event.wall_s
        line.verdict = event.verdict

    def __iter__(self) -> Iterator[Timeline]:
        """Yield the timelines in natural order, each as long as there are runs."""
        for key in sorted(self._found, key=lambda key: tuple(map(natural, key))):
            self._fill(self._found[key])
            yield self._found[key]

    def _fill(self, line: Timeline) -> None:
        missing = self.runs - len(line.marks)
        line.marks.extend(bytes(missing))
        line.times.extend([0.0] * missing)

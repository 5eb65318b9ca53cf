"""Compute the trend over earlier runs: which cases began to fail or to pass, and in which run.

Pure: events of runs in, oldest first; findings out. Memory grows with the number of cases and adds
one line per run. Source: docs/history.md.
"""

from __future__ import annotations

from typing import NamedTuple

from harness.model.case_names import natural
from harness.model.events import Event, Judged, RunStarted

__all__ = ["Change", "History", "RunLine", "SuiteLine"]

# Suite, subject, case and delivery: what an outcome belongs to.
_Key = tuple[str, str, str, str]


class RunLine(NamedTuple):
    """A run of xtest: its start time, its results file, and counts of cases per delivery."""

    started: str
    file: str
    passed: int = 0
    known: int = 0  # known failures
    failed: int = 0
    began_to_fail: int = 0  # whose outcome changed in this run
    began_to_pass: int = 0


class SuiteLine(NamedTuple):
    """The number of runs of a suite and a subject, and the current state of the cases."""

    suite: str
    subject: str
    runs: int
    passed: int
    failed: int
    began_to_fail: int
    began_to_pass: int


class Change(NamedTuple):
    """A case, its outcome, and how that changed."""

    suite: str
    subject: str
    case: str
    delivery: str
    fails: bool
    verdict: str
    before: str  # the last verdict before the change
    run: int  # the index of the first run with the current outcome
    since: str  # when that run started
    runs: int  # with the current outcome since then
    changes: int  # of the outcome, in all
    case_changed: bool  # its input or expected output changed as well


class History:
    """Collects runs, oldest first."""

    def __init__(self) -> None:
        self.runs: list[RunLine] = []
        self._states: dict[_Key, Change] = {}
        self._contents: dict[_Key, str] = {}  # fingerprints of the cases
        # By suite and subject: the number of runs, and the index of the last one.
        self._runs_of: dict[tuple[str, str], list[int]] = {}

    def begin(self, heading: RunStarted, file: str) -> None:
        """Begin the next run; the events added from now on belong to it."""
        self.runs.append(RunLine(heading.started, file))

    def add(self, event: Event) -> None:
        """Count an event of the current run; only `Judged` matters."""
        if not isinstance(event, Judged):
            return
        self._count(event)
        key = event.suite, event.subject, event.case, event.delivery
        content = self._contents.get(key, "")
        self._contents[key] = event.content or content
        number = len(self.runs) - 1
        now = Change(
            *key,
            fails=event.failed,
            verdict=event.verdict.value,
            before="",
            run=number,
            since=self.runs[number].started,
            runs=1,
            changes=0,
            case_changed=False,
        )
        state = self._states.get(key)
        if state is None:
            self._states[key] = now
        elif state.fails == now.fails:
            self._states[key] = state._replace(verdict=now.verdict, runs=state.runs + 1)
        else:
            self._states[key] = now._replace(
                before=state.verdict,
                changes=state.changes + 1,
                case_changed=event.content not in ("", content),
            )
            self._increase("began_to_fail" if now.fails else "began_to_pass")

    def changes(self) -> list[Change]:
        """Return the cases whose outcome changed: latest change first, failures before passes."""
        return sorted((state for state in self._states.values() if state.changes), key=_sort_key)

    def suites(self) -> list[SuiteLine]:
        """Return the current state of each suite and subject, in natural order."""
        counts = {pair: [0, 0, 0, 0] for pair in self._runs_of}
        for (suite, subject, _, _), state in self._states.items():
            numbers = counts[suite, subject]
            numbers[state.fails] += 1
            if state.changes:
                numbers[3 - state.fails] += 1
        return [
            SuiteLine(*pair, self._runs_of[pair][0], *counts[pair])
            for pair in sorted(counts, key=lambda pair: tuple(map(natural, pair)))
        ]

    @property
    def has_new_failures(self) -> bool:
        return bool(self.runs) and self.runs[-1].began_to_fail > 0

    def _count(self, event: Judged) -> None:
        passed = "passed" if event.known is None else "known"
        self._increase("failed" if event.failed else passed)
        number = len(self.runs) - 1
        seen = self._runs_of.setdefault((event.suite, event.subject), [0, -1])
        if seen[1] != number:
            seen[:] = (seen[0] + 1, number)

    def _increase(self, count: str) -> None:
        run = self.runs[-1]
        self.runs[-1] = run._replace(**{count: getattr(run, count) + 1})


def _sort_key(change: Change) -> tuple[object, ...]:
    names = (change.suite, change.subject, change.case, change.delivery)
    return (-change.run, not change.fails, tuple(map(natural, names)))

"""What a report says above all cases: how each subject did on each suite, and what went wrong.

Pure: events in, counts out; of the cases nothing is kept. What an outcome is, all formats have from
here. Source: docs/reports.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import Enum
from typing import Final, NamedTuple

from harness.events import Event, Judged, Problem, RunEnded, RunStarted
from harness.records import Verdict
from harness.suites.naming import natural
from harness.words import count_of

__all__ = ["Group", "Outcome", "Summary", "headline", "outcome_of", "summary_of"]


class Outcome(Enum):
    """What a report makes of a run: PASSED; KNOWN, it fell short as suite.toml says it does;
    FAILED, it fell short, or passed though listed as a known failure; BROKEN, the case is invalid
    or xtest failed, which is nothing that the subject did."""

    PASSED = "passed"
    KNOWN = "known"
    FAILED = "failed"
    BROKEN = "broken"


class Group(NamedTuple):
    """A subject on a suite: how many runs had which outcome, and the seconds that they took one
    after the other."""

    suite: str
    subject: str
    passed: int
    known: int
    failed: int
    broken: int
    wall_s: float

    @property
    def runs(self) -> int:
        """All of them."""
        return self.passed + self.known + self.failed + self.broken


class Summary(NamedTuple):
    """All groups in natural order of suites and subjects, and what holds for the whole.

    `started` is the time of the first run, `wall_s` what all of them took. `troubles` are the
    problems that were told, and that a run did not come to its end, for whatever reason but
    --max-failures. `not_run` cases were not run, or not in every way. `exit` is the exit status
    that belongs to this; 130 where something was interrupted or cut off, and nothing is worse.
    """

    xtest: str
    started: str
    wall_s: float
    groups: tuple[Group, ...]
    troubles: tuple[Problem, ...]
    not_run: int
    idle: str
    exit: int

    def count(self, outcome: Outcome) -> int:
        """How many runs had this outcome."""
        counts: Iterator[int] = (getattr(group, outcome.value) for group in self.groups)
        return sum(counts)

    @property
    def runs(self) -> int:
        """How many runs were judged."""
        return sum(group.runs for group in self.groups)


_BROKEN: Final = (Verdict.INVALID_CASE, Verdict.HARNESS_FAULT)
_OK: Final = 0
_SHORT: Final = 1
_FAULT: Final = 2
_INTERRUPTED: Final = 130


def outcome_of(event: Judged) -> Outcome:
    """What a report makes of a run."""
    if event.verdict in _BROKEN:
        return Outcome.BROKEN
    if event.falls_short:
        return Outcome.FAILED
    return Outcome.PASSED if event.verdict is Verdict.PASSED else Outcome.KNOWN


def summary_of(events: Iterable[Event]) -> Summary:
    """The summary of one run, or of several."""
    gathered = _Gathered()
    for event in events:
        gathered.add(event)
    return gathered.summary()


def headline(summary: Summary) -> str:
    """How it went, in words of ours alone, without an end; of a run that was idle, not why."""
    if not summary.runs:
        return "nothing was run"
    passed, known = summary.count(Outcome.PASSED), summary.count(Outcome.KNOWN)
    said = f"all {passed:,} passed" if passed == summary.runs else _score(passed, summary)
    said += f"; {count_of(known, 'known failure')}" if known else ""
    said += f"; {count_of(summary.not_run, 'case')} not run" if summary.not_run else ""
    if summary.exit in (_OK, _SHORT) or passed + known < summary.runs:
        return said
    return f"{said}, but there were problems"


def _score(passed: int, summary: Summary) -> str:
    short = {"failed": summary.count(Outcome.FAILED), "broken": summary.count(Outcome.BROKEN)}
    others = ", ".join(f"{number:,} {name}" for name, number in short.items() if number)
    said = f"{passed:,} of {summary.runs:,} passed"
    return f"{said}: {others}" if others else said


class _Count:
    """A group that is still counted."""

    __slots__ = ("outcomes", "wall_s")

    def __init__(self) -> None:
        self.outcomes = dict.fromkeys(Outcome, 0)
        self.wall_s = 0.0


class _Gathered:
    """What is known so far."""

    def __init__(self) -> None:
        self._first: RunStarted | None = None
        self._open: RunStarted | None = None  # the run that has not ended
        self._judged = 0  # of that run
        self._ended: list[RunEnded] = []
        self._counts: dict[tuple[str, str], _Count] = {}
        self._troubles: list[Problem] = []

    def add(self, event: Event) -> None:
        """One more event."""
        if isinstance(event, Judged):
            count = self._counts.setdefault((event.suite, event.subject), _Count())
            count.outcomes[outcome_of(event)] += 1
            count.wall_s += event.wall_s
            self._judged += 1
        elif isinstance(event, RunStarted):
            self._cut_off()
            self._first = self._first or event
            self._open, self._judged = event, 0
        elif isinstance(event, Problem):
            self._troubles.append(event)
        elif isinstance(event, RunEnded):
            self._open = None
            self._end(event)

    def summary(self) -> Summary:
        """Of all that came; there is no more."""
        self._cut_off()
        groups = tuple(self._groups())
        idle = next((ended.idle for ended in self._ended if ended.idle), "")
        if not groups and not self._troubles and not idle:
            self._troubles.append(Problem("xtest", "nothing was run"))
        return Summary(
            xtest=self._first.xtest if self._first is not None else "",
            started=self._first.started if self._first is not None else "",
            wall_s=round(sum(ended.wall_s for ended in self._ended), 6),
            groups=groups,
            troubles=tuple(self._troubles),
            not_run=sum(ended.not_run for ended in self._ended),
            idle=idle if not groups else "",
            exit=self._exit(groups),
        )

    def _cut_off(self) -> None:
        if self._open is not None:
            said = f"the results end early: of {count_of(self._open.runs, 'run')}"
            self._troubles.append(Problem("xtest", f"{said}, {self._judged:,} were judged"))
            self._ended.append(RunEnded({}, 0.0, _INTERRUPTED))
            self._open = None

    def _end(self, event: RunEnded) -> None:
        self._ended.append(event)
        if event.interrupted:
            left = f"; {count_of(event.not_run, 'case')} not run" if event.not_run else ""
            self._troubles.append(Problem("xtest", f"interrupted{left}"))

    def _groups(self) -> Iterator[Group]:
        for suite, subject in sorted(self._counts, key=lambda both: (*map(natural, both), both)):
            count = self._counts[suite, subject]
            numbers = {outcome.value: number for outcome, number in count.outcomes.items()}
            yield Group(suite, subject, wall_s=round(count.wall_s, 6), **numbers)

    def _exit(self, groups: tuple[Group, ...]) -> int:
        if any(ended.exit == _INTERRUPTED for ended in self._ended):
            return _INTERRUPTED
        if self._troubles or any(group.broken for group in groups):
            return _FAULT
        return _SHORT if any(group.failed for group in groups) else _OK

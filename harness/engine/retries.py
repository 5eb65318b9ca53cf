"""Repeat runs alone that others may have disturbed or lost: they may have taken the processor time
that a run needed, written into a folder that they share with it, or killed its worker."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Generator, Hashable, Iterable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, field
from typing import Final, Generic, TypeVar

from harness.engine.progress import ProgressBoard
from harness.engine.workload import ResultFacts, ResultKind, Timeout, Workload
from harness.errors import NoProcessLeft
from harness.model.events import RunResult
from harness.model.limits import Limit
from harness.model.transcript import NotStarted, Transcript
from harness.model.verdict import MACHINE_LIMIT, Verdict

I = TypeVar("I")
R = TypeVar("R")

TIMEOUTS: Final = (Verdict.SILENT, Verdict.STALLED)
_MOST_HELD: Final = 256  # runs; further ones keep their outcome
# After so many retries in a row have timed out again, a subject is not retried any more.
MAX_FUTILE_RETRIES: Final = 3


def is_unsettled(event: RunResult) -> bool:
    """Return whether other runs may be to blame for a verdict: a timeout before the run had used
    its time as processor time, a late companion, a limit of the machine, or a write into a shared
    folder."""
    if event.verdict is Verdict.PASSED:
        return False
    if event.verdict is Verdict.HARNESS_FAULT:
        companions = event.evidence.companions if event.evidence is not None else ()
        return event.message.startswith(MACHINE_LIMIT) or any(each.late for each in companions)
    is_delayed = event.verdict in TIMEOUTS and event.cpu_s < event.wall_s
    return is_delayed or is_disturbed(event)


def is_disturbed(event: RunResult) -> bool:
    """Return whether a run failed while files changed in the folder that it shares with others."""
    is_failure = event.verdict.concerns_subject and event.verdict is not Verdict.PASSED
    return is_failure and event.folder_changed


def is_unsettled_run(transcript: Transcript) -> bool:
    """Return whether other runs may be to blame for the end or the output of a run."""
    return is_delayed_run(transcript) or transcript.folder_changed


def is_delayed_run(transcript: Transcript) -> bool:
    """Return whether other runs may have taken the processor time or the room that a run lacked."""
    if isinstance(transcript.ending, NotStarted):
        return transcript.ending.reason.startswith(MACHINE_LIMIT)
    if any(each.is_late for each in transcript.companions):
        return True
    is_timeout = transcript.limit in (Limit.WALL, Limit.FIRST_BYTE)
    return is_timeout and transcript.usage.cpu_s < transcript.wall_s


@dataclass(slots=True)
class _UnsettledItem(Generic[R]):
    """The results so far of an item that is not complete; those that are held may change."""

    settled: list[R] = field(default_factory=list)
    held: list[R] = field(default_factory=list)
    timeouts: list[Timeout] = field(default_factory=list)  # of the held results
    of_runs: list[R] = field(default_factory=list)

    @property
    def subject(self) -> Hashable:
        return self.timeouts[0].subject if self.timeouts else None

    @property
    def is_late(self) -> bool:
        return any(each.is_late for each in self.timeouts)

    @property
    def cpu_share(self) -> float:
        return max((each.cpu_share for each in self.timeouts), default=0.0)


class Repetitions(Generic[I, R]):
    """The items of a workload that are repeated one at a time: those with timeouts that are not
    settled, which are held back, and those that were lost with a worker.

    Timeouts that used all their time as processor time are settled: no other run delayed them.
    """

    def __init__(
        self,
        workload: Workload[I, R],
        items: Iterable[I],
        board: ProgressBoard | None,
        *,
        of_timeouts: bool,
    ) -> None:
        self.are_missing = False  # results of lost items
        self._workload = workload
        self._items = items
        self._board = board
        self._most_held = _MOST_HELD if of_timeouts else 0
        self._held = 0
        self._complete = array("q")  # hashes of the keys of items: a set takes 20 times as much
        self._unsettled: dict[Hashable, _UnsettledItem[R]] = {}  # by the keys of items

    def settled(self, results: Generator[R, None, None]) -> Generator[R, None, None]:
        """Yield the results that no repetition can change, and hold the others."""
        with closing(results):
            for result in results:
                facts = self._workload.facts(result)
                key = facts.item
                if facts.kind is ResultKind.RUN:
                    if facts.is_last and facts.timeout is None and key not in self._unsettled:
                        self._complete.append(hash(key))
                        yield result
                    else:
                        yield from self._sift(result, facts)
                elif facts.kind is ResultKind.OF_RUNS and key in self._unsettled:
                    self._unsettled[key].of_runs.append(result)
                else:
                    yield result

    def repeated(
        self, run_alone: Callable[[I], Generator[R, None, None]], *, are_lost: bool
    ) -> Generator[R, None, None]:
        """Repeat the held runs, those that were nearest to their time first, and, if some
        `are_lost`, all that are not complete; yield results."""
        futile: Counter[Hashable] = Counter()
        workload, board = self._workload, self._board
        wanted = self._wanted(are_lost=are_lost)
        if board is not None and wanted:
            board.restart(len(wanted), "repeating alone")
        for item, before in sorted(wanted, key=lambda each: -each[1].cpu_share):
            key = workload.key(item)
            subject = before.subject
            is_given_up = before.is_late and futile[subject] >= MAX_FUTILE_RETRIES
            is_repeated = False
            with suppress(NoProcessLeft):  # then the first outcome stands
                for result in (
                    () if is_given_up else run_alone(workload.again(item, before.settled))
                ):
                    is_repeated = True
                    self._unsettled.pop(key, None)
                    facts = workload.facts(result)
                    if facts.kind is ResultKind.RUN and before.held:
                        futile[subject] = futile[subject] + 1 if facts.is_late_again else 0
                        result = workload.repeated(result)
                    yield result
            if not is_repeated:  # given up, or the deadline came first
                self._unsettled.pop(key, None)
                self.are_missing |= not before.held
                if board is not None:
                    board.planned -= 1
                yield from self._results_of(before)

    def interrupted(self) -> Iterator[R]:
        """Yield the held runs as they are."""
        for item in self._unsettled.values():
            yield from map(self._workload.unrepeated, self._results_of(item))

    def _wanted(self, *, are_lost: bool) -> list[tuple[I, _UnsettledItem[R]]]:
        """Return the items to repeat, each with its results so far."""
        wanted, complete = [], set(self._complete if are_lost else ())
        for item in self._items if self._held or are_lost else ():
            key = self._workload.key(item)
            before = self._unsettled.get(key) or _UnsettledItem()
            if before.held or (are_lost and hash(key) not in complete):
                wanted.append((item, before))
        return wanted

    def _sift(self, result: R, facts: ResultFacts) -> tuple[R, ...]:
        """Return the result if no repetition can change it; hold it otherwise."""
        key = facts.item
        item = self._unsettled.get(key) or _UnsettledItem()
        settled: tuple[R, ...] = ()
        if facts.timeout is not None and self._held < self._most_held:
            self._held += 1
            item.held.append(result)
            item.timeouts.append(facts.timeout)
        else:
            item.settled.append(result)
            is_last = facts.is_last and not item.held
            settled = (self._workload.with_last(result, is_last),)
        if facts.is_last and not item.held:
            self._unsettled.pop(key, None)
            self._complete.append(hash(key))
        else:
            self._unsettled[key] = item
        return settled

    def _results_of(self, item: _UnsettledItem[R]) -> Iterator[R]:
        for result in item.held:
            yield self._workload.with_last(result, result is item.held[-1])
        yield from item.of_runs

"""Run a workload in worker processes, here or elsewhere, and repeat what was disturbed or lost.

Even a single run needs a worker, which kills the subject when this process is killed.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Iterable, Iterator
from contextlib import closing
from typing import Final, Generic, TypeVar

from harness.engine.retries import Repetitions
from harness.engine.units import LoopOptions, private_folders, run_units
from harness.engine.worker_pool import DrawnNumbers, WorkerPool
from harness.engine.workload import Share, StartWorkers, Workers, Workload, WorkOptions
from harness.process.system import SYSTEM

I = TypeVar("I")
R = TypeVar("R")
T = TypeVar("T")

_MOST_WORKERS: Final = 128  # more runs at once share workers
_READ_AHEAD: Final = 8  # items, while many are left
_ALONE_READ_AHEAD: Final = 64  # if no other worker could take them
_GATHER_S: Final = 0.01  # too short to be noticed
_REMARK: Final = "; without a sandbox, programs can kill xtest"


class WorkloadRun(Generic[I, R]):
    """A workload in workers, which are started on construction.

    `items` are iterated several times. `start` starts workers elsewhere than on this machine.
    `retries`: what timed out beside other runs is repeated alone. What was lost with a worker of
    this machine always is.
    """

    def __init__(
        self,
        workload: Workload[I, R],
        items: Iterable[I],
        total: int,
        options: WorkOptions,
        *,
        start: StartWorkers | None = None,
        retries: bool = False,
    ) -> None:
        self.losses: list[str] = []  # sentences on why results are missing
        self.shares_folders = False  # runs had to share their working folders
        self._workload = workload
        self._options = options
        self._start: StartWorkers = start or start_local_workers
        self._is_local = start is None
        self._repetitions = Repetitions(workload, items, options.board, of_timeouts=retries)
        if options.board is not None:
            options.board.restart(total, options.step)
        self._workers: Workers[R] = self._start(workload, items, total, options)

    def results(self) -> Generator[R, None, None]:
        """Yield the results of all items, those of repeated ones last."""
        repetitions = self._repetitions
        yield from repetitions.settled(self._outcomes())
        self._note_losses()
        are_lost = self._is_local and bool(self.losses)
        yield from repetitions.repeated(self._run_alone, are_lost=are_lost)
        if self._is_local and not repetitions.are_missing:
            self.losses.clear()

    def rest(self) -> Generator[R, None, None]:
        """End all runs after an interruption, and yield the results that are left."""
        self._workers.stop()
        yield from self._repetitions.settled(self._outcomes())
        yield from self._repetitions.interrupted()
        self._note_losses()

    def all_results(self) -> Generator[R, None, None]:
        """Yield all results; a KeyboardInterrupt is raised after those that had been sent."""
        try:
            yield from self.results()
        except KeyboardInterrupt:
            yield from self.rest()
            raise

    def stop(self) -> None:
        """End all runs; results that were sent stay readable."""
        self._workers.stop()
        self._note_losses()

    def show(self, note: str) -> None:
        """Show a note beside the progress."""
        if self._options.board is not None:
            self._options.board.note = note

    def close(self) -> None:
        self._workers.close()

    def _outcomes(self) -> Generator[R, None, None]:
        with closing(self._workers.outcomes()) as outcomes:
            for result in outcomes:
                self.shares_folders |= self._workload.shares_folder(result)
                yield result

    def _run_alone(self, item: I) -> Generator[R, None, None]:
        """Run an item in a worker of its own; if it kills that, its result says so."""
        if time.monotonic() > self._options.ends_at:
            return
        options = self._options._replace(parallel=1, is_alone=True)
        is_complete = False
        with closing(self._start(self._workload, [item], 1, options)) as workers:
            for result in workers.outcomes():
                is_complete |= self._workload.facts(result).is_last
                yield result
            losses = workers.losses()
        if losses and self._is_local and not is_complete:
            if options.board is not None:
                options.board.slots().count_case()
            yield self._workload.fault(item, losses[0])

    def _note_losses(self) -> None:
        self.losses += (f"{each}; {self._workload.remedy}" for each in self._workers.losses())


def start_local_workers(
    workload: Workload[I, R], items: Iterable[I], total: int, options: WorkOptions
) -> WorkerPool[R]:
    """Start a worker on this machine for each run at once.

    A worker with one run knows that every orphan belongs to it.
    """
    SYSTEM.prepare_groups()
    workload.prepare(items, options)
    workers = min(options.parallel, _MOST_WORKERS, total)
    parallel = -(-options.parallel // _MOST_WORKERS)
    since_ns = time.time_ns()

    def work(numbers: DrawnNumbers, place: int) -> Generator[list[R], None, None]:
        slots = None if options.board is None else options.board.slots(place, workers)
        in_hand = (lambda: numbers.in_hand) if workload.reads_ahead else None
        workspaces = None if workload.keeps_files else private_folders(since_ns)
        share = Share(parallel, options.is_alone, in_hand, workspaces)
        loop_options = LoopOptions(
            parallel,
            workload.sandbox,
            deadline=options.ends_at,
            # Slots are released as soon as runs end.
            gather_s=_GATHER_S if slots is None and workload.reads_ahead else 0.0,
            workspaces=workspaces,
        )
        source = workload.source(_take(items, numbers), share)
        return workload.sent(run_units(source, loop_options, slots))

    def on_loss(place: int) -> None:
        if options.board is not None:
            options.board.clear(place, workers)

    most_drawn = _READ_AHEAD if workload.reads_ahead else 1
    if workers == 1:
        most_drawn = _ALONE_READ_AHEAD
    return WorkerPool(
        work,
        total,
        workers,
        pack=workload.pack,
        unpack=workload.unpack,
        most_drawn=most_drawn,
        on_loss=on_loss,
        remark=_REMARK if workload.sandbox is None else "",
    )


def _take(items: Iterable[T], numbers: Iterator[int]) -> Iterator[T]:
    """Yield the items with these ascending numbers, taking a number only when an item is wanted."""
    wanted = next(numbers, None)
    for number, item in enumerate(items):
        if wanted is None:
            return
        if number == wanted:
            yield item
            wanted = next(numbers, None)

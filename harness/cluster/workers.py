"""Run items on the workers of a cluster, and run them again elsewhere if workers die."""

from __future__ import annotations

import json
import time
from collections import deque
from collections.abc import Generator, Iterator
from typing import Final, Generic, TypeVar

from harness.cluster import tasks
from harness.cluster.batch_protocol import batch_request, read_batch
from harness.cluster.batches import Batch, Batches
from harness.cluster.dask_client import ConnectionLost
from harness.cluster.members import RemoteWorker, RemoteWorkers, json_object
from harness.engine.workload import Workload, WorkOptions
from harness.errors import UsageError
from harness.interruption import deferred_interruption
from harness.text import format_number, pluralize

T = TypeVar("T")
R = TypeVar("R")

_AT_ONCE: Final = 2  # batches of a worker: the second waits for the first
_RECEIVE_S: Final = 0.2
_GRACE_S: Final = 1.0  # for the last results of a deadline
_LAST_S: Final = 5.0  # for the results of batches that are stopped, which busy machines send late


class ClusterWorkers(Generic[T, R]):
    """The workers of a cluster, which run items; when constructed, one of them is ready.

    `parallel` subjects run at once on a worker (None: one per thread of Dask's). Raises UsageError
    if no worker can run the work.
    """

    def __init__(
        self,
        members: RemoteWorkers[T],
        workload: Workload[T, R],
        batches: Batches[T],
        options: WorkOptions,
        *,
        parallel: int | None,
    ) -> None:
        self._members = members
        self._workload = workload
        self._batches = batches
        self._parallel = parallel
        self._options = options
        self._received: deque[R] = deque()
        self._losses: list[str] = []
        self._is_stopped = False
        self._is_over = False
        self._is_exhausted = False  # the last request for a batch got none
        self._wait_for_worker()

    def outcomes(self) -> Generator[R, None, None]:
        """Yield results until all items have one, or no more can come."""
        yield from self._take_received()
        while not self._is_over:
            try:
                self._look_for_workers()
                self._assign()
            except ConnectionLost:
                self._give_up(f"the connection to {self._members.dask.address} was lost")
            if self._is_exhausted and not self._has_batches:
                self._is_over = True
            if not self._is_over:
                self._receive(_RECEIVE_S)
            with deferred_interruption():
                yield from self._take_received()

    def run_again(self, batches: Batches[T], options: WorkOptions) -> None:
        """Have `outcomes` yield the results of these items."""
        self._batches = batches
        self._options = options
        self._is_over = self._is_stopped
        self._is_exhausted = False

    def stop(self) -> None:
        """End all runs, and take the results that workers have."""
        if not self._is_stopped:
            self._is_over = self._is_stopped = True
            self._members.stop()
            until = time.monotonic() + _LAST_S
            while self._has_batches and time.monotonic() < until and not self._members.dask.is_lost:
                self._receive(_RECEIVE_S)
            self._members.cancel()

    def losses(self) -> list[str]:
        """Return a sentence for each new reason why results are missing."""
        losses, self._losses = self._losses, []
        return losses

    def close(self) -> None:
        """Stop, and report how many workers died."""
        self.stop()
        if self._members.died:
            again = "; the cases in progress there ran again elsewhere" * self._is_exhausted
            self._members.report(f"{pluralize(self._members.died, 'worker')} died{again}")
            self._members.died = 0

    @property
    def _has_batches(self) -> bool:
        return any(member.batches for member in self._members.all)

    # Workers.

    def _wait_for_worker(self) -> None:
        reason = ""
        while not (self._members.ready or reason or self._is_late()):
            try:
                self._look_for_workers()
            except ConnectionLost:
                reason = f"the connection to {self._members.dask.address} was lost"
            self._receive(_RECEIVE_S)
            if self._members.are_useless:
                reason = "no worker can run this"
            elif self._is_over and not self._is_late():
                limit_s = format_number(self._members.dask.silence_s)
                reason = f"no worker connected within {limit_s} s"
        if reason:
            self.stop()
            raise UsageError(f"--cluster: {reason}")

    def _look_for_workers(self) -> None:
        """Update the list of workers. Raises ConnectionLost."""
        for member in self._members.update():
            self._lose(member)
        if self._members.waited_too_long():
            self._give_up("no workers are left")
        if self._is_late(_GRACE_S):
            self._is_over = True

    def _is_late(self, grace_s: float = 0.0) -> bool:
        return time.monotonic() > self._options.ends_at + grace_s

    def _lose(self, member: RemoteWorker[T]) -> None:
        """Run the batches of a worker that died elsewhere."""
        for place, (batch, future) in enumerate(member.batches.items()):
            self._members.dask.cancel(future)
            if place == 0:
                self._blame(batch, "its worker died or was silent")
            else:  # it waited for the first
                self._batches.put_back(batch.items, batch.deaths)
        member.batches.clear()

    def _blame(self, batch: Batch[T], reason: str) -> None:
        if self._is_stopped or self._is_late():
            return
        item = self._batches.blame(batch)
        if item is not None:
            message = f"each worker that ran this case failed: {reason}"
            self._received.append(self._workload.fault(item, message))
            self._count(1)

    def _give_up(self, reason: str) -> None:
        self._is_over = True
        self._losses.append(reason)

    # Batches.

    def _assign(self) -> None:
        ready = self._members.ready
        if self._options.board is not None:
            ended = pluralize(self._batches.ended, "batch", "batches")
            self._options.board.note = f"{pluralize(len(ready), 'worker')}, {ended} done"
        self._is_exhausted = False
        for place in range(1 if self._options.is_alone else _AT_ONCE):
            for member in ready[:1] if self._options.is_alone else ready:
                if len(member.batches) == place:
                    batch = self._batches.draw(len(ready))
                    if batch is None:
                        self._is_exhausted = True
                        return
                    self._send(member, batch)

    def _send(self, member: RemoteWorker[T], batch: Batch[T]) -> None:
        parallel = 1 if self._options.is_alone else self._parallel or member.threads
        options = self._options._replace(parallel=parallel)
        request = batch_request(self._workload, batch.items, options)
        key, data = (member, batch), json.dumps(request).encode()
        session = self._members.session
        member.batches[batch] = self._members.dask.submit(
            key, member.address, tasks.run_batch, session, data
        )

    def _receive(self, timeout: float) -> None:
        """Take what has ended, waiting for the first."""
        while (ended := self._members.dask.ended(timeout)) is not None:
            timeout = 0.0
            key, data = ended
            if isinstance(key, RemoteWorker):
                self._members.answered(key, data)
            elif isinstance(key, tuple) and key[1] in key[0].batches:
                member, batch = key
                del member.batches[batch]
                self._take(member, batch, data)

    def _take(self, member: RemoteWorker[T], batch: Batch[T], data: bytes | None) -> None:
        """Take the results of a batch, and run missing items again."""
        first, *lines = (data or b"{}").decode("ascii", "replace").split("\n")
        summary = json_object(first.encode())
        failure = "" if "wall_s" in summary else str(summary.get("failure", "no answer"))
        if failure == tasks.RESTARTED:
            self._batches.put_back(batch.items, batch.deaths)
            self._members.check(member)
            return
        if failure == tasks.SILENT:
            self._members.report_silence(member)
        try:
            results, missing = read_batch(self._workload, batch.items, lines)
            reasons = [failure] if failure else [*map(str, summary["losses"]), "no result came"]
            if not failure:
                self._batches.learn(batch, float(summary["wall_s"]))
        except (ValueError, TypeError, KeyError) as problem:
            self._blame(batch, f"an invalid answer: {problem}")
            return
        self._received += results
        self._count(len(batch.items) - len(missing))
        if missing:
            self._blame(Batch(missing, batch.deaths), reasons[0])

    def _count(self, cases: int) -> None:
        if self._options.board is not None:
            slots = self._options.board.slots()
            for _ in range(cases):
                slots.count_case()

    def _take_received(self) -> Iterator[R]:
        while self._received:
            yield self._received.popleft()

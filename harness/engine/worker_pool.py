"""Share numbered work between forked worker processes, one per processor.

os.posix_spawn blocks its caller until the program has begun, and a Python thread uses one processor
at most. Workers draw numbers from a socket, and send results back through a socket of their own: a
pipe could be opened by a subject of the same user through /proc.
"""

from __future__ import annotations

import gc
import os
import select
import signal
import socket
import time
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import partial
from typing import Final, Generic, TypeVar

from harness.errors import NoProcessLeft
from harness.interruption import STOP_SIGNALS, clean_up_when_stopped, deferred_interruption
from harness.model.exit_codes import ExitCode
from harness.model.transcript import Exited
from harness.process.own_process import blocked_stop_signals, fork
from harness.process.reaper import MOST_STOPS, Reaper, RunProcesses, mark_of, to_ending
from harness.process.system import SYSTEM
from harness.text import signal_name

T = TypeVar("T")

_NUMBER_BYTES: Final = 4  # of a number drawn by a worker, and of the length of a result
_MOST_TICKETS: Final = 16_384
_PART: Final = 4  # a worker draws at once at most a quarter of its share of what is left
_READ_BYTES: Final = 1 << 16
# A wake-up costs more than reading a result. So results gather for a moment too short to see, and
# for at most this part of the time that the run has taken; no longer once a worker has ended. The
# moment becomes shorter if many gather: workers would wait for room in their sockets.
_GATHER_S: Final = 0.025
_GATHER_PART: Final = 0.1
_MOST_GATHERED: Final = 64  # results; a socket has room for about 160
_CHECK_MS: Final = 500  # between two checks for stopped workers
_FAILED: Final = "failed"
_NEW_OBJECTS: Final = 20_000  # between two collections of cycles

# Called in a worker with the numbers that it draws, and its place among the workers (from 0); the
# results that it yields, several at once, are sent to the parent.
WorkFunction = Callable[["DrawnNumbers", int], Generator[Sequence[T], None, None]]


@dataclass(slots=True)
class _Worker:
    """A worker process; `status` is how it ended, once it is reaped."""

    pid: int
    place: int
    tickets_left: int  # when it started
    pending: bytes = b""  # the beginning of a result
    stops: int = 0  # how often something stopped it
    status: int | None = None


class WorkerPool(Generic[T]):
    """A pool of forked workers, started on construction.

    Each number below `total` is drawn by one worker, in ascending order, when it has room for it:
    up to `most_drawn` at once while many are left, so that no worker is left with more than its
    share of long runs. Results travel as messages, of one or several: `pack` makes them in a
    worker, `unpack` reads them.

    A worker that is killed is replaced, but what it had drawn is lost. Before that, `on_loss` is
    called with its place. `remark` ends the sentence about workers that were killed.
    """

    def __init__(
        self,
        work: WorkFunction[T],
        total: int,
        workers: int,
        *,
        pack: Callable[[Sequence[T]], Iterable[bytes]],
        unpack: Callable[[bytes], Sequence[T]],
        most_drawn: int = 1,
        on_loss: Callable[[int], None] = lambda _place: None,
        remark: str = "",
    ) -> None:
        self._unpack = unpack
        self._remark = remark
        self._on_loss = on_loss
        # Inherit the subjects of a worker that is killed.
        SYSTEM.adopt_orphans()
        SYSTEM.forbid_tracing()
        self._reaper = Reaper(sole_parent=True)
        self._tickets, step = _make_tickets(total)
        self._workers: dict[socket.socket, _Worker] = {}  # by the parent's end of the socket
        self._received: deque[T] = deque()
        self._losses: Counter[str] = Counter()  # how workers ended, for a sentence on each
        self._is_stopped = False
        self._started: Final = time.monotonic()
        self._gather_s = _GATHER_S

        def run(place: int, sink: socket.socket, parent: int) -> int:
            numbers = DrawnNumbers(self._tickets, step, total, workers, most_drawn)
            return _run_worker(partial(work, numbers, place), pack, sink, parent)

        self._run: Final = run
        gc.freeze()  # keep the collector of the workers from copying shared pages
        for place in range(workers):
            try:
                self._start(place)
            except NoProcessLeft:
                if not self._workers:
                    self.close()
                    raise
                break  # the others do its work

    def _start(self, place: int) -> None:
        ours, its = socket.socketpair()
        parent = os.getpid()

        def run() -> int:
            for other in (ours, *self._workers):
                other.close()
            return self._run(place, its, parent)

        try:
            with blocked_stop_signals():
                tickets_left = self._tickets_left()
                self._workers[ours] = _Worker(fork(run), place, tickets_left)
        except NoProcessLeft:
            ours.close()
            raise
        finally:
            its.close()

    def outcomes(self) -> Generator[T, None, None]:
        """Yield results until the last worker has exited.

        A KeyboardInterrupt is raised after the results at hand have been used. A second call
        continues where the first one stopped.
        """
        yield from self._take_received()
        waiting = select.poll()
        sockets: dict[int, socket.socket] = {}
        while self._workers:
            for each in self._workers.keys() - sockets.values():
                sockets[each.fileno()] = each
                waiting.register(each, select.POLLIN)
            SYSTEM.check_parent()
            ready = waiting.poll(_CHECK_MS)
            with deferred_interruption():
                self._continue_stopped()
                if ready and not any(events & select.POLLHUP for _, events in ready):
                    taken_s = time.monotonic() - self._started
                    time.sleep(min(self._gather_s, _GATHER_PART * taken_s))
                for descriptor, _ in ready:
                    if not self._receive(sockets[descriptor]):
                        waiting.unregister(descriptor)
                        self._join(sockets.pop(descriptor))
                if ready:
                    is_full = len(self._received) > _MOST_GATHERED
                    self._gather_s = min(_GATHER_S, self._gather_s * (0.5 if is_full else 1.25))
                yield from self._take_received()

    def stop(self) -> None:
        """Have the workers kill their subjects and exit; results already sent stay readable."""
        self._is_stopped = True
        for worker in self._living():
            for number in (signal.SIGTERM, signal.SIGCONT):
                with suppress(ProcessLookupError):
                    os.kill(worker.pid, number)

    def losses(self) -> list[str]:
        """Return a sentence for each worker that failed or was killed since the last call."""
        losses, self._losses = self._losses, Counter()
        return [self._loss_text(how, workers) for how, workers in losses.items()]

    def _loss_text(self, how: str, workers: int) -> str:
        """Return a sentence on workers that ended in the same way."""
        subject = "a worker of xtest" if workers == 1 else f"{workers:,} workers of xtest"
        if how == _FAILED:
            return f"{subject} failed; please report {'its' if workers == 1 else 'their'} output"
        return f"{subject} {'was' if workers == 1 else 'were'} {how}{self._remark}"

    def close(self) -> None:
        """Stop and reap all workers."""
        self.stop()
        for connection in list(self._workers):
            self._join(connection)
        self._tickets.close()
        self._reaper.sweep_all({})
        self._reaper.close()

    def _take_received(self) -> Iterator[T]:
        while self._received:
            yield self._received.popleft()

    def _receive(self, connection: socket.socket) -> bool:
        """Read the results that a worker has sent; return False when it has closed its end."""
        worker = self._workers[connection]
        try:
            chunk = connection.recv(_READ_BYTES)
        except ConnectionResetError:
            chunk = b""
        data = worker.pending + chunk
        begin = 0
        while len(data) - begin >= _NUMBER_BYTES:
            length = int.from_bytes(data[begin : begin + _NUMBER_BYTES], "little")
            end = begin + _NUMBER_BYTES + length
            if end > len(data):
                break
            self._received += self._unpack(data[begin + _NUMBER_BYTES : end])
            begin = end
        worker.pending = data[begin:]
        return bool(chunk)

    def _join(self, connection: socket.socket) -> None:
        connection.close()
        worker = self._workers[connection]
        while worker.status is None:
            _note_status(worker, *os.waitpid(worker.pid, os.WUNTRACED))
        del self._workers[connection]
        ending = to_ending(worker.status)
        if isinstance(ending, Exited):
            if ending.status == ExitCode.INTERRUPTED and not self._is_stopped:
                signal.raise_signal(signal.SIGINT)  # a subject interrupted the worker
            elif ending.status not in (ExitCode.OK, ExitCode.INTERRUPTED):
                self._losses[_FAILED] += 1
                self._on_loss(worker.place)
        else:
            how = f"killed by {signal_name(ending.number)}"
            if worker.stops > MOST_STOPS:
                how = f"stopped by a subject {worker.stops} times"
            self._losses[how] += 1
            self._on_loss(worker.place)
            self._reaper.sweep(RunProcesses(-1, mark_of(worker.pid)), {})
            self._replace(worker)

    def _replace(self, worker: _Worker) -> None:
        """Start a worker in the place of one that was killed, unless that one drew nothing."""
        if not self._is_stopped and 0 < self._tickets_left() < worker.tickets_left:
            with suppress(NoProcessLeft):  # the others do its work
                self._start(worker.place)

    def _tickets_left(self) -> int:
        most = _MOST_TICKETS * _NUMBER_BYTES
        with suppress(BlockingIOError):
            return len(self._tickets.recv(most, socket.MSG_PEEK | socket.MSG_DONTWAIT))
        return 0

    def _continue_stopped(self) -> None:
        for worker in self._living():
            _note_status(worker, *os.waitpid(worker.pid, os.WUNTRACED | os.WNOHANG))

    def _living(self) -> list[_Worker]:
        return [worker for worker in self._workers.values() if worker.status is None]


def _note_status(worker: _Worker, pid: int, status: int) -> None:
    """Note that a worker has ended. Continue one that a subject has stopped; kill it if that
    happens repeatedly."""
    if pid and os.WIFSTOPPED(status):
        worker.stops += 1
        os.kill(pid, signal.SIGCONT if worker.stops <= MOST_STOPS else signal.SIGKILL)
    elif pid:
        worker.status = status


def _make_tickets(total: int) -> tuple[socket.socket, int]:
    """Return a socket filled with numbers to draw, and the number of runs that each stands for,
    which is above 1 if there are very many runs."""
    read_end, write_end = socket.socketpair()
    step = max(1, -(-total // _MOST_TICKETS))
    firsts = range(0, total, step)
    write_end.setblocking(False)
    # The system counts the one or the other.
    write_end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 2 * _MOST_TICKETS * _NUMBER_BYTES)
    read_end.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2 * _MOST_TICKETS * _NUMBER_BYTES)
    write_end.sendall(b"".join(number.to_bytes(_NUMBER_BYTES, "little") for number in firsts))
    write_end.close()
    return read_end, step


class DrawnNumbers(Iterator[int]):
    """The numbers that a worker draws. A ticket stands for `step` of them."""

    def __init__(
        self, tickets: socket.socket, step: int, total: int, workers: int, most_drawn: int
    ) -> None:
        self._tickets = tickets
        self._step = step
        self._total = total
        self._part = _PART * workers
        self._most_tickets = most_drawn // step
        self._drawn: deque[int] = deque()

    @property
    def in_hand(self) -> int:
        """The number of numbers that were drawn and not yet returned."""
        return len(self._drawn)

    def __next__(self) -> int:
        if not self._drawn:
            self._draw()
        return self._drawn.popleft()

    def _draw(self) -> None:
        wanted = 1
        if self._most_tickets > 1:
            most = _NUMBER_BYTES * self._part * self._most_tickets
            left = len(self._tickets.recv(most, socket.MSG_PEEK))
            wanted = max(1, left // _NUMBER_BYTES // self._part)
        drawn = self._tickets.recv(_NUMBER_BYTES * wanted, socket.MSG_WAITALL)
        if not drawn:
            raise StopIteration
        for begin in range(0, len(drawn), _NUMBER_BYTES):
            first = int.from_bytes(drawn[begin : begin + _NUMBER_BYTES], "little")
            self._drawn.extend(range(first, min(first + self._step, self._total)))


def _run_worker(
    work: Callable[[], Generator[Sequence[T], None, None]],
    pack: Callable[[Sequence[T]], Iterable[bytes]],
    sink: socket.socket,
    parent: int,
) -> int:
    """Send the results to the parent; return the exit status."""
    # Records of cases have no cycles: looking for them as often as usual takes a tenth longer.
    gc.set_threshold(_NEW_OBJECTS)
    try:
        clean_up_when_stopped()  # where no parent adopts its subjects, nothing else kills them
        SYSTEM.end_with_parent(parent)
        with closing(work()) as results:  # also if the parent ended: no subject may run on
            for several in results:
                _send(sink, pack(several))
    except (BrokenPipeError, ConnectionResetError):
        return ExitCode.INTERRUPTED
    return ExitCode.OK


def _send(sink: socket.socket, messages: Iterable[bytes]) -> None:
    """Send messages; block signals if that fails: the one for the end of the parent comes next, and
    must not interrupt the killing of subjects."""
    try:
        sink.sendall(
            b"".join(len(each).to_bytes(_NUMBER_BYTES, "little") + each for each in messages)
        )
    except OSError:
        signal.pthread_sigmask(signal.SIG_BLOCK, STOP_SIGNALS)
        raise

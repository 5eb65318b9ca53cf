"""Share numbered work between forked worker processes, one per processor.

os.posix_spawn blocks its caller until the program has begun, and a Python thread uses one processor
at most. Workers draw numbers from a pipe, and send results back through a pipe of their own.
"""

from __future__ import annotations

import fcntl
import gc
import os
import select
import signal
import sys
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator
from typing import Final, Generic, NamedTuple, NoReturn, TypeVar

from harness.model.exit_codes import ExitCode
from harness.model.transcript import Exited
from harness.process.reaper import Reaper, become_subreaper, end_with_parent
from harness.process.termination import to_ending
from harness.text import signal_name

__all__ = ["Serializer", "WorkerPool"]

T = TypeVar("T")

_NUMBER_BYTES: Final = 4  # of a number drawn by a worker, and of the length of a result
_READ_BYTES: Final = 1 << 18
# A wake-up costs more than reading a result: results gather for an imperceptible moment.
_GATHER_S: Final = 0.012

# Called in a worker with the numbers that it draws, and its place among the workers (from 0); the
# results that it yields are sent to the parent.
Work = Callable[[Iterator[int], int], Iterator[T]]


class Serializer(NamedTuple, Generic[T]):
    """Convert results to bytes and back."""

    pack: Callable[[T], bytes]
    unpack: Callable[[bytes], T]


class WorkerPool(Generic[T]):
    """A pool of forked workers, started on construction.

    Each number below `total` is drawn by one worker, in ascending order, when it has room for it.
    """

    def __init__(self, work: Work[T], serializer: Serializer[T], total: int, workers: int) -> None:
        self._serializer = serializer
        # Inherit the subjects of a worker that is killed.
        become_subreaper()
        self._reaper = Reaper(sole_parent=True)
        self._tickets, self._numbers_per_ticket = _make_tickets(total)
        self._pids: dict[int, int] = {}  # by the parent's end of the worker's pipe
        self._pending: dict[int, bytes] = {}
        self._received: deque[T] = deque()
        self._losses: list[str] = []
        gc.freeze()  # keep the collector of the workers from copying shared pages
        for place in range(workers):
            self._start(work, place, total)

    def _start(self, work: Work[T], place: int, total: int) -> None:
        read_end, write_end = os.pipe()
        parent = os.getpid()
        pid = os.fork()
        if pid == 0:
            for descriptor in (read_end, *self._pids):
                os.close(descriptor)
            numbers = _draw_numbers(self._tickets, self._numbers_per_ticket, total)
            _run_worker(map(self._serializer.pack, work(numbers, place)), write_end, parent)
        os.close(write_end)
        self._pids[read_end] = pid
        self._pending[read_end] = b""

    def outcomes(self) -> Generator[T, None, None]:
        """Yield results until the last worker has exited.

        After an interruption a second call continues where the first one stopped.
        """
        yield from self._take_received()
        waiting = select.poll()
        for pipe in self._pids:
            waiting.register(pipe, select.POLLIN)
        while self._pids:
            ready = waiting.poll()
            time.sleep(_GATHER_S)
            for pipe, _ in ready:
                if not self._receive(pipe):
                    waiting.unregister(pipe)
                    self._join(pipe)
            yield from self._take_received()

    def stop(self) -> None:
        """Have the workers kill their subjects and exit; results already sent stay readable."""
        for pid in self._pids.values():
            try:
                os.kill(pid, signal.SIGTERM)
            except ProcessLookupError:
                continue

    def losses(self) -> list[str]:
        """Return a sentence for each worker that failed or was killed."""
        return list(self._losses)

    def close(self) -> None:
        """Stop and reap all workers."""
        self.stop()
        for pipe in list(self._pids):
            self._join(pipe)
        os.close(self._tickets)
        self._reaper.sweep_all()
        self._reaper.close()

    def _take_received(self) -> Iterator[T]:
        while self._received:
            yield self._received.popleft()

    def _receive(self, pipe: int) -> bool:
        """Read the results that a worker has sent; return False at the end of its pipe."""
        chunk = os.read(pipe, _READ_BYTES)
        data = self._pending[pipe] + chunk
        begin = 0
        while len(data) - begin >= _NUMBER_BYTES:
            length = int.from_bytes(data[begin : begin + _NUMBER_BYTES], "little")
            end = begin + _NUMBER_BYTES + length
            if end > len(data):
                break
            self._received.append(self._serializer.unpack(data[begin + _NUMBER_BYTES : end]))
            begin = end
        self._pending[pipe] = data[begin:]
        return bool(chunk)

    def _join(self, pipe: int) -> None:
        os.close(pipe)
        _, status = os.waitpid(self._pids.pop(pipe), 0)
        ending = to_ending(status)
        if isinstance(ending, Exited):
            if ending.status not in (ExitCode.OK, ExitCode.INTERRUPTED):
                self._losses.append("a worker of xtest failed; please report what it printed")
        else:
            name = signal_name(ending.number)
            self._losses.append(f"a worker of xtest was killed by {name}; cases are missing")


def _make_tickets(total: int) -> tuple[int, int]:
    """Return a pipe filled with numbers to draw, and how many runs each of them covers: more
    than one if the pipe cannot hold a number for each run."""
    read_end, write_end = os.pipe()
    capacity = fcntl.fcntl(write_end, fcntl.F_GETPIPE_SZ) // _NUMBER_BYTES
    step = max(1, -(-total // capacity))
    firsts = range(0, total, step)
    os.write(write_end, b"".join(number.to_bytes(_NUMBER_BYTES, "little") for number in firsts))
    os.close(write_end)
    return read_end, step


def _draw_numbers(tickets: int, step: int, total: int) -> Iterator[int]:
    while ticket := os.read(tickets, _NUMBER_BYTES):
        first = int.from_bytes(ticket, "little")
        yield from range(first, min(first + step, total))


def _run_worker(results: Iterator[bytes], pipe: int, parent: int) -> NoReturn:
    """Send the results to the parent, and exit."""
    status = ExitCode.FAULT
    try:
        end_with_parent(parent)
        for result in results:
            _write(pipe, len(result).to_bytes(_NUMBER_BYTES, "little") + result)
        status = ExitCode.OK
    except (KeyboardInterrupt, BrokenPipeError):
        status = ExitCode.INTERRUPTED
    except BaseException:  # pylint: disable=broad-exception-caught  # reported, then the worker exits
        sys.excepthook(*sys.exc_info())
    finally:
        # Not sys.exit: files that the parent has open must not be flushed twice.
        os._exit(status)  # pylint: disable=protected-access


def _write(pipe: int, data: bytes) -> None:
    while data:
        data = data[os.write(pipe, data) :]

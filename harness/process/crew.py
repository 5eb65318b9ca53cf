"""A crew: one piece of work that several processes of ours share, as many as there are processors.

os.posix_spawn holds its caller up until the program has begun, and a Python thread is one processor
at the most. So the harness forks: each hand draws numbers, and sends back what comes of them.
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

from harness.process.ending import ending_of
from harness.process.reaper import Reaper, become_subreaper, end_with_parent
from harness.records import Exited
from harness.words import signal_name

__all__ = ["Crew", "Parcels"]

T = TypeVar("T")

_NUMBER: Final = 4  # bytes of a number on its way to a hand, and of a length on the way back
_CHUNK: Final = 1 << 18  # bytes per read
# What is sent is gathered for so long before it is read: to be woken for each run costs more than
# to read it, and nobody sees the difference.
_GATHER_S: Final = 0.012
_INTERRUPTED: Final = 130

# Gets the numbers that are this hand's, and its place among the hands (from 0); what it yields
# goes to whoever hired the crew.
Work = Callable[[Iterator[int], int], Iterator[T]]


class Parcels(NamedTuple, Generic[T]):
    """How outcomes become bytes, and bytes outcomes."""

    pack: Callable[[T], bytes]
    unpack: Callable[[bytes], T]


class Crew(Generic[T]):
    """Hands that are at work from the moment when they are hired. Each number below `total` is
    drawn by one of them, in ascending order, when it has room for it."""

    def __init__(self, work: Work[T], parcels: Parcels[T], total: int, hands: int) -> None:
        self._parcels = parcels
        # What a hand leaves behind when it is killed comes to us.
        become_subreaper()
        self._reaper = Reaper(sole_parent=True)
        self._tickets, self._step = _tickets(total)
        self._pids: dict[int, int] = {}  # by our end of a hand's pipe
        self._pending: dict[int, bytes] = {}
        self._received: deque[T] = deque()
        self._losses: list[str] = []
        gc.freeze()  # what is there will stay: no hand need go through it, and copy its pages
        for place in range(hands):
            self._hire(work, place, total)

    def _hire(self, work: Work[T], place: int, total: int) -> None:
        ours, its = os.pipe()
        parent = os.getpid()
        pid = os.fork()
        if pid == 0:
            for other in (ours, *self._pids):
                os.close(other)
            outcomes = work(_drawn(self._tickets, self._step, total), place)
            _work(map(self._parcels.pack, outcomes), its, parent)
        os.close(its)
        self._pids[ours] = pid
        self._pending[ours] = b""

    def outcomes(self) -> Generator[T, None, None]:
        """What the hands send, until the last of them has gone home. After an interruption it goes
        on where it was."""
        yield from self._taken()
        waiting = select.poll()
        for pipe in self._pids:
            waiting.register(pipe, select.POLLIN)
        while self._pids:
            ready = waiting.poll()
            time.sleep(_GATHER_S)
            for pipe, _ in ready:
                if not self._receive(pipe):
                    waiting.unregister(pipe)
                    self._dismiss(pipe)
            yield from self._taken()

    def stop(self) -> None:
        """Have the hands kill what they run, and go home; what they had sent can still be read."""
        for pid in self._pids.values():
            try:
                os.kill(pid, signal.SIGTERM)
            except ProcessLookupError:
                continue

    def losses(self) -> list[str]:
        """A sentence for each hand that did not come home by itself."""
        return list(self._losses)

    def close(self) -> None:
        """Send everybody home."""
        self.stop()
        for pipe in list(self._pids):
            self._dismiss(pipe)
        os.close(self._tickets)
        self._reaper.sweep_all()
        self._reaper.close()

    def _taken(self) -> Iterator[T]:
        while self._received:
            yield self._received.popleft()

    def _receive(self, pipe: int) -> bool:
        """Read what a hand has sent. False: it has gone home."""
        chunk = os.read(pipe, _CHUNK)
        data = self._pending[pipe] + chunk
        begin = 0
        while len(data) - begin >= _NUMBER:
            end = begin + _NUMBER + int.from_bytes(data[begin : begin + _NUMBER], "little")
            if end > len(data):
                break
            self._received.append(self._parcels.unpack(data[begin + _NUMBER : end]))
            begin = end
        self._pending[pipe] = data[begin:]
        return bool(chunk)

    def _dismiss(self, pipe: int) -> None:
        os.close(pipe)
        _, status = os.waitpid(self._pids.pop(pipe), 0)
        ending = ending_of(status)
        if isinstance(ending, Exited):
            if ending.status not in (0, _INTERRUPTED):
                self._losses.append(
                    "a process of xtest's own failed; please report what it printed"
                )
        else:
            name = signal_name(ending.number)
            self._losses.append(f"a process of xtest's own was ended by {name}; cases are missing")


def _tickets(total: int) -> tuple[int, int]:
    """A pipe from which numbers are drawn, all of them in it already; and how many each stands for:
    one, unless there are more than the pipe can hold."""
    ours, its = os.pipe()
    capacity = fcntl.fcntl(its, fcntl.F_GETPIPE_SZ) // _NUMBER
    step = -(-total // capacity)
    numbers = range(0, total, max(1, step))
    os.write(its, b"".join(number.to_bytes(_NUMBER, "little") for number in numbers))
    os.close(its)
    return ours, max(1, step)


def _drawn(tickets: int, step: int, total: int) -> Iterator[int]:
    while ticket := os.read(tickets, _NUMBER):
        first = int.from_bytes(ticket, "little")
        yield from range(first, min(first + step, total))


def _work(parcels: Iterator[bytes], pipe: int, parent: int) -> NoReturn:
    """What a hand does, from the fork to its end."""
    status = 2
    try:
        end_with_parent(parent)
        for parcel in parcels:
            _write(pipe, len(parcel).to_bytes(_NUMBER, "little") + parcel)
        status = 0
    except (KeyboardInterrupt, BrokenPipeError):
        status = _INTERRUPTED
    except BaseException:  # pylint: disable=broad-exception-caught  # told, and nothing of it escapes
        sys.excepthook(*sys.exc_info())
    finally:
        # Not sys.exit: what the harness has open is its own to close.
        os._exit(status)  # pylint: disable=protected-access


def _write(pipe: int, data: bytes) -> None:
    while data:
        data = data[os.write(pipe, data) :]

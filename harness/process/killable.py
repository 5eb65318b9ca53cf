"""Answer requests in a process that can be killed, with a time limit and a memory limit.

The process is forked from its caller, with which it shares everything in memory. It answers one
request after another, and is started again after it was killed or has grown.
"""

from __future__ import annotations

import fcntl
import gc
import mmap
import os
import resource
import select
import signal
import socket
import tempfile
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import Thread
from typing import IO, Final, Generic, NamedTuple, NoReturn, TypeVar

from harness.errors import NoProcessLeft, OutOfTime
from harness.model.limits import MIB
from harness.process.own_process import blocked_stop_signals, close_others, fork
from harness.process.system import SYSTEM
from harness.text import format_number, signal_name

K = TypeVar("K")
R_co = TypeVar("R_co", covariant=True)

_ALARM_INTERVAL_S: Final = 1.0  # between alarms after the first
_GRACE_S: Final = 2.0  # for code in C, which the alarm of its own process does not stop
_WATCH_S: Final = 0.05  # between looks at its memory, where the kernel limits none
_MEMORY_SIGNAL: Final = signal.SIGUSR1
_LARGE: Final = 4 * MIB  # after such a request, memory is returned by a new process
# Of Linux: F_SEAL_WRITE, F_SEAL_GROW, F_SEAL_SHRINK and F_SEAL_SEAL.
_SEALS: Final = 8 | 4 | 2 | 1
_ANSWERED: Final = b"+"
_STOPPED: Final = b"-"


class Bounds(NamedTuple):
    """The most that one request may take: seconds, and bytes of memory beyond what is shared."""

    seconds: float = 60.0
    memory: int = 2048 * MIB


class Stopped(NamedTuple):
    """The reason why a request has no answer, which continues "stopped "."""

    reason: str


OUT_OF_MEMORY: Final = Stopped("because memory ran out")  # for making a request
NO_PROCESS: Final = Stopped(f"because {NoProcessLeft().strerror}")


class KillableProcess:
    """A process that answers requests with `handle`, started by the first of them.

    `handle` is called in the process. If it catches `OutOfTime`, it must raise it again; a note on
    that exception becomes part of the reason.
    """

    def __init__(self, handle: Callable[[bytes], bytes], bounds: Bounds) -> None:
        self._handle = handle
        self._bounds = bounds
        self._pid = 0
        self._socket: socket.socket | None = None
        self._is_large = False  # the request in progress
        self.deadline: float | None = None  # of the request in progress, on the monotonic clock

    def fileno(self) -> int:
        """Return the descriptor that is readable when an answer arrives."""
        assert self._socket is not None
        return self._socket.fileno()

    def call(self, request: bytes) -> bytes | Stopped:
        self.submit(request)
        waiting = select.poll()
        waiting.register(self.fileno(), select.POLLIN)
        while (answer := self.receive()) is None:
            assert self.deadline is not None
            waiting.poll(max(0.0, self.deadline - time.monotonic()) * 1000 + 1)
        return answer

    def submit(self, request: bytes) -> None:
        """Send a request; the one before must have been answered."""
        try:
            send_data(self._running(), request)
        except (BrokenPipeError, ConnectionResetError):  # it ended after its last answer
            self._end()
            send_data(self._running(), request)
        self._is_large = len(request) > _LARGE
        self.deadline = time.monotonic() + self._bounds.seconds + _GRACE_S

    def receive(self) -> bytes | Stopped | None:
        """Return the answer if it is there, and None otherwise. Kills a late process."""
        assert self._socket is not None and self.deadline is not None
        try:
            answer = receive_data(self._socket)
        except BlockingIOError:
            if time.monotonic() < self.deadline:
                return None
            self._end()
            return Stopped(_after(self._bounds))
        if answer is None:
            return Stopped(self._end())
        self.deadline = None
        if self._is_large:
            self._end()
        kind, content = answer[:1], answer[1:]
        return content if kind == _ANSWERED else Stopped(content.decode())

    def close(self) -> None:
        if self._socket is not None:
            self._end()

    def _running(self) -> socket.socket:
        """Return the socket of the process, after starting it if it does not run."""
        if self._socket is None:
            ours, its = socket.socketpair()
            parent = os.getpid()
            with blocked_stop_signals():
                self._pid = fork(lambda: _serve(its, self._handle, self._bounds, parent))
                self._socket = ours
            its.close()
            ours.setblocking(False)
        return self._socket

    def _end(self) -> str:
        """Kill and reap the process; return how it ended."""
        assert self._socket is not None
        self._socket.close()
        self._socket, self.deadline = None, None
        with suppress(ProcessLookupError):
            os.kill(self._pid, signal.SIGKILL)
        _, status = os.waitpid(self._pid, 0)
        code = os.waitstatus_to_exitcode(status)
        return f"with exit status {code}" if code >= 0 else f"by {signal_name(-code)}"


class KillableQueue(Generic[K, R_co]):
    """Requests for a killable process, one after another; background work of the process loop.

    `finish` makes a result of the key of a request and the answer to it.
    """

    def __init__(
        self,
        handle: Callable[[bytes], bytes],
        bounds: Bounds,
        finish: Callable[[K, bytes | Stopped], R_co],
    ) -> None:
        self._process = KillableProcess(handle, bounds)
        self._finish = finish
        self._waiting: deque[tuple[K, Callable[[], bytes]]] = deque()
        self._current: list[K] = []  # one if a request is in progress

    @property
    def pending(self) -> int:
        return len(self._waiting) + len(self._current)

    @property
    def deadline(self) -> float | None:
        """The time when the request in progress ends at the latest, on the monotonic clock."""
        return self._process.deadline

    def fileno(self) -> int:
        """Return the descriptor that is readable when an answer arrives."""
        return self._process.fileno()

    def submit(self, key: K, request: Callable[[], bytes]) -> None:
        """Add a request, which is made when its turn comes.

        Raises MemoryError or NoProcessLeft.
        """
        self._waiting.append((key, request))
        self._begin_next()

    def results(self) -> list[R_co]:
        """Return the new results, without waiting."""
        results: list[R_co] = []
        while self._current and (answer := self._process.receive()) is not None:
            results.append(self._finish(self._current.pop(), answer))
            while not self._current and self._waiting:
                key = self._waiting[0][0]
                try:
                    self._begin_next()
                except MemoryError:
                    results.append(self._finish(key, OUT_OF_MEMORY))
                except NoProcessLeft:
                    results.append(self._finish(key, NO_PROCESS))
        return results

    def close(self) -> None:
        self._process.close()

    def _begin_next(self) -> None:
        if not self._current and self._waiting:
            key, request = self._waiting.popleft()
            self._process.submit(request())
            self._current.append(key)


@contextmanager
def time_limit(seconds: float, *, is_of_clock: bool = False) -> Iterator[None]:
    """Raise OutOfTime, in the main thread, after this time, even inside a regular expression.

    It is processor time, which other programs do not change, or that of a clock.
    """
    timer, number = signal.ITIMER_PROF, signal.SIGPROF
    if is_of_clock:
        timer, number = signal.ITIMER_REAL, signal.SIGALRM
    before = signal.signal(number, _out_of_time)
    # Repeatedly: Python ignores exceptions in some places, such as finalizers.
    signal.setitimer(timer, seconds, _ALARM_INTERVAL_S)
    try:
        yield
    finally:
        signal.setitimer(timer, 0)
        signal.signal(number, before)


def stop_reason(stop: BaseException, bound: str) -> str:
    """Return the bound that was reached, with the first note on the exception, if any."""
    return ", ".join([bound, *getattr(stop, "__notes__", [])[:1]])


def _serve(
    connection: socket.socket, handle: Callable[[bytes], bytes], bounds: Bounds, parent: int
) -> int:
    SYSTEM.end_with_parent(parent, signal.SIGKILL)
    _prepare(connection.fileno(), bounds)
    with suppress(BrokenPipeError, ConnectionResetError):  # of its parent
        while (request := receive_data(connection)) is not None:
            send_data(connection, _answer(handle, request, bounds))
    return 0


def _prepare(kept: int, bounds: Bounds) -> None:
    # The collector would copy shared pages, and look again and again for cycles in large values.
    gc.disable()
    # A copy of a pipe to a subject would keep it from seeing the end of its input.
    close_others(kept)
    for number in (signal.SIGINT, signal.SIGQUIT):  # keys are for the parent, which kills us
        signal.signal(number, signal.SIG_IGN)
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    shared = SYSTEM.address_space()
    if shared is not None:
        _, most = resource.getrlimit(resource.RLIMIT_AS)
        wanted = shared + bounds.memory
        least = wanted if most == resource.RLIM_INFINITY else min(wanted, most)
        with suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_AS, (least, most))
        if not _is_enforced(least):
            _watch_memory(bounds.memory)


def _is_enforced(address_space: int) -> bool:
    """Return whether the system refuses memory beyond that limit, which macOS only remembers."""
    try:
        mmap.mmap(-1, address_space).close()
    except (OSError, ValueError, OverflowError):
        return True
    return False


def _watch_memory(most: int) -> None:
    """Signal this process whenever it has grown by more than these bytes since now."""
    own = SYSTEM.read_process(os.getpid())
    bound = most + (0 if own is None else own.resident)

    def watch() -> None:
        while (now := SYSTEM.read_process(os.getpid())) is not None:
            if now.resident > bound:
                os.kill(os.getpid(), _MEMORY_SIGNAL)
            time.sleep(_WATCH_S)

    signal.signal(_MEMORY_SIGNAL, signal.SIG_IGN)
    Thread(target=watch, daemon=True).start()


@contextmanager
def _memory_limit() -> Iterator[None]:
    """Raise MemoryError when this process is signalled that it has grown too much."""
    before = signal.signal(_MEMORY_SIGNAL, _out_of_memory)
    try:
        yield
    finally:
        signal.signal(_MEMORY_SIGNAL, before)


def _out_of_memory(_number: int, _frame: object) -> NoReturn:
    raise MemoryError


def _after(bounds: Bounds) -> str:
    return f"after {format_number(bounds.seconds)} s"


def _out_of_time(_number: int, _frame: object) -> NoReturn:
    raise OutOfTime


def _answer(handle: Callable[[bytes], bytes], data: bytes, bounds: Bounds) -> bytes:
    try:
        with time_limit(bounds.seconds, is_of_clock=True), _memory_limit():
            answer = handle(data)
    except OutOfTime as stop:
        return _STOPPED + stop_reason(stop, _after(bounds)).encode()
    except MemoryError as stop:
        most = f"at {format_number(bounds.memory / (1024 * MIB))} GiB of memory"
        return _STOPPED + stop_reason(stop, most).encode()
    return _ANSWERED + answer


def send_data(connection: socket.socket, data: bytes) -> None:
    """Send data in a file without a name: no waiting for the other side.

    Where the system has sealed memory, nothing can change it.
    """
    with _open_unnamed() as file:
        file.write(data)
        file.flush()
        if hasattr(os, "memfd_create"):
            fcntl.fcntl(file, fcntl.F_ADD_SEALS, _SEALS)
        socket.send_fds(connection, [b"+"], [file.fileno()])


def _open_unnamed() -> IO[bytes]:
    """Open a file that no program can find: in memory, where the system has that."""
    if hasattr(os, "memfd_create"):
        return open(os.memfd_create("xtest", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING), "wb")
    return tempfile.TemporaryFile()


def receive_data(connection: socket.socket) -> bytes | None:
    """Return the data that the other side has sent, or None if it has ended."""
    try:
        message, descriptors, _, _ = socket.recv_fds(connection, 1, 1)
    except ConnectionResetError:  # it left something unread
        return None
    if not message:
        return None
    with open(descriptors[0], "rb") as memory:
        memory.seek(0)
        return memory.read()

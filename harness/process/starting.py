"""Start a program in a session of its own, with limits that the kernel enforces. Source:
setrlimit(2)."""

from __future__ import annotations

import os
import pickle
import resource
import signal
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Final, NoReturn

from harness.process.backend import ExitInfo

# Signals that a subject does not inherit as ignored: Python ignores SIGPIPE, nohup and background
# shells ignore others. All are listed: posix_spawn would first ask the kernel about each signal
# that is not, which takes 15 µs in all.
DEFAULT_SIGNALS: Final = tuple(signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP})


def spawn_posix(
    argv: tuple[str, ...], variables: Mapping[bytes, bytes], streams: Sequence[int]
) -> int:
    """Start a program by posix_spawn, which is fast, but sets no limits."""
    return os.posix_spawn(
        argv[0],
        argv,
        variables,
        file_actions=[(os.POSIX_SPAWN_DUP2, each, number) for number, each in enumerate(streams)],
        setsid=True,
        setsigmask=(),
        setsigdef=DEFAULT_SIGNALS,
    )


def spawn_by_fork(
    argv: tuple[str, ...],
    variables: Mapping[bytes, bytes],
    streams: Sequence[int],
    rlimits: Mapping[int, int],
) -> int:
    """Start a program by fork and exec, which every POSIX system has, with hard limits."""
    problems, problem = os.pipe()
    try:
        pid = os.fork()
        if pid == 0:
            _execute(argv, variables, streams, rlimits, problem)
        os.close(problem)
        problem = -1
        if message := os.read(problems, 4096):  # it is closed by the exec
            os.waitpid(pid, 0)
            raise pickle.loads(message)
        return pid
    finally:
        os.close(problems)
        if problem >= 0:
            os.close(problem)


def _execute(
    argv: tuple[str, ...],
    variables: Mapping[bytes, bytes],
    streams: Sequence[int],
    rlimits: Mapping[int, int],
    problem: int,
) -> NoReturn:
    try:
        os.setsid()
        for each in DEFAULT_SIGNALS:
            with suppress(OSError):
                signal.signal(each, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, ())
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
        for what, value in rlimits.items():
            _, most = resource.getrlimit(what)
            least = _at_most(value, most)
            resource.setrlimit(what, (least, least))
        os.execve(argv[0], argv, variables)
    except (OSError, ValueError) as reason:
        os.write(problem, pickle.dumps(reason))
    finally:
        os._exit(127)  # pylint: disable=protected-access  # a copy of xtest must not go on


def call_with_rlimits(
    rlimits: Mapping[int, int], streams: Sequence[int], start: Callable[[], int]
) -> int:
    """Call a function that starts a process, with lower soft limits of this one, if it has one
    thread: others of a host process would be limited, too.

    An ordinary user could not raise a hard limit again.
    """
    if not rlimits or threading.active_count() > 1:
        return start()
    rlimits = _inheritable(rlimits, streams)
    before = {what: resource.getrlimit(what) for what in rlimits}
    try:
        for what, (_, most) in before.items():
            resource.setrlimit(what, (_at_most(rlimits[what], most), most))
        return start()
    finally:
        for what, pair in before.items():
            resource.setrlimit(what, pair)


def _inheritable(rlimits: Mapping[int, int], descriptors: Sequence[int]) -> Mapping[int, int]:
    """Return the limits that this process can have while it starts one with these descriptors."""
    # Not RLIMIT_CPU: the processor time that this process has used already would count.
    # posix_spawn refuses to pass on descriptors above RLIMIT_NOFILE.
    least = {resource.RLIMIT_FSIZE: 0, resource.RLIMIT_NOFILE: 1 + max(descriptors)}
    return {what: max(value, least[what]) for what, value in rlimits.items() if what in least}


def _at_most(value: int, most: int) -> int:
    return value if most == resource.RLIM_INFINITY else min(value, most)


def exit_of(pid: int) -> ExitInfo | None:
    """Reap a child if it has ended."""
    reaped, status, usage = os.wait4(pid, os.WNOHANG)
    if not reaped or os.WIFSTOPPED(status):  # a child that is traced reports its signals, too
        return None
    return ExitInfo(status, usage.ru_utime + usage.ru_stime)

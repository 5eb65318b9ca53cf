"""Protect, restore and fork the processes of xtest itself.

Subjects must not reach into their descriptors, their memory or their /proc. Source: docs/pytest.md.
"""

from __future__ import annotations

import os
import resource
import signal
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Final, NoReturn

from harness.errors import NO_PROCESS, NoProcessLeft, UsageError, require_proc
from harness.interruption import STOP_SIGNALS
from harness.model.exit_codes import ExitCode
from harness.model.transcript import Exited
from harness.process.reaper import (
    Reaper,
    become_subreaper,
    cease_subreaping,
    end_with_parent,
    is_subreaper,
    prctl,
)
from harness.process.termination import MOST_STOPS, to_ending
from harness.text import pluralize, signal_name

_OPEN_FILES: Final = 32  # of xtest itself: streams, results, reports, workers
_OPEN_FILES_PER_RUN: Final = 8
_PR_SET_DUMPABLE: Final = 4  # <linux/prctl.h>
_FIRST_OTHER: Final = 3  # after the standard streams
_BY_KERNEL: Final = 0x80  # SI_KERNEL: the terminal signals the whole group, the child included


@contextmanager
def preserved_process_state() -> Iterator[None]:
    """Restore, after the block, what runs change in this process: inheritable descriptors, the
    adoption of orphans, core files."""
    inheritable = inheritable_descriptors()
    core_files, was_subreaper = resource.getrlimit(resource.RLIMIT_CORE), is_subreaper()
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_CORE, core_files)
        for descriptor in inheritable:
            os.set_inheritable(descriptor, True)
        if not was_subreaper:
            cease_subreaping()


def require_open_files(parallel: int) -> None:
    """Raise UsageError if this process may not open enough files for so many runs at once."""
    most, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = _OPEN_FILES + _OPEN_FILES_PER_RUN * parallel
    if most != resource.RLIM_INFINITY and most < needed:
        raise UsageError(
            f"{pluralize(parallel, 'run')} at once: {needed} open files are needed, {most} allowed;"
            f" use ulimit -n {needed}{', or a lower -j' if parallel > 1 else ''}"
        )


def forbid_tracing() -> None:
    """Keep processes of the same user from tracing this one and its future children.

    They can then neither reopen its descriptors through /proc nor read its memory. Programs that
    those children execute can be traced as usual.
    """
    prctl(_PR_SET_DUMPABLE, 0)


def inheritable_descriptors() -> list[int]:
    """Return the descriptors that a program would inherit other than its standard streams."""
    found = []
    for descriptor in map(int, os.listdir("/proc/self/fd")):
        with suppress(OSError):  # the descriptor of the listing is closed
            if descriptor >= _FIRST_OTHER and os.get_inheritable(descriptor):
                found.append(descriptor)
    return found


def close_on_exec() -> None:
    """Keep started programs from inheriting descriptors other than their standard streams."""
    for descriptor in inheritable_descriptors():
        os.set_inheritable(descriptor, False)


@contextmanager
def blocked_stop_signals() -> Iterator[None]:
    """Delay the stop signals until the end of the block, so that it can record a forked process."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, STOP_SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def fork(work: Callable[[], int]) -> int:
    """Run a function in a new process, which exits with its result; return the process.

    The stop signals are delayed: Python's hooks after a fork print exceptions and drop them. Raises
    NoProcessLeft, or UsageError without /proc.
    """
    with blocked_stop_signals(), warnings.catch_warnings():
        # Threads, such as that of the progress line, hold no lock that the process needs.
        warnings.simplefilter("ignore", DeprecationWarning)
        pid = _fork()
        if pid == 0:
            _run(work)
    return pid


def _fork() -> int:
    require_proc()  # for all that the new process does
    try:
        return os.fork()
    except OSError as problem:
        if problem.errno in NO_PROCESS:
            raise NoProcessLeft from None
        raise


def continue_in_child(report: Callable[[str], None]) -> None:
    """Return in a forked child, while the parent waits for it and exits with its status.

    If the parent is killed, the child is interrupted, and kills its subjects. If the child is
    killed, the parent adopts its subjects and kills them, and calls `report` with how it ended.
    """
    become_subreaper()
    forbid_tracing()
    parent = os.getpid()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, (*STOP_SIGNALS, signal.SIGCHLD))
    pid = _fork()
    if pid:
        _exit_like(pid, Reaper(sole_parent=True), report)
    signal.pthread_sigmask(signal.SIG_SETMASK, before)
    end_with_parent(parent)


def _run(work: Callable[[], int]) -> None:
    status = ExitCode.FAULT.value
    try:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, STOP_SIGNALS)
        status = work()
    except KeyboardInterrupt:
        status = ExitCode.INTERRUPTED
    except NoProcessLeft as problem:
        print(f"xtest: {problem.strerror}", file=sys.stderr)
    except BaseException:  # pylint: disable=broad-exception-caught  # reported here
        sys.excepthook(*sys.exc_info())
    finally:
        _exit(status)


def _exit_like(pid: int, reaper: Reaper, report: Callable[[str], None]) -> NoReturn:
    """Forward stop signals to a child until it ends, then exit with its status."""
    stops = 0
    while True:
        received = signal.sigwaitinfo((*STOP_SIGNALS, signal.SIGCHLD))
        if received.si_signo != signal.SIGCHLD:
            if received.si_code != _BY_KERNEL:
                os.kill(pid, received.si_signo)
            continue
        reaped, status = os.waitpid(pid, os.WNOHANG | os.WUNTRACED)
        if reaped and not os.WIFSTOPPED(status):
            break
        if reaped and os.WSTOPSIG(status) == signal.SIGSTOP:  # by a subject, not by the terminal
            stops += 1
            os.kill(pid, signal.SIGCONT if stops <= MOST_STOPS else signal.SIGKILL)
    ending = to_ending(status)
    if isinstance(ending, Exited):
        _exit(ending.status)
    reaper.sweep_all({})
    is_stopped = stops > MOST_STOPS
    killed = f"killed by {signal_name(ending.number)}"
    report(f"stopped by a subject {stops} times" if is_stopped else killed)
    _exit(ExitCode.FAULT)


def _exit(status: int) -> NoReturn:
    # Not sys.exit: nothing that the other process does at its exit may be done twice.
    os._exit(status)  # pylint: disable=protected-access

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

from harness.errors import NO_PROCESS, NoProcessLeft, UsageError
from harness.interruption import STOP_SIGNALS
from harness.model.exit_codes import ExitCode
from harness.process.system import SYSTEM
from harness.text import pluralize

_OPEN_FILES: Final = 32  # of xtest itself: streams, results, reports, workers
_OPEN_FILES_PER_RUN: Final = 8
_FIRST_OTHER: Final = 3  # after the standard streams


@contextmanager
def preserved_process_state() -> Iterator[None]:
    """Restore, after the block, what runs change in this process: inheritable descriptors, the
    adoption of orphans, core files."""
    inheritable = _inheritable_descriptors()
    core_files, adopted = resource.getrlimit(resource.RLIMIT_CORE), SYSTEM.adopts_orphans()
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_CORE, core_files)
        for descriptor in inheritable:
            os.set_inheritable(descriptor, True)
        if not adopted:
            SYSTEM.adopt_orphans(False)


def require_open_files(parallel: int) -> None:
    """Raise UsageError if this process may not open enough files for so many runs at once."""
    most, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = _OPEN_FILES + _OPEN_FILES_PER_RUN * parallel
    if most != resource.RLIM_INFINITY and most < needed:
        raise UsageError(
            f"{pluralize(parallel, 'run')} at once: {needed} open files are needed, {most} allowed;"
            f" use ulimit -n {needed}{', or a lower -j' if parallel > 1 else ''}"
        )


def _inheritable_descriptors() -> list[int]:
    """Return the descriptors that a program would inherit other than its standard streams."""
    inheritable = []
    for descriptor in SYSTEM.open_descriptors():
        with suppress(OSError):  # the descriptor of the listing is closed
            if descriptor >= _FIRST_OTHER and os.get_inheritable(descriptor):
                inheritable.append(descriptor)
    return inheritable


def close_on_exec() -> None:
    """Keep started programs from inheriting descriptors other than their standard streams."""
    for descriptor in _inheritable_descriptors():
        os.set_inheritable(descriptor, False)


def close_others(kept: int) -> None:
    """Close all descriptors of this process but its standard streams and one more.

    Up to the highest number that is allowed, there may be billions.
    """
    for descriptor in SYSTEM.open_descriptors():
        if descriptor >= _FIRST_OTHER and descriptor != kept:
            with suppress(OSError):  # the descriptor of the listing is closed
                os.close(descriptor)


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
        SYSTEM.require()  # for all that the new process does
        try:
            pid = os.fork()
        except OSError as problem:
            if problem.errno in NO_PROCESS:
                raise NoProcessLeft from None
            raise
        if pid == 0:
            _run(work)
    return pid


def _run(work: Callable[[], int]) -> None:
    status = ExitCode.FAULT.value
    try:
        try:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, STOP_SIGNALS)
            status = work()
        except KeyboardInterrupt:
            status = ExitCode.INTERRUPTED
        except NoProcessLeft as problem:
            print(f"xtest: {problem.strerror}", file=sys.stderr)
        except BaseException:  # pylint: disable=broad-exception-caught  # reported here
            sys.excepthook(*sys.exc_info())
        _exit(status)
    finally:
        # A stop signal that came just before the exit must not lead back into the caller's code.
        _exit(status)


def _exit(status: int) -> NoReturn:
    # Not sys.exit: nothing that the other process does at its exit may be done twice.
    os._exit(status)  # pylint: disable=protected-access

"""Fork a process that runs a function, without losing an interruption."""

from __future__ import annotations

import os
import signal
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from harness.interruption import STOP_SIGNALS
from harness.model.exit_codes import ExitCode


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

    The stop signals are delayed: Python's hooks after a fork print exceptions and drop them.
    """
    with blocked_stop_signals(), warnings.catch_warnings():
        # Threads, such as that of the progress line, hold no lock that the process needs.
        warnings.simplefilter("ignore", DeprecationWarning)
        pid = os.fork()
        if pid == 0:
            _run(work)
    return pid


def _run(work: Callable[[], int]) -> None:
    status = ExitCode.FAULT.value
    try:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, STOP_SIGNALS)
        status = work()
    except KeyboardInterrupt:
        status = ExitCode.INTERRUPTED
    except BaseException:  # pylint: disable=broad-exception-caught  # reported here
        sys.excepthook(*sys.exc_info())
    finally:
        # Not sys.exit: nothing of the parent's may run or be flushed twice.
        os._exit(status)  # pylint: disable=protected-access

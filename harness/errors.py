"""Declare exceptions that many modules share, and format the reason of an OSError."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from errno import EAGAIN, EDQUOT, EFBIG, EIO, EMFILE, ENFILE, ENOENT, ENOMEM, ENOSPC, ENXIO
from typing import Final

CANNOT_WRITE: Final = "cannot be written"

MACHINE_LIMITS: Final = (EMFILE, ENFILE, ENOMEM)  # not the fault of the file that is opened
# Errors of the disk or the terminal, and limits of this machine: no fault of xtest.
RESOURCE_ERRORS: Final = (ENOSPC, EDQUOT, EFBIG, EIO, EAGAIN, *MACHINE_LIMITS)
# Of a process that cannot be started: ulimit -u, a control group, a PID namespace, or memory.
NO_PROCESS: Final = (EAGAIN, ENOMEM)
NO_THREAD: Final = "can't start new thread"  # the message of Python's RuntimeError


@dataclass(frozen=True, slots=True)
class Refused:
    """The result of a function that cannot do what it was asked to; the reason is for people."""

    reason: str


class UsageError(Exception):
    """An invalid request. The message says what is wrong and how to fix it; exit status 2."""


class NoProcessLeft(OSError):
    """This machine lets xtest start no further process or thread."""

    def __init__(self) -> None:
        reason = "no further process can be started; see ulimit -u, and the limits of the container"
        super().__init__(EAGAIN, reason)


class OutOfTime(BaseException):
    """The time of a request is over, in a process that can be killed.

    Not an Exception: no handler of ordinary errors may swallow it.
    """


def os_reason(problem: OSError, default: str = "cannot be read") -> str:
    """Return the system's reason in lower case, or `default` if it gives none.

    With CANNOT_WRITE, a missing folder, or a pipe without a reader, has a reason of its own.
    """
    if default == CANNOT_WRITE and problem.errno == ENOENT:
        return "its folder does not exist; create it first"
    if default == CANNOT_WRITE and problem.errno == ENXIO:
        return "the pipe has no reader; start the reader first"
    if problem.errno == EAGAIN:  # of a fork
        problem = NoProcessLeft()
    return (problem.strerror or default).lower()


@contextmanager
def usage_errors(where: str, default: str = "cannot be read") -> Iterator[None]:
    """Turn an OSError into a UsageError that says `where`, and the reason as `os_reason`."""
    try:
        yield
    except OSError as problem:
        raise UsageError(f"{where}: {os_reason(problem, default)}") from None

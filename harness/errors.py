"""Declare exceptions that pass through many modules, and format the reasons of an OSError."""

from __future__ import annotations

from errno import EMFILE, ENFILE, ENOENT, ENOMEM
from typing import Final

__all__ = ["MACHINE_LIMITS", "OutOfTime", "UsageError", "os_reason", "write_reason"]

MACHINE_LIMITS: Final = (EMFILE, ENFILE, ENOMEM)  # not the fault of the file that is opened


class UsageError(Exception):
    """An invalid request. The message says what is wrong and how to fix it; exit status 2."""


class OutOfTime(BaseException):
    """The time of a request is over, in a process that can be killed.

    Not an Exception: no handler of ordinary errors may swallow it.
    """


def os_reason(problem: OSError, unnamed: str = "cannot be read") -> str:
    """Return the system's reason in lower case, or `unnamed` if it gives none."""
    return (problem.strerror or unnamed).lower()


def write_reason(problem: OSError) -> str:
    """Return why a file cannot be written, and how to fix it if its folder is missing."""
    if problem.errno == ENOENT:
        return "its folder does not exist; create it first"
    return os_reason(problem, "cannot be written")

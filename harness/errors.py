"""Declare exceptions that pass through many modules, and name the system's reasons."""

from __future__ import annotations

__all__ = ["OutOfTime", "UsageError", "os_reason"]


class UsageError(Exception):
    """An invalid request. The message says what is wrong and how to fix it; exit status 2."""


class OutOfTime(BaseException):
    """The time of a request is over, in a process that can be killed.

    Not an Exception: no handler of ordinary errors may swallow it.
    """


def os_reason(problem: OSError, unnamed: str = "cannot be read") -> str:
    """Return the system's reason in lower case, or `unnamed` if it gives none."""
    return (problem.strerror or unnamed).lower()

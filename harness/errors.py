"""Declare exceptions that pass through many modules."""

from __future__ import annotations

__all__ = ["OutOfTime", "UsageError"]


class UsageError(Exception):
    """An invalid request. The message says what is wrong and how to fix it; exit status 2."""


class OutOfTime(BaseException):
    """The time of a request is over, in a process that can be killed.

    Not an Exception: no handler of ordinary errors may swallow it.
    """

"""Declare the exception for requests that cannot be carried out, and name the system's reasons."""

from __future__ import annotations

__all__ = ["UsageError", "os_reason"]


class UsageError(Exception):
    """An invalid request. The message says what is wrong and how to fix it; exit status 2."""


def os_reason(problem: OSError, unnamed: str = "cannot be read") -> str:
    """Return the system's reason in lower case, or `unnamed` if it gives none."""
    return (problem.strerror or unnamed).lower()

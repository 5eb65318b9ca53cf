"""A fault of usage: the caller asked for what cannot be done."""

from __future__ import annotations

__all__ = ["UsageFault"]


class UsageFault(Exception):
    """The message says what is wrong, and what to do; told on standard error, exit status 2."""

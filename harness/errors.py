"""Declare the exception for requests that cannot be carried out."""

from __future__ import annotations

__all__ = ["UsageError"]


class UsageError(Exception):
    """An invalid request. The message says what is wrong and how to fix it; exit status 2."""

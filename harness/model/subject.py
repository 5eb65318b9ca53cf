"""Declare a program under test."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["ExecutionContext", "Subject"]


class ExecutionContext(NamedTuple):
    """The working folder of a program and its environment."""

    folder: str  # an absolute path
    environment: tuple[tuple[str, str], ...] = ()  # added to that of the caller, or replacing it


class Subject(NamedTuple):
    """A program under test: its name in reports, and its command as written."""

    name: str
    command: tuple[str, ...]
    context: ExecutionContext | None = None  # of a subject of an xtest.toml
    limits: tuple[tuple[str, float], ...] = ()  # override the suite's
    fault: str = ""  # why it cannot be run

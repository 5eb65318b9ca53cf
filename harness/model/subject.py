"""Declare a program under test."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["ExecutionContext", "Subject"]


class ExecutionContext(NamedTuple):
    """The working folder of a program, as an absolute path, and its environment.

    The variables are added to those of the caller, or replace them.
    """

    folder: str
    environment: tuple[tuple[str, str], ...] = ()


class Subject(NamedTuple):
    """A program under test: its name in reports, and its command as written.

    A subject of an xtest.toml has a context, and `limits` that override the suite's. `fault` is the
    reason why it cannot be run, or empty.
    """

    name: str
    command: tuple[str, ...]
    context: ExecutionContext | None = None
    limits: tuple[tuple[str, float], ...] = ()
    fault: str = ""

"""Declare the kinds of sandbox, and what one can promise."""

from __future__ import annotations

from enum import Enum

from harness.model.verdict import FactEnum

__all__ = ["Protection", "SandboxKind"]


class Protection(FactEnum):
    """A promise about every run; the value is its name in suite.toml."""

    description: str

    HIDDEN_SUITES = "hidden-suites", "Subjects cannot read suites, results files or .git."
    NO_NETWORK = "no-network", "Subjects reach no network."
    NO_WRITES = "no-writes", "Subjects write only to a temporary folder of their own."
    NO_SIGNALS = "no-signals", "Subjects cannot signal, trace or read processes of others."
    MEMORY_ACCOUNTING = "memory-accounting", "The kernel counts the memory of a run as a whole."


class SandboxKind(Enum):
    """The kinds of sandbox, in order of preference; the value is the name on the command line."""

    BWRAP = "bwrap"
    LANDLOCK = "landlock"

"""Declare the kinds of sandbox, and what one can promise."""

from __future__ import annotations

from enum import Enum

__all__ = ["Protection", "SandboxKind"]


class Protection(Enum):
    """A promise about every run; the value is its name in suite.toml."""

    description: str

    def __new__(cls, value: str, description: str = "") -> Protection:
        """Create a member whose value is its name in suite.toml."""
        member = object.__new__(cls)
        member._value_ = value
        member.description = description
        return member

    HIDDEN_SUITES = "hidden-suites", "Subjects cannot read suites, results files or .git."
    NO_NETWORK = "no-network", "Subjects reach no network."
    NO_WRITES = "no-writes", "Subjects write only to a temporary folder of their own."
    NO_SIGNALS = "no-signals", "Subjects cannot signal, trace or read processes of others."
    MEMORY_ACCOUNTING = "memory-accounting", "The kernel counts the memory of a run as a whole."


class SandboxKind(Enum):
    """The kinds of sandbox, in order of preference; the value is the name on the command line."""

    BWRAP = "bwrap"
    LANDLOCK = "landlock"

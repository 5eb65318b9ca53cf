"""Declare the kinds of sandbox, and what one can promise."""

from __future__ import annotations

from enum import Enum
from typing import Self

from harness.model.verdict import FactEnum


class Protection(FactEnum):
    """A promise about every run; the value is its name in suite.toml."""

    description: str

    HIDDEN_SUITES = (
        "hidden-suites",
        "Subjects see neither contents nor sizes of suites, results files and .git.",
    )
    HIDDEN_CONTENTS = "hidden-contents", "Subjects cannot read suites, results files or .git."
    NO_NETWORK = "no-network", "Subjects cannot reach a network."
    NO_WRITES = "no-writes", "Subjects write only to a temporary folder of their own."
    NO_SIGNALS = (
        "no-signals",
        "Subjects cannot signal, trace or read processes other than their own.",
    )
    MEMORY_ACCOUNTING = "memory-accounting", "The kernel counts the memory of a run as a whole."
    ALL_PROCESSES = (
        "all-processes",
        "Every process of a run counts and is ended, whatever its session and environment.",
    )

    @classmethod
    def of_sandboxes(cls) -> frozenset[Self]:
        """Return the protections that a sandbox can promise; the others need no sandbox."""
        return frozenset(cls) - {cls.MEMORY_ACCOUNTING, cls.ALL_PROCESSES}


class Accounting(FactEnum):
    """A way to count what a run uses as a whole; the value is its name in results files."""

    description: str

    CGROUP_V2 = "cgroup-v2", "Control groups of version 2 count processor time and memory."
    CGROUP_V1 = (
        "cgroup-v1",
        "Control groups of version 2 count processor time, those of version 1 memory.",
    )
    CGROUP_MEMBERS = "cgroup-members", "Control groups of version 2 count processor time."
    PROC = "proc", "Processes are sampled in /proc."
    PSUTIL = "psutil", "The portable back end samples processes by psutil."
    EXIT = "exit", "The portable back end knows only the processor time, at the end."

    @property
    def protections(self) -> frozenset[Protection]:
        """The promises that hold because of it."""
        counts_memory = self in (Accounting.CGROUP_V1, Accounting.CGROUP_V2)
        return frozenset({Protection.MEMORY_ACCOUNTING} if counts_memory else ())


class SandboxKind(Enum):
    """The kinds of sandbox, in order of preference; the value is the name on the command line."""

    BWRAP = "bwrap"
    LANDLOCK = "landlock"

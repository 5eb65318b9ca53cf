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

    CGROUP_V2 = "cgroup-v2", "processor time and memory: control groups, version 2"
    CGROUP_V1 = "cgroup-v1", "processor time: control groups, version 2; memory: version 1"
    CGROUP_MEMBERS = (
        "cgroup-members",
        "processor time: control groups, version 2; memory: samples of /proc",
    )
    PROC = "proc", "processor time and memory: samples of /proc"
    PSUTIL = "psutil", "processor time and memory: samples by psutil"
    EXIT = "exit", "processor time: at the end of a run; memory: unknown"

    @property
    def protections(self) -> frozenset[Protection]:
        """The promises that hold because of it."""
        counts_memory = self in (Accounting.CGROUP_V1, Accounting.CGROUP_V2)
        return frozenset({Protection.MEMORY_ACCOUNTING} if counts_memory else ())


class SandboxKind(Enum):
    """The kinds of sandbox, in order of preference; the value is the name on the command line."""

    BWRAP = "bwrap"
    LANDLOCK = "landlock"

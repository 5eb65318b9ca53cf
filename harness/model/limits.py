"""Declare the limits of a run, and the verdicts on runs that reach them.

To add a limit, add a member to `Limit` and the field of the same name to `Limits`, then enforce it.
The reader of suite.toml follows from the member; a test holds the schema and docs/running.md to it.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from harness.model.verdict import FactEnum, Verdict

MIB: Final = 1024 * 1024


class Limit(FactEnum):
    """A limit of one run, by its name in suite.toml.

    `excess` is the verdict on a run that reached it, and the message, with {} for the limit. It is
    None for the clocks, which need the output to tell `silent` from `stalled`, and for limits that
    the kernel enforces.
    """

    is_integer: bool
    description: str
    excess: tuple[Verdict, str] | None

    WALL = ("wall_s", False, "Seconds from the start until the program has ended.", None)
    FIRST_BYTE = (
        *("first_byte_s", False),
        "Seconds until the first byte on standard output; `wall_s` if not set.",
        None,
    )
    CPU = (
        *("cpu_s", False, "Seconds of processor time of the program and its descendants."),
        (Verdict.CPU_LIMIT, "used more than {} s of processor time"),
    )
    MEMORY = (
        *("memory_mib", False),
        "Memory of the program and its descendants together, without file-backed pages, in MiB.",
        (Verdict.MEMORY_LIMIT, "used more than {} MiB of memory"),
    )
    OUTPUT = (
        *("output_mib", False, "Standard output, in MiB."),
        (Verdict.OUTPUT_LIMIT, "printed more than {} MiB"),
    )
    PROCESSES = (
        *("processes", True, "Processes at once, including the program itself."),
        (Verdict.PROCESS_LIMIT, "ran more processes at once than the limit of {}"),
    )
    OPEN_FILES = ("open_files", True, "Files that one process may have open at once.", None)
    FILE_SIZE = (
        *("file_mib", False),
        "Size of a file that the program writes, in MiB; a process that exceeds it gets SIGXFSZ.",
        None,
    )


class Limits(NamedTuple):
    """The limits of one run, by the names of `Limit`; None if not limited."""

    wall_s: float = 10.0
    first_byte_s: float | None = None
    cpu_s: float | None = None
    memory_mib: float | None = None
    output_mib: float = 16.0
    processes: int | None = None
    open_files: int | None = None
    file_mib: float | None = None

    def value_of(self, limit: Limit) -> float | None:
        value: float | None = getattr(self, limit.value)
        return value

    def is_exceeded(self, limit: Limit, amount: float) -> bool:
        """Return whether an amount, in the limit's unit, is more than the limit allows."""
        allowed = self.value_of(limit)
        return allowed is not None and amount > allowed

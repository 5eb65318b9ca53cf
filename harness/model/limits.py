"""Declare the limits of a run: names in suite.toml, units, defaults, verdicts.

To add a limit, add a member to `Limit` and the field of the same name to `Limits`, then enforce it.
The reader of suite.toml follows from the member; tests hold the schema and the table in
docs/running.md to it.

Source: docs/running.md.
"""

from __future__ import annotations

from enum import Enum
from typing import Final, NamedTuple

from harness.model.verdict import Verdict

__all__ = ["LIMIT_CEILING", "MIB", "Limit", "Limits", "Unit"]

MIB: Final = 1024 * 1024
LIMIT_CEILING: Final = 1e9  # every limit is above 0 and below this


class Unit(Enum):
    """The unit of a limit."""

    SECONDS = "s"
    MIB = "MiB"
    COUNT = ""  # an integer


class Limit(Enum):
    """A limit of one run.

    `default` is None if a run is not limited. `verdict` is the judgement of a run that reached the
    limit, and `excess` its message, with {} for the limit; both are empty for the clocks, which
    need the output to tell `silent` from `stalled`, and for limits that the kernel enforces.
    """

    unit: Unit
    default: float | None
    description: str
    enforced_by: str
    verdict: Verdict | None
    excess: str

    # The defaults let type checkers accept the lookup `Limit("wall_s")`.
    def __new__(  # pylint: disable=too-many-arguments,too-many-positional-arguments  # one for each fact
        cls,
        value: str,
        unit: Unit = Unit.COUNT,
        default: float | None = None,
        description: str = "",
        enforced_by: str = "",
        verdict: Verdict | None = None,
        excess: str = "",
    ) -> Limit:
        """Create a member whose value is its name in suite.toml."""
        member = object.__new__(cls)
        member._value_ = value
        member.unit = unit
        member.default = default
        member.description = description
        member.enforced_by = enforced_by
        member.verdict = verdict
        member.excess = excess
        return member

    WALL = (
        "wall_s",
        Unit.SECONDS,
        10,
        "Seconds from the start until the program has ended.",
        "a clock",
    )
    FIRST_BYTE = (
        "first_byte_s",
        Unit.SECONDS,
        None,
        "Seconds until the first byte on standard output; `wall_s` if not set.",
        "a clock",
    )
    CPU = (
        "cpu_s",
        Unit.SECONDS,
        None,
        "Seconds of processor time of the program and its descendants.",
        "sampling `/proc`, and the kernel for each process",
        Verdict.CPU_LIMIT,
        "used more than {} s of processor time",
    )
    MEMORY = (
        "memory_mib",
        Unit.MIB,
        None,
        "Resident memory of the program and its descendants together, in MiB.",
        "sampling `/proc`",
        Verdict.MEMORY_LIMIT,
        "used more than {} MiB of memory",
    )
    OUTPUT = (
        "output_mib",
        Unit.MIB,
        16,
        "Standard output, in MiB.",
        "counting while reading",
        Verdict.OUTPUT_LIMIT,
        "printed more than {} MiB",
    )
    PROCESSES = (
        "processes",
        Unit.COUNT,
        None,
        "Processes at once, including the program itself.",
        "sampling `/proc`",
        Verdict.PROCESS_LIMIT,
        "ran more than {} processes at once",
    )
    OPEN_FILES = (
        "open_files",
        Unit.COUNT,
        None,
        "Files that one process may have open at once.",
        "the kernel",
    )
    FILE_SIZE = (
        "file_mib",
        Unit.MIB,
        None,
        "Size of a file that the program writes, in MiB; SIGXFSZ ends the program beyond it.",
        "the kernel",
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
        """Return the value of a limit, or None if not limited."""
        value: float | None = getattr(self, limit.value)
        return value

    def is_exceeded(self, limit: Limit, amount: float) -> bool:
        """Return whether an amount, in the limit's unit, is more than the limit allows."""
        allowed = self.value_of(limit)
        return allowed is not None and amount > allowed

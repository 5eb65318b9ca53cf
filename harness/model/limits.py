"""Declare the limits of a run, and the verdicts on runs that reach them.

To add a limit, add a member to `Limit` and the field of the same name to `Limits`. If samples
measure it, add the field to `Usage` too, and measure it in harness/process/procfs.py. Everything
else follows: the reader of suite.toml, the verdict, `near_limits`, the schema and the pages.
"""

from __future__ import annotations

from math import ceil
from operator import itemgetter
from typing import Any, Final, NamedTuple

from harness.model.verdict import FactEnum, Verdict

MIB: Final = 1024 * 1024
DEFAULT_OUTPUT_MIB: Final = 16.0  # or twice the expected output, if that is more


class Limit(FactEnum):
    """A limit of one run, by its name in suite.toml.

    `is_integer`: it limits a count, which is exact. `excess` is the verdict on a run that reached
    it, and the message, with {} for the limit. It is None for the clocks, which need the output to
    tell `silent` from `stalled`, and for limits that the kernel enforces.
    """

    is_integer: bool
    description: str
    enforcement: str  # what enforces it, in Markdown for docs/running.md
    excess: tuple[Verdict, str] | None

    WALL = (
        "wall_s",
        False,
        "Seconds from the start until the program has ended.",
        "a clock",
        None,
    )
    FIRST_BYTE = (
        "first_byte_s",
        False,
        "Seconds until the first byte on standard output; `wall_s` if not set.",
        "a clock",
        None,
    )
    CPU = (
        "cpu_s",
        False,
        "Seconds of processor time of the program and its descendants.",
        "a [control group](#control-groups), or else sampling `/proc`; also the kernel, for each"
        " process",
        (Verdict.CPU_LIMIT, "used more than {} s of processor time"),
    )
    MEMORY = (
        "memory_mib",
        False,
        "Memory of the program and its descendants together, without file-backed pages, in MiB.",
        "a control group, or else sampling `/proc`",
        (Verdict.MEMORY_LIMIT, "used more than {} MiB of memory"),
    )
    OUTPUT = (
        "output_mib",
        False,
        "Standard output, in MiB; the default is at least twice the expected output.",
        "counting while reading",
        (Verdict.OUTPUT_LIMIT, "printed more than {} MiB"),
    )
    PROCESSES = (
        "processes",
        True,
        "Processes at once, including the program itself.",
        "sampling `/proc`",
        (Verdict.PROCESS_LIMIT, "ran more processes at once than the limit of {}"),
    )
    OPEN_FILES = (
        "open_files",
        True,
        "Files that one process may have open at once.",
        "the kernel, from the start ([exceptions](#not-guaranteed))",
        None,
    )
    FILE_SIZE = (
        "file_mib",
        False,
        "Size of a file that the program writes, in MiB; a process that exceeds it gets SIGXFSZ.",
        "the kernel, from the start ([exceptions](#not-guaranteed))",
        None,
    )

    @property
    def is_time(self) -> bool:
        return str(self.value).endswith("_s")


class Limits(NamedTuple):
    """The limits of one run, by the names of `Limit`; None if not limited."""

    wall_s: float = 10.0
    first_byte_s: float | None = None
    cpu_s: float | None = None
    memory_mib: float | None = None
    output_mib: float = DEFAULT_OUTPUT_MIB
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

    @property
    def restrict_usage(self) -> bool:
        """Return whether something is limited that samples measure."""
        measured: tuple[float | None, ...] = _measured(self)
        return measured.count(None) < len(measured)


def with_room_for(limits: Limits, expected: int) -> Limits:
    """Return the limits with a default for output of at least twice the expected bytes."""
    needed = 2 * expected / MIB
    if limits.output_mib != DEFAULT_OUTPUT_MIB or needed <= DEFAULT_OUTPUT_MIB:
        return limits
    return limits._replace(output_mib=float(ceil(needed)))


def scale_times(limits: Limits, factor: float) -> Limits:
    """Return the limits with their times multiplied by a factor."""
    times = {each: limits.value_of(each) for each in Limit if each.is_time}
    scaled: dict[str, Any] = {
        each.value: time_s * factor for each, time_s in times.items() if time_s is not None
    }
    return limits._replace(**scaled)


class Usage(NamedTuple):
    """The resources that the processes of a run use together, by the names of their limits.

    Samples measure them; of each, a run keeps the peak. Memory is 0 if the program ended before
    the first sample.
    """

    cpu_s: float = 0.0
    memory_mib: float = 0.0
    processes: int = 1

    def peak(self, other: Usage) -> Usage:
        return Usage._make(map(max, self, other))

    def exceeded(self, limits: Limits) -> Limit | None:
        """Return the first limit that is exceeded, or None."""
        exceeded = (
            limit
            for limit, amount in zip(MEASURED, self, strict=True)
            if limits.is_exceeded(limit, amount)
        )
        return next(exceeded, None)


MEASURED: Final = tuple(map(Limit, Usage._fields))
_measured: Final = itemgetter(*map(Limits._fields.index, Usage._fields))


def usage_of_one(usage: Usage, cases: int) -> Usage:
    """Return what counts for each of several cases that one process has run.

    Only sums are divided among them.
    """
    return usage._replace(cpu_s=usage.cpu_s / cases)

"""The words of the harness as frozen records: what is read, planned, observed and judged.

Data only: no behaviour beyond what a record says of itself, no input or output. Source: the words
and the verdict table of docs/verdicts.md.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Final

from harness.jsontext import Json

__all__ = [
    "Case",
    "Comparison",
    "Difference",
    "Ending",
    "Exited",
    "ExitRange",
    "InputKind",
    "InvalidCase",
    "Job",
    "Judgement",
    "Limit",
    "Limits",
    "MIB",
    "MISSING",
    "Missing",
    "NotStarted",
    "Numbers",
    "Policy",
    "Signalled",
    "Subject",
    "Transcript",
    "Verdict",
]

MIB: Final = 1024 * 1024


class Verdict(Enum):
    """Every possible judgement of one run, in the order in which causes are looked for."""

    INVALID_CASE = "invalid-case"
    NOT_STARTED = "not-started"
    SILENT = "silent"
    STALLED = "stalled"
    CPU_LIMIT = "cpu-limit"
    MEMORY_LIMIT = "memory-limit"
    OUTPUT_LIMIT = "output-limit"
    PROCESS_LIMIT = "process-limit"
    CRASHED = "crashed"
    MALFORMED = "malformed"
    TOO_FEW = "too-few"
    TOO_MANY = "too-many"
    DIFFERS = "differs"
    EXIT_STATUS = "exit-status"
    PASSED = "passed"
    FLAKY = "flaky"
    HARNESS_FAULT = "harness-fault"


class InputKind(Enum):
    """What a case's input claims to be."""

    JSON = "json"  # a stream of values within the suite's schema
    OFF_SCHEMA = "off-schema"  # a stream of values, outside the schema on purpose
    RAW = "raw"  # bytes that nobody parses


class Numbers(Enum):
    """When two numbers are equal."""

    EXACT = "exact"  # same kind (integer, or with fraction or exponent) and same value
    VALUE = "value"  # same value: 1 = 1.0


@dataclass(frozen=True, slots=True)
class Comparison:
    """What equal means in a suite. Paths are JSON Pointers into the array of all values, in which
    `*` stands for one step and `**` for any number of steps."""

    numbers: Numbers = Numbers.EXACT
    unordered: tuple[str, ...] = ()  # arrays whose order does not count
    ignore: tuple[str, ...] = ()  # values that need not agree, nor be there

    @property
    def is_plain(self) -> bool:
        """Whether nothing depends on where a value stands."""
        return not self.unordered and not self.ignore


@dataclass(frozen=True, slots=True)
class ExitRange:
    """The exit statuses that a case accepts: `least` to `most`, both included."""

    least: int = 0
    most: int = 0

    def __contains__(self, status: int) -> bool:
        return self.least <= status <= self.most

    def __str__(self) -> str:
        if (self.least, self.most) == (1, 255):
            return "nonzero"
        return str(self.least) if self.least == self.most else f"{self.least}-{self.most}"


@dataclass(frozen=True, slots=True)
class Limits:
    """What one run may use. None: not limited."""

    wall_s: float = 10.0
    first_byte_s: float | None = None  # None: as long as the whole answer may take
    cpu_s: float | None = None
    memory_mib: float | None = None
    output_mib: float = 16.0
    processes: int | None = None


class Limit(Enum):
    """The limits, by their name in suite.toml."""

    FIRST_BYTE = "first_byte_s"
    WALL = "wall_s"
    CPU = "cpu_s"
    MEMORY = "memory_mib"
    OUTPUT = "output_mib"
    PROCESSES = "processes"


@dataclass(frozen=True, slots=True)
class Policy:
    """How a case is judged: what equal means, and the exit status that is expected."""

    comparison: Comparison = field(default_factory=Comparison)
    exit: ExitRange = field(default_factory=ExitRange)
    limits: Limits = field(default_factory=Limits)


@dataclass(frozen=True, slots=True)
class Case:
    """One case as it was read: the bytes for standard input, and what standard output should be."""

    suite: str
    name: str
    stdin: bytes
    expected_text: bytes
    expected: list[Json]
    kind: InputKind = InputKind.JSON
    tags: tuple[str, ...] = ()
    policy: Policy = field(default_factory=Policy)


@dataclass(frozen=True, slots=True)
class InvalidCase:
    """A case that is broken itself; nothing is run for it."""

    suite: str
    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class Subject:
    """A program under test: its name in reports, and the command as it was written."""

    name: str
    command: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Job:
    """One run to be made: the command with its program found, its input, its limits."""

    argv: tuple[str, ...]
    stdin: bytes
    limits: Limits = field(default_factory=Limits)


@dataclass(frozen=True, slots=True)
class NotStarted:
    """The operating system refused to run the command; `reason` says why, for a person."""

    reason: str


@dataclass(frozen=True, slots=True)
class Exited:
    """The program ended by itself, with this exit status (0 to 255)."""

    status: int


@dataclass(frozen=True, slots=True)
class Signalled:
    """A signal ended the program: its number."""

    number: int


Ending = NotStarted | Exited | Signalled


@dataclass(frozen=True, slots=True)
class Transcript:
    """What was observed of one run, and nothing else.

    `ending` is how the program itself ended (after a limit fell: by our signal). `limit` is the one
    that fell first. `stdout` and `stderr` are what was kept of `stdout_bytes` and `stderr_bytes`.
    Times are seconds from the start.
    """

    ending: Ending
    stdout: bytes = b""
    stderr: bytes = b""
    stdout_bytes: int = 0
    stderr_bytes: int = 0
    limit: Limit | None = None
    first_byte_s: float | None = None
    wall_s: float = 0.0
    cpu_s: float = 0.0


class Missing(Enum):
    """The absence of a value, which no JSON value can stand for."""

    MISSING = "missing"


MISSING: Final = Missing.MISSING


@dataclass(frozen=True, slots=True)
class Difference:
    """One place where two streams of values differ: a JSON Pointer into the array of all values."""

    pointer: str
    expected: Json | Missing
    actual: Json | Missing


@dataclass(frozen=True, slots=True)
class Judgement:
    """The verdict of a run, a sentence on why, and every difference where values were compared."""

    verdict: Verdict
    message: str
    differences: tuple[Difference, ...] = ()

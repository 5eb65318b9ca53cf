"""The words of the harness as frozen records: what is read, planned, observed and judged.

Data only: NamedTuples, of which a class costs an eighth of what a frozen dataclass does, at the
start of every run; so tell kinds apart by isinstance, never by ==. Source: docs/verdicts.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from typing import Final, NamedTuple

from harness.jsontext import Json
from harness.judging.comparison import Comparison, Numbers

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
    "Piece",
    "Policy",
    "Setting",
    "Signalled",
    "Subject",
    "Transcript",
    "Verdict",
    "Visibility",
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


class Visibility(Enum):
    """When a student sees a graded case, in Gradescope's words."""

    VISIBLE = "visible"
    HIDDEN = "hidden"
    AFTER_DUE_DATE = "after_due_date"
    AFTER_PUBLISHED = "after_published"


class InputKind(Enum):
    """What a case's input claims to be."""

    JSON = "json"  # a stream of values within the suite's schema
    OFF_SCHEMA = "off-schema"  # a stream of values, outside the schema on purpose
    RAW = "raw"  # bytes that nobody parses


class ExitRange(NamedTuple):
    """The exit statuses that a case accepts: `least` to `most`, both included."""

    least: int = 0
    most: int = 0

    def accepts(self, status: int) -> bool:
        """Whether a status is one of them."""
        return self.least <= status <= self.most

    def __str__(self) -> str:
        if (self.least, self.most) == (1, 255):
            return "nonzero"
        return str(self.least) if self.least == self.most else f"{self.least}-{self.most}"


class Limits(NamedTuple):
    """What one run may use. None: not limited."""

    wall_s: float = 10.0
    first_byte_s: float | None = None  # None: as long as the whole answer may take
    cpu_s: float | None = None
    memory_mib: float | None = None  # resident, of the whole tree of processes
    output_mib: float = 16.0
    processes: int | None = None  # at once, the program itself among them
    open_files: int | None = None
    file_mib: float | None = None


class Limit(Enum):
    """The limits, by their name in suite.toml."""

    FIRST_BYTE = "first_byte_s"
    WALL = "wall_s"
    CPU = "cpu_s"
    MEMORY = "memory_mib"
    OUTPUT = "output_mib"
    PROCESSES = "processes"


class Policy(NamedTuple):
    """How a case is judged: what equal means, and the exit status that is expected."""

    comparison: Comparison = Comparison()
    exit: ExitRange = ExitRange()
    limits: Limits = Limits()


class Case(NamedTuple):
    """One case as it was read: the bytes for standard input, and what standard output should be."""

    suite: str
    name: str
    stdin: bytes
    expected_text: bytes
    expected: list[Json]
    kind: InputKind = InputKind.JSON
    tags: tuple[str, ...] = ()
    policy: Policy = Policy()


class InvalidCase(NamedTuple):
    """A case that is broken itself; nothing is run for it."""

    suite: str
    name: str
    reason: str


class Setting(NamedTuple):
    """Where a program runs, if not where its caller is: the folder, as an absolute path, and the
    variables that its environment has beside the caller's, or instead of them."""

    folder: str
    environment: tuple[tuple[str, str], ...] = ()


class Subject(NamedTuple):
    """A program under test: its name in reports, and the command as it was written. One of an
    xtest.toml has a setting, and `limits` that override the suite's. `fault` says why it cannot be
    run (the empty text: it can)."""

    name: str
    command: tuple[str, ...]
    setting: Setting | None = None
    limits: tuple[tuple[str, float], ...] = ()
    fault: str = ""


class Piece(NamedTuple):
    """Bytes for standard input, to be written `pause_s` seconds after the piece before them, and
    not before `answers` complete values have come back."""

    data: bytes
    pause_s: float = 0.0
    answers: int = 0


class Job(NamedTuple):
    """One run to be made: the command with its program found, its input, its limits. With `feed`
    the input comes in pieces, and `stdin` is not looked at. `setting`: as a subject's."""

    argv: tuple[str, ...]
    stdin: bytes
    limits: Limits = Limits()
    feed: Iterator[Piece] | None = None
    setting: Setting | None = None


class NotStarted(NamedTuple):
    """The operating system refused to run the command; `reason` says why, for a person."""

    reason: str


class Exited(NamedTuple):
    """The program ended by itself, with this exit status (0 to 255)."""

    status: int


class Signalled(NamedTuple):
    """A signal ended the program: its number."""

    number: int


Ending = NotStarted | Exited | Signalled


class Transcript(NamedTuple):
    """What was observed of one run, and nothing else.

    `ending` is how the program itself ended (after a limit fell: by our signal). `limit` is the one
    that fell first. `stdout` and `stderr` are what was kept of `stdout_bytes` and `stderr_bytes`.
    Times are seconds from the start. `awaited`: so many answers had to be there before more of the
    input was to be sent, and were not (0: nothing waited for answers).
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
    peak_mib: float | None = None  # None: it ended before anybody could look
    processes: int = 1  # the most that were seen at once
    awaited: int = 0


class Missing(Enum):
    """The absence of a value, which no JSON value can stand for."""

    MISSING = "missing"


MISSING: Final = Missing.MISSING


class Difference(NamedTuple):
    """One place where two streams of values differ.

    `pointer`: a JSON Pointer into the array of all expected values; of a value that was not
    expected, into the array of all values printed. `actual_pointer`: where in that array the actual
    value stands, if elsewhere.
    """

    pointer: str
    expected: Json | Missing
    actual: Json | Missing
    actual_pointer: str | None = None


class Judgement(NamedTuple):
    """The verdict of a run, a sentence on why, and every difference where values were compared."""

    verdict: Verdict
    message: str
    differences: tuple[Difference, ...] = ()

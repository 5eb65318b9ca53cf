"""Declare the events of a test fest: submitted cases, programs and what they answered.

A fest judges suites written by many teams by programs written by many. Its results file has one
event a line; schemas/fest-results.schema.json describes it. Source: docs/howto/test-fest.md.
"""

from __future__ import annotations

from enum import Enum
from typing import Final, NamedTuple

from harness.model.event_lines import LineFormat
from harness.model.events import Diagnostic, Excerpt
from harness.model.verdict import FactEnum, Verdict


class CaseStatus(FactEnum):
    description: str

    VALID = "valid", "Every wheat passes it every time, or the staff ruled so."
    INVALID = "invalid", "It is broken, too large or too slow, or the wheats agree on other output."
    CONTESTED = "contested", "The wheats disagree on the answer; the case counts for no team."


class Role(FactEnum):
    """The part that a program has in a fest."""

    description: str

    WHEAT = "wheat", "a correct program, which decides whether cases are valid"
    CHAFF = "chaff", "a plausible wrong program, which good suites catch"
    TEAM = "team", "the program of a team"


class Duplicates(Enum):
    """The teams that a valid input counts for if several submitted it."""

    EACH = "each"
    FIRST = "first"


class Ruling(NamedTuple):
    """A decision by staff on the status of a case."""

    team: str
    case: str
    status: CaseStatus
    by: str | None = None
    reason: str | None = None


class FestProgram(NamedTuple):
    """A program. Answers with the same `key` are still valid; if it is empty, none are."""

    name: str
    role: Role
    key: str
    fault: str | None = None  # why it cannot be run


class FestStarted(NamedTuple):
    """The first event. `cases` is the number of submitted cases."""

    xtest: str
    started: str  # in UTC, in the format of RFC 3339
    teams: tuple[str, ...]
    cases: int
    duplicates: Duplicates
    programs: tuple[FestProgram, ...]
    rulings: tuple[Ruling, ...]


class Submitted(NamedTuple):
    """A case of a team. One that cannot be used has a `reason` and no digests.

    `input` is a digest of the input as JSON and its limits, `expected` one of the expected output
    and how it is compared.
    """

    team: str
    case: str
    input: str | None = None
    expected: str | None = None
    reason: str | None = None
    stdin: Excerpt | None = None
    stdout: Excerpt | None = None


class CaseVerdict(NamedTuple):
    """The verdict on an answer for one expected output, with a message unless it passed."""

    expected: str
    verdict: Verdict
    message: str | None = None


class Answered(NamedTuple):
    """One run of a program on an input, compared with each output that some team expects.

    `stdout` is kept for wheats, and for runs that did not pass, as is `stderr`; `exit` is None
    after a signal, and if a limit was reached.
    """

    program: str
    role: Role
    key: str
    input: str
    repeat: int  # from 0
    verdicts: tuple[CaseVerdict, ...]
    wall_s: float
    cpu_s: float
    exit: int | None = None
    stdout: Excerpt | None = None
    stderr: Excerpt | None = None
    signal: str | None = None


class WheatAnswer(NamedTuple):
    """An answer, absent if there was none within the limits, and the wheats that gave it."""

    wheats: tuple[str, ...]
    stdout: Excerpt | None = None
    exit: int | None = None


class WheatsDiffer(NamedTuple):
    """An input on which the wheats disagree, with each answer.

    If a checker judges (`checked`), they do only about cases that some of them pass.
    """

    input: str
    answers: tuple[WheatAnswer, ...]
    checked: bool = False


class FestEnded(NamedTuple):
    """The last event: the runs of this execution, and those kept from earlier ones."""

    runs: int
    earlier: int
    wall_s: float
    interrupted: bool


FestEvent = FestStarted | Diagnostic | Submitted | Answered | WheatsDiffer | FestEnded

FEST_FORMAT: Final = 1  # increased when a reader of the old format would misread the new one

FEST_LINES: Final = LineFormat[FestEvent](
    "a fest results file",
    FEST_FORMAT,
    {
        "fest-started": FestStarted,
        "problem": Diagnostic,
        "submitted": Submitted,
        "answered": Answered,
        "wheats-differ": WheatsDiffer,
        "fest-ended": FestEnded,
    },
)
fest_line = FEST_LINES.line
parse_fest_event = FEST_LINES.parse

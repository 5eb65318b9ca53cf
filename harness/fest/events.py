"""Declare what the results of a test fest have beside the events of a run.

A fest judges suites written by many teams by programs written by many. Its results file is that of
a run: a suite is a team's, a subject a program; schemas/fest-results.schema.json describes the
events that are added. Source: docs/howto/test-fest.md.
"""

from __future__ import annotations

from enum import Enum
from typing import Final, NamedTuple

from harness.model.event_lines import EVENT_LINES, FORMAT, LineFormat
from harness.model.events import Event, Excerpt
from harness.model.verdict import FactEnum


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

    def subject(self, name: str) -> str:
        """Return the name as a subject of a program with this role."""
        return f"{self.value} {name}"


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
    """A program. Results with the same `key` are still valid; if it is empty, none are."""

    name: str
    role: Role
    key: str
    fault: str | None = None  # why it cannot be run
    build_output: tuple[str, ...] | None = None  # the last lines of its build, if that failed

    @property
    def subject(self) -> str:
        return self.role.subject(self.name)


class FestPlan(NamedTuple):
    """The facts beside the results that scores depend on; it comes before the first case."""

    teams: tuple[str, ...]
    duplicates: Duplicates
    programs: tuple[FestProgram, ...]
    rulings: tuple[Ruling, ...]


class Submitted(NamedTuple):
    """A case of a team. One that cannot be used has a `reason` and no digests.

    `input` is a digest of the input as JSON and its limits, `content` one that also covers the
    expected output and how it is compared.
    """

    team: str
    case: str
    input: str | None = None
    content: str | None = None
    reason: str | None = None
    stdin: Excerpt | None = None
    stdout: Excerpt | None = None


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


FestEvent = Event | FestPlan | Submitted | WheatsDiffer

# Events that readers of other results pass over.
FEST_EVENTS: Final[dict[str, type[FestEvent]]] = {
    "fest-plan": FestPlan,
    "fest-submitted": Submitted,
    "fest-wheats-differ": WheatsDiffer,
}
FEST_LINES: Final = LineFormat[FestEvent](
    "a fest results file", FORMAT, {**EVENT_LINES.kinds, **FEST_EVENTS}, former="fest-started"
)
fest_line = FEST_LINES.line
parse_fest_event = FEST_LINES.parse

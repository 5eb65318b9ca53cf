"""xrules with a copy of the board for every option, from docs/xrules.md and docs/errors.md."""

from __future__ import annotations

from copy import deepcopy
from typing import NamedTuple

from support.references.forms import Answer, Wrong, elements, error_of, one_of
from support.references.json_stream import Malformed, Value, values_of
from support.references.tsuro import (
    ANGLES,
    TOUCHES,
    Action,
    Place,
    StatePat,
    TilePat,
    action_of,
    check_facts,
    faced_by,
    is_on_board,
    state_of,
    wires_of,
)


class Question(NamedTuple):
    """A board (tiles in rows, avatars by colour), the wanted action, and the given tiles."""

    rows: list[list[TilePat | None]]
    avatars: dict[str, Place]
    wanted: Action
    given: tuple[int, int]


class Option(NamedTuple):
    """The result of placing one tile: the path of every avatar, and those that loop or leave."""

    pattern: TilePat
    actor: str
    paths: dict[str, list[Place]]
    looping: list[str]
    leaving: list[str]

    @property
    def flaw(self) -> str:
        """The reason why the option is flawed, or an empty text."""
        if self.looping:
            return "loop"
        return "suicide" if self.actor in self.leaving else ""

    @property
    def colliding(self) -> list[str]:
        """The avatars that stay on the board and share their place with another."""
        gone = self.looping + self.leaving
        ends = {colour: path[-1] for colour, path in self.paths.items() if colour not in gone}
        return [colour for colour in ends if list(ends.values()).count(ends[colour]) > 1]

    @property
    def most_crossings(self) -> int:
        """The greatest number of times that an avatar crosses one square."""
        squares = [[(x, y) for x, y, _ in path[1:]] for path in self.paths.values()]
        return max((way.count(square) for way in squares for square in way), default=0)


def xrules(text: bytes) -> list[Answer]:
    """Return the one value that xrules prints for an input."""
    try:
        return [verdict(question_of(list(values_of(text))))]
    except (Wrong, Malformed) as fault:
        return [error_of(fault)]


def verdict(question: Question) -> str:
    """Return "legal" or "cheating"."""
    (actor, pattern), given = question.wanted, question.given
    if actor not in question.avatars or pattern[0] not in given:
        return "cheating"
    flaw = outcome_of(question, pattern).flaw
    flaws = [option.flaw for option in options_of(question)]
    if flaw == "" or flaws == [flaw] * 8:
        return "legal"
    return "cheating"


def options_of(question: Question) -> list[Option]:
    """Return the eight ways to take the turn."""
    return [outcome_of(question, (index, turn)) for index in question.given for turn in ANGLES]


def outcome_of(question: Question, pattern: TilePat) -> Option:
    """Return the result of placing a tile on the square that the actor faces."""
    actor = question.wanted[0]
    rows = deepcopy(question.rows)
    x, y = faced_by(question.avatars[actor])
    rows[y][x] = pattern
    option = Option(pattern, actor, {}, [], [])
    for colour, place in question.avatars.items():
        path = _path(rows, place)
        option.paths[colour] = path
        if path[-1] in path[:-1]:
            option.looping.append(colour)
        elif not is_on_board(faced_by(path[-1])):
            option.leaving.append(colour)
    return option


def _path(rows: list[list[TilePat | None]], start: Place) -> list[Place]:
    path = [start]
    while path[-1] not in path[:-1]:
        x, y = faced_by(path[-1])
        tile = rows[y][x] if is_on_board((x, y)) else None
        if tile is None:
            break
        path.append((x, y, wires_of(tile)[TOUCHES[path[-1][2]]]))
    return path


# Parsing of the input.


def question_of(values: list[Value]) -> Question:
    """Return a board and a turn; malformed parts come before contradictions."""
    state, wanted, given = _form_of(values)
    check_facts(state)
    rows: list[list[TilePat | None]] = [[None for _ in range(10)] for _ in range(10)]
    avatars: dict[str, Place] = {}
    for part in state:
        rows[part.y][part.x] = part.pattern
        if part.colour and part.port:
            avatars[part.colour] = (part.x, part.y, part.port)
    return Question(rows, avatars, wanted, given)


def _form_of(values: list[Value]) -> tuple[list[StatePat], Action, tuple[int, int]]:
    if not values:
        raise Wrong("incomplete-input", "/0")
    state = state_of(values[0], "/0")
    if len(values) < 2:
        raise Wrong("incomplete-input", "/1")
    action, first, second = elements(values[1], "/1", (3,))
    wanted = action_of(action, "/1/0")
    given = one_of(range(35), first, "/1/1"), one_of(range(35), second, "/1/2")
    if len(values) > 2:
        raise Wrong("invalid-spec", "/2")
    return state, wanted, given

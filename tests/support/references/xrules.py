"""xrules with a copy of the board for every option, from docs/games/tsuro.md and errors.md."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from support.references.forms import Wrong, elements, one_of
from support.references.json_stream import Value
from support.references.tsuro import (
    ANGLES,
    Action,
    Avatars,
    Moved,
    StatePat,
    TilePat,
    Tiles,
    action_of,
    board_of,
    faced_by,
    state_of,
)


class Question(NamedTuple):
    """A board, the wanted action, and the given tiles."""

    tiles: Tiles
    avatars: Avatars
    wanted: Action
    given: tuple[int, int]


class Option(NamedTuple):
    """The result of placing one tile on the square that the actor faces."""

    pattern: TilePat
    actor: str
    moved: Moved

    @property
    def flaw(self) -> str:
        """The reason why the option is flawed, or an empty text."""
        if self.moved.looping:
            return "loop"
        return "suicide" if self.actor in self.moved.leaving else ""

    @property
    def most_crossings(self) -> int:
        """The greatest number of times that an avatar crosses one square."""
        squares = [[(x, y) for x, y, _ in path[1:]] for path in self.moved.paths.values()]
        return max((way.count(square) for way in squares for square in way), default=0)


def answer(values: list[Value]) -> str:
    tiles, avatars, (actor, pattern), given = question_of(values)
    if actor in avatars and is_legal(tiles, avatars, actor, given, pattern):
        return "legal"
    return "cheating"


def is_legal(
    tiles: Tiles, avatars: Avatars, actor: str, given: tuple[int, int], pattern: TilePat
) -> bool:
    """Return whether the choice of an avatar on the board is legal."""
    flaw = option_of(tiles, avatars, actor, pattern).flaw
    flaws = (option.flaw for option in options_of(tiles, avatars, actor, given))
    return pattern[0] in given and (flaw == "" or all(other == flaw for other in flaws))


def options_of(
    tiles: Tiles, avatars: Avatars, actor: str, given: tuple[int, int]
) -> Iterator[Option]:
    """Yield the eight ways to take the turn."""
    for index in given:
        for turn in ANGLES:
            yield option_of(tiles, avatars, actor, (index, turn))


def option_of(tiles: Tiles, avatars: Avatars, actor: str, pattern: TilePat) -> Option:
    """Return the result of placing a tile on the square that the actor faces."""
    return Option(pattern, actor, Moved({**tiles, faced_by(avatars[actor]): pattern}, avatars))


# Parsing of the input.


def question_of(values: list[Value]) -> Question:
    """Return a board and a turn; malformed parts come before contradictions."""
    state, wanted, given = _form_of(values)
    return Question(*board_of(state), wanted, given)


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

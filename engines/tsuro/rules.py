"""The rules for initial placements and turns, with a reason for each refusal.

Pure functions over layouts. Players' answers are untrusted objects of any type. Source:
docs/games/tsuro.md.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from enum import Enum
from typing import Final, NamedTuple, TypeGuard, TypeVar

from engines.tsuro.colors import ColorString
from engines.tsuro.movement import End, Fate, Layout, Placement
from engines.tsuro.ports import PORTS, PortID
from engines.tsuro.positions import (
    FACED,
    MAX_BOARD_COORDINATE,
    MIN_BOARD_COORDINATE,
    BoardPosition,
    Square,
    neighbors,
    position_faced,
    square_of,
)
from engines.tsuro.probe import SquareProbe
from engines.tsuro.tiles import DEGREES, TILES, TileIndex, TilePattern, tile_pattern

__all__ = [
    "InitialChoice",
    "InitialRefusal",
    "InitialTiles",
    "Option",
    "TurnRefusal",
    "TurnTiles",
    "initial_refusal",
    "is_free",
    "layout_with",
    "options",
    "place_refusal",
    "turn_outcome",
]

T = TypeVar("T", bound=tuple[object, ...])
U = TypeVar("U")

_INDICES: Final = range(len(TILES))
_COORDINATES: Final = range(MIN_BOARD_COORDINATE, MAX_BOARD_COORDINATE + 1)

# The tiles dealt for an initial placement and for a turn; they may be equal.
InitialTiles = tuple[TileIndex, TileIndex, TileIndex]
TurnTiles = tuple[TileIndex, TileIndex]


class InitialChoice(NamedTuple):
    """A player's initial placement: a rotated tile, its position, and the avatar's port on it."""

    pattern: TilePattern
    position: BoardPosition
    port: PortID


class InitialRefusal(Enum):
    """Why an initial placement is refused; the first that applies, in this order."""

    NO_CHOICE = "it is not an InitialChoice of a tile, a position and a port"
    ON_BOARD = "the player's avatar is already on the board"
    NOT_GIVEN = "the tile is not one of the three given to the player"
    NOT_ON_EDGE = "the position is not on the edge of the board"
    NOT_FREE = "the position or one beside it holds a tile"
    FACES_OFF = "the avatar would face off the board"


class TurnRefusal(Enum):
    """Why a turn is refused; the first that applies, in this order."""

    NO_CHOICE = "it is not a TilePattern of a tile"
    NOT_ON_BOARD = "the player's avatar is not on the board"
    NOT_GIVEN = "the tile is not one of the two given to the player"
    NO_SQUARE = "the player's avatar does not face an empty square"
    LOOPS = "it puts an avatar in a loop, and another option does not"
    SUICIDE = "it leads the player's avatar off the board, and another option does not"


class Option(NamedTuple):
    """One of the eight ways to take a turn, and its effect.

    `flaw` is LOOPS if any avatar loops, else SUICIDE if the acting player leaves the board, else
    None. A flawed option is legal only if all eight have the same flaw.
    """

    pattern: TilePattern
    placed: Placement
    flaw: TurnRefusal | None


def initial_refusal(
    layout: Layout, player: ColorString, given: InitialTiles, choice: object
) -> InitialRefusal | None:
    """Return why a player's answer is refused as its initial placement, or None if it is legal.

    `layout_with` gives the resulting layout.
    """
    if not _is_initial_choice(choice):
        return InitialRefusal.NO_CHOICE
    if player in layout.avatars:
        return InitialRefusal.ON_BOARD
    pattern, position, port = choice
    if pattern.tile_index not in given:
        return InitialRefusal.NOT_GIVEN
    return place_refusal(layout, position, port)


def place_refusal(layout: Layout, position: BoardPosition, port: PortID) -> InitialRefusal | None:
    """Return why no avatar may start on this port of this position, or None if one may.

    NOT_ON_EDGE, NOT_FREE or FACES_OFF: the first that applies, in this order.
    """
    if not position.is_edge():
        return InitialRefusal.NOT_ON_EDGE
    square = square_of(position)
    if not is_free(layout, square):
        return InitialRefusal.NOT_FREE
    return InitialRefusal.FACES_OFF if position_faced(square, port) is None else None


def is_free(layout: Layout, square: Square) -> bool:
    """Return whether neither this square nor a square that shares a side with it holds a tile."""
    return not any(near in layout.tiles for near in (square, *neighbors(square)))


def layout_with(layout: Layout, player: ColorString, choice: InitialChoice) -> Layout:
    """Return the layout after an initial placement. No avatar moves, as the squares around are
    empty."""
    square = square_of(choice.position)
    return Layout(
        {**layout.tiles, square: tile_pattern(*choice.pattern)},
        {**layout.avatars, player: (square, choice.port)},
    )


def turn_outcome(
    layout: Layout, player: ColorString, given: TurnTiles, choice: object
) -> Placement | TurnRefusal:
    """Return the effect of a player's answer as its turn, or why it is refused.

    A legal turn may loop avatars, or lead the player off the board, if all eight options do.
    """
    if not _is_pattern(choice):
        return TurnRefusal.NO_CHOICE
    if player not in layout.avatars:
        return TurnRefusal.NOT_ON_BOARD
    if choice.tile_index not in given:
        return TurnRefusal.NOT_GIVEN
    probe = _probe_ahead(layout, player)
    if probe is None:
        return TurnRefusal.NO_SQUARE
    chosen = _evaluate_option(probe, player, choice)
    if chosen.flaw is None or all(
        option.flaw is chosen.flaw for option in _options(probe, player, given)
    ):
        return chosen.placed
    return chosen.flaw


def options(layout: Layout, player: ColorString, given: TurnTiles) -> Iterator[Option]:
    """Return the eight options of a turn, evaluated lazily.

    The first tile at 0, 90, 180 and 270 degrees comes first, then the second tile. The layout must
    not change meanwhile. Raises ValueError if the player has no turn: its avatar is not on the
    board, or does not face an empty square.
    """
    if player not in layout.avatars:
        raise ValueError(f"{player} has no turn: it is not on the board")
    probe = _probe_ahead(layout, player)
    if probe is None:
        raise ValueError(f"{player} has no turn: it does not face an empty square")
    return _options(probe, player, given)


def _probe_ahead(layout: Layout, player: ColorString) -> SquareProbe | None:
    square, port = layout.avatars[player]
    ahead = FACED[square][port]
    return None if ahead is None or ahead in layout.tiles else SquareProbe(layout, ahead)


def _options(probe: SquareProbe, player: ColorString, given: TurnTiles) -> Iterator[Option]:
    for index in given:
        for turn in DEGREES:
            yield _evaluate_option(probe, player, TilePattern(index, turn))


def _evaluate_option(probe: SquareProbe, player: ColorString, pattern: TilePattern) -> Option:
    tile = tile_pattern(*pattern)
    moved = probe.ends(tile)
    return Option(pattern, Placement(tile, probe.square, moved), _flaw(moved, player))


def _flaw(moved: Mapping[ColorString, End], player: ColorString) -> TurnRefusal | None:
    for end in moved.values():
        if end.fate is Fate.LOOPS:
            return TurnRefusal.LOOPS
    return TurnRefusal.SUICIDE if moved[player].fate is Fate.LEAVES else None


# Answers are untrusted, so types are compared exactly: an instance of a subclass could equal every
# index. Lengths are checked, as `tuple.__new__` makes tuples of any length.


def _is_initial_choice(choice: object) -> TypeGuard[InitialChoice]:
    if not _is_record(choice, InitialChoice, 3):
        return False
    parts: tuple[object, object, object] = choice
    pattern, position, port = parts
    return _is_pattern(pattern) and _is_position(position) and _is_number(port, PORTS)


def _is_pattern(choice: object) -> TypeGuard[TilePattern]:
    return (
        _is_record(choice, TilePattern, 2)
        and _is_number(choice.tile_index, _INDICES)
        and _is_number(choice.degrees, DEGREES)
    )


def _is_position(value: object) -> bool:
    # An instance made by `object.__new__` has no coordinates.
    return _is_exactly(value, BoardPosition) and all(
        _is_number(getattr(value, axis, None), _COORDINATES) for axis in ("x", "y")
    )


def _is_record(value: object, kind: type[T], length: int) -> TypeGuard[T]:
    return _is_exactly(value, kind) and len(value) == length


def _is_number(value: object, numbers: Container[int]) -> bool:
    return _is_exactly(value, int) and value in numbers


def _is_exactly(value: object, kind: type[U]) -> TypeGuard[U]:
    return type(value) is kind  # pylint: disable=unidiomatic-typecheck  # excludes subclasses

"""What a player may do: the initial placement, and the turn, each with the reason of a refusal.

Pure functions over layouts; no Board, no game, no player. What a player answered is judged here
whatever it is: it comes from outside. Source: docs/tsuro-rules.md.
"""

from __future__ import annotations

from enum import Enum
from typing import Final, NamedTuple, TypeVar

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
from engines.tsuro.tiles import DEGREES, TILES, TileIndex, TilePattern, tile_pattern
from engines.tsuro.ways import Ways

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Mapping
    from typing import TypeGuard

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
    "turn_outcome",
]

T = TypeVar("T", bound=tuple[object, ...])
U = TypeVar("U")

_INDICES: Final = range(len(TILES))
_COORDINATES: Final = range(MIN_BOARD_COORDINATE, MAX_BOARD_COORDINATE + 1)

# What a player is given: the tiles of its initial placement, and those of a turn. Equal ones occur.
InitialTiles = tuple[TileIndex, TileIndex, TileIndex]
TurnTiles = tuple[TileIndex, TileIndex]


class InitialChoice(NamedTuple):
    """What a player wants first: a tile, turned, on a position, and its avatar on a port of it."""

    pattern: TilePattern
    position: BoardPosition
    port: PortID


class InitialRefusal(Enum):
    """Why an initial placement is refused: the first of these, in this order."""

    NO_CHOICE = "it is no InitialChoice of a tile of the game, a position and a port"
    ON_BOARD = "the player's avatar is on the board already"
    NOT_GIVEN = "the tile is none of the three that the player was given"
    NOT_ON_EDGE = "the position is not along the edge of the board"
    NOT_FREE = "the position, or one that shares a side with it, holds a tile"
    FACES_OFF = "the avatar would face off the board"


class TurnRefusal(Enum):
    """Why a turn is refused: the first of these, in this order."""

    NO_CHOICE = "it is no TilePattern of a tile of the game"
    NOT_ON_BOARD = "the player's avatar is not on the board"
    NOT_GIVEN = "the tile is none of the two that the player was given"
    NO_SQUARE = "the player's avatar faces no empty square of the board"
    LOOPS = "it puts an avatar in a loop, and there is an option that does not"
    SUICIDE = "it leads the player's avatar off the board, and there is an option that does not"


class Option(NamedTuple):
    """One of the eight ways to take a turn, and what it does.

    `flaw`: LOOPS where somebody, any, loops; else SUICIDE where the player who acts leaves; else
    None. An option with a flaw is legal where all eight have the same, and only there.
    """

    pattern: TilePattern
    placed: Placement
    flaw: TurnRefusal | None


def initial_refusal(
    layout: Layout, player: ColorString, given: InitialTiles, choice: object
) -> InitialRefusal | None:
    """Why this player may not begin so, or None: it may, and `layout_with` is what results.

    `choice` is what the player answered, whatever that is.
    """
    if not _is_initial_choice(choice):
        return InitialRefusal.NO_CHOICE
    if player in layout.avatars:
        return InitialRefusal.ON_BOARD
    pattern, position, port = choice
    if pattern.tile_index not in given:
        return InitialRefusal.NOT_GIVEN
    if not position.is_edge():
        return InitialRefusal.NOT_ON_EDGE
    square = square_of(position)
    if not is_free(layout, square):
        return InitialRefusal.NOT_FREE
    return InitialRefusal.FACES_OFF if position_faced(square, port) is None else None


def is_free(layout: Layout, square: Square) -> bool:
    """Whether neither this square nor one that shares a side with it holds a tile."""
    return not any(near in layout.tiles for near in (square, *neighbors(square)))


def layout_with(layout: Layout, player: ColorString, choice: InitialChoice) -> Layout:
    """The layout once this initial placement stands. Nobody moves: what lies around is free."""
    square = square_of(choice.position)
    return Layout(
        {**layout.tiles, square: tile_pattern(*choice.pattern)},
        {**layout.avatars, player: (square, choice.port)},
    )


def turn_outcome(
    layout: Layout, player: ColorString, given: TurnTiles, choice: object
) -> Placement | TurnRefusal:
    """What this turn does, where it is legal; else why it is refused. Nothing is changed.

    `choice` is what the player answered, whatever that is. A legal turn can loop somebody, or lead
    the player off the board: where all eight options do.
    """
    if not _is_pattern(choice):
        return TurnRefusal.NO_CHOICE
    if player not in layout.avatars:
        return TurnRefusal.NOT_ON_BOARD
    if choice.tile_index not in given:
        return TurnRefusal.NOT_GIVEN
    ways = _ways_before(layout, player)
    if ways is None:
        return TurnRefusal.NO_SQUARE
    chosen = _option(ways, player, choice)
    if chosen.flaw is None or all(
        option.flaw is chosen.flaw for option in _options(ways, player, given)
    ):
        return chosen.placed
    return chosen.flaw


def options(layout: Layout, player: ColorString, given: TurnTiles) -> Iterator[Option]:
    """The eight options of a turn, each looked at when it is asked for: the first of the given
    tiles at 0, 90, 180 and 270 degrees, then the second.

    The layout must stay as it is meanwhile. Raises ValueError where the player has no turn: its
    avatar is not on the board, or faces no empty square of it.
    """
    if player not in layout.avatars:
        raise ValueError(f"{player} has no turn: it is not on the board")
    ways = _ways_before(layout, player)
    if ways is None:
        raise ValueError(f"{player} has no turn: it faces no empty square of the board")
    return _options(ways, player, given)


def _ways_before(layout: Layout, player: ColorString) -> Ways | None:
    square, port = layout.avatars[player]
    ahead = FACED[square][port]
    return None if ahead is None or ahead in layout.tiles else Ways(layout, ahead)


def _options(ways: Ways, player: ColorString, given: TurnTiles) -> Iterator[Option]:
    for index in given:
        for turn in DEGREES:
            yield _option(ways, player, TilePattern(index, turn))


def _option(ways: Ways, player: ColorString, pattern: TilePattern) -> Option:
    tile = tile_pattern(*pattern)
    moved = ways.ends(tile)
    return Option(pattern, Placement(tile, ways.square, moved), _flaw(moved, player))


def _flaw(moved: Mapping[ColorString, End], player: ColorString) -> TurnRefusal | None:
    for end in moved.values():
        if end.fate is Fate.LOOPS:
            return TurnRefusal.LOOPS
    return TurnRefusal.SUICIDE if moved[player].fate is Fate.LEAVES else None


# What a player answered is looked at by exact types, and lengths: a subclass could answer anything
# when it is asked (an index that equals every other), and a tuple can be made too short.


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
    # One that was never given its coordinates has none.
    return _is_a(value, BoardPosition) and all(
        _is_number(getattr(value, axis, None), _COORDINATES) for axis in ("x", "y")
    )


def _is_record(value: object, kind: type[T], length: int) -> TypeGuard[T]:
    return _is_a(value, kind) and len(value) == length


def _is_number(value: object, numbers: Container[int]) -> bool:
    return _is_a(value, int) and value in numbers


def _is_a(value: object, kind: type[U]) -> TypeGuard[U]:
    return type(value) is kind  # pylint: disable=unidiomatic-typecheck  # no subclass will do

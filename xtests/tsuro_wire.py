"""Tsuro's values as the programs read and print them: tiles, ports, colours, states and actions.

Form first, value by value, in document order; then `layout`, which holds the facts about a whole
state. Pure. The formats are those of docs/xboard.md; the rules of the game are the engine's.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from engines.tsuro.colors import COLORS, ColorString
from engines.tsuro.movement import Layout, Spot, is_at_rest
from engines.tsuro.ports import PORT_LETTERS, PORTS, PortID
from engines.tsuro.positions import (
    MAX_BOARD_COORDINATE,
    MIN_BOARD_COORDINATE,
    BoardPosition,
    Square,
    position_faced,
    position_of,
    square_of,
)
from engines.tsuro.tile import Tile
from engines.tsuro.tiles import DEGREES, TILES, TileIndex, pattern_of, tile_pattern
from xtests.form import array, number, spellings, word
from xtests.refusal import Kind, Pointer, Refused, element

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from harness.jsontext import Json, Printable

__all__ = [
    "ACTION",
    "STATE",
    "Action",
    "Avatar",
    "StatePat",
    "action",
    "colour",
    "layout",
    "letter",
    "port",
    "state",
    "state_pat_of",
    "tile",
    "tile_index",
    "tile_pat",
]

# What messages call the values that a stream is made of.
STATE: Final = "a state [state-pat, ...]"
ACTION: Final = "an action [colour, tile-pat]"

_STATE_PAT: Final = "a state-pat, [tile-pat, x, y] or [tile-pat, colour, port, x, y],"
_TILE_PAT: Final = "a tile-pat [index, degrees]"
_INDEX: Final = "an integer from 0 to 34 (the index of a tile)"
_TURN: Final = "0, 90, 180 or 270 (degrees, clockwise)"
_COORDINATE: Final = "an integer from 0 to 9 ({axis})"
_COLOUR: Final = 'a colour ("white", "black", "red", "green" or "blue")'
_PORT: Final = 'a port ("A" to "H")'

_INDICES: Final = spellings(TileIndex(index) for index in range(len(TILES)))
_TURNS: Final = spellings(DEGREES)
_COORDINATES: Final = spellings(range(MIN_BOARD_COORDINATE, MAX_BOARD_COORDINATE + 1))
_COLOURS: Final[dict[str, ColorString]] = {name: name for name in COLORS}
_PORTS: Final = dict(zip(PORT_LETTERS, PORTS, strict=True))


class Avatar(NamedTuple):
    """Whose avatar, and the port that it stands on."""

    colour: ColorString
    port: PortID


class StatePat(NamedTuple):
    """A tile on a square, perhaps with an avatar on it."""

    tile: Tile
    square: Square
    avatar: Avatar | None


class Action(NamedTuple):
    """A tile for the square that this player's avatar faces."""

    player: ColorString
    tile: Tile


def state(value: Json, at: Pointer) -> tuple[StatePat, ...]:
    """The form of a state; whether its parts go together, `layout` tells."""
    parts = array(value, at, None, STATE)
    return tuple(_state_pat(part, element(at, k)) for k, part in enumerate(parts))


def action(value: Json, at: Pointer) -> Action:
    """A colour and a tile; whether that can be performed, the board tells."""
    player, placed = array(value, at, (2,), ACTION)
    return Action(colour(player, element(at, 0)), tile_pat(placed, element(at, 1)))


def tile_pat(value: Json, at: Pointer) -> Tile:
    """The tile that an index and degrees stand for."""
    index, turn = array(value, at, (2,), _TILE_PAT)
    return tile(index, turn, at)


def tile(index: Json, turn: Json, at: Pointer) -> Tile:
    """The tile of an index and degrees, which are the first two elements of the array `at`."""
    return tile_pattern(
        tile_index(index, element(at, 0)), number(turn, element(at, 1), _TURNS, _TURN)
    )


def tile_index(value: Json, at: Pointer) -> TileIndex:
    """One of the 35 tiles."""
    return number(value, at, _INDICES, _INDEX)


def colour(value: Json, at: Pointer) -> ColorString:
    """One of the five colours."""
    return word(value, at, _COLOURS, _COLOUR)


def port(value: Json, at: Pointer) -> PortID:
    """One of the eight ports, by its letter."""
    return word(value, at, _PORTS, _PORT)


def letter(of: PortID) -> str:
    """The letter of a port."""
    return PORT_LETTERS[of]


def state_pat_of(placed: Tile, colour_of: ColorString, spot: Spot) -> Printable:
    """A tile with an avatar as it is printed, with the least degrees that give these wires."""
    square, stands_on = spot
    where = position_of(square)
    return [list(pattern_of(placed)), colour_of, letter(stands_on), where.x, where.y]


def layout(parts: Sequence[StatePat], at: Pointer) -> Layout:
    """What a state stands for: the tiles and the avatars on the board.

    Raises Refused for the first part, in document order, that does not go with the others: other
    wires than those already on its square, or an avatar that is not at rest (`at` is the
    state-pat), or a colour that an earlier part has (`at` is the colour).
    """
    # A later tile can be the one that an earlier avatar faces: all of them lie before anyone looks.
    tiles: dict[Square, Tile] = {}
    for part in parts:
        tiles.setdefault(part.square, part.tile)
    avatars: dict[ColorString, Spot] = {}
    for k, part in enumerate(parts):
        place = element(at, k)
        _check_tile(part, tiles[part.square], place)
        if part.avatar is not None:
            _check_rest(tiles, part.square, part.avatar, place)
            _check_colour(avatars, part.avatar.colour, element(place, 1))
            avatars[part.avatar.colour] = (part.square, part.avatar.port)
    return Layout(tiles, avatars)


def _state_pat(value: Json, at: Pointer) -> StatePat:
    parts = array(value, at, (3, 5), _STATE_PAT)
    placed = tile_pat(parts[0], element(at, 0))
    avatar = None
    if len(parts) == 5:
        avatar = Avatar(colour(parts[1], element(at, 1)), port(parts[2], element(at, 2)))
    x = _coordinate(parts[-2], element(at, len(parts) - 2), "x")
    y = _coordinate(parts[-1], element(at, len(parts) - 1), "y")
    return StatePat(placed, square_of(BoardPosition(x, y)), avatar)


def _coordinate(value: Json, at: Pointer, axis: str) -> int:
    return number(value, at, _COORDINATES, _COORDINATE.format(axis=axis))


def _check_tile(part: StatePat, lies_there: Tile, at: Pointer) -> None:
    if not part.tile.same_wires(lies_there):
        raise _contradiction(
            at,
            f"two tiles on {position_of(part.square)}: the wires of {list(pattern_of(lies_there))} "
            f"lie there already, found those of {list(pattern_of(part.tile))} at {at}",
        )


def _check_rest(tiles: dict[Square, Tile], square: Square, avatar: Avatar, at: Pointer) -> None:
    if is_at_rest(tiles, (square, avatar.port)):
        return
    ahead = position_faced(square, avatar.port)
    faced = "the outside of the board" if ahead is None else f"{ahead}, which holds a tile"
    raise _contradiction(
        at,
        f"the {avatar.colour} avatar at {at} is not at rest: an empty square expected before port "
        f"{letter(avatar.port)} of {position_of(square)}, found {faced}",
    )


def _check_colour(avatars: dict[ColorString, Spot], mine: ColorString, at: Pointer) -> None:
    if mine in avatars:
        raise _contradiction(
            at,
            f"two {mine} avatars: the first stands on {position_of(avatars[mine][0])}, "
            f"found another at {at}",
        )


def _contradiction(at: Pointer, message: str) -> Refused:
    return Refused(Kind.INVALID_SPEC, at, message)

"""Tsuro's values as the programs read and print them: tiles, ports, colours, states and actions.

The parsers check one value after the other, in document order; `layout` then checks that the parts
of a state are consistent. docs/games/tsuro.md specifies the formats; the engine has the rules.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

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
from engines.tsuro.tiles import (
    DEGREES,
    TILES,
    Tile,
    TileIndex,
    TilePattern,
    pattern_of,
    tile_pattern,
)
from xtests.errors import InputError, Kind, Pointer, element
from xtests.parsing import integers_by_text, parse_array, parse_number, parse_word

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engines.tsuro.board import InitialMove
    from harness.jsonio.decoder import Json, Printable

__all__ = [
    "STATE",
    "Avatar",
    "PlayerAction",
    "StatePat",
    "layout",
    "letter",
    "parse_action",
    "parse_pattern",
    "parse_placement",
    "parse_port",
    "parse_position",
    "parse_state",
    "parse_tile",
    "parse_tile_index",
    "print_state_pat",
    "print_tile",
]

STATE: Final = "a state [state-pat, ...]"

_ACTION: Final = "an action [colour, tile-pat]"
_PLACEMENT: Final = "a placement, [tile-pat, colour, port, x, y] or [tile-pat, colour, port],"
_STATE_PAT: Final = "a state-pat, [tile-pat, x, y] or [tile-pat, colour, port, x, y],"
_TILE_PAT: Final = "a tile-pat [index, degrees]"
_INDEX: Final = "an integer from 0 to 34 (the index of a tile)"
_TURN: Final = "0, 90, 180 or 270 (degrees, clockwise)"
_COORDINATE: Final = "an integer from 0 to 9 ({axis})"
_COLOUR: Final = 'a colour ("white", "black", "red", "green" or "blue")'
_PORT: Final = 'a port ("A" to "H")'

_INDICES: Final = integers_by_text(TileIndex(index) for index in range(len(TILES)))
_TURNS: Final = integers_by_text(DEGREES)
_COORDINATES: Final = integers_by_text(range(MIN_BOARD_COORDINATE, MAX_BOARD_COORDINATE + 1))
_COLOURS: Final[dict[str, ColorString]] = {name: name for name in COLORS}
_PORTS: Final = dict(zip(PORT_LETTERS, PORTS, strict=True))


class Avatar(NamedTuple):
    """An avatar's colour and port."""

    colour: ColorString
    port: PortID


class StatePat(NamedTuple):
    """A tile on a square, with an avatar or None."""

    tile: Tile
    square: Square
    avatar: Avatar | None


class PlayerAction(NamedTuple):
    """A tile for the square that a player's avatar faces."""

    player: ColorString
    tile: Tile


def parse_state(value: Json, at: Pointer) -> tuple[StatePat, ...]:
    """Return the parts of a state, which `layout` checks for consistency."""
    parts = parse_array(value, at, None, STATE)
    return tuple(_parse_state_pat(part, element(at, k)) for k, part in enumerate(parts))


def parse_action(value: Json, at: Pointer) -> PlayerAction:
    """Return an action, which may be illegal on the board."""
    player, placed = parse_array(value, at, (2,), _ACTION)
    return PlayerAction(
        _parse_colour(player, element(at, 0)), _parse_tile_pat(placed, element(at, 1))
    )


def parse_placement(value: Json, at: Pointer) -> InitialMove:
    """Return an initial placement, which may be illegal on the board and have no position."""
    # Imported here: only xmoves needs it.
    from engines.tsuro.board import InitialMove  # pylint: disable=import-outside-toplevel

    parts = parse_array(value, at, (3, 5), _PLACEMENT)
    tile = _parse_tile_pat(parts[0], element(at, 0))
    color, port = _parse_avatar(parts, at)
    position = parse_position(parts, at) if len(parts) == 5 else None
    return InitialMove(position, tile, port, color)


def parse_pattern(value: Json, at: Pointer) -> TilePattern:
    """Return a tile-pat."""
    index, turn = parse_array(value, at, (2,), _TILE_PAT)
    return _parse_index_and_turn(index, turn, at)


def parse_tile(index: Json, turn: Json, at: Pointer) -> Tile:
    """Return the tile of an index and degrees, the first two elements of the array `at`."""
    return tile_pattern(*_parse_index_and_turn(index, turn, at))


def parse_tile_index(value: Json, at: Pointer) -> TileIndex:
    """Return the index of one of the 35 tiles."""
    return parse_number(value, at, _INDICES, _INDEX)


def parse_port(value: Json, at: Pointer) -> PortID:
    """Return a port by its letter."""
    return parse_word(value, at, _PORTS, _PORT)


def parse_position(parts: list[Json], at: Pointer) -> BoardPosition:
    """Return the position in x and y, the last two elements of the array `at`."""
    x = _parse_coordinate(parts[-2], element(at, len(parts) - 2), "x")
    y = _parse_coordinate(parts[-1], element(at, len(parts) - 1), "y")
    return BoardPosition(x, y)


def letter(port: PortID) -> str:
    """Return the letter of a port."""
    return PORT_LETTERS[port]


def print_state_pat(tile: Tile, colour: ColorString, spot: Spot) -> Printable:
    """Return the JSON value of a tile with an avatar, with the least degrees for its wires."""
    square, port = spot
    position = position_of(square)
    return [list(pattern_of(tile)), colour, letter(port), position.x, position.y]


def print_tile(tile: Tile, square: Square) -> Printable:
    """Return the JSON value of a tile without an avatar, with the least degrees for its wires."""
    position = position_of(square)
    return [list(pattern_of(tile)), position.x, position.y]


def layout(parts: Sequence[StatePat], at: Pointer) -> Layout:
    """Return the tiles and avatars on the board.

    Raise InputError for the first part, in document order, that contradicts the others: its wires
    differ from those already on its square, its avatar is not at rest (at the state-pat), or an
    earlier avatar has its colour (at the colour).
    """
    # All tiles first: an avatar may face the tile of a later part.
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


def _parse_state_pat(value: Json, at: Pointer) -> StatePat:
    parts = parse_array(value, at, (3, 5), _STATE_PAT)
    tile = _parse_tile_pat(parts[0], element(at, 0))
    avatar = _parse_avatar(parts, at) if len(parts) == 5 else None
    return StatePat(tile, square_of(parse_position(parts, at)), avatar)


def _parse_index_and_turn(index: Json, turn: Json, at: Pointer) -> TilePattern:
    return TilePattern(
        parse_tile_index(index, element(at, 0)), parse_number(turn, element(at, 1), _TURNS, _TURN)
    )


def _parse_avatar(parts: list[Json], at: Pointer) -> Avatar:
    return Avatar(_parse_colour(parts[1], element(at, 1)), parse_port(parts[2], element(at, 2)))


def _parse_tile_pat(value: Json, at: Pointer) -> Tile:
    return tile_pattern(*parse_pattern(value, at))


def _parse_colour(value: Json, at: Pointer) -> ColorString:
    return parse_word(value, at, _COLOURS, _COLOUR)


def _parse_coordinate(value: Json, at: Pointer, axis: str) -> int:
    return parse_number(value, at, _COORDINATES, _COORDINATE.format(axis=axis))


def _check_tile(part: StatePat, first: Tile, at: Pointer) -> None:
    if not part.tile.same_wires(first):
        raise _contradiction(
            at,
            f"two tiles on {position_of(part.square)}: the wires of {list(pattern_of(first))} "
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


def _check_colour(avatars: dict[ColorString, Spot], colour: ColorString, at: Pointer) -> None:
    if colour in avatars:
        raise _contradiction(
            at,
            f"two {colour} avatars: the first stands on {position_of(avatars[colour][0])}, "
            f"found another at {at}",
        )


def _contradiction(at: Pointer, message: str) -> InputError:
    return InputError(Kind.INVALID_SPEC, at, message)

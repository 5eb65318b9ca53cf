"""Short notation for Tsuro's values: squares by coordinates, ports by letter, tiles by pattern."""

from __future__ import annotations

from collections.abc import Mapping

from engines import tsuro
from engines.tsuro import BoardState, ColorString, Layout, Spot, TileIndex, tile_pattern

# All wires straight across; all from a side to the next; all back to their own side.
STRAIGHT = tile_pattern(2, 0)
CORNERS = tile_pattern(4, 0)
U_TURNS = tile_pattern(34, 0)

_Tiles = Mapping[tuple[int, int], tsuro.Tile]


def square(x: int, y: int) -> tsuro.Square:
    return tsuro.square_of(tsuro.BoardPosition(x, y))


def port(letter: str) -> tsuro.PortID:
    """Return the port of a letter, A to H."""
    return tsuro.port_id(tsuro.PORT_LETTERS.index(letter))


def spot(x: int, y: int, letter: str) -> Spot:
    """Return the place of an avatar at (x, y) on this port."""
    return square(x, y), port(letter)


def pattern(index: int, degrees: int = 0) -> tsuro.TilePattern:
    """Return a pattern, valid or not."""
    return tsuro.TilePattern(TileIndex(index), tsuro.Degrees(degrees))


def pair(first: int, second: int) -> tsuro.TurnTiles:
    return TileIndex(first), TileIndex(second)


def layout(tiles: _Tiles, avatars: Mapping[ColorString, Spot] | None = None) -> Layout:
    return Layout({square(*at): tile for at, tile in tiles.items()}, avatars or {})


def state(
    tiles: _Tiles,
    players: Mapping[ColorString, tuple[tsuro.BoardPosition, tsuro.PortID]] | None = None,
) -> BoardState:
    return BoardState([[tiles.get((x, y)) for x in range(10)] for y in range(10)], players)


def exactly(
    board: Layout | BoardState,
) -> tuple[dict[tsuro.Square, object], dict[ColorString, Spot]]:
    """Return tiles by their wires, as `==` of tiles ignores rotation, and the avatars."""
    tiles, avatars = tsuro.layout_of(board) if isinstance(board, BoardState) else board
    return {square: tile.edges for square, tile in tiles.items()}, dict(avatars)

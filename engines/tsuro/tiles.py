"""The 35 tiles of the game by index, and the conversion between tiles and patterns.

A pattern is an index and a clockwise rotation. Source: the public list of the game's tiles, one for
each way to connect eight ports in pairs, up to rotation; a test derives them again.
"""

from __future__ import annotations

from functools import cache
from typing import Final, NamedTuple, NewType

from engines.tsuro._values import is_integer_in_range
from engines.tsuro.ports import PORT_LETTERS, PortID
from engines.tsuro.tile import Edge, Tile

__all__ = [
    "DEGREES",
    "TILES",
    "Degrees",
    "TileIndex",
    "TilePattern",
    "degrees",
    "pattern_of",
    "tile_index",
    "tile_pattern",
]

TileIndex = NewType("TileIndex", int)
Degrees = NewType("Degrees", int)

DEGREES: Final = tuple(Degrees(number) for number in (0, 90, 180, 270))

_WIRES: Final = """\
AE BF CH DG, AE BF CG DH, AF BE CH DG, AE BD CG FH, AH BC DE FG,
AE BC DH FG, AE BC DG FH, AD BG CF EH, AD BF CG EH, AD BE CH FG,
AD BE CG FH, AD BC EH FG, AC BH DF EG, AC BH DE FG, AC BG DF EH,
AC BG DE FH, AC BF DH EG, AC BF DG EH, AC BE DH FG, AC BE DG FH,
AC BD EH FG, AC BD EG FH, AB CH DG EF, AB CH DF EG, AB CH DE FG,
AB CG DH EF, AB CG DF EH, AB CG DE FH, AB CF DH EG, AB CF DG EH,
AB CE DH FG, AB CE DG FH, AB CD EH FG, AB CD EG FH, AB CD EF GH"""


class TilePattern(NamedTuple):
    """A tile of the game by name: its index and its clockwise rotation."""

    tile_index: TileIndex
    degrees: Degrees


def tile_index(number: int) -> TileIndex:
    """Return a number as a tile index. Raises ValueError if it is invalid."""
    if not is_integer_in_range(number, 0, len(TILES) - 1):
        raise ValueError(f"a tile index must be an integer from 0 to 34, not {number!r}")
    return TileIndex(number)


def degrees(number: int) -> Degrees:
    """Return a number as a rotation. Raises ValueError for any but 0, 90, 180 and 270."""
    if not is_integer_in_range(number, 0, 270) or number % 90 != 0:
        raise ValueError(f"degrees must be 0, 90, 180 or 270, not {number!r}")
    return Degrees(number)


def tile_pattern(index: int, degrees_clockwise: int) -> Tile:
    """Return the tile of an index, rotated clockwise.

    Raises ValueError if the tile or the rotation does not exist.
    """
    return _rotated_tile(tile_index(index), degrees(degrees_clockwise))


def pattern_of(tile: Tile) -> TilePattern:
    """Return the index and the least rotation that give exactly these wires."""
    # Rotating by 360 - d degrees more undoes a rotation by d.
    unrotated = [tile, *reversed(tile.all_rotations()[1:])]
    return next(
        TilePattern(_INDEX_BY_EDGES[base.edges], turn)
        for turn, base in zip(DEGREES, unrotated, strict=True)
        if base.edges in _INDEX_BY_EDGES
    )


@cache  # at most 140 entries
def _rotated_tile(index: TileIndex, turn: Degrees) -> Tile:
    return TILES[index].all_rotations()[DEGREES.index(turn)]


def _parse_tile(wires: str) -> Tile:
    return Tile(_parse_edge(wire) for wire in wires.split())


def _parse_edge(wire: str) -> Edge:
    first, second = (PortID(PORT_LETTERS.index(letter)) for letter in wire)
    return first, second


# By index, at 0 degrees.
TILES: Final = tuple(_parse_tile(wires) for wires in _WIRES.split(","))

_INDEX_BY_EDGES: Final = {tile.edges: TileIndex(index) for index, tile in enumerate(TILES)}

"""The 35 tiles of the game by index, and the two ways between a tile and its pattern.

A pattern is an index and degrees: that tile, turned clockwise. Source: the public list of the
game's tiles, one of each way to join eight ports two and two, up to rotation; a test derives them
all again from that sentence.
"""

from __future__ import annotations

from functools import cache
from typing import Final, NamedTuple, NewType

from engines.tsuro._values import whole
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
    """A tile of the game by name: its index, and how far it is turned clockwise."""

    tile_index: TileIndex
    degrees: Degrees


def tile_index(number: int) -> TileIndex:
    """The index of a tile. Raises ValueError where there is no such tile."""
    if not whole(number, 0, len(TILES) - 1):
        raise ValueError(f"a tile's index is a whole number from 0 to 34, not {number!r}")
    return TileIndex(number)


def degrees(number: int) -> Degrees:
    """The degrees of a turn. Raises ValueError for any but 0, 90, 180 and 270."""
    if not whole(number, 0, 270) or number % 90 != 0:
        raise ValueError(f"a tile is turned by 0, 90, 180 or 270 degrees, not {number!r}")
    return Degrees(number)


def tile_pattern(index: int, degrees_clockwise: int) -> Tile:
    """The tile of this index, turned clockwise. Raises ValueError where there is no such tile, or
    no such turn."""
    return _turned(tile_index(index), degrees(degrees_clockwise))


def pattern_of(tile: Tile) -> TilePattern:
    """The one index, and the least degrees, that give exactly these wires: every tile has them."""
    # At 360 - d degrees more, a turn by d is undone.
    unturned = [tile, *reversed(tile.all_rotations()[1:])]
    return next(
        TilePattern(_INDEX_BY_EDGES[base.edges], turn)
        for turn, base in zip(DEGREES, unturned, strict=True)
        if base.edges in _INDEX_BY_EDGES
    )


@cache  # 140 entries at most, and a tile cannot be changed
def _turned(index: TileIndex, turn: Degrees) -> Tile:
    return TILES[index].all_rotations()[DEGREES.index(turn)]


def _tile(wires: str) -> Tile:
    return Tile(_edge(wire) for wire in wires.split())


def _edge(wire: str) -> Edge:
    first, second = (PortID(PORT_LETTERS.index(letter)) for letter in wire)
    return first, second


# By index, at 0 degrees.
TILES: Final = tuple(_tile(wires) for wires in _WIRES.split(","))

_INDEX_BY_EDGES: Final = {tile.edges: TileIndex(index) for index, tile in enumerate(TILES)}

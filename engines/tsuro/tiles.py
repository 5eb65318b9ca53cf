"""Tiles, and the 35 of the game by index.

A tile has four wires, which connect its eight ports in pairs. A pattern is an index and a clockwise
rotation. Sources: for the class Tile, the board specification (docs/games/tsuro.md); for the tiles,
the public list of the game's tiles, one for each way to connect eight ports in pairs, up to
rotation, which docs/games/tsuro.md repeats.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Final, NamedTuple, NewType, final

from engines.deferred import draw
from engines.result import Frozen
from engines.tsuro.ports import PORT_LETTERS, PORTS, PortID, is_integer_in_range, port_id

__all__ = [
    "DEGREES",
    "TILES",
    "Degrees",
    "Tile",
    "TileIndex",
    "TilePattern",
    "degrees",
    "pattern_of",
    "tile_index",
    "tile_pattern",
]

Edge = tuple[PortID, PortID]
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

_QUARTER_TURN: Final = 2  # ports, clockwise


@final
class Tile(Frozen):
    """An immutable tile in its current rotation.

    Tiles that differ only by rotation are **equal**, as the specification requires; `same_wires`
    distinguishes rotations. `edges` are the four wires, sorted; `exits[p]` is the other end of the
    wire at port p. Raises ValueError if the given wires, in any order, do not use each of the ports
    0 to 7 exactly once.
    """

    __slots__ = ("edges", "exits")

    edges: tuple[Edge, ...]
    exits: tuple[PortID, ...]

    def __init__(self, edges: Iterable[Edge]) -> None:
        checked = _checked_edges(edges)
        object.__setattr__(self, "edges", checked)
        object.__setattr__(self, "exits", _exits_by_port(checked))

    @property
    def _edges(self) -> list[Edge]:
        # Name and type are the specification's. A new list, so that changes do not reach the tile.
        return list(self.edges)

    def rotate(self) -> Tile:
        """Return this tile rotated by 90 degrees clockwise."""
        return Tile((_rotate_port(first), _rotate_port(second)) for first, second in self.edges)

    def all_rotations(self) -> list[Tile]:
        """Return this tile rotated by 0, 90, 180 and 270 degrees clockwise, always four."""
        rotations = [self]
        while len(rotations) < 4:
            rotations.append(rotations[-1].rotate())
        return rotations

    def get_port_connected_to(self, port: PortID) -> PortID:
        """Return the other end of the wire at a port. Raises ValueError for an unknown port."""
        return self.exits[port_id(port)]

    def same_wires(self, other: Tile) -> bool:
        """Return whether both tiles connect the same ports in their current rotations."""
        return self.edges == other.edges

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tile):
            return NotImplemented
        return self._rotation_key() == other._rotation_key()

    def __hash__(self) -> int:
        return hash(self._rotation_key())

    def __repr__(self) -> str:
        return f"Tile({self._edges!r})"

    def _repr_svg_(self) -> str:
        return draw(self)

    def __deepcopy__(self, memo: dict[int, object] | None = None) -> Tile:
        # Bypass __init__, which would validate the wires again.
        twin = object.__new__(Tile)
        object.__setattr__(twin, "edges", self.edges)
        object.__setattr__(twin, "exits", self.exits)
        return twin

    def __reduce__(self) -> tuple[type[Tile], tuple[tuple[Edge, ...]]]:
        # By default, copy.copy and pickle would set the slots of an empty instance, which raises.
        return Tile, (self.edges,)

    def _rotation_key(self) -> tuple[Edge, ...]:
        return min(tile.edges for tile in self.all_rotations())


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


def _checked_edges(edges: Iterable[Edge]) -> tuple[Edge, ...]:
    given = list(edges)
    ascending = tuple(sorted(_checked_edge(edge, given) for edge in given))
    if sorted(port for edge in ascending for port in edge) != list(PORTS):
        raise ValueError(f"a tile must use each of the ports 0 to 7 exactly once, not {given!r}")
    return ascending


def _checked_edge(edge: Edge, given: list[Edge]) -> Edge:
    # Untyped callers may pass edges of any length.
    ports = sorted(port_id(port) for port in edge)
    if len(ports) != 2:
        raise ValueError(
            f"each wire of a tile must connect two ports; {edge!r} of {given!r} does not"
        )
    return ports[0], ports[1]


def _exits_by_port(edges: tuple[Edge, ...]) -> tuple[PortID, ...]:
    other_end = dict(edges)
    other_end.update((second, first) for first, second in edges)
    return tuple(other_end[port] for port in PORTS)


def _rotate_port(port: PortID) -> PortID:
    return PortID((port + _QUARTER_TURN) % len(PORTS))


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

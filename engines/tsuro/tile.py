"""One tile: four wires that connect eight ports in pairs.

tiles.py lists the tiles of the game. Source: the board specification (docs/tsuro-board.md).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import final

from engines.deferred import draw
from engines.tsuro._values import Frozen
from engines.tsuro.ports import PORTS, PortID, port_id

__all__ = ["Edge", "Tile"]

Edge = tuple[PortID, PortID]

_QUARTER_TURN = 2  # ports, clockwise


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

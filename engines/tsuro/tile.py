"""One tile: four wires that join eight ports two and two, and what stays of it when it is turned.

Not which tiles the game has (that is tiles.py), nor where one lies. Source: the board
specification (docs/tsuro-board.md).
"""

from __future__ import annotations

from typing import final

from engines.tsuro._values import Frozen
from engines.tsuro.ports import PORTS, PortID, port_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["Edge", "Tile"]

Edge = tuple[PortID, PortID]

_QUARTER_TURN = 2  # ports, clockwise


@final
class Tile(Frozen):
    """An immutable tile as it is turned now. It knows of no avatar.

    Two tiles are **equal when a rotation makes them so**, as the specification asks; use
    `same_wires` to compare them as they are turned now.

    `edges` are its four wires, ascending within and among themselves; `exits` says the same by
    port: `exits[p]` is the other end of the wire at port p. Raises ValueError where the wires
    given, in any order, do not join each of the ports 0 to 7 exactly once.
    """

    __slots__ = ("edges", "exits")

    edges: tuple[Edge, ...]
    exits: tuple[PortID, ...]

    def __init__(self, edges: Iterable[Edge]) -> None:
        checked = _ascending_edges(edges)
        object.__setattr__(self, "edges", checked)
        object.__setattr__(self, "exits", _exits(checked))

    @property
    def _edges(self) -> list[Edge]:
        # The specification's name and type. A new list each time: a tile cannot be changed by it.
        return list(self.edges)

    def rotate(self) -> Tile:
        """This tile, turned by 90 degrees clockwise."""
        return Tile((_turned(first), _turned(second)) for first, second in self.edges)

    def all_rotations(self) -> list[Tile]:
        """This tile, turned by 0, 90, 180 and 270 degrees clockwise, always four."""
        rotations = [self]
        while len(rotations) < 4:
            rotations.append(rotations[-1].rotate())
        return rotations

    def get_port_connected_to(self, port: PortID) -> PortID:
        """The other end of the wire at this port. Raises ValueError where there is no such port."""
        return self.exits[port_id(port)]

    def same_wires(self, other: Tile) -> bool:
        """Whether both join the same ports, as they are turned now."""
        return self.edges == other.edges

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tile):
            return NotImplemented
        return self._whatever_turn() == other._whatever_turn()

    def __hash__(self) -> int:
        return hash(self._whatever_turn())

    def __repr__(self) -> str:
        return f"Tile({self._edges!r})"

    def _repr_svg_(self) -> str:
        # pylint: disable-next=import-outside-toplevel,cyclic-import  # paid for by who draws
        from engines.tsuro.picture import tile_svg

        return tile_svg(self)

    def __deepcopy__(self, memo: dict[int, object] | None = None) -> Tile:
        # Past __init__, which would check again what has been checked.
        twin = object.__new__(Tile)
        object.__setattr__(twin, "edges", self.edges)
        object.__setattr__(twin, "exits", self.exits)
        return twin

    def __reduce__(self) -> tuple[type[Tile], tuple[tuple[Edge, ...]]]:
        # Without this, copy.copy and pickle would set the slots of an empty one, and be refused.
        return Tile, (self.edges,)

    def _whatever_turn(self) -> tuple[Edge, ...]:
        return min(tile.edges for tile in self.all_rotations())


def _ascending_edges(edges: Iterable[Edge]) -> tuple[Edge, ...]:
    given = list(edges)
    ascending = tuple(sorted(_ascending(edge, given) for edge in given))
    if sorted(port for edge in ascending for port in edge) != list(PORTS):
        raise ValueError(f"a tile joins each of the ports 0 to 7 exactly once, not {given!r}")
    return ascending


def _ascending(edge: Edge, given: list[Edge]) -> Edge:
    # The type says two; whoever reads tiles from outside may still bring another number.
    ports = sorted(port_id(port) for port in edge)
    if len(ports) != 2:
        raise ValueError(f"each wire of a tile joins two ports; {edge!r} of {given!r} does not")
    return ports[0], ports[1]


def _exits(edges: tuple[Edge, ...]) -> tuple[PortID, ...]:
    other_end = dict(edges)
    other_end.update((second, first) for first, second in edges)
    return tuple(other_end[port] for port in PORTS)


def _turned(port: PortID) -> PortID:
    return PortID((port + _QUARTER_TURN) % len(PORTS))

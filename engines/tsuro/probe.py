"""Try many tiles on one empty square without copying the board.

The results are those of movement.py on a board with the tile. Paths elsewhere do not depend on the
tile, so each is followed only once.
"""

from __future__ import annotations

from engines.tsuro.colors import ColorString
from engines.tsuro.movement import End, Fate, Layout, end_of, ends
from engines.tsuro.ports import TOUCHING, PortID
from engines.tsuro.positions import FACED, Square
from engines.tsuro.tiles import Tile

__all__ = ["SquareProbe"]


class SquareProbe:
    """Tries tiles on an empty square of a layout, which must not change meanwhile.

    Raises ValueError if the square holds a tile.
    """

    __slots__ = ("_ends_by_exit", "_ends_without_tile", "_entry_ports", "_layout", "square")

    square: Square

    def __init__(self, layout: Layout, square: Square) -> None:
        if square in layout.tiles:
            raise ValueError(f"square {square} holds a tile: no other can be tried there")
        self.square = square
        self._layout = layout
        self._ends_without_tile = ends(layout.tiles, layout.avatars)
        self._entry_ports = [
            (player, entry)
            for player, end in self._ends_without_tile.items()
            if (entry := self._entry_port(end)) is not None
        ]
        # By port of this square: the end of the path that leaves there, once computed.
        self._ends_by_exit: list[End | None] = [None] * len(TOUCHING)

    def ends(self, tile: Tile) -> dict[ColorString, End]:
        """Return where each avatar would end up with a tile on the square, by colour in order."""
        moved = self._ends_without_tile.copy()
        for player, entry in self._entry_ports:
            moved[player] = self._trace(tile.exits, player, entry)
        return moved

    def _trace(self, exits: tuple[PortID, ...], player: ColorString, entry: PortID) -> End:
        # Steps are reversible (movement.py), so no entry but the first can recur; with four wires,
        # the path returns to it or ends elsewhere.
        port: PortID | None = entry
        while port is not None:
            end = self._end_from_exit(exits[port])
            port = self._entry_port(end)
            if port == entry:
                return End(Fate.LOOPS, *self._layout.avatars[player])
        return end

    def _end_from_exit(self, exit_: PortID) -> End:
        known = self._ends_by_exit[exit_]
        if known is None:
            known = self._ends_by_exit[exit_] = end_of(self._layout.tiles, (self.square, exit_))
        return known

    def _entry_port(self, end: End) -> PortID | None:
        """Return the port by which a move that ends here would enter the square, or None."""
        if end.fate is Fate.RESTS and FACED[end.square][end.port] == self.square:
            return TOUCHING[end.port]
        return None

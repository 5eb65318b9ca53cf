"""The ways round one empty square: where everybody ends, for tile after tile that could lie there.

The answers are those of movement.py over a board with that tile. What lies elsewhere is the same
for every tile, so each way over it is followed once, and no board is copied. No rules of turns.
"""

from __future__ import annotations

from engines.tsuro.colors import ColorString
from engines.tsuro.movement import End, Fate, Layout, end_of, ends
from engines.tsuro.ports import TOUCHING, PortID
from engines.tsuro.positions import FACED, Square
from engines.tsuro.tile import Tile

__all__ = ["Ways"]


class Ways:
    """The ways round a square of a layout that holds no tile, for trying tiles on it.

    The layout must stay as it is for as long as this is used. Raises ValueError where the square
    holds a tile.
    """

    __slots__ = ("_beyond", "_entries", "_layout", "_without", "square")

    square: Square

    def __init__(self, layout: Layout, square: Square) -> None:
        if square in layout.tiles:
            raise ValueError(f"square {square} holds a tile: no other can be tried there")
        self.square = square
        self._layout = layout
        self._without = ends(layout.tiles, layout.avatars)
        self._entries = [
            (player, entry)
            for player, end in self._without.items()
            if (entry := self._entry(end)) is not None
        ]
        # By port of this square: the end of the way that goes out there, once it is known.
        self._beyond: list[End | None] = [None] * len(TOUCHING)

    def ends(self, tile: Tile) -> dict[ColorString, End]:
        """Where everybody would end if this tile lay on the square, in the order of COLORS."""
        moved = self._without.copy()
        for player, entry in self._entries:
            moved[player] = self._end(tile.exits, player, entry)
        return moved

    def _end(self, exits: tuple[PortID, ...], player: ColorString, entry: PortID) -> End:
        # A wire that leads in is never left twice, as steps can be undone (movement.py): only the
        # first entry can come again, and after four wires it must, or the way ends elsewhere.
        port: PortID | None = entry
        while port is not None:
            end = self._end_beyond(exits[port])
            port = self._entry(end)
            if port == entry:
                return End(Fate.LOOPS, *self._layout.avatars[player])
        return end

    def _end_beyond(self, exit_: PortID) -> End:
        known = self._beyond[exit_]
        if known is None:
            known = self._beyond[exit_] = end_of(self._layout.tiles, (self.square, exit_))
        return known

    def _entry(self, end: End) -> PortID | None:
        """The port by which a way that ends here, while the square is empty, would come in."""
        if end.fate is Fate.RESTS and FACED[end.square][end.port] == self.square:
            return TOUCHING[end.port]
        return None

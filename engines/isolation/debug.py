"""DebugState: a state that can be read by eye, for the hours when something is wrong.

The board as digits and as the documentation's grid; `picture` has what is meant to be looked at.
Source: the game's documentation, told anew in docs/isolation.md.
"""

from __future__ import annotations

from typing import Final

from engines.isolation.encoding import GRID
from engines.isolation.state import Isolation

__all__ = ["DebugState"]

_RULE: Final = "+ - " * GRID.width + "+"


class DebugState(Isolation):
    """An Isolation with views of itself; made by `from_state`, not by its constructor.

    It equals the state that it was made from, and `result` gives an Isolation again.
    """

    __slots__ = ()

    @staticmethod
    def from_state(gamestate: Isolation) -> DebugState:
        """The same board, ply_count and locs, as a DebugState."""
        return DebugState(*gamestate)

    @classmethod
    def ind2xy(cls, index: int) -> tuple[int, int]:
        """The column counted from the right and the row counted from the bottom, both from 0.

        Any integer has an answer: that of a border bit has column 11 or 12.
        """
        return GRID.xy(index)

    @property
    def bitboard_string(self) -> str:
        """The board's bits, one digit each, the top left cell first: 115 digits in any state."""
        return f"{self.board:0{GRID.length}b}"

    def __str__(self) -> str:
        """The grid, after an empty line and with one behind it: a cell is blank while open, 1 or 2
        where a piece stands, X when blocked."""
        rows = [f"{self._row(y)}\n{_RULE}\n" for y in reversed(range(GRID.height))]
        return f"\n{_RULE}\n{''.join(rows)}"

    def _row(self, y: int) -> str:
        start = y * GRID.stride
        indices = reversed(range(start, start + GRID.width))
        return "".join(f"| {self._mark(index)} " for index in indices) + "|"

    def _mark(self, index: int) -> str:
        if index in self.locs:
            return "12"[self.locs.index(index)]
        return " " if self.board >> index & 1 else "X"

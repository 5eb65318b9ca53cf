"""DebugState: a state that prints its board as bits and as an ASCII grid.

The formats are those of the original documentation, described in docs/games/isolation.md. For
display, prefer the `picture` module.
"""

from __future__ import annotations

from typing import Final

from engines.isolation.encoding import GRID
from engines.isolation.state import Isolation

__all__ = ["DebugState"]

_RULE: Final = "+ - " * GRID.width + "+"


class DebugState(Isolation):
    """An Isolation that can print itself; create one with `from_state`.

    It equals the state it was made from, and `result` returns a plain Isolation.
    """

    __slots__ = ()

    @staticmethod
    def from_state(gamestate: Isolation) -> DebugState:
        """Return a DebugState with the same board, ply_count and locs."""
        return DebugState(*gamestate)

    @classmethod
    def ind2xy(cls, index: int) -> tuple[int, int]:
        """Return the column from the right and the row from the bottom, both from 0.

        Accepts any integer; border bits are in columns 11 and 12.
        """
        return GRID.xy(index)

    @property
    def bitboard_string(self) -> str:
        """The bits of the board as 115 digits, the top left cell first."""
        return f"{self.board:0{GRID.length}b}"

    def __str__(self) -> str:
        """Return the grid between empty lines: 1 or 2 for a piece, X for a blocked cell, blank for
        an open one."""
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

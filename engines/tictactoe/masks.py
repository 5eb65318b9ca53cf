"""The grid as masks of nine bits: its lines, and two tables indexed by a mask.

Bit n is the cell of row n // 3 and column n % 3. Plain integers and no player, so that the loops
of `search` can be compiled together with it. Source: the rules of tic-tac-toe.
"""

from __future__ import annotations

from typing import Final

from engines.bits import bit, cells, mask_of

__all__ = ["CELLS", "FREE", "FULL", "LINES", "SIDE", "WON"]

SIDE: Final = 3
CELLS: Final = SIDE * SIDE
FULL: Final = (1 << CELLS) - 1

# In the notebook's order (docs/tictactoe.md): rows, columns, falling and rising diagonal.
LINES: Final[tuple[int, ...]] = (
    *(mask_of(range(row * SIDE, (row + 1) * SIDE)) for row in range(SIDE)),
    *(mask_of(range(column, CELLS, SIDE)) for column in range(SIDE)),
    mask_of(range(0, CELLS, SIDE + 1)),
    mask_of(range(SIDE - 1, CELLS - 1, SIDE - 1)),
)

# WON[mask]: whether the marks of one side hold a line.
WON: Final[tuple[bool, ...]] = tuple(
    any(mask & line == line for line in LINES) for mask in range(FULL + 1)
)

# FREE[mask]: the free cells beside a mask of all marks, each as a mask of its own, ascending.
FREE: Final[tuple[tuple[int, ...], ...]] = tuple(
    tuple(bit(cell) for cell in cells(FULL ^ mask)) for mask in range(FULL + 1)
)

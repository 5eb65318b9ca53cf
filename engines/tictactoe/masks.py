"""Nine-bit masks of the grid: its lines, and two tables indexed by a mask.

Bit n is the cell in row n // 3 and column n % 3.
"""

from __future__ import annotations

from typing import Final

from engines.bits import bit, cells, mask_of

__all__ = ["CELLS", "FREE_CELLS", "FULL", "HAS_LINE", "LINES", "SIDE"]

SIDE: Final = 3
CELLS: Final = SIDE * SIDE
FULL: Final = (1 << CELLS) - 1

# In the notebook's order (docs/games/tictactoe.md): rows, columns, falling and rising diagonal.
LINES: Final[tuple[int, ...]] = (
    *(mask_of(range(row * SIDE, (row + 1) * SIDE)) for row in range(SIDE)),
    *(mask_of(range(column, CELLS, SIDE)) for column in range(SIDE)),
    mask_of(range(0, CELLS, SIDE + 1)),
    mask_of(range(SIDE - 1, CELLS - 1, SIDE - 1)),
)

# HAS_LINE[mask]: whether the mask contains a line.
HAS_LINE: Final[tuple[bool, ...]] = tuple(
    any(mask & line == line for line in LINES) for mask in range(FULL + 1)
)

# FREE_CELLS[mask]: the masks of the single cells outside a mask, ascending.
FREE_CELLS: Final[tuple[tuple[int, ...], ...]] = tuple(
    tuple(bit(cell) for cell in cells(FULL ^ mask)) for mask in range(FULL + 1)
)

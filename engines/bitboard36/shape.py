"""The shape of the board: 36 positions, their rows and columns, and the eight offsets.

Bit = 6 * row + column, row 0 at the bottom, column 0 at the left. No pieces and no players here.
Source: docs/bitboard36.md, "Encoding".
"""

from __future__ import annotations

from typing import Final, NewType

from engines.bitboard36.errors import InvalidPosition

__all__ = [
    "BOTTOM_ROW",
    "CELLS",
    "FULL",
    "LEFT_COLUMN",
    "OFFSETS",
    "POSITIONS",
    "SIDE",
    "Position",
    "column_of",
    "position",
    "position_at",
    "row_of",
]

Position = NewType("Position", int)
"""The number of a cell, 0 to 35; build one with `position` or `position_at`."""

SIDE: Final = 6
CELLS: Final = SIDE * SIDE
POSITIONS: Final = tuple(Position(cell) for cell in range(CELLS))

FULL: Final = (1 << CELLS) - 1
BOTTOM_ROW: Final = (1 << SIDE) - 1
# One bit in every six: a full board is the bottom row, repeated at each bit of the left column.
LEFT_COLUMN: Final = FULL // BOTTOM_ROW

# In the order of the source: right, left, up, down, up right, down right, up left, down left.
OFFSETS: Final = (1, -1, SIDE, -SIDE, SIDE + 1, 1 - SIDE, SIDE - 1, -SIDE - 1)


def position(number: int) -> Position:
    """The position of this number, 0 to 35. Raises InvalidPosition for any other."""
    if 0 <= number < CELLS:
        return Position(number)
    raise InvalidPosition(number, f"positions run from 0 to {CELLS - 1}")


def position_at(row: int, column: int) -> Position:
    """The position in this row (0 at the bottom) and column (0 at the left).

    Raises InvalidPosition, naming the coordinate, where one is not 0 to 5.
    """
    for name, coordinate in (("rows", row), ("columns", column)):
        if not 0 <= coordinate < SIDE:
            raise InvalidPosition(coordinate, f"{name} run from 0 to {SIDE - 1}")
    return Position(SIDE * row + column)


def row_of(cell: Position) -> int:
    """The row of a position, 0 at the bottom."""
    return cell // SIDE


def column_of(cell: Position) -> int:
    """The column of a position, 0 at the left."""
    return cell % SIDE

"""The shape of the board: 36 positions, their rows and columns, and the eight offsets.

Bit = 6 * row + column; row 0 is at the bottom, column 0 at the left. Source:
docs/games/bitboard36.md, "Encoding".
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
"""The number of a cell, 0 to 35, made by `position` or `position_at`."""

SIDE: Final = 6
CELLS: Final = SIDE * SIDE
POSITIONS: Final = tuple(Position(cell) for cell in range(CELLS))

FULL: Final = (1 << CELLS) - 1
BOTTOM_ROW: Final = (1 << SIDE) - 1
# One bit in six. A full board is this column times the bottom row.
LEFT_COLUMN: Final = FULL // BOTTOM_ROW

# In the source's order: right, left, up, down, up right, down right, up left, down left.
OFFSETS: Final = (1, -1, SIDE, -SIDE, SIDE + 1, 1 - SIDE, SIDE - 1, -SIDE - 1)


def position(number: int) -> Position:
    """Return the position of a number, 0 to 35. Raises InvalidPosition for any other number."""
    if 0 <= number < CELLS:
        return Position(number)
    raise InvalidPosition(number, f"positions run from 0 to {CELLS - 1}")


def position_at(row: int, column: int) -> Position:
    """Return the position in a row (0 at the bottom) and column (0 at the left).

    Raises InvalidPosition, naming the coordinate, if one is not 0 to 5.
    """
    for name, coordinate in (("rows", row), ("columns", column)):
        if not 0 <= coordinate < SIDE:
            raise InvalidPosition(coordinate, f"{name} run from 0 to {SIDE - 1}")
    return Position(SIDE * row + column)


def row_of(cell: Position) -> int:
    """Return the row of a position, 0 at the bottom."""
    return cell // SIDE


def column_of(cell: Position) -> int:
    """Return the column of a position, 0 at the left."""
    return cell % SIDE

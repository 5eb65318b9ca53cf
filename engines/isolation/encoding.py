"""The mapping between cells and bits, for a board of any width and height.

Each row has `width` cells followed by two border bits that are always zero. Bit 0 is the bottom
right cell; the outermost two border bits are omitted. Source: docs/games/isolation.md, "The board
as a number".
"""

from __future__ import annotations

from typing import Final, NamedTuple, NewType

__all__ = ["GRID", "Cell", "Encoding", "NotACell"]

Cell = NewType("Cell", int)
"""The index of a cell on the board, made by `Encoding.cell`."""


class Encoding(NamedTuple):
    """The layout of a board of `width` by `height` cells, both at least 1."""

    width: int
    height: int

    @property
    def stride(self) -> int:
        """The distance from a cell to the one above it: the width plus two border bits, so that a
        step of up to two columns never wraps to another row."""
        return self.width + 2

    @property
    def length(self) -> int:
        """The number of bits: the index of the top left cell plus one."""
        return self.stride * self.height - 2

    @property
    def north(self) -> int:
        """The change of index for one step north."""
        return self.stride

    @property
    def south(self) -> int:
        """The change of index for one step south; negative."""
        return -self.stride

    @property
    def east(self) -> int:
        """The change of index for one step east; negative, as indices fall from left to right."""
        return -1

    @property
    def west(self) -> int:
        """The change of index for one step west."""
        return 1

    @property
    def open_board(self) -> int:
        """The board on which all cells are open: ones for cells, zeros for border bits."""
        row = (1 << self.width) - 1
        return sum(row << self.stride * y for y in range(self.height))

    def xy(self, index: int) -> tuple[int, int]:
        """Return the column from the right and the row from the bottom, both from 0.

        Accepts any integer; the column of a border bit is at least `width`.
        """
        return index % self.stride, index // self.stride

    def cell(self, index: int) -> Cell:
        """Return an index as a Cell. Raises NotACell if it is a border bit or off the board."""
        x, y = self.xy(index)
        if x < self.width and 0 <= y < self.height:
            return Cell(index)
        raise NotACell(self, index)


class NotACell(ValueError):
    """Raised for an index that is not a cell of the board.

    Fields: `encoding`, the layout of the board; `index`, the index given.
    """

    def __init__(self, encoding: Encoding, index: int) -> None:
        super().__init__(encoding, index)
        self.encoding = encoding
        self.index = index

    def __str__(self) -> str:
        width, height = self.encoding
        return (
            f"{self.index} is not a cell of the {width} by {height} board: expected "
            f"{self.encoding.stride} * row + column, row 0 to {height - 1} from the bottom, "
            f"column 0 to {width - 1} from the right"
        )


GRID: Final = Encoding(width=11, height=9)
"""The board of the game."""

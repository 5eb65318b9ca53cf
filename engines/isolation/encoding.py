"""Which bit of an integer is which cell, for a board of any width and height.

Nothing here knows the game's moves. Source of the rule: docs/isolation.md, "The board as a number":
rows of `width` cells, each followed by two border bits that are always zero, read from the bottom
right; the border right of bit 0 and the one left of the last cell are left out.
"""

from __future__ import annotations

from typing import Final, NamedTuple, NewType

__all__ = ["GRID", "Cell", "Encoding", "NotACell"]

Cell = NewType("Cell", int)
"""The index of a cell that is on the board; `Encoding.cell` makes one."""


class Encoding(NamedTuple):
    """The layout of a board of `width` by `height` cells, both at least 1."""

    width: int
    height: int

    @property
    def stride(self) -> int:
        """The distance from a cell to the one above it: two border bits part the rows, so that a
        step of up to two columns never wraps into a cell of another row."""
        return self.width + 2

    @property
    def length(self) -> int:
        """The number of bits: one more than the index of the top left cell."""
        return self.stride * self.height - 2

    @property
    def north(self) -> int:
        """What a step north adds to an index."""
        return self.stride

    @property
    def south(self) -> int:
        """What a step south adds to an index: a negative number."""
        return -self.stride

    @property
    def east(self) -> int:
        """What a step east adds to an index: indices fall from left to right."""
        return -1

    @property
    def west(self) -> int:
        """What a step west adds to an index."""
        return 1

    @property
    def open_board(self) -> int:
        """The board with each cell open: a one for every cell, a zero for every border bit."""
        row = (1 << self.width) - 1
        return sum(row << self.stride * y for y in range(self.height))

    def xy(self, index: int) -> tuple[int, int]:
        """The column, counted from the right, and the row, counted from the bottom, both from 0.

        Any integer has an answer: a border bit has a column of at least `width`.
        """
        return index % self.stride, index // self.stride

    def cell(self, index: int) -> Cell:
        """This index, known to be a cell. Raises NotACell for a border bit or one off the board."""
        x, y = self.xy(index)
        if x < self.width and 0 <= y < self.height:
            return Cell(index)
        raise NotACell(self, index)


class NotACell(ValueError):
    """The index of no cell was given where a cell was asked for: the caller's mistake.

    Fields: `encoding`, the board's layout; `index`, what was given.
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
"""The board that the game is played on."""

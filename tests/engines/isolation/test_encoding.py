"""Cells and bits of the documentation's board of 2 by 3, and of the game's 11 by 9."""

from __future__ import annotations

import pytest

from engines.isolation import GRID, Encoding, NotACell

SMALL = Encoding(width=2, height=3)
# The documentation names rows from the top and columns from the left.
A1, A2, B1, B2, C1, C2 = 9, 8, 5, 4, 1, 0


def test_the_documented_board_of_two_by_three() -> None:
    assert (SMALL.length, f"{SMALL.open_board:b}") == (10, "1100110011")
    assert [SMALL.xy(cell) for cell in (A1, A2, B1, B2, C1, C2)] == [
        *[(1, 2), (0, 2), (1, 1), (0, 1), (1, 0), (0, 0)],
    ]
    assert A2 + SMALL.west == A1
    assert B1 + SMALL.east == B2
    assert B1 + SMALL.north == A1
    assert B1 + SMALL.south == C1


def test_the_board_of_the_game() -> None:
    assert GRID == Encoding(width=11, height=9)
    assert (GRID.length, GRID.open_board) == (115, 41523161203939122082683632224299007)
    assert [GRID.cell(index) for index in (0, 10, 104, 114)] == [0, 10, 104, 114]


@pytest.mark.parametrize("index", [-1, -13, 11, 12, 103, 115, 117, 118])
def test_border_bits_and_indices_off_the_board_are_not_cells(index: int) -> None:
    with pytest.raises(NotACell):
        GRID.cell(index)


def test_not_a_cell_explains_which_indices_are_cells() -> None:
    with pytest.raises(NotACell) as caught:
        SMALL.cell(-1)
    assert (caught.value.encoding, caught.value.index) == (SMALL, -1)
    assert str(caught.value) == (
        "-1 is not a cell of the 2 by 3 board: expected 4 * row + column, "
        "row 0 to 2 from the bottom, column 0 to 1 from the right"
    )

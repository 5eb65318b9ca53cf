"""Which bit is which cell: the documentation's board of 2 by 3 by hand, and the game's 11 by 9."""

import pytest

from engines.isolation import GRID, Encoding, NotACell

SMALL = Encoding(width=2, height=3)
# The documentation names rows from the top, columns from the left; its picture with borders has
# these cells one higher, and its note takes the lowest border bit away.
A1, A2 = 9, 8
B1, B2 = 5, 4
C1, C2 = 1, 0


def test_the_board_of_two_by_three_has_ten_bits() -> None:
    assert SMALL.length == 10
    assert f"{SMALL.open_board:b}" == "1100110011"


@pytest.mark.parametrize(
    ("bit", "is_cell"),
    [
        (9, True),
        (8, True),
        (7, False),
        (6, False),
        (5, True),
        (4, True),
        (3, False),
        (2, False),
        (1, True),
        (0, True),
        (10, False),
        (11, False),
    ],
)
def test_each_bit_of_two_by_three_is_a_cell_or_a_border(bit: int, is_cell: bool) -> None:
    assert SMALL.open_board >> bit & 1 == is_cell


def test_the_documented_movements_hold_on_two_by_three() -> None:
    assert A2 + SMALL.west == A1
    assert B1 + SMALL.east == B2
    assert B1 + SMALL.north == A1
    assert B1 + SMALL.south == C1


def test_columns_count_from_the_right_and_rows_from_the_bottom() -> None:
    assert [SMALL.xy(cell) for cell in (A1, A2, B1, B2, C1, C2)] == [
        (1, 2),
        (0, 2),
        (1, 1),
        (0, 1),
        (1, 0),
        (0, 0),
    ]


def test_the_game_is_played_on_eleven_by_nine() -> None:
    assert GRID == Encoding(width=11, height=9)
    assert GRID.length == 115
    assert GRID.open_board == 41523161203939122082683632224299007


def test_the_corners_of_the_game_are_cells() -> None:
    assert [GRID.cell(index) for index in (0, 10, 104, 114)] == [0, 10, 104, 114]


@pytest.mark.parametrize("index", [-1, -13, 11, 12, 103, 115, 117, 118])
def test_what_lies_beside_the_board_is_no_cell(index: int) -> None:
    with pytest.raises(NotACell):
        GRID.cell(index)


def test_not_a_cell_tells_what_a_cell_would_be() -> None:
    with pytest.raises(NotACell) as caught:
        SMALL.cell(7)
    assert caught.value.encoding == SMALL
    assert caught.value.index == 7
    assert str(caught.value) == (
        "7 is not a cell of the 2 by 3 board: expected 4 * row + column, "
        "row 0 to 2 from the bottom, column 0 to 1 from the right"
    )

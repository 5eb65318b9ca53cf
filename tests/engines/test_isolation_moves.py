"""The eight actions, and the tables against the slow way of making them."""

import pytest

from engines.isolation import GRID, Action, NotACell
from engines.isolation.moves import REACH, REACH_AFTER, open_cells, open_steps

ORDER = "NNE ENE ESE SSE SSW WSW WNW NNW".split()
VALUES = [25, 11, -15, -27, -25, -11, 15, 27]


def test_the_actions_have_the_documented_order_and_values() -> None:
    assert [(action.name, action.value) for action in Action] == list(zip(ORDER, VALUES))


def test_an_action_prints_as_documented() -> None:
    assert repr(Action.NNE) == "<Action.NNE: 25>"


def test_a_piece_reaches_the_cells_a_knight_would() -> None:
    places = {GRID.xy(cell): cell for cell in range(GRID.length) if GRID.open_board >> cell & 1}
    for (x, y), cell in places.items():
        reached = [
            end
            for (other_x, other_y), end in places.items()
            if {abs(x - other_x), abs(y - other_y)} == {1, 2}
        ]
        assert open_cells(REACH[cell]) == sorted(reached)


def test_a_piece_not_yet_placed_reaches_every_cell() -> None:
    assert len(open_cells(REACH[None])) == 99


def test_the_reach_after_a_mask_is_that_of_its_cell() -> None:
    assert REACH_AFTER[0] == REACH[None]
    assert [REACH_AFTER[(1 << cell).bit_length()] for cell in (0, 57, 114)] == [
        REACH[cell] for cell in (0, 57, 114)
    ]
    assert len(REACH_AFTER) == 1 + GRID.length


@pytest.mark.parametrize("index", [11, -1, 115])
def test_no_piece_stands_beside_the_board(index: int) -> None:
    with pytest.raises(NotACell):
        open_steps(GRID.open_board, index)


def test_border_bits_of_a_board_are_never_open() -> None:
    every_bit = (1 << 130) - 1
    assert open_cells(every_bit) == open_cells(GRID.open_board)
    assert open_steps(every_bit, 0) == (Action.WNW, Action.NNW)


def test_open_steps_keep_the_order_of_actions() -> None:
    board = 1 << 57 + 27 | 1 << 57 - 27 | 1 << 57 + 11
    assert open_steps(board, 57) == (Action.ENE, Action.SSE, Action.NNW)

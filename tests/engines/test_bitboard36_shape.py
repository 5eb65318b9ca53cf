"""The 36 positions, their coordinates, and the eight offsets."""

from __future__ import annotations

import pytest

from engines.bitboard36.errors import InvalidPosition
from engines.bitboard36.shape import (
    BOTTOM_ROW,
    FULL,
    LEFT_COLUMN,
    OFFSETS,
    POSITIONS,
    Position,
    column_of,
    position,
    position_at,
    row_of,
)


def test_bit_is_six_times_row_plus_column() -> None:
    assert [position_at(row, column) for row in range(6) for column in range(6)] == list(range(36))
    assert position_at(2, 5) == 17


def test_row_and_column_undo_position_at() -> None:
    assert [position_at(row_of(at), column_of(at)) for at in POSITIONS] == list(POSITIONS)
    assert (row_of(Position(17)), column_of(Position(17))) == (2, 5)


def test_offsets_stand_in_the_order_of_the_source() -> None:
    right, left, up, down = (0, 1), (0, -1), (1, 0), (-1, 0)
    diagonals = ((1, 1), (-1, 1), (1, -1), (-1, -1))
    steps = (right, left, up, down, *diagonals)
    assert tuple(6 * rows + columns for rows, columns in steps) == OFFSETS


def test_the_masks_are_what_the_slow_way_makes() -> None:
    assert FULL == sum(1 << at for at in POSITIONS)
    assert BOTTOM_ROW == sum(1 << at for at in POSITIONS if row_of(at) == 0)
    assert LEFT_COLUMN == sum(1 << at for at in POSITIONS if column_of(at) == 0)


def test_the_first_and_the_last_number_are_positions() -> None:
    assert (position(0), position(35)) == (0, 35)


@pytest.mark.parametrize("number", [-1, 36])
def test_a_number_off_the_board_is_refused(number: int) -> None:
    with pytest.raises(InvalidPosition) as refusal:
        position(number)
    assert refusal.value.value == number
    assert str(refusal.value) == f"{number} is refused: positions run from 0 to 35"


@pytest.mark.parametrize(
    ("row", "column", "message"),
    [
        (6, 2, "6 is refused: rows run from 0 to 5"),
        (-1, 9, "-1 is refused: rows run from 0 to 5"),
        (2, 6, "6 is refused: columns run from 0 to 5"),
        (0, -1, "-1 is refused: columns run from 0 to 5"),
    ],
)
def test_a_coordinate_off_the_board_is_refused_by_name(row: int, column: int, message: str) -> None:
    with pytest.raises(InvalidPosition) as refusal:
        position_at(row, column)
    assert str(refusal.value) == message

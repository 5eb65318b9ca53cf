"""Positions, their coordinates, and the eight offsets."""

from __future__ import annotations

import pytest

from engines.bitboard36.errors import InvalidPosition
from engines.bitboard36.shape import (
    position,
    position_at,
)


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

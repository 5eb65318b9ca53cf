"""Positions on the board, their numbers, and what they face."""

from __future__ import annotations

from copy import deepcopy

import pytest

from engines.tsuro import (
    MAX_BOARD_COORDINATE,
    MIN_BOARD_COORDINATE,
    PORT_LETTERS,
    BoardPosition,
    Square,
    position_of,
    square_of,
)
from engines.tsuro.ports import port_id
from engines.tsuro.positions import neighbors, position_faced

_ALL = [BoardPosition(x, y) for y in range(10) for x in range(10)]


def _faced(x: int, y: int, letters: str) -> list[BoardPosition | None]:
    square = square_of(BoardPosition(x, y))
    return [position_faced(square, port_id(PORT_LETTERS.index(letter))) for letter in letters]


def test_the_board_is_ten_by_ten_from_zero() -> None:
    assert (MIN_BOARD_COORDINATE, MAX_BOARD_COORDINATE) == (0, 9)


def test_a_position_keeps_its_coordinates_apart() -> None:
    position = BoardPosition(3, 8)
    assert (position.x, position.y) == (3, 8)
    assert repr(position) == "BoardPosition(x=3, y=8)"
    assert str(position) == "(3, 8)"


@pytest.mark.parametrize(
    ("x", "y", "message"),
    [
        (-1, 4, "x is a whole number from 0 to 9, not -1"),
        (10, 4, "x is a whole number from 0 to 9, not 10"),
        (4, -1, "y is a whole number from 0 to 9, not -1"),
        (4, 10, "y is a whole number from 0 to 9, not 10"),
        (4, True, "y is a whole number from 0 to 9, not True"),
        (4.0, 4, "x is a whole number from 0 to 9, not 4.0"),
    ],
)
def test_a_coordinate_off_the_board_is_refused(x: int, y: int, message: str) -> None:
    with pytest.raises(ValueError) as caught:
        BoardPosition(x, y)
    assert str(caught.value) == message


def test_there_are_four_corners() -> None:
    corners = [(position.x, position.y) for position in _ALL if position.is_corner()]
    assert corners == [(0, 0), (9, 0), (0, 9), (9, 9)]


def test_the_edge_is_all_but_the_inner_eight_by_eight_squares() -> None:
    inner = [(position.x, position.y) for position in _ALL if not position.is_edge()]
    assert inner == [(x, y) for y in range(1, 9) for x in range(1, 9)]


def test_positions_are_equal_by_their_coordinates_and_nothing_else_is() -> None:
    assert BoardPosition(2, 5) == BoardPosition(2, 5)
    assert hash(BoardPosition(2, 5)) == hash(BoardPosition(2, 5))
    assert BoardPosition(2, 5) != BoardPosition(5, 2)
    assert len(set(_ALL)) == 100
    other: object = (2, 5)
    assert BoardPosition(2, 5) != other


def test_a_deep_copy_is_another_object_with_the_same_coordinates() -> None:
    position = BoardPosition(6, 1)
    # pylint: disable-next=unnecessary-dunder-call  # the specification spells it without a memo
    for copied in (deepcopy(position), position.__deepcopy__()):
        assert copied == position
        assert copied is not position


def test_one_deep_copy_keeps_what_was_shared_shared() -> None:
    position = BoardPosition(6, 1)
    first, second = deepcopy([position, position])
    assert first is second


def test_squares_count_row_by_row_and_back() -> None:
    assert [square_of(position) for position in _ALL] == list(range(100))
    assert [position_of(Square(number)) for number in range(100)] == _ALL


@pytest.mark.parametrize("number", [-1, 100])
def test_no_position_has_a_number_off_the_board(number: int) -> None:
    with pytest.raises(ValueError, match="^y is a whole number from 0 to 9, not "):
        position_of(Square(number))


def test_an_avatar_faces_the_square_on_its_ports_side() -> None:
    north, east = BoardPosition(4, 5), BoardPosition(5, 6)
    south, west = BoardPosition(4, 7), BoardPosition(3, 6)
    around = [north, north, east, east, south, south, west, west]
    assert _faced(4, 6, "ABCDEFGH") == around


def test_from_the_edge_an_avatar_may_face_off_the_board() -> None:
    assert _faced(0, 0, "ABGH") == [None] * 4
    assert _faced(9, 9, "CDEF") == [None] * 4
    # The next number of a row's last square is on the board, but not beside it.
    assert _faced(9, 3, "CD") == [None, None]
    assert _faced(0, 4, "GH") == [None, None]


def test_neighbors_share_a_side_and_are_two_to_four() -> None:
    assert neighbors(Square(46)) == (36, 47, 56, 45)
    assert neighbors(Square(0)) == (1, 10)
    assert neighbors(Square(39)) == (29, 49, 38)

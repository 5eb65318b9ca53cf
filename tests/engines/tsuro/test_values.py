"""Colours, ports, positions, tiles and patterns: validation, immutability and copies."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable

import pytest
from support.golden import Golden
from support.tables import check_table
from support.tsuro import port, square

from engines.tsuro import (
    COLORS,
    MAX_BOARD_COORDINATE,
    MIN_BOARD_COORDINATE,
    PORT_LETTERS,
    PORTS,
    TILES,
    BoardPosition,
    Port,
    Square,
    Tile,
    color_string,
    degrees,
    port_id,
    position_of,
    square_of,
    tile_index,
    tile_pattern,
)
from engines.tsuro.ports import TOUCHING
from engines.tsuro.positions import neighbors, position_faced

POSITIONS = [BoardPosition(x, y) for y in range(10) for x in range(10)]


def test_an_invalid_value_is_refused(golden: Golden) -> None:
    makers: list[Callable[..., object]] = [
        *(color_string, degrees, port_id, tile_index, tile_pattern, BoardPosition, position_of),
        TILES[0].get_port_connected_to,
    ]
    by_name = {make.__name__: make for make in makers}

    def refusal(given: tuple[object, ...]) -> str:
        name, *arguments = given
        with pytest.raises(ValueError) as caught:
            by_name[str(name)](*arguments)
        return str(caught.value)

    check_table(golden, __file__, "invalid_values.txt", refusal)


def test_the_bounds_are_valid() -> None:
    assert (tile_index(0), tile_index(34), degrees(0), degrees(270)) == (0, 34, 0, 270)
    assert [port_id(number) for number in range(8)] == list(PORTS)
    assert (MIN_BOARD_COORDINATE, MAX_BOARD_COORDINATE) == (0, 9)
    assert color_string("green") == "green"


def test_colours_are_in_the_order_of_play() -> None:
    assert COLORS == ("white", "black", "red", "green", "blue")


def test_ports_have_names_clockwise_from_the_top_left() -> None:
    top, right = (Port.TopLeft, Port.TopRight), (Port.RightTop, Port.RightBottom)
    bottom, left = (Port.BottomRight, Port.BottomLeft), (Port.LeftBottom, Port.LeftTop)
    assert (*top, *right, *bottom, *left) == PORTS == (0, 1, 2, 3, 4, 5, 6, 7)
    assert repr(Port.LeftBottom) == "6"  # a plain number


def test_ports_touch_the_opposite_side() -> None:
    assert "".join(PORT_LETTERS[other] for other in TOUCHING) == "FEHGBADC"


def test_a_position_prints_its_coordinates() -> None:
    assert repr(BoardPosition(3, 8)) == "BoardPosition(x=3, y=8)"
    assert str(BoardPosition(3, 8)) == "(3, 8)"


def test_corners_and_edges() -> None:
    corners = [(position.x, position.y) for position in POSITIONS if position.is_corner()]
    assert corners == [(0, 0), (9, 0), (0, 9), (9, 9)]
    inner = [(position.x, position.y) for position in POSITIONS if not position.is_edge()]
    assert inner == [(x, y) for y in range(1, 9) for x in range(1, 9)]


def test_positions_are_equal_by_coordinates() -> None:
    assert BoardPosition(2, 5) == BoardPosition(2, 5)
    assert BoardPosition(2, 5) not in (BoardPosition(2, 6), BoardPosition(3, 5))
    assert hash(BoardPosition(2, 5)) == hash(BoardPosition(2, 5))
    other: object = (2, 5)
    assert BoardPosition(2, 5) != other


def test_squares_count_row_by_row() -> None:
    assert [square_of(position) for position in POSITIONS] == list(range(100))
    assert [position_of(Square(number)) for number in range(100)] == POSITIONS


def test_an_avatar_faces_the_square_beyond_its_port_or_none_off_the_board() -> None:
    def faced(x: int, y: int, letters: str) -> list[tuple[int, int] | None]:
        ahead = [position_faced(square(x, y), port(letter)) for letter in letters]
        return [None if at is None else (at.x, at.y) for at in ahead]

    around = [(4, 5), (4, 5), (5, 6), (5, 6), (4, 7), (4, 7), (3, 6), (3, 6)]
    assert faced(4, 6, "ABCDEFGH") == around
    assert faced(0, 0, "ABGH") == faced(9, 9, "CDEF") == [None] * 4
    assert faced(9, 3, "CD") == faced(0, 4, "GH") == [None] * 2  # rows do not wrap


def test_neighbors_share_a_side() -> None:
    assert neighbors(Square(46)) == (36, 47, 56, 45)
    assert neighbors(Square(0)) == (1, 10)
    assert neighbors(Square(39)) == (29, 49, 38)


@pytest.mark.parametrize(
    ("value", "name"), [(BoardPosition(2, 7), "x"), (TILES[17], "edges"), (TILES[17], "new")]
)
def test_values_are_immutable(value: object, name: str) -> None:
    prefix = f"^a {type(value).__name__} is immutable: {name} cannot be"
    with pytest.raises(AttributeError, match=f"{prefix} set$"):
        setattr(value, name, 3)
    with pytest.raises(AttributeError, match=f"{prefix} deleted$"):
        delattr(value, name)


@pytest.mark.parametrize("value", [BoardPosition(2, 7), TILES[17].rotate()])
def test_values_can_be_copied_and_pickled(value: BoardPosition | Tile) -> None:
    # pylint: disable-next=unnecessary-dunder-call  # the memo is optional
    deep = (copy.deepcopy(value), value.__deepcopy__())
    for copied in (copy.copy(value), pickle.loads(pickle.dumps(value)), *deep):
        # Unlike ==, the representation of a tile shows its rotation.
        assert (type(copied), repr(copied)) == (type(value), repr(value))
    assert all(copied is not value for copied in deep)
    first, second = copy.deepcopy([value, value])
    assert first is second

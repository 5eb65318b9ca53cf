"""Ports, positions, tiles, states: validation, equality, immutability and copies."""

from __future__ import annotations

import copy
import pickle

import pytest
from support.tsuro import port, state

from engines import tsuro
from engines.tsuro import (
    PORT_LETTERS,
    PORTS,
    TILES,
    Board,
    BoardPosition,
    BoardState,
    InitialMove,
    Port,
    Tile,
    layout_of,
)

POSITIONS = [BoardPosition(x, y) for y in range(10) for x in range(10)]


def _tile(wires: str) -> Tile:
    return Tile([(port(wire[0]), port(wire[1])) for wire in wires.split()])


# Without symmetry.
LOPSIDED = _tile("AC BG DE FH")


def test_ports_have_names_clockwise_from_the_top_left() -> None:
    top, right = (Port.TopLeft, Port.TopRight), (Port.RightTop, Port.RightBottom)
    bottom, left = (Port.BottomRight, Port.BottomLeft), (Port.LeftBottom, Port.LeftTop)
    assert (*top, *right, *bottom, *left) == PORTS == (0, 1, 2, 3, 4, 5, 6, 7)
    assert repr(Port.LeftBottom) == "6"  # a plain number


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


def test_wires_are_sorted() -> None:
    tile = _tile("HF ED CA GB")
    letters = [PORT_LETTERS[one] + PORT_LETTERS[other] for one, other in tile.edges]
    assert letters == ["AC", "BG", "DE", "FH"]
    assert repr(tile) == "Tile([(0, 2), (1, 6), (3, 4), (5, 7)])"


def test_changing_the_specified_list_of_edges_does_not_change_the_tile() -> None:
    # pylint: disable=protected-access  # the specification names this attribute
    edges = LOPSIDED._edges
    assert edges == [(0, 2), (1, 6), (3, 4), (5, 7)]
    edges.clear()
    assert LOPSIDED._edges == [(0, 2), (1, 6), (3, 4), (5, 7)]


def test_equality_of_tiles_ignores_rotation_and_same_wires_does_not() -> None:
    turned = _tile("AH BD CF EG")
    assert turned == LOPSIDED
    assert hash(turned) == hash(LOPSIDED)
    assert not turned.same_wires(LOPSIDED)
    assert _tile("GB HF AC DE").same_wires(LOPSIDED)


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


# The state of a board.

AT = BoardPosition(7, 2)
PLAYERS: dict[tsuro.ColorString, tuple[BoardPosition, tsuro.PortID]] = {
    "green": (AT, Port.TopLeft),
    "black": (BoardPosition(0, 9), Port.LeftBottom),
}


def _state() -> BoardState:
    return state({(7, 2): TILES[17], (0, 9): TILES[3]}, PLAYERS)


@pytest.mark.parametrize("rows", [[[None] * 10] * 9, [[None] * 10] * 9 + [[None] * 11]])
def test_a_board_must_be_ten_by_ten(rows: list[list[Tile | None]]) -> None:
    with pytest.raises(ValueError) as caught:
        BoardState(rows)
    lengths = [len(row) for row in rows]
    assert str(caught.value) == f"a board must have 10 rows of 10 squares, not rows of {lengths}"


def test_a_state_copies_its_arguments() -> None:
    rows: list[list[Tile | None]] = [[None] * 10 for _ in range(10)]
    players = dict(PLAYERS)
    made = BoardState(rows, players)
    rows[2][7] = TILES[3]
    players.clear()
    assert made.get_tile(AT) is None
    assert made.live_players == PLAYERS


def test_a_player_has_a_position_and_faces_another() -> None:
    assert _state().get_position_of_player("green").value() == (AT, 0)
    ahead = _state().calculate_adjacent_position_of_player
    assert (ahead("green").value(), ahead("black").value()) == (BoardPosition(7, 1), None)
    for absent in (_state().get_position_of_player("red"), ahead("red")):
        assert absent.error() == "red is not on the board"


def test_states_are_equal_by_avatars_and_wires() -> None:
    assert _state() == _state() != BoardState()
    assert _state() != "a state"
    tile = TILES[15]
    rotated = [
        BoardState([[each] + [None] * 9] + [[None] * 10] * 9) for each in tile.all_rotations()
    ]
    assert rotated[0] != rotated[1]
    with pytest.raises(TypeError, match="unhashable"):
        hash(_state())


def test_a_state_and_a_board_print_tiles_and_players() -> None:
    assert repr(BoardState()) == "<BoardState tiles: None; players: None>"
    shown = "<BoardState tiles: (4, 0) AF BE CH DG; players: red (4, 0) port 5>"
    board = Board()
    board.initial_move(InitialMove(BoardPosition(4, 0), TILES[2], Port.BottomLeft, "red"))
    assert repr(board.get_board_state()) == shown
    assert repr(board) == f"<Board {shown}>"


def test_a_deep_copy_shares_nothing() -> None:
    original = _state()
    # pylint: disable-next=unnecessary-dunder-call  # the memo is optional
    for copied in (copy.deepcopy(original), original.__deepcopy__()):
        tile = copied.get_tile(AT)
        assert tile is not None
        assert tile is not TILES[17]
        assert tile.same_wires(TILES[17])
        assert copied.live_players == PLAYERS
        assert copied.live_players["green"][0] is not AT
        copied.board[2][7] = None
        copied.board.pop()
    assert layout_of(original) == layout_of(_state())


def test_one_deep_copy_keeps_shared_objects_shared() -> None:
    original = _state()
    original.board[4][4] = original.board[2][7]
    first, second, tile = copy.deepcopy([original, original, TILES[17]])
    assert first is second
    assert isinstance(first, BoardState)
    assert first.board[4][4] is first.board[2][7] is tile

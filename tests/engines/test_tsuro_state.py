"""The state of a board: what is asked of it, its deep copy, and its two views."""

from __future__ import annotations

from copy import deepcopy

import pytest

from engines.tsuro import (
    TILES,
    BoardPosition,
    BoardState,
    Layout,
    Port,
    Tile,
    layout_of,
    square_of,
    state_of,
)

_AT = BoardPosition(7, 2)


def _rows() -> list[list[Tile | None]]:
    rows: list[list[Tile | None]] = [[None] * 10 for _ in range(10)]
    rows[2][7] = TILES[17]
    rows[9][0] = TILES[3]
    return rows


def _state() -> BoardState:
    return BoardState(
        _rows(),
        {"green": (_AT, Port.TopLeft), "black": (BoardPosition(0, 9), Port.LeftBottom)},
    )


def test_a_new_state_is_ten_empty_rows_of_ten_and_nobody() -> None:
    state = BoardState()
    assert state.board == [[None] * 10 for _ in range(10)]
    assert len({id(row) for row in state.board}) == 10
    assert not state.live_players


@pytest.mark.parametrize("rows", [[[None] * 10] * 9, [[None] * 10] * 9 + [[None] * 11]])
def test_a_board_of_another_shape_is_refused(rows: list[list[Tile | None]]) -> None:
    with pytest.raises(ValueError) as caught:
        BoardState(rows)
    lengths = [len(row) for row in rows]
    assert str(caught.value) == f"a board is 10 rows of 10 squares, not rows of {lengths}"


def test_a_state_keeps_its_own_rows_and_players() -> None:
    rows, players = _rows(), {"green": (_AT, Port.TopLeft)}
    state = BoardState(rows, {"green": (_AT, Port.TopLeft)})
    rows[2][7] = None
    players.clear()
    assert state.get_tile(_AT) is TILES[17]
    assert state.live_players == {"green": (_AT, Port.TopLeft)}


def test_a_row_of_the_board_is_a_y() -> None:
    state = _state()
    assert state.get_tile(_AT) is state.board[2][7] is TILES[17]
    assert state.get_tile(BoardPosition(2, 7)) is None


def test_a_live_players_position_is_its_tiles_position_and_its_port() -> None:
    assert _state().get_position_of_player("green").value() == (_AT, 0)


def test_who_is_not_on_the_board_has_no_position_and_faces_nothing() -> None:
    assert _state().get_position_of_player("red").error() == "red is not on the board"
    faced = _state().calculate_adjacent_position_of_player("red")
    assert faced.error() == "red is not on the board"


def test_a_player_faces_the_position_beyond_its_port() -> None:
    faced = _state().calculate_adjacent_position_of_player("green")
    assert faced.value() == BoardPosition(7, 1)


def test_a_player_who_faces_off_the_board_faces_none() -> None:
    faced = _state().calculate_adjacent_position_of_player("black")
    assert faced.is_ok()
    assert faced.value() is None


def test_a_deep_copy_shares_nothing_that_could_be_changed() -> None:
    state = _state()
    # pylint: disable-next=unnecessary-dunder-call  # to show that it needs no memo
    for copied in (deepcopy(state), state.__deepcopy__()):
        assert copied is not state
        tile = copied.get_tile(_AT)
        assert tile is not None
        assert tile is not TILES[17]
        assert tile.same_wires(TILES[17])
        assert copied.live_players == state.live_players
        assert copied.live_players["green"][0] is not _AT
        copied.board[2][7] = None
        copied.board.pop()
        copied.live_players = {}
        assert state.get_tile(_AT) is TILES[17]
        assert len(state.board) == 10
        assert len(state.live_players) == 2


def test_one_deep_copy_keeps_what_was_shared_shared() -> None:
    state = _state()
    state.board[4][4] = state.board[2][7]
    first, second, tile = deepcopy([state, state, TILES[17]])
    assert first is second
    assert isinstance(first, BoardState)
    assert first.board[4][4] is first.board[2][7] is tile


def test_the_layout_of_a_state_has_its_tiles_and_avatars_by_square() -> None:
    layout = layout_of(_state())
    assert layout == Layout(
        {square_of(_AT): TILES[17], square_of(BoardPosition(0, 9)): TILES[3]},
        {
            "green": (square_of(_AT), Port.TopLeft),
            "black": (square_of(BoardPosition(0, 9)), Port.LeftBottom),
        },
    )


def test_the_state_of_a_layout_has_its_tiles_and_avatars_in_rows() -> None:
    state = state_of(layout_of(_state()))
    assert state.board == _rows()
    assert state.board[2][7] is TILES[17]
    assert state.live_players == _state().live_players

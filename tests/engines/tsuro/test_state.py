"""The state of a board: its answers, its copies, and its conversion to and from a layout."""

from __future__ import annotations

from copy import deepcopy

import pytest
from support.tsuro import square, state

from engines import tsuro
from engines.tsuro import TILES, BoardPosition, BoardState, Port, Tile, layout_of

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


def test_a_deep_copy_shares_nothing() -> None:
    original = _state()
    # pylint: disable-next=unnecessary-dunder-call  # the memo is optional
    for copied in (deepcopy(original), original.__deepcopy__()):
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
    first, second, tile = deepcopy([original, original, TILES[17]])
    assert first is second
    assert isinstance(first, BoardState)
    assert first.board[4][4] is first.board[2][7] is tile


def test_a_layout_has_tiles_and_avatars_by_square() -> None:
    layout = layout_of(_state())
    assert layout == tsuro.Layout(
        {square(7, 2): TILES[17], square(0, 9): TILES[3]},
        {"green": (square(7, 2), Port.TopLeft), "black": (square(0, 9), Port.LeftBottom)},
    )
    back = tsuro.state_of(layout)
    assert (back.board, back.live_players) == (_state().board, PLAYERS)

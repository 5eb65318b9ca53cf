"""Boards as text."""

from __future__ import annotations

from engines.bitboard36.boards import Board, Player
from engines.bitboard36.terminal import board_text


def test_a_board_is_shown_with_its_counts_and_row_0_lowest() -> None:
    board = Board(1 << 0 | 1 << 7 | 1 << 8, 1 << 9 | 1 << 35, Player.BLACK)
    assert board_text(board).split("\n") == [
        "Black to play     neighbours",
        "5  . . . . . B    0 0 0 0 1 0",
        "4  . . . . . .    0 0 0 0 1 1",
        "3  . . . . . .    0 0 0 0 0 0",
        "2  . . . . . .    1 2 3 2 1 0",
        "1  . W W B . .    2 2 2 1 1 0",
        "0  W . . . . .    1 3 3 2 1 0",
        "   0 1 2 3 4 5    0 1 2 3 4 5",
        "white 0x000000181  black 0x800000200",
    ]

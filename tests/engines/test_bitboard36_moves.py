"""The legal moves: which there are, in which order, and how many sequences they make."""

from __future__ import annotations

import pytest

from engines.bitboard36.boards import Board, Player
from engines.bitboard36.moves import legal_moves, perft
from engines.bitboard36.shape import FULL

# White on 0 and 8, empty are 20 and 35, and everything else is Black's.
FEW = Board(1 << 0 | 1 << 8, FULL ^ (1 << 0 | 1 << 8 | 1 << 20 | 1 << 35))


def test_each_own_piece_may_go_to_each_empty_cell_in_order() -> None:
    assert legal_moves(FEW) == ((0, 20), (0, 35), (8, 20), (8, 35))


def test_whoever_plays_moves_pieces_of_their_own_position_0_included() -> None:
    board = Board(1 << 5, FULL ^ (1 << 0 | 1 << 5), Player.WHITE)
    assert legal_moves(board) == ((5, 0),)
    assert legal_moves(Board(1 << 0, FULL ^ (1 << 0 | 1 << 5))) == ((0, 5),)
    black = Board(FULL ^ (1 << 3 | 1 << 4), 1 << 3, Player.BLACK)
    assert legal_moves(black) == ((3, 4),)


@pytest.mark.parametrize(
    "board",
    [Board(0, 0), Board(0, 1), Board(1, 0, Player.BLACK), Board(1, FULL ^ 1)],
    ids=["empty", "no white", "no black", "full"],
)
def test_without_an_own_piece_or_an_empty_cell_there_is_no_move(board: Board) -> None:
    assert not legal_moves(board)
    assert [perft(board, depth) for depth in range(3)] == [1, 0, 0]


def test_sequences_are_counted_for_the_player_who_plays_first() -> None:
    # 2 white and 32 black pieces, 2 empty cells: 4 moves for White, 64 for Black.
    assert [perft(FEW, depth) for depth in range(4)] == [1, 4, 256, 1024]
    black = FEW._replace(to_play=Player.BLACK)
    assert [perft(black, depth) for depth in range(4)] == [1, 64, 256, 16384]


def test_a_negative_depth_is_refused() -> None:
    with pytest.raises(ValueError, match="^depth is -1: expected 0 or more$"):
        perft(FEW, -1)

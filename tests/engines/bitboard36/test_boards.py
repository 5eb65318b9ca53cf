"""Boards and states: copies, errors and perft; the corpus has the rules."""

from __future__ import annotations

import copy
import pickle
from typing import cast

import pytest

from engines.bitboard36 import Board, Player, State, after_move, legal_moves, perft
from engines.bitboard36.errors import (
    BitboardError,
    IllegalMove,
    InvalidPosition,
    InvalidWord,
    Overlap,
)
from engines.bitboard36.shape import FULL
from engines.bitboard36.words import Word

BOARD = Board(1 << 0 | 1 << 8, 1 << 17, Player.BLACK)


def test_a_copy_with_another_word_is_checked_too() -> None:
    with pytest.raises(Overlap):
        BOARD._replace(black=BOARD.white)
    with pytest.raises(Overlap):
        State(1, 2)._replace(next=State(1, 2).current)
    assert BOARD._replace(black=Word(4)).black == 4
    assert State(1, 2)._replace(next=Word(4)).pieces == 5


def test_the_player_to_move_must_be_a_player() -> None:
    with pytest.raises(ValueError, match=r"^to_play must be a Player, such as .*, not 'white'$"):
        Board(1, 2, cast(Player, "white"))
    with pytest.raises(ValueError, match="not None$"):
        BOARD._replace(to_play=cast(Player, None))


def test_boards_and_states_can_be_copied_and_pickled() -> None:
    for given in (BOARD, State(1, 2)):
        for copied in (copy.copy(given), copy.deepcopy(given), pickle.loads(pickle.dumps(given))):
            assert (copied, type(copied)) == (given, type(given))


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (InvalidPosition(-3, "why"), "-3 is refused: why"),
        (InvalidWord(1 << 36, "why"), "0x1000000000 is refused: why"),
        (Overlap(9, "why"), "overlap 0x9 is refused: why"),
        (IllegalMove(0, "why"), "illegal move, position 0: why"),
    ],
)
def test_an_error_can_be_pickled_and_names_value_and_reason(
    error: BitboardError, message: str
) -> None:
    for copied in (error, pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert (type(copied), copied.value, copied.reason) == (type(error), error.value, "why")
        assert str(copied) == message


@pytest.mark.parametrize("board", [Board(FULL ^ 7, 1, Player.BLACK), Board(0, 1), Board(FULL, 0)])
def test_perft_counts_the_sequences_of_legal_moves(board: Board) -> None:
    boards = [board]
    for depth in range(4):
        assert perft(board, depth) == len(boards)
        boards = [after_move(each, *move) for each in boards for move in legal_moves(each)]

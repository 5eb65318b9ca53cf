"""Boards and states: what is refused, whose move is legal, and the way to the base state."""

from __future__ import annotations

import copy
import pickle

import pytest

from engines.bitboard36.boards import (
    Board,
    Player,
    State,
    after_move,
)
from engines.bitboard36.errors import (
    BitboardError,
    IllegalMove,
    InvalidPosition,
    InvalidWord,
    Overlap,
)
from engines.bitboard36.shape import Position

# White on 0 and 8, Black on 17: without symmetry.
WHITE_PLAYS = Board(1 << 0 | 1 << 8, 1 << 17)
BLACK_PLAYS = WHITE_PLAYS._replace(to_play=Player.BLACK)


def test_a_board_and_a_state_print_their_words() -> None:
    assert repr(BLACK_PLAYS) == (
        "Board(white=0x000000101, black=0x000020000, to_play=Player.BLACK)"
    )
    assert repr(State(0x41, 0x2)) == "State(current=0x000000041, next=0x000000002)"


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        (0b0110, 0b0011, "position 1"),
        (0b11010, 0b10010, "positions 1, 4"),
        (1, 1, "position 0"),
    ],
)
def test_a_cell_holds_one_piece(first: int, second: int, message: str) -> None:
    reason = f"a cell holds one piece, and both players hold {message}"
    for refused in (Board, State):
        with pytest.raises(Overlap) as refusal:
            refused(first, second)
        assert (refusal.value.value, refusal.value.reason) == (first & second, reason)


@pytest.mark.parametrize(("first", "second"), [(1 << 36, 0), (0, 1 << 36), (-1, 0), (0, -1)])
def test_either_word_is_checked(first: int, second: int) -> None:
    for refused in (Board, State):
        with pytest.raises(InvalidWord) as refusal:
            refused(first, second)
        assert refusal.value.value == (first or second)


def test_a_copy_with_another_word_is_checked_too() -> None:
    with pytest.raises(Overlap):
        WHITE_PLAYS._replace(black=WHITE_PLAYS.white)
    with pytest.raises(Overlap):
        State(1, 2)._replace(next=State(1, 2).current)


def test_boards_and_states_can_be_copied_and_pickled() -> None:
    for given in (BLACK_PLAYS, State(1, 2)):
        for copied in (copy.copy(given), copy.deepcopy(given), pickle.loads(pickle.dumps(given))):
            assert (copied, type(copied)) == (given, type(given))


def test_a_piece_moves_and_the_opponent_is_to_play() -> None:
    after = after_move(WHITE_PLAYS, Position(8), Position(35))
    assert after == Board(1 << 0 | 1 << 35, 1 << 17, Player.BLACK)
    after = after_move(BLACK_PLAYS, Position(17), Position(1))
    assert after == Board(1 << 0 | 1 << 8, 1 << 1, Player.WHITE)


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
    assert isinstance(error, ValueError)
    for copied in (error, pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert (type(copied), copied.value, copied.reason) == (type(error), error.value, "why")
        assert str(copied) == message

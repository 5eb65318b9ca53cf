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
    base_state,
    state_of,
    variants,
)
from engines.bitboard36.errors import IllegalMove, InvalidWord, Overlap
from engines.bitboard36.shape import Position

# White on 0 and 8, Black on 17: no mirror leaves it as it is.
WHITE_PLAYS = Board(1 << 0 | 1 << 8, 1 << 17)
BLACK_PLAYS = WHITE_PLAYS._replace(to_play=Player.BLACK)


def test_white_plays_unless_it_is_said_otherwise() -> None:
    assert Board(1, 2).to_play is Player.WHITE
    assert Board(1, 2, Player.BLACK).to_play is Player.BLACK


def test_each_player_is_the_others_other() -> None:
    assert Player.WHITE.other is Player.BLACK
    assert Player.BLACK.other is Player.WHITE


def test_pieces_are_those_of_both() -> None:
    assert WHITE_PLAYS.pieces == 1 << 0 | 1 << 8 | 1 << 17
    assert State(0b0110, 0b1000).pieces == 0b1110


def test_a_board_and_a_state_print_as_what_makes_them() -> None:
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


def test_boards_and_states_are_values_for_copy_and_pickle() -> None:
    for given in (BLACK_PLAYS, State(1, 2)):
        for came in (copy.copy(given), copy.deepcopy(given), pickle.loads(pickle.dumps(given))):
            assert (came, type(came)) == (given, type(given))


def test_a_white_piece_moves_and_black_is_to_play() -> None:
    after = after_move(WHITE_PLAYS, Position(8), Position(35))
    assert after == Board(1 << 0 | 1 << 35, 1 << 17, Player.BLACK)


def test_a_black_piece_moves_and_white_is_to_play() -> None:
    after = after_move(BLACK_PLAYS, Position(17), Position(1))
    assert after == Board(1 << 0 | 1 << 8, 1 << 1, Player.WHITE)


def test_position_0_is_a_cell_to_move_from_and_to() -> None:
    there = after_move(Board(1, 2), Position(0), Position(7))
    assert there.white == 1 << 7
    assert after_move(there._replace(to_play=Player.WHITE), Position(7), Position(0)).white == 1


@pytest.mark.parametrize(
    ("board", "origin", "target", "message"),
    [
        (WHITE_PLAYS, 3, 4, "position 3: there is no piece of white, who plays, to move"),
        (WHITE_PLAYS, 17, 4, "position 17: there is no piece of white, who plays, to move"),
        (BLACK_PLAYS, 0, 4, "position 0: there is no piece of black, who plays, to move"),
        (WHITE_PLAYS, 8, 17, "position 17: the cell to move to is occupied"),
        (WHITE_PLAYS, 8, 0, "position 0: the cell to move to is occupied"),
        (WHITE_PLAYS, 8, 8, "position 8: the cell to move to is occupied"),
        (WHITE_PLAYS, 3, 8, "position 3: there is no piece of white, who plays, to move"),
    ],
)
def test_a_move_from_no_own_piece_or_onto_a_piece_is_illegal(
    board: Board, origin: int, target: int, message: str
) -> None:
    with pytest.raises(IllegalMove) as refusal:
        after_move(board, Position(origin), Position(target))
    assert str(refusal.value) == f"illegal move, {message}"


def test_the_state_of_white_to_play_is_the_board_as_it_lies() -> None:
    assert state_of(WHITE_PLAYS) == State(1 << 0 | 1 << 8, 1 << 17)


def test_the_state_of_black_to_play_is_mirrored_and_switched() -> None:
    # Row 0, column 0 goes to row 5; (1, 2) to (4, 2); (2, 5) to (3, 5).
    assert state_of(BLACK_PLAYS) == State(1 << 23, 1 << 30 | 1 << 26)


def test_the_base_state_is_the_smaller_of_both_vertical_mirrors() -> None:
    left, right = Board(1 << 5, 1 << 9), Board(1 << 0, 1 << 8)
    assert base_state(left) == base_state(right) == State(1 << 0, 1 << 8)


def test_the_next_players_word_decides_where_the_current_players_is_symmetrical() -> None:
    assert base_state(Board(1 << 2 | 1 << 3, 1 << 11)) == State(1 << 2 | 1 << 3, 1 << 6)


def test_the_four_variants_by_hand() -> None:
    four = variants(State(1 << 0, 1 << 8))
    assert four.white_right == Board(1 << 0, 1 << 8, Player.WHITE)
    assert four.white_left == Board(1 << 5, 1 << 9, Player.WHITE)
    assert four.black_right == Board(1 << 26, 1 << 30, Player.BLACK)
    assert four.black_left == Board(1 << 27, 1 << 35, Player.BLACK)


def test_variants_do_not_depend_on_which_version_of_the_state_is_given() -> None:
    assert variants(State(1 << 5, 1 << 9)) == variants(State(1 << 0, 1 << 8))

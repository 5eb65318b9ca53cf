"""Values and best moves of boards that a person can judge, each with the player to move."""

from __future__ import annotations

import pytest

from engines.tictactoe.board import DRAW, O_WINS, START, X_WINS, Player, State, parse
from engines.tictactoe.solver import best_moves, move_values, value


def board(text: str) -> State:
    """The state of nine symbols."""
    return parse(text).value()


def test_the_game_is_a_draw_whoever_starts() -> None:
    assert (value(START, Player.X), value(START, Player.O)) == (DRAW, DRAW)


def test_any_first_move_keeps_the_draw() -> None:
    assert best_moves(START, Player.X) == tuple(range(9))


def test_a_value_is_seen_from_x_whoever_moves() -> None:
    # XX. / OO. / ...: who is to move wins.
    assert value(board("XX.OO...."), Player.X) == X_WINS
    assert value(board("XX.OO...."), Player.O) == O_WINS


@pytest.mark.parametrize(
    ("text", "worth"), [("XXX.O.O..", X_WINS), ("OOOXX..X.", O_WINS), ("XOXXOOOXX", DRAW)]
)
def test_a_game_that_is_over_is_worth_its_utility_and_has_no_moves(text: str, worth: int) -> None:
    for player in Player:
        assert value(board(text), player) == worth
        assert (best_moves(board(text), player), move_values(board(text), player)) == ((), ())


@pytest.mark.parametrize(
    ("text", "player", "best"),
    [
        ("X........", Player.O, (4,)),  # a corner is met in the centre
        ("....X....", Player.O, (0, 2, 6, 8)),  # the centre in a corner
        (".X.......", Player.O, (0, 2, 4, 7)),  # an edge next to it, in the centre, or opposite
        ("X...O...X", Player.O, (1, 3, 5, 7)),  # opposite corners at an edge
        (".XX.OO...", Player.X, (0,)),  # cell 0 alone wins
        (".XX.O....", Player.O, (0,)),  # cell 0 alone does not lose
    ],
)
def test_the_best_moves_are_those_that_every_player_learns(
    text: str, player: Player, best: tuple[int, ...]
) -> None:
    assert best_moves(board(text), player) == best


def test_a_slow_win_is_as_good_as_a_quick_one() -> None:
    # XX. / O.. / ..O: X wins at once in cell 2, and a move later by two threats from 4 or from 7.
    assert best_moves(board("XX.O....O"), Player.X) == (2, 4, 7)


def test_where_all_is_lost_all_moves_are_best() -> None:
    # X.X / OX. / ..O: X threatens cells 1 and 6, and O can stop one of them.
    state = board("X.XOX...O")
    assert move_values(state, Player.O) == tuple((cell, X_WINS) for cell in (1, 5, 6, 7))
    assert best_moves(state, Player.O) == (1, 5, 6, 7)


def test_each_move_comes_with_the_value_of_what_it_leads_to() -> None:
    assert move_values(board("XO......."), Player.X) == (
        (2, DRAW),
        (3, X_WINS),
        (4, X_WINS),
        (5, DRAW),
        (6, X_WINS),
        (7, DRAW),
        (8, DRAW),
    )


def test_o_looks_for_the_smallest_value() -> None:
    assert best_moves(board("O........"), Player.X) == (4,)
    assert best_moves(board("OX......."), Player.O) == (3, 4, 6)
    assert value(board("OX......."), Player.O) == O_WINS


def test_a_state_with_unequal_marks_has_a_value_too() -> None:
    assert value(board("XX......."), Player.X) == X_WINS
    assert value(board("OO.O....."), Player.X) == O_WINS

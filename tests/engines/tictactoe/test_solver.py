"""Values and best moves of well-known positions."""

from __future__ import annotations

from engines.tictactoe.board import O_WINS, X_WINS, Player, State, parse
from engines.tictactoe.solver import value


def board(text: str) -> State:
    """Return the state of nine symbols."""
    return parse(text).value()


def test_a_value_is_seen_from_x() -> None:
    # XX. / OO. / ...: the player to move wins.
    assert value(board("XX.OO...."), Player.X) == X_WINS
    assert value(board("XX.OO...."), Player.O) == O_WINS


def test_a_state_with_unequal_marks_has_a_value_too() -> None:
    assert value(board("XX......."), Player.X) == X_WINS
    assert value(board("OO.O....."), Player.X) == O_WINS

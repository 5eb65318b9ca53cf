"""Perfect play: the value of any state with either player to move, and the best moves.

Values are seen from X: 1 if X wins, 0 for a draw, -1 if O wins. They are exact.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from engines.tictactoe.board import (
    O_WINS,
    X_WINS,
    Cell,
    Player,
    State,
    marks,
    moves,
    next_states,
    utility,
)
from engines.tictactoe.masks import FREE_CELLS, HAS_LINE

__all__ = ["best_moves", "move_values", "value"]

# Converts between the view of the side to move, used by `_negamax`, and that of X.
_SIGN: Final = {Player.X: X_WINS, Player.O: O_WINS}


def value(state: State, player: Player) -> int:
    """Return the value of a state with this player to move, or the utility of a finished game."""
    result = utility(state)
    if result is not None:
        return result
    return _SIGN[player] * _negamax(marks(state, player), marks(state, player.other))


def move_values(state: State, player: Player) -> tuple[tuple[Cell, int], ...]:
    """Return each move of a player with the value of the resulting state, ascending by cell.

    Empty if the game is over.
    """
    reached = next_states(state, player)
    return tuple(
        (cell, value(after, player.other))
        for cell, after in zip(moves(state), reached, strict=True)
    )


def best_moves(state: State, player: Player) -> tuple[Cell, ...]:
    """Return all moves that keep the value of the state, in ascending order.

    Empty if the game is over. The length of a win does not matter.
    """
    best = value(state, player)
    return tuple(cell for cell, reached in move_values(state, player) if reached == best)


@cache  # at most 3^9 = 19,683 entries
def _negamax(own: int, other: int) -> int:
    """Return the best result that the player to move can force: 1 win, 0 draw, -1 loss.

    `own` is the nine-bit mask of the player to move and `other` that of its opponent; neither
    contains a line.
    """
    free = FREE_CELLS[own | other]
    best = -1 if free else 0
    for mark in free:
        after = own | mark
        best = max(best, 1 if HAS_LINE[after] else -_negamax(other, after))
        if best == 1:
            break
    return best

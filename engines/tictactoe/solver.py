"""Perfect play: what any state is worth with either player to move, and the moves that keep it.

A value is seen from X, whoever moves: 1 where X wins, 0 a draw, -1 where O wins. Exact, not an
estimate; a slow plain minimax agrees (tests/property/). The search itself is in `search`.
"""

from __future__ import annotations

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
from engines.tictactoe.search import worth

__all__ = ["best_moves", "move_values", "value"]

# From the mover's view, which `worth` has, to that of X, and back: the sign is its own inverse.
_SIGN: Final = {Player.X: X_WINS, Player.O: O_WINS}


def value(state: State, player: Player) -> int:
    """What the state is worth when this player is to move and both play perfectly; the utility of a
    game that is over."""
    decided = utility(state)
    if decided is not None:
        return decided
    return _SIGN[player] * worth(marks(state, player), marks(state, player.other))


def move_values(state: State, player: Player) -> tuple[tuple[Cell, int], ...]:
    """Each move of this player with the value of the state it leads to, ascending by cell; none
    once the game is over."""
    reached = next_states(state, player)
    return tuple(
        (cell, value(after, player.other))
        for cell, after in zip(moves(state), reached, strict=True)
    )


def best_moves(state: State, player: Player) -> tuple[Cell, ...]:
    """All moves that keep the value of the state, ascending; none once the game is over. A quick
    win is no better than a slow one: both are worth the same."""
    kept = value(state, player)
    return tuple(cell for cell, reached in move_values(state, player) if reached == kept)

"""Counts of the game tree: nodes in total and by depth, games by result, reachable states.

Counts are exact, from any state, with either player to move. docs/tictactoe.md lists known numbers.
"""

from __future__ import annotations

from typing import NamedTuple

from engines.tictactoe.board import (
    DRAW,
    O_WINS,
    X_WINS,
    Player,
    State,
    finished,
    marks,
    next_states,
    utility,
)
from engines.tictactoe.search import DRAWS, NODES, count_sequences, count_tree

__all__ = ["Tree", "perft", "reachable", "tree"]


class Tree(NamedTuple):
    """The number of nodes in a game tree, root included, and of its games by result."""

    nodes: int
    x_wins: int
    o_wins: int
    draws: int

    @property
    def games(self) -> int:
        """The number of complete games: the leaves."""
        return self.x_wins + self.o_wins + self.draws


def tree(state: State, player: Player) -> Tree:
    """Return the counts of the tree below a state with this player to move.

    A finished game is a tree of one node and one game.
    """
    result = utility(state)
    if result is not None:
        return Tree(1, int(result == X_WINS), int(result == O_WINS), int(result == DRAW))
    counts = [0, 0, 0, 1]
    count_tree(marks(state, player), marks(state, player.other), player, counts)
    return Tree(counts[NODES], counts[Player.X], counts[Player.O], counts[DRAWS])


def perft(state: State, player: Player, depth: int) -> int:
    """Return the number of sequences of exactly `depth` moves, 0 or more, by players in turn.

    These are the nodes of the tree at that depth; games that end earlier do not count.
    """
    if depth == 0:
        return 1
    if finished(state):
        return 0
    return count_sequences(marks(state, player), marks(state, player.other), depth)


def reachable(state: State, player: Player) -> tuple[State, ...]:
    """Return the distinct states reachable from a state, itself included, in ascending order."""
    seen: set[State] = set()
    level = {state}
    while level:
        seen |= level
        level = {after for before in level for after in next_states(before, player)}
        player = player.other
    return tuple(sorted(seen))

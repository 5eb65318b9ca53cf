"""The game tree, counted: its nodes, whole or by depth, its games by result, its states.

From any state and either player to move; nothing is estimated, nothing pruned. Known numbers are in
docs/tictactoe.md, and are tests. The loop over half a million nodes is in `search`.
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
from engines.tictactoe.search import DRAWS, NODES, lines_of_play, walk

__all__ = ["Tree", "perft", "reachable", "tree"]


class Tree(NamedTuple):
    """What a full tree holds: nodes, its root among them, and its games by their result."""

    nodes: int
    x_wins: int
    o_wins: int
    draws: int

    @property
    def games(self) -> int:
        """The ways to play to an end: the leaves."""
        return self.x_wins + self.o_wins + self.draws


def tree(state: State, player: Player) -> Tree:
    """The counts of the tree below a state with this player to move. A game that is over is a tree
    of one node and one game."""
    decided = utility(state)
    if decided is not None:
        return Tree(1, int(decided == X_WINS), int(decided == O_WINS), int(decided == DRAW))
    counts = [0, 0, 0, 1]
    walk(marks(state, player), marks(state, player.other), player, counts)
    return Tree(counts[NODES], counts[Player.X], counts[Player.O], counts[DRAWS])


def perft(state: State, player: Player, depth: int) -> int:
    """The ways to make exactly `depth` moves (0 or more) with this player to move first: the nodes
    of the tree at that depth. A game that ends earlier is none of them."""
    if depth == 0:
        return 1
    if finished(state):
        return 0
    return lines_of_play(marks(state, player), marks(state, player.other), depth)


def reachable(state: State, player: Player) -> tuple[State, ...]:
    """Each state that can occur from this one on with this player to move, itself among them, once
    each and ascending."""
    seen: set[State] = set()
    level = {state}
    while level:
        seen |= level
        level = {after for before in level for after in next_states(before, player)}
        player = player.other
    return tuple(sorted(seen))

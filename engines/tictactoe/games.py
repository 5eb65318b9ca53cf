"""Counts of the game tree: nodes in total and by depth, games by result, reachable states.

Counts are exact, from any state, with either player to move. docs/games/tictactoe.md lists known
numbers.
"""

from __future__ import annotations

from functools import cache
from typing import Final, NamedTuple

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
from engines.tictactoe.masks import FREE_CELLS, HAS_LINE

__all__ = ["Tree", "perft", "reachable", "tree"]

# Indices of the counts of `_count_tree`; 0 and 1 count the wins of player 0 and of player 1.
_DRAWS: Final = 2
_NODES: Final = 3


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


@cache  # at most 3^9 boards, and the player to move
def tree(state: State, player: Player) -> Tree:
    """Return the counts of the tree below a state with this player to move.

    A finished game is a tree of one node and one game.
    """
    result = utility(state)
    if result is not None:
        return Tree(1, int(result == X_WINS), int(result == O_WINS), int(result == DRAW))
    counts = [0, 0, 0, 1]
    _count_tree(marks(state, player), marks(state, player.other), player, counts)
    return Tree(counts[_NODES], counts[Player.X], counts[Player.O], counts[_DRAWS])


def perft(state: State, player: Player, depth: int) -> int:
    """Return the number of sequences of exactly `depth` moves, 0 or more, by players in turn.

    These are the nodes of the tree at that depth; games that end earlier do not count.
    """
    if depth == 0:
        return 1
    if finished(state):
        return 0
    return _count_sequences(marks(state, player), marks(state, player.other), depth)


def reachable(state: State, player: Player) -> tuple[State, ...]:
    """Return the distinct states reachable from a state, itself included, in ascending order."""
    seen: set[State] = set()
    level = {state}
    while level:
        seen |= level
        level = {after for before in level for after in next_states(before, player)}
        player = player.other
    return tuple(sorted(seen))


# The hot loops, in plain integers: `own` is the nine-bit mask of the player to move, and `other`
# that of its opponent; neither contains a line.


def _count_tree(own: int, other: int, player: int, counts: list[int]) -> None:
    """Add the games and nodes below a position to `counts`; the position itself is not counted.

    `player`, 0 or 1, is the one to move. Transpositions are visited each time.
    """
    free = FREE_CELLS[own | other]
    if not free:
        counts[_DRAWS] += 1
        return
    counts[_NODES] += len(free)
    for mark in free:
        after = own | mark
        if HAS_LINE[after]:
            counts[player] += 1
        else:
            _count_tree(other, after, 1 - player, counts)


@cache  # at most 3^9 positions, and nine numbers of moves
def _count_sequences(own: int, other: int, moves: int) -> int:
    """Return the number of ways to play exactly `moves` moves, at least one, from a position."""
    free = FREE_CELLS[own | other]
    if moves == 1:
        return len(free)
    return sum(
        _count_sequences(other, own | mark, moves - 1) for mark in free if not HAS_LINE[own | mark]
    )

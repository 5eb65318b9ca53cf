"""Count the ways to play on from a position, in plain integers, ready for compilation.

A board is the mask of its open cells, and each piece is the mask of the cells it could step to.
"""

from __future__ import annotations

from engines.isolation.moves import REACH_BY_BIT_LENGTH

__all__ = ["count_sequences"]


def count_sequences(board: int, mine: int, theirs: int, depth: int) -> int:
    """Return the number of sequences of `depth` actions, at least 1, from this position.

    `mine` and `theirs` are the cells that the piece of the player to move and the other piece could
    reach on an empty board. The game is over when either piece cannot move. The last action of each
    sequence is counted, not played.
    """
    moves = mine & board
    if moves == 0 or theirs & board == 0:
        return 0
    if depth == 1:
        return moves.bit_count()
    total = 0
    while moves:
        taken = moves & -moves
        moves ^= taken
        total += count_sequences(
            board ^ taken, theirs, REACH_BY_BIT_LENGTH[taken.bit_length()], depth - 1
        )
    return total

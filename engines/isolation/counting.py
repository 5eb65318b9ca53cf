"""The one hot loop: how many ways there are to play on. Plain integers in, one integer out.

A board is the mask of its open cells, and so are the cells that a piece could step to; nothing
here knows players, plies or lists of actions, so that the file can be compiled as it stands.
"""

from __future__ import annotations

from engines.isolation.moves import REACH_AFTER

__all__ = ["sequences"]


def sequences(board: int, mine: int, theirs: int, depth: int) -> int:
    """The number of sequences of `depth` actions, at least 1, that can be played from here.

    `mine` and `theirs` are where the pieces of the one who plays and of the other could step to on
    an empty board. A piece with nowhere to go, either of them, ends the game. The last action is
    not played but counted, with all the others that could stand in its place.
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
        total += sequences(board ^ taken, theirs, REACH_AFTER[taken.bit_length()], depth - 1)
    return total

"""The hot loops that walk the game tree, in plain integers, ready for compilation.

`own` is the nine-bit mask of the side to move and `other` that of its opponent; neither contains a
line. `games` and `solver` wrap these functions with the types of the engine.
"""

from __future__ import annotations

from typing import Final

from engines.tictactoe.masks import FREE_CELLS, HAS_LINE

__all__ = ["DRAWS", "NODES", "count_sequences", "count_tree", "negamax"]

# Indices of the counts of `count_tree`; 0 and 1 count the wins of side 0 and of side 1.
DRAWS: Final = 2
NODES: Final = 3

# Memo of `negamax` by own | other << 9; at most 3^9 = 19,683 entries.
_MEMO: Final[dict[int, int]] = {}


def count_tree(own: int, other: int, side: int, counts: list[int]) -> None:
    """Add the games and nodes below a position to `counts`; the position itself is not counted.

    `side`, 0 or 1, is the side to move. Transpositions are visited each time.
    """
    marks = FREE_CELLS[own | other]
    if not marks:
        counts[DRAWS] += 1
        return
    counts[NODES] += len(marks)
    for mark in marks:
        after = own | mark
        if HAS_LINE[after]:
            counts[side] += 1
        else:
            count_tree(other, after, 1 - side, counts)


def count_sequences(own: int, other: int, moves: int) -> int:
    """Return the number of ways to play exactly `moves` moves, at least one, from a position."""
    marks = FREE_CELLS[own | other]
    if moves == 1:
        return len(marks)
    return sum(
        count_sequences(other, own | mark, moves - 1) for mark in marks if not HAS_LINE[own | mark]
    )


def negamax(own: int, other: int) -> int:
    """Return the best result that the side to move can force: 1 win, 0 draw, -1 loss."""
    position = own | other << 9
    known = _MEMO.get(position)
    if known is not None:
        return known
    marks = FREE_CELLS[own | other]
    best = -1 if marks else 0
    for mark in marks:
        after = own | mark
        best = max(best, 1 if HAS_LINE[after] else -negamax(other, after))
        if best == 1:
            break
    _MEMO[position] = best
    return best

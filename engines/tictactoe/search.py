"""The hot loops: walk the whole tree below a position or a part of it, and find what it is worth.

Plain integers only, no State and no Player: `own` is the nine-bit mask of the side to move, `other`
that of its opponent, and neither holds a line. So both sides share one code, and it can be
compiled. The callers, `games` and `solver`, take and give the project's types.
"""

from __future__ import annotations

from typing import Final

from engines.tictactoe.masks import FREE, WON

__all__ = ["DRAWS", "NODES", "lines_of_play", "walk", "worth"]

# What stands where in the counts of `walk`: at 0 and 1 the games won by side 0 and by side 1.
DRAWS: Final = 2
NODES: Final = 3

# A memo of `worth` by own | other << 9: facts, each found once. It holds at most 3^9 = 19,683
# entries, as a cell is own, other or free.
_FOUND: Final[dict[int, int]] = {}


def walk(own: int, other: int, side: int, counts: list[int]) -> None:
    """Add to `counts` the games and the nodes below this position, itself not among them. `side`,
    0 or 1, is the one to move. Every node is visited: a position met again is walked again."""
    marks = FREE[own | other]
    if not marks:
        counts[DRAWS] += 1
        return
    counts[NODES] += len(marks)
    for mark in marks:
        after = own | mark
        if WON[after]:
            counts[side] += 1
        else:
            walk(other, after, 1 - side, counts)


def lines_of_play(own: int, other: int, moves: int) -> int:
    """The ways to make exactly this many moves, at least one, from this position on."""
    marks = FREE[own | other]
    if moves == 1:
        return len(marks)
    return sum(lines_of_play(other, own | mark, moves - 1) for mark in marks if not WON[own | mark])


def worth(own: int, other: int) -> int:
    """What the side to move can be sure of: 1 a win, 0 a draw, -1 no more than a loss."""
    position = own | other << 9
    found = _FOUND.get(position)
    if found is not None:
        return found
    marks = FREE[own | other]
    best = -1 if marks else 0
    for mark in marks:
        after = own | mark
        best = max(best, 1 if WON[after] else -worth(other, after))
        if best == 1:
            break
    _FOUND[position] = best
    return best

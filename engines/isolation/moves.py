"""The eight actions of a placed piece, lookup tables built from them on import, and move counts.

Boards are integers in the layout of `GRID`; players and turns are unknown here. Source:
docs/games/isolation.md, "How a piece moves".
"""

from __future__ import annotations

from enum import IntEnum
from typing import Final

from engines.bits import cells, mask_of
from engines.isolation.encoding import GRID, NotACell

__all__ = ["REACH", "Action", "count_sequences", "open_cells", "open_steps"]


class Action(IntEnum):
    """A knight's move by compass direction; its value is the change of index."""

    NNE = 2 * GRID.north + GRID.east
    ENE = GRID.north + 2 * GRID.east
    ESE = GRID.south + 2 * GRID.east
    SSE = 2 * GRID.south + GRID.east
    SSW = 2 * GRID.south + GRID.west
    WSW = GRID.south + 2 * GRID.west
    WNW = GRID.north + 2 * GRID.west
    NNW = 2 * GRID.north + GRID.west


class _ReachByCell(dict[int | None, int]):
    """Masks of the cells that a piece can step to on an empty board, by its cell.

    The key None stands for a piece not yet placed, which can go anywhere.
    """

    def __missing__(self, loc: int) -> int:
        raise NotACell(GRID, loc)


def _targets_from(cell: int) -> int:
    ends = (cell + action for action in Action)
    return mask_of(end for end in ends if end >= 0) & GRID.open_board


def _build_reach() -> _ReachByCell:
    reach = _ReachByCell({None: GRID.open_board})
    reach.update((cell, _targets_from(cell)) for cell in cells(GRID.open_board))
    return reach


REACH: Final = _build_reach()

# `REACH` by the bit_length() of the mask of a piece's cell; 0 for a piece not yet placed.
_REACH_BY_BIT_LENGTH: Final = (
    REACH[None],
    *(REACH.get(index, 0) for index in range(GRID.length)),
)

# Shifted so that no index is negative, the steps from any cell form the same pattern of eight bits,
# so 256 patterns give the actions for every cell.
_PATTERN_ORIGIN: Final = max(Action)


def _build_patterns() -> dict[int, tuple[Action, ...]]:
    patterns: dict[int, tuple[Action, ...]] = {0: ()}
    for action in Action:
        step = 1 << _PATTERN_ORIGIN + action
        patterns.update([(known | step, (*steps, action)) for known, steps in patterns.items()])
    return patterns


_ACTIONS_BY_PATTERN: Final = _build_patterns()


def open_cells(board: int) -> list[int]:
    """Return the open cells in ascending order."""
    # On a full board, scanning the digits is three times as fast as isolating lowest bits.
    digits = f"{board & GRID.open_board:b}"
    return [cell for cell, digit in enumerate(reversed(digits)) if digit == "1"]


def open_steps(board: int, cell: int) -> tuple[Action, ...]:
    """Return the actions that lead from a cell to an open one, in the order of `Action`.

    Raises NotACell if the index is not a cell.
    """
    return _ACTIONS_BY_PATTERN[(REACH[cell] & board) << _PATTERN_ORIGIN >> cell]


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
            board ^ taken, theirs, _REACH_BY_BIT_LENGTH[taken.bit_length()], depth - 1
        )
    return total

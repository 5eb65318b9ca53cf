"""Where a piece may step: the eight actions, and the tables made from them when this is imported.

Boards are plain integers in the layout of `GRID`. Whose turn it is and what has been played is not
known here. Source: docs/isolation.md, "How a piece moves".
"""

from __future__ import annotations

from enum import IntEnum
from typing import Final

from engines.bits import cells, mask_of
from engines.isolation.encoding import GRID, NotACell

__all__ = ["REACH", "REACH_AFTER", "Action", "open_cells", "open_steps"]


class Action(IntEnum):
    """A step of two cells one way and one aside, by compass; the value is added to the index."""

    NNE = 2 * GRID.north + GRID.east
    ENE = GRID.north + 2 * GRID.east
    ESE = GRID.south + 2 * GRID.east
    SSE = 2 * GRID.south + GRID.east
    SSW = 2 * GRID.south + GRID.west
    WSW = GRID.south + 2 * GRID.west
    WNW = GRID.north + 2 * GRID.west
    NNW = 2 * GRID.north + GRID.west


class _Reach(dict[int | None, int]):
    """By a piece's cell, the mask of the cells that one step leads to on an empty board; by None,
    where a piece not yet placed may be placed: anywhere."""

    def __missing__(self, loc: int) -> int:
        raise NotACell(GRID, loc)


def _reach_of(cell: int) -> int:
    ends = (cell + action for action in Action)
    return mask_of(end for end in ends if end >= 0) & GRID.open_board


def _reach() -> _Reach:
    reach = _Reach({None: GRID.open_board})
    reach.update((cell, _reach_of(cell)) for cell in cells(GRID.open_board))
    return reach


REACH: Final = _reach()

REACH_AFTER: Final = (
    REACH[None],
    *(REACH.get(index, 0) for index in range(GRID.length)),
)
"""`REACH` for a piece that is the mask of its cell, by the mask's bit_length(): the mask of a piece
not yet placed is 0, and so is its bit_length()."""

# The steps from a cell, moved so far that none is at a negative index, make the same pattern of
# eight bits for every cell: 256 patterns stand for all lists of actions on all cells.
_CENTRE: Final = max(Action)


def _patterns() -> dict[int, tuple[Action, ...]]:
    patterns: dict[int, tuple[Action, ...]] = {0: ()}
    for action in Action:
        step = 1 << _CENTRE + action
        patterns.update([(known | step, (*steps, action)) for known, steps in patterns.items()])
    return patterns


_STEPS: Final = _patterns()


def open_cells(board: int) -> list[int]:
    """The open cells, ascending."""
    # On a full board, reading the digits is three times as fast as taking lowest bits off.
    digits = f"{board & GRID.open_board:b}"
    return [cell for cell, digit in enumerate(reversed(digits)) if digit == "1"]


def open_steps(board: int, cell: int) -> tuple[Action, ...]:
    """The actions that lead from a cell to one that is open, in the order of `Action`.

    Raises NotACell where the index is no cell.
    """
    return _STEPS[(REACH[cell] & board) << _CENTRE >> cell]

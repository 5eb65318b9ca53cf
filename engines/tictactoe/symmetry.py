"""The eight symmetries of the board, and a canonical state for each class of equivalent states.

A symmetry preserves values and counts. All eight are composed of a quarter turn and a mirror.
"""

from __future__ import annotations

from typing import Final

from engines.bits import cells, mask_of
from engines.tictactoe.board import State
from engines.tictactoe.masks import CELLS, FULL, SIDE

__all__ = ["canonical", "images", "mirrored", "turned"]

# Target of each cell's mark: (r, c) goes to (c, 2 - r) by a turn and to (r, 2 - c) by the mirror.
_TURN: Final = tuple(cell % SIDE * SIDE + SIDE - 1 - cell // SIDE for cell in range(CELLS))
_MIRROR: Final = tuple(cell // SIDE * SIDE + SIDE - 1 - cell % SIDE for cell in range(CELLS))


def _mask_images(target_of: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(mask_of(target_of[cell] for cell in cells(mask)) for mask in range(FULL + 1))


# The image of each nine-bit mask.
_TURNED: Final = _mask_images(_TURN)
_MIRRORED: Final = _mask_images(_MIRROR)


def turned(state: State) -> State:
    """Return the state after a clockwise quarter turn of the board."""
    return _map_marks(state, _TURNED)


def mirrored(state: State) -> State:
    """Return the state with left and right swapped."""
    return _map_marks(state, _MIRRORED)


def images(state: State) -> tuple[State, ...]:
    """Return the eight images of a state, itself first: four turns, then four turns of its mirror.

    Images of symmetrical states are repeated.
    """
    found = []
    for image in (state, mirrored(state)):
        for _ in range(4):
            found.append(image)
            image = turned(image)
    return tuple(found)


def canonical(state: State) -> State:
    """Return the smallest image, which is equal for all images of a state."""
    return min(images(state))


def _map_marks(state: State, table: tuple[int, ...]) -> State:
    return State(table[state & FULL] | table[state >> CELLS] << CELLS)

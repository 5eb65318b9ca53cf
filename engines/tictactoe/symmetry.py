"""The eight symmetries of the board, and the one state that stands for all its images.

A symmetry moves cells and keeps marks, so values and counts are equal for all images of a state.
All eight are made of two, the quarter turn and the mirror; tests compare them with rows of text.
"""

from __future__ import annotations

from typing import Final

from engines.bits import cells, mask_of
from engines.tictactoe.board import State
from engines.tictactoe.masks import CELLS, FULL, SIDE

__all__ = ["canonical", "images", "mirrored", "turned"]

# Where the mark of each cell goes: from row r, column c to row c, column 2 - r; or to row r,
# column 2 - c.
_TURN: Final = tuple(cell % SIDE * SIDE + SIDE - 1 - cell // SIDE for cell in range(CELLS))
_MIRROR: Final = tuple(cell // SIDE * SIDE + SIDE - 1 - cell % SIDE for cell in range(CELLS))


def _moved(paths: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(mask_of(paths[cell] for cell in cells(mask)) for mask in range(FULL + 1))


# The image of each mask of nine bits.
_TURNED: Final = _moved(_TURN)
_MIRRORED: Final = _moved(_MIRROR)


def turned(state: State) -> State:
    """The state after a quarter turn of the board, clockwise."""
    return _image(state, _TURNED)


def mirrored(state: State) -> State:
    """The state with left and right swapped."""
    return _image(state, _MIRRORED)


def images(state: State) -> tuple[State, ...]:
    """The eight images of a state, itself first: four turns, then the mirror image's four. Equal
    ones are repeated."""
    found = []
    for image in (state, mirrored(state)):
        for _ in range(4):
            found.append(image)
            image = turned(image)
    return tuple(found)


def canonical(state: State) -> State:
    """The smallest image: the same for all states that are equal up to symmetry."""
    return min(images(state))


def _image(state: State, table: tuple[int, ...]) -> State:
    return State(table[state & FULL] | table[state >> CELLS] << CELLS)

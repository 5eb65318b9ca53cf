"""The picture of the encoding: the numbers of the bits, the eight offsets, and both mirrors.

A pure function without arguments: it shows the shape of the board, and no game.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from engines import svg
from engines.bitboard36.drawing import (
    EMPTY,
    MONO,
    QUIET,
    Grid,
    axis,
    coordinates,
    frame,
    label,
    lettering,
    paper,
    squares,
)
from engines.bitboard36.neighbours import NEIGHBOURS
from engines.bitboard36.shape import POSITIONS, SIDE, position_at
from engines.bitboard36.words import Word, horizontal_mirror, vertical_mirror
from engines.bits import mask_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from engines.bitboard36.shape import Position

__all__ = ["numbering_svg"]

_CELL: Final = 44
_STEP_X: Final = SIDE * _CELL + 72
_STEP_Y: Final = SIDE * _CELL + 124
_NUMBERED: Final = Grid(left=56, top=80, cell=_CELL)
_AROUND: Final = _NUMBERED._replace(left=_NUMBERED.left + _STEP_X)
_FLIPPED: Final = _NUMBERED._replace(top=_NUMBERED.top + _STEP_Y)
_TURNED: Final = _AROUND._replace(top=_FLIPPED.top)
_WIDTH: Final = _AROUND.left + _AROUND.side + 48
_HEIGHT: Final = _FLIPPED.top + _FLIPPED.side + 68

_LETTER_FILL: Final = "#f3cda8"
_NEAR_FILL: Final = "#bcdcd6"
_HERE_FILL: Final = "#5aa9a3"

# A letter that no mirror leaves as it is, from the top row to the bottom row.
_LETTER: Final = (
    ".####.",
    ".#....",
    ".###..",
    ".#....",
    ".#....",
    ".#....",
)

# A cell with all eight neighbours, and a corner with three.
_SHOWN: Final = (position_at(2, 2), position_at(5, 5))


def numbering_svg() -> str:
    """Four boards: bit numbers, offsets around a cell and a corner, horizontal, vertical mirror."""
    return svg.document(
        paper(_WIDTH, _HEIGHT),
        *_captions(_NUMBERED, "The bits", "bit = 6 · row + column"),
        *_lettered(_NUMBERED, lambda pieces: pieces),
        *_captions(_AROUND, "The eight offsets", "no way round the edges"),
        *_offsets(),
        *_captions(_FLIPPED, "Horizontal mirror", "row → 5 − row"),
        *_lettered(_FLIPPED, horizontal_mirror),
        *_captions(_TURNED, "Vertical mirror", "column → 5 − column"),
        *_lettered(_TURNED, vertical_mirror),
        *_axes(),
        width=_WIDTH,
        height=_HEIGHT,
        title="The 36 bits of the board, the eight offsets of a cell, and both mirrors",
    )


def _captions(grid: Grid, heading: str, law: str) -> list[str]:
    middle = grid.left + grid.side / 2
    return [
        lettering(label(middle, grid.top - 46, heading, 16, font_weight=600)),
        lettering(label(middle, grid.top - 22, law, 13, fill=QUIET), family=MONO),
        coordinates(grid, 12),
    ]


def _lettered(grid: Grid, mirror: Callable[[Word], Word]) -> list[str]:
    # Each cell shows the bit that the mirror brings there.
    letter = mirror(_letter())
    brought = {mirror(Word(1 << bit)).bit_length() - 1: bit for bit in POSITIONS}
    return [
        squares(grid, ((at, _LETTER_FILL if letter >> at & 1 else EMPTY) for at in POSITIONS)),
        frame(grid),
        lettering(*(label(*grid.centre(at), str(brought[at]), 15) for at in POSITIONS)),
    ]


def _letter() -> Word:
    return Word(
        mask_of(
            position_at(SIDE - 1 - line, column)
            for line, cells in enumerate(_LETTER)
            for column, cell in enumerate(cells)
            if cell == "#"
        )
    )


def _offsets() -> list[str]:
    fills = dict.fromkeys(POSITIONS, EMPTY)
    written: list[str] = []
    for here in _SHOWN:
        around = _around(here)
        fills |= {here: _HERE_FILL, **dict.fromkeys(around, _NEAR_FILL)}
        written.append(label(*_AROUND.centre(here), "n", 15, font_weight=600))
        written += (label(*_AROUND.centre(at), _signed(at - here), 15) for at in around)
    return [squares(_AROUND, fills.items()), frame(_AROUND), lettering(*written)]


def _around(here: Position) -> list[Position]:
    return [at for at in POSITIONS if NEIGHBOURS[here] >> at & 1]


def _signed(offset: int) -> str:
    # With a minus sign as wide as the plus, not a hyphen.
    return f"{offset:+d}".replace("-", "−")


def _axes() -> list[str]:
    middle_y, middle_x = _FLIPPED.top + _FLIPPED.side / 2, _TURNED.left + _TURNED.side / 2
    right, bottom = _FLIPPED.left + _FLIPPED.side, _TURNED.top + _TURNED.side
    return [
        axis(_FLIPPED.left - 34, middle_y, right + 20, middle_y),
        axis(middle_x, _TURNED.top - 8, middle_x, bottom + 34),
    ]

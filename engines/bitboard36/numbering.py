"""A diagram of the encoding: bit numbers, the eight offsets of a cell and both mirrors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from engines import svg
from engines.bitboard36.drawing import (
    DARK,
    EMPTY,
    MONO,
    QUIET,
    Grid,
    axis,
    background,
    coordinates,
    grid_lines,
    label,
    squares,
    text_group,
)
from engines.bitboard36.neighbours import NEIGHBOURS
from engines.bitboard36.shape import POSITIONS, SIDE, Position, position_at
from engines.bitboard36.words import Word, horizontal_mirror, vertical_mirror
from engines.bits import mask_of

__all__ = ["numbering_svg"]

_CELL: Final = 44
_STEP_X: Final = SIDE * _CELL + 72
_STEP_Y: Final = SIDE * _CELL + 124
_BITS_GRID: Final = Grid(left=56, top=80, cell=_CELL)
_OFFSETS_GRID: Final = _BITS_GRID._replace(left=_BITS_GRID.left + _STEP_X)
_HORIZONTAL_GRID: Final = _BITS_GRID._replace(top=_BITS_GRID.top + _STEP_Y)
_VERTICAL_GRID: Final = _OFFSETS_GRID._replace(top=_HORIZONTAL_GRID.top)
_WIDTH: Final = _OFFSETS_GRID.left + _OFFSETS_GRID.side + 48
_HEIGHT: Final = _HORIZONTAL_GRID.top + _HORIZONTAL_GRID.side + 68

_LETTER_FILL: Final = "#f3cda8"
_NEAR_FILL: Final = "#bcdcd6"
_HERE_FILL: Final = "#5aa9a3"
_DARK: Final = DARK | {_LETTER_FILL: "#7d4a1f", _NEAR_FILL: "#264d49", _HERE_FILL: "#1f7a73"}

# A letter without mirror symmetry, top row first.
_LETTER: Final = (
    ".####.",
    ".#....",
    ".###..",
    ".#....",
    ".#....",
    ".#....",
)

# A cell with all eight neighbours, and a corner with three.
_OFFSET_EXAMPLES: Final = (position_at(2, 2), position_at(5, 5))


def numbering_svg() -> str:
    """Return four boards as SVG: bit numbers, offsets, horizontal mirror, vertical mirror."""
    return svg.document(
        background(_WIDTH, _HEIGHT),
        *_board_captions(_BITS_GRID, "The bits", "bit = 6 · row + column"),
        *_letter_board(_BITS_GRID, lambda pieces: pieces),
        *_board_captions(_OFFSETS_GRID, "The eight offsets", "no wrapping around the edges"),
        *_offset_board(),
        *_board_captions(_HORIZONTAL_GRID, "Horizontal mirror", "row → 5 − row"),
        *_letter_board(_HORIZONTAL_GRID, horizontal_mirror),
        *_board_captions(_VERTICAL_GRID, "Vertical mirror", "column → 5 − column"),
        *_letter_board(_VERTICAL_GRID, vertical_mirror),
        *_mirror_axes(),
        width=_WIDTH,
        height=_HEIGHT,
        title="The 36 bits of the board, the eight offsets of a cell, and both mirrors",
        dark=_DARK,
    )


def _board_captions(grid: Grid, heading: str, law: str) -> list[str]:
    middle = grid.left + grid.side / 2
    return [
        text_group(label(middle, grid.top - 46, heading, 16, font_weight=600)),
        text_group(label(middle, grid.top - 22, law, 13, fill=QUIET), family=MONO),
        coordinates(grid, 12),
    ]


def _letter_board(grid: Grid, mirror: Callable[[Word], Word]) -> list[str]:
    # Each cell shows the bit that the mirror maps to it.
    letter = mirror(_letter_word())
    brought = {mirror(Word(1 << bit)).bit_length() - 1: bit for bit in POSITIONS}
    return [
        squares(grid, ((at, _LETTER_FILL if letter >> at & 1 else EMPTY) for at in POSITIONS)),
        grid_lines(grid),
        text_group(*(label(*grid.centre(at), str(brought[at]), 15) for at in POSITIONS)),
    ]


def _letter_word() -> Word:
    return Word(
        mask_of(
            position_at(SIDE - 1 - line, column)
            for line, cells in enumerate(_LETTER)
            for column, cell in enumerate(cells)
            if cell == "#"
        )
    )


def _offset_board() -> list[str]:
    fills = dict.fromkeys(POSITIONS, EMPTY)
    labels: list[str] = []
    for here in _OFFSET_EXAMPLES:
        around = _neighbours_of(here)
        fills |= {here: _HERE_FILL, **dict.fromkeys(around, _NEAR_FILL)}
        labels.append(label(*_OFFSETS_GRID.centre(here), "n", 15, font_weight=600))
        labels += (label(*_OFFSETS_GRID.centre(at), _format_offset(at - here), 15) for at in around)
    return [squares(_OFFSETS_GRID, fills.items()), grid_lines(_OFFSETS_GRID), text_group(*labels)]


def _neighbours_of(here: Position) -> list[Position]:
    return [at for at in POSITIONS if NEIGHBOURS[here] >> at & 1]


def _format_offset(offset: int) -> str:
    # A minus sign as wide as the plus sign, not a hyphen.
    return f"{offset:+d}".replace("-", "−")


def _mirror_axes() -> list[str]:
    middle_y, middle_x = (
        _HORIZONTAL_GRID.top + _HORIZONTAL_GRID.side / 2,
        _VERTICAL_GRID.left + _VERTICAL_GRID.side / 2,
    )
    right, bottom = (
        _HORIZONTAL_GRID.left + _HORIZONTAL_GRID.side,
        _VERTICAL_GRID.top + _VERTICAL_GRID.side,
    )
    return [
        axis(_HORIZONTAL_GRID.left - 34, middle_y, right + 20, middle_y),
        axis(middle_x, _VERTICAL_GRID.top - 8, middle_x, bottom + 34),
    ]

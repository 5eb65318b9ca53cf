"""Boards as SVG: pieces with the neighbour count of every cell, and the variants of a base state.

Pure functions from values to text; equal values give equal text. No files, and no rules.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from engines import svg
from engines.bitboard36.drawing import (
    ACCENT,
    EMPTY,
    FAINT,
    INK,
    LIGHT,
    MONO,
    QUIET,
    Grid,
    axis,
    coordinates,
    disc,
    frame,
    label,
    lettering,
    paper,
    pieces,
    squares,
)
from engines.bitboard36.neighbours import neighbour_counts
from engines.bitboard36.shape import POSITIONS, SIDE
from engines.bitboard36.words import hexadecimal

if TYPE_CHECKING:
    from engines.bitboard36.boards import Board, State, Variants
    from engines.bitboard36.shape import Position
    from engines.bitboard36.words import Word

__all__ = ["board_svg", "state_svg", "variants_svg"]

_GRID: Final = Grid(left=44, top=84, cell=64)
_WIDTH: Final = _GRID.left + _GRID.side + 44
_HEIGHT: Final = _GRID.top + _GRID.side + 82

# The tints of a cell without neighbours and of one with all eight, as red, green and blue.
_NONE_NEAR: Final = (0xF6, 0xF3, 0xEC)
_ALL_NEAR: Final = (0x5A, 0xA9, 0xA3)
_MOST: Final = 8

# The four variants; the gaps between the boards hold the axes, headings and words.
_CELL: Final = 38
_LEFT: Final = 40
_TOP: Final = 92
_RIGHT: Final = _LEFT + SIDE * _CELL + 76
_LOW: Final = _TOP + SIDE * _CELL + 140


class _Side(NamedTuple):
    name: str
    pieces: Word
    fill: str


def board_svg(board: Board) -> str:
    """The board with, in each cell, its bit (small) and how many pieces stand around it (large)."""
    heading = f"{board.to_play.value.capitalize()} to play"
    return _board_picture(heading, _colours(board), neighbour_counts(board.pieces))


def state_svg(state: State) -> str:
    """The state drawn as in `board_svg`, the current player's pieces white."""
    sides = (_Side("current", state.current, LIGHT), _Side("next", state.next, INK))
    return _board_picture("Current and next player", sides, neighbour_counts(state.pieces))


def variants_svg(four: Variants) -> str:
    """The four boards that share a base state, and the axes that they are mirrored along."""
    width, height = _RIGHT + SIDE * _CELL + _LEFT, _LOW + SIDE * _CELL + 52
    base = f"{hexadecimal(four.white_right.white)}, {hexadecimal(four.white_right.black)}"
    return svg.document(
        paper(width, height),
        *_axes_of_variants(width, height),
        *_variant(four.white_left, "left version", Grid(_LEFT, _TOP, _CELL)),
        *_variant(four.white_right, "right version = base state", Grid(_RIGHT, _TOP, _CELL)),
        *_variant(four.black_left, "left version", Grid(_LEFT, _LOW, _CELL)),
        *_variant(four.black_right, "right version", Grid(_RIGHT, _LOW, _CELL)),
        frame(Grid(_RIGHT, _TOP, _CELL), ACCENT),
        width=width,
        height=height,
        title=f"The four variants of the base state {base}",
    )


def _colours(board: Board) -> tuple[_Side, _Side]:
    return _Side("white", board.white, LIGHT), _Side("black", board.black, INK)


def _board_picture(heading: str, sides: tuple[_Side, _Side], counts: tuple[int, ...]) -> str:
    words = ", ".join(f"{side.name} {hexadecimal(side.pieces)}" for side in sides)
    return svg.document(
        paper(_WIDTH, _HEIGHT),
        _heading(heading),
        squares(_GRID, zip(POSITIONS, map(_tint, counts))),
        frame(_GRID),
        coordinates(_GRID, 14),
        *(pieces(_GRID, side.pieces, side.fill) for side in sides),
        lettering(*map(_bit_number, POSITIONS)),
        lettering(*(_count(at, counts[at], sides) for at in POSITIONS)),
        *_legend(_GRID, sides, _GRID.side + 52, named=True),
        width=_WIDTH,
        height=_HEIGHT,
        title=f"6 x 6 board, {heading}: {words}",
    )


def _heading(heading: str) -> str:
    middle = _WIDTH / 2
    return lettering(
        label(middle, 32, heading, 20, font_weight=600),
        label(middle, 58, "large: pieces around the cell · small: its bit", 13, fill=QUIET),
    )


def _tint(count: int) -> str:
    channels = (
        round(none + (most - none) * count / _MOST) for none, most in zip(_NONE_NEAR, _ALL_NEAR)
    )
    return "#" + "".join(f"{channel:02x}" for channel in channels)


def _bit_number(at: Position) -> str:
    x, y = _GRID.corner(at)
    return label(x + 4, y + 8, str(at), 11, text_anchor="start")


def _count(at: Position, count: int, sides: tuple[_Side, _Side]) -> str:
    light, dark = (side.pieces >> at & 1 for side in sides)
    # An empty cell that nothing stands near is of no interest: its 0 steps back.
    fill = LIGHT if dark else FAINT if count == 0 and not light else INK
    return label(*_GRID.centre(at), str(count), 22, fill=fill, font_weight=500)


def _legend(grid: Grid, sides: tuple[_Side, _Side], below: float, *, named: bool) -> list[str]:
    # Each side's disc and word, a half of the board's width each.
    drawn: list[str] = []
    y = grid.top + below
    for x, side in zip((grid.left, grid.left + grid.side / 2), sides):
        written = f"{side.name} {hexadecimal(side.pieces)}" if named else hexadecimal(side.pieces)
        text = label(x + 22, y, written, 13, text_anchor="start")
        drawn += (disc(x + 8, y, 7, side.fill), lettering(text, family=MONO))
    return drawn


def _variant(board: Board, version: str, grid: Grid) -> list[str]:
    sides = _colours(board)
    middle = grid.left + grid.side / 2
    player = board.to_play.value.capitalize()
    return [
        lettering(
            label(middle, grid.top - 38, f"{player} to play", 15, font_weight=600),
            label(middle, grid.top - 18, version, 13, fill=QUIET),
        ),
        squares(grid, ((at, EMPTY) for at in POSITIONS)),
        frame(grid),
        *(pieces(grid, side.pieces, side.fill) for side in sides),
        *_legend(grid, sides, grid.side + 22, named=False),
    ]


def _axes_of_variants(width: float, height: float) -> list[str]:
    middle, between = width / 2, _TOP + SIDE * _CELL + 62
    switch = "row → 5 − row, and the players switched"
    return [
        axis(middle, 44, middle, height - 24),
        axis(24, between, width - 24, between),
        # The horizontal axis is named where both cross, on a patch of paper.
        paper(300, 28, left=middle - 150, top=between - 14),
        lettering(
            label(middle, 26, "column → 5 − column", 13, fill=ACCENT),
            label(middle, between, switch, 13, fill=ACCENT),
        ),
    ]

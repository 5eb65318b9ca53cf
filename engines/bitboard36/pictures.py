"""Boards as SVG: pieces with the neighbour count of each cell, and the variants of a base state.

Pure functions: equal values give equal text.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from engines import svg
from engines.bitboard36.boards import Board, State, Variants
from engines.bitboard36.drawing import (
    ACCENT,
    DARK,
    EMPTY,
    FAINT,
    INK,
    LIGHT,
    MONO,
    ON_WHITE,
    QUIET,
    Grid,
    axis,
    background,
    coordinates,
    disc,
    grid_lines,
    label,
    piece_discs,
    squares,
    text_group,
)
from engines.bitboard36.neighbours import neighbour_counts
from engines.bitboard36.shape import POSITIONS, SIDE, Position
from engines.bitboard36.words import Word, hexadecimal

__all__ = ["board_svg", "state_svg", "variants_svg"]

_GRID: Final = Grid(left=44, top=84, cell=64)
_WIDTH: Final = _GRID.left + _GRID.side + 44
_HEIGHT: Final = _GRID.top + _GRID.side + 82

# Red, green and blue of a cell without neighbours and of one with all eight.
_TINT_OF_NONE: Final = (0xF6, 0xF3, 0xEC)
_TINT_OF_ALL: Final = (0x5A, 0xA9, 0xA3)
_DARK_TINT_OF_NONE: Final = (0x2E, 0x31, 0x34)
_DARK_TINT_OF_ALL: Final = (0x1F, 0x66, 0x61)
_MAX_NEIGHBOURS: Final = 8

# Layout of the four variants; the gaps hold axes, headings and words.
_CELL: Final = 38
_LEFT: Final = 40
_TOP: Final = 92
_RIGHT: Final = _LEFT + SIDE * _CELL + 76
_LOW: Final = _TOP + SIDE * _CELL + 140


class _PieceSet(NamedTuple):
    name: str
    pieces: Word
    fill: str


def board_svg(board: Board) -> str:
    """Return the board as SVG; each cell shows its bit (small) and its neighbour count (large)."""
    heading = f"{board.to_play.value.capitalize()} to play"
    return _board_picture(heading, _board_sides(board), neighbour_counts(board.pieces))


def state_svg(state: State) -> str:
    """Return the state as SVG, as `board_svg` does, with the current player's pieces white."""
    sides = (_PieceSet("current", state.current, LIGHT), _PieceSet("next", state.next, INK))
    return _board_picture("Current and next player", sides, neighbour_counts(state.pieces))


def variants_svg(four: Variants) -> str:
    """Return the four boards that share a base state, with their mirror axes, as SVG."""
    width, height = _RIGHT + SIDE * _CELL + _LEFT, _LOW + SIDE * _CELL + 52
    base = f"{hexadecimal(four.white_right.white)}, {hexadecimal(four.white_right.black)}"
    return svg.document(
        background(width, height),
        *_mirror_axes(width, height),
        *_variant_board(four.white_left, "left version", Grid(_LEFT, _TOP, _CELL)),
        *_variant_board(four.white_right, "right version = base state", Grid(_RIGHT, _TOP, _CELL)),
        *_variant_board(four.black_left, "left version", Grid(_LEFT, _LOW, _CELL)),
        *_variant_board(four.black_right, "right version", Grid(_RIGHT, _LOW, _CELL)),
        grid_lines(Grid(_RIGHT, _TOP, _CELL), ACCENT),
        width=width,
        height=height,
        title=f"The four variants of the base state {base}",
        dark=DARK,
    )


def _board_sides(board: Board) -> tuple[_PieceSet, _PieceSet]:
    return _PieceSet("white", board.white, LIGHT), _PieceSet("black", board.black, INK)


def _board_picture(
    heading: str, sides: tuple[_PieceSet, _PieceSet], counts: tuple[int, ...]
) -> str:
    words = ", ".join(f"{side.name} {hexadecimal(side.pieces)}" for side in sides)
    return svg.document(
        background(_WIDTH, _HEIGHT),
        _heading_labels(heading),
        squares(_GRID, zip(POSITIONS, map(_tint, counts))),
        grid_lines(_GRID),
        coordinates(_GRID, 14),
        *(piece_discs(_GRID, side.pieces, side.fill) for side in sides),
        text_group(*map(_bit_label, POSITIONS)),
        text_group(*(_count_label(at, counts[at], sides) for at in POSITIONS)),
        *_legend(_GRID, sides, _GRID.side + 52, named=True),
        width=_WIDTH,
        height=_HEIGHT,
        title=f"6 x 6 board, {heading}: {words}",
        dark=DARK | {_tint(count): _dark_tint(count) for count in range(_MAX_NEIGHBOURS + 1)},
    )


def _heading_labels(heading: str) -> str:
    middle = _WIDTH / 2
    return text_group(
        label(middle, 32, heading, 20, font_weight=600),
        label(middle, 58, "large: pieces around the cell · small: its bit", 13, fill=QUIET),
    )


def _tint(count: int) -> str:
    return _mixed(_TINT_OF_NONE, _TINT_OF_ALL, count)


def _dark_tint(count: int) -> str:
    return _mixed(_DARK_TINT_OF_NONE, _DARK_TINT_OF_ALL, count)


def _mixed(least: tuple[int, ...], greatest: tuple[int, ...], count: int) -> str:
    channels = (
        round(none + (most - none) * count / _MAX_NEIGHBOURS) for none, most in zip(least, greatest)
    )
    return "#" + "".join(f"{channel:02x}" for channel in channels)


def _bit_label(at: Position) -> str:
    x, y = _GRID.corner(at)
    return label(x + 4, y + 8, str(at), 11, text_anchor="start")


def _count_label(at: Position, count: int, sides: tuple[_PieceSet, _PieceSet]) -> str:
    light, dark = (side.pieces >> at & 1 for side in sides)
    # Zeros far from any piece are faint.
    on_cell = FAINT if count == 0 else INK
    fill = LIGHT if dark else ON_WHITE if light else on_cell
    return label(*_GRID.centre(at), str(count), 22, fill=fill, font_weight=500)


def _legend(
    grid: Grid, sides: tuple[_PieceSet, _PieceSet], below: float, *, named: bool
) -> list[str]:
    # A disc and a word for each side, each in half the board's width.
    drawn: list[str] = []
    y = grid.top + below
    for x, side in zip((grid.left, grid.left + grid.side / 2), sides):
        written = f"{side.name} {hexadecimal(side.pieces)}" if named else hexadecimal(side.pieces)
        text = label(x + 22, y, written, 13, text_anchor="start")
        drawn += (disc(x + 8, y, 7, side.fill), text_group(text, family=MONO))
    return drawn


def _variant_board(board: Board, version: str, grid: Grid) -> list[str]:
    sides = _board_sides(board)
    middle = grid.left + grid.side / 2
    player = board.to_play.value.capitalize()
    return [
        text_group(
            label(middle, grid.top - 38, f"{player} to play", 15, font_weight=600),
            label(middle, grid.top - 18, version, 13, fill=QUIET),
        ),
        squares(grid, ((at, EMPTY) for at in POSITIONS)),
        grid_lines(grid),
        *(piece_discs(grid, side.pieces, side.fill) for side in sides),
        *_legend(grid, sides, grid.side + 22, named=False),
    ]


def _mirror_axes(width: float, height: float) -> list[str]:
    middle, between = width / 2, _TOP + SIDE * _CELL + 62
    switch = "row → 5 − row, and the players switched"
    return [
        axis(middle, 44, middle, height - 24),
        axis(24, between, width - 24, between),
        # The label of the horizontal axis lies on a patch of background, where the axes cross.
        background(300, 28, left=middle - 150, top=between - 14),
        text_group(
            label(middle, 26, "column → 5 − column", 13, fill=ACCENT),
            label(middle, between, switch, 13, fill=ACCENT),
        ),
    ]

"""A board as a picture: SVG for a page or a notebook, lines of text for a terminal.

Pure: states in, text out; equal states give equal text, byte for byte. The winning line is shown in
both, and neither needs colour to tell X from O.
"""

from __future__ import annotations

from typing import Final, NamedTuple, TypeAlias

from engines.bits import cells
from engines.svg import document, element
from engines.svg import text as written
from engines.tictactoe.board import (
    Cell,
    Player,
    State,
    finished,
    mark_at,
    winner,
    winning_lines,
)
from engines.tictactoe.masks import CELLS, SIDE

__all__ = ["Picture", "board_svg", "board_text"]

_Point: TypeAlias = tuple[float, float]

# User units. The board stands in a margin that holds the numbers of rows and columns.
_CELL: Final = 100
_MARGIN: Final = 44
_CAPTION: Final = 60
_BOARD: Final = SIDE * _CELL
_WIDTH: Final = _BOARD + 2 * _MARGIN
_HEIGHT: Final = _MARGIN + _BOARD + _CAPTION

# Half the extent of a mark, the width of its strokes, and that of the band along a winning line.
_MARK: Final = 25
_PEN: Final = 12
_BAND: Final = 80

# Words have a contrast of at least 4.5 to 1, and marks, on their bands too, of 3 to 1: WCAG 2.1,
# 1.4.3 and 1.4.11.
_PAPER: Final = "#fffdf8"
_INK: Final = "#33312e"
_FAINT: Final = "#736d64"
_GRID: Final = "#cfc7ba"
_COLOUR: Final = {Player.X: "#c8372d", Player.O: "#1d6fa5"}
_TINT: Final = {Player.X: "#fae0dc", Player.O: "#d9ebf6"}
_FONT: Final = "system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif"


class Picture(NamedTuple):
    """A state that shows itself: as SVG in a notebook, as text where it is printed."""

    state: State

    def _repr_svg_(self) -> str:
        return board_svg(self.state)

    def __str__(self) -> str:
        return board_text(self.state)


def board_svg(state: State) -> str:
    """The board as one SVG document, 388 by 404 user units: grid, marks, winning lines, the numbers
    of rows and columns, and how the game stands."""
    caption = _caption(state)
    return document(
        _paper(),
        *_bands(state),
        *_grid(),
        *_numbers(),
        *(_mark(state, Cell(cell)) for cell in range(CELLS)),
        _label(caption, (_WIDTH / 2, _MARGIN + _BOARD + _CAPTION / 2), size=20, fill=_INK),
        width=_WIDTH,
        height=_HEIGHT,
        title=f"Tic-tac-toe: {caption}",
    )


def board_text(state: State) -> str:
    """The board as nine lines of text, without a final newline: a frame, the numbers of rows and
    columns, marks of a winning line in brackets, and how the game stands."""
    won = _won_cells(state)
    rows = [_text_row(state, row, won) for row in range(SIDE)]
    return "\n".join(
        [
            "    0   1   2",
            "  ┌───┬───┬───┐",
            "\n  ├───┼───┼───┤\n".join(rows),
            "  └───┴───┴───┘",
            f"  {_caption(state)}",
        ]
    )


def _caption(state: State) -> str:
    won_by = winner(state)
    if won_by is not None:
        return f"{won_by.name} has won"
    return "a draw" if finished(state) else "not decided yet"


def _won_cells(state: State) -> set[int]:
    return {cell for line in winning_lines(state) for cell in cells(line)}


def _text_row(state: State, row: int, won: set[int]) -> str:
    numbers = range(row * SIDE, (row + 1) * SIDE)
    return f"{row} │" + "│".join(_text_cell(state, cell, won) for cell in numbers) + "│"


def _text_cell(state: State, cell: int, won: set[int]) -> str:
    mark = mark_at(state, Cell(cell))
    symbol = " " if mark is None else mark.name
    return f"[{symbol}]" if cell in won else f" {symbol} "


def _paper() -> str:
    # Paper of its own, as the page around it may be dark.
    return element("rect", width=_WIDTH, height=_HEIGHT, rx=14, fill=_PAPER)


def _bands(state: State) -> list[str]:
    # Broad, and below grid and marks: a band joins its marks and hides nothing.
    won_by = winner(state)
    return [] if won_by is None else [_band(line, _TINT[won_by]) for line in winning_lines(state)]


def _band(line: int, colour: str) -> str:
    first, _, last = cells(line)
    return _stroke(_centre(first), _centre(last), colour=colour, width=_BAND)


def _grid() -> list[str]:
    start, end = _MARGIN, _MARGIN + _BOARD
    inner = [_MARGIN + step * _CELL for step in range(1, SIDE)]
    across = [((start, y), (end, y)) for y in inner]
    down = [((x, start), (x, end)) for x in inner]
    return [_stroke(*ends, colour=_GRID, width=4) for ends in across + down]


def _numbers() -> list[str]:
    middles = [_MARGIN + (number + 0.5) * _CELL for number in range(SIDE)]
    places = [(n, (x, _MARGIN / 2)) for n, x in enumerate(middles)]
    places += [(n, (_MARGIN / 2, y)) for n, y in enumerate(middles)]
    return [_label(str(number), place, size=15, fill=_FAINT) for number, place in places]


def _mark(state: State, cell: Cell) -> str:
    mark = mark_at(state, cell)
    if mark is None:
        return ""
    return _cross(_centre(cell)) if mark is Player.X else _ring(_centre(cell))


def _cross(centre: _Point) -> str:
    x, y = centre
    falling = (x - _MARK, y - _MARK), (x + _MARK, y + _MARK)
    rising = (x - _MARK, y + _MARK), (x + _MARK, y - _MARK)
    return "".join(
        _stroke(start, end, colour=_COLOUR[Player.X], width=_PEN)
        for start, end in (falling, rising)
    )


def _ring(centre: _Point) -> str:
    x, y = centre
    # A round mark looks smaller than a cross of the same extent.
    return element(
        "circle",
        cx=x,
        cy=y,
        r=_MARK + 3,
        fill="none",
        stroke=_COLOUR[Player.O],
        stroke_width=_PEN,
    )


def _stroke(start: _Point, end: _Point, *, colour: str, width: float) -> str:
    return element(
        "line",
        x1=start[0],
        y1=start[1],
        x2=end[0],
        y2=end[1],
        stroke=colour,
        stroke_width=width,
        stroke_linecap="round",
    )


def _label(content: str, centre: _Point, *, size: float, fill: str) -> str:
    return element(
        "text",
        written(content),
        x=centre[0],
        # dominant-baseline is not drawn alike everywhere: the middle of a capital or of a digit
        # stands about 0.36 of the font's size above the baseline.
        y=centre[1] + 0.36 * size,
        text_anchor="middle",
        font_family=_FONT,
        font_size=size,
        fill=fill,
    )


def _centre(cell: int) -> _Point:
    return _MARGIN + (cell % SIDE + 0.5) * _CELL, _MARGIN + (cell // SIDE + 0.5) * _CELL

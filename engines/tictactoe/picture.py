"""Pictures of a board: SVG for pages and notebooks, text for terminals.

Both show the winning line, and distinguish X from O without colour. Equal states give equal text.
"""

from __future__ import annotations

from typing import Final, NamedTuple, TypeAlias

from engines.bits import cells
from engines.svg import document, element
from engines.svg import text as escape
from engines.tictactoe.board import Cell, Player, State, finished, mark_at, winner, winning_lines
from engines.tictactoe.masks import CELLS, SIDE

__all__ = ["Picture", "board_svg", "board_text"]

_Point: TypeAlias = tuple[float, float]

# In user units. The margin holds the row and column numbers.
_CELL: Final = 100
_MARGIN: Final = 44
_CAPTION: Final = 60
_BOARD: Final = SIDE * _CELL
_WIDTH: Final = _BOARD + 2 * _MARGIN
_HEIGHT: Final = _MARGIN + _BOARD + _CAPTION

# Half the extent of a mark, the width of its strokes, and the width of a winning band.
_MARK_RADIUS: Final = 25
_STROKE_WIDTH: Final = 12
_BAND_WIDTH: Final = 80

# Contrast is at least 4.5:1 for text and 3:1 for marks, on bands too (WCAG 2.1, 1.4.3, 1.4.11).
_PAPER: Final = "#fffdf8"
_INK: Final = "#33312e"
_FAINT: Final = "#736d64"
_GRID: Final = "#cfc7ba"
_COLOUR: Final = {Player.X: "#c8372d", Player.O: "#1d6fa5"}
_TINT: Final = {Player.X: "#fae0dc", Player.O: "#d9ebf6"}
_DARK: Final = {
    _PAPER: "#1e1d1b",
    _INK: "#ebe7e0",
    _FAINT: "#a69f94",
    _GRID: "#57524a",
    _COLOUR[Player.X]: "#f0796f",
    _COLOUR[Player.O]: "#6cb6e8",
    _TINT[Player.X]: "#4d2723",
    _TINT[Player.O]: "#1d3a4d",
}
_FONT: Final = "system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif"


class Picture(NamedTuple):
    """A state that displays itself: as SVG in a notebook, as text when printed."""

    state: State

    def _repr_svg_(self) -> str:
        return board_svg(self.state)

    def __str__(self) -> str:
        return board_text(self.state)


def board_svg(state: State) -> str:
    """Return the board as an SVG document of 388 by 404 user units.

    It shows the grid, the marks, the winning lines, row and column numbers and the result.
    """
    caption = _caption(state)
    return document(
        _background(),
        *_winning_bands(state),
        *_grid_lines(),
        *_coordinate_labels(),
        *(_mark_svg(state, Cell(cell)) for cell in range(CELLS)),
        _text_svg(caption, (_WIDTH / 2, _MARGIN + _BOARD + _CAPTION / 2), size=20, fill=_INK),
        width=_WIDTH,
        height=_HEIGHT,
        title=f"Tic-tac-toe: {caption}",
        dark=_DARK,
    )


def board_text(state: State) -> str:
    """Return the board as nine lines of text without a final newline.

    Marks of a winning line are in brackets; the last line gives the result.
    """
    won = _winning_cells(state)
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


def _winning_cells(state: State) -> set[int]:
    return {cell for line in winning_lines(state) for cell in cells(line)}


def _text_row(state: State, row: int, won: set[int]) -> str:
    numbers = range(row * SIDE, (row + 1) * SIDE)
    return f"{row} │" + "│".join(_text_cell(state, cell, won) for cell in numbers) + "│"


def _text_cell(state: State, cell: int, won: set[int]) -> str:
    mark = mark_at(state, Cell(cell))
    symbol = " " if mark is None else mark.name
    return f"[{symbol}]" if cell in won else f" {symbol} "


def _background() -> str:
    return element("rect", width=_WIDTH, height=_HEIGHT, rx=14, fill=_PAPER)


def _winning_bands(state: State) -> list[str]:
    # Wide, and below grid and marks, so that a band hides nothing.
    won_by = winner(state)
    return [] if won_by is None else [_band(line, _TINT[won_by]) for line in winning_lines(state)]


def _band(line: int, colour: str) -> str:
    first, _, last = cells(line)
    return _line_svg(_centre(first), _centre(last), colour=colour, width=_BAND_WIDTH)


def _grid_lines() -> list[str]:
    start, end = _MARGIN, _MARGIN + _BOARD
    inner = [_MARGIN + step * _CELL for step in range(1, SIDE)]
    across = [((start, y), (end, y)) for y in inner]
    down = [((x, start), (x, end)) for x in inner]
    return [_line_svg(*ends, colour=_GRID, width=4) for ends in across + down]


def _coordinate_labels() -> list[str]:
    middles = [_MARGIN + (number + 0.5) * _CELL for number in range(SIDE)]
    places = [(n, (x, _MARGIN / 2)) for n, x in enumerate(middles)]
    places += [(n, (_MARGIN / 2, y)) for n, y in enumerate(middles)]
    return [_text_svg(str(number), place, size=15, fill=_FAINT) for number, place in places]


def _mark_svg(state: State, cell: Cell) -> str:
    mark = mark_at(state, cell)
    if mark is None:
        return ""
    return _cross(_centre(cell)) if mark is Player.X else _ring(_centre(cell))


def _cross(centre: _Point) -> str:
    x, y = centre
    falling = (x - _MARK_RADIUS, y - _MARK_RADIUS), (x + _MARK_RADIUS, y + _MARK_RADIUS)
    rising = (x - _MARK_RADIUS, y + _MARK_RADIUS), (x + _MARK_RADIUS, y - _MARK_RADIUS)
    return "".join(
        _line_svg(start, end, colour=_COLOUR[Player.X], width=_STROKE_WIDTH)
        for start, end in (falling, rising)
    )


def _ring(centre: _Point) -> str:
    x, y = centre
    # Slightly larger than a cross, as round marks look smaller.
    return element(
        "circle",
        cx=x,
        cy=y,
        r=_MARK_RADIUS + 3,
        fill="none",
        stroke=_COLOUR[Player.O],
        stroke_width=_STROKE_WIDTH,
    )


def _line_svg(start: _Point, end: _Point, *, colour: str, width: float) -> str:
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


def _text_svg(content: str, centre: _Point, *, size: float, fill: str) -> str:
    return element(
        "text",
        escape(content),
        x=centre[0],
        # Capitals and digits are centred about 0.36 of the font size above the baseline; renderers
        # disagree on dominant-baseline.
        y=centre[1] + 0.36 * size,
        text_anchor="middle",
        font_family=_FONT,
        font_size=size,
        fill=fill,
    )


def _centre(cell: int) -> _Point:
    return _MARGIN + (cell % SIDE + 0.5) * _CELL, _MARGIN + (cell // SIDE + 0.5) * _CELL

"""Drawing primitives shared by the pictures of this engine: palette, grid, pieces and text."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from engines import svg
from engines.bitboard36.shape import POSITIONS, SIDE, Position, column_of, position_at, row_of

__all__ = [
    "ACCENT",
    "DARK",
    "EMPTY",
    "FAINT",
    "INK",
    "LIGHT",
    "MONO",
    "ON_WHITE",
    "QUIET",
    "SANS",
    "Grid",
    "axis",
    "background",
    "coordinates",
    "disc",
    "grid_lines",
    "label",
    "piece_discs",
    "squares",
    "text_group",
]

INK: Final = "#22303a"
QUIET: Final = "#5f6468"
FAINT: Final = "#756f62"
LIGHT: Final = "#ffffff"
EMPTY: Final = "#f6f3ec"
ACCENT: Final = "#b4532a"
_PAPER: Final = "#fdfcf9"
_GRID_LINE: Final = "#d5cfc2"
ON_WHITE: Final = "#22303b"  # text on a white piece
DARK: Final = {
    _PAPER: "#1b1d1f",
    _GRID_LINE: "#4d5154",
    EMPTY: "#2e3134",
    QUIET: "#a9aeb3",
    FAINT: "#a39d8f",
    ACCENT: "#e59068",
    INK: "#9fb0bc",
    f"circle {INK}": "#0c1115",
    f"text {INK}": "#e4e9ed",
}

SANS: Final = "ui-sans-serif, system-ui, 'Helvetica Neue', Arial, sans-serif"
MONO: Final = "ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace"

# Digits and capitals are about 0.7 of the font size high. Lowering the baseline by half of that
# centres them in renderers that do not support `dominant-baseline`.
_HALF_HEIGHT: Final = 0.35


class Grid(NamedTuple):
    """The position of a board in a picture: its upper left corner and the side of a cell."""

    left: float
    top: float
    cell: float

    @property
    def side(self) -> float:
        """The side of the whole board."""
        return SIDE * self.cell

    def corner(self, at: Position) -> tuple[float, float]:
        """Return the upper left corner of a cell; row 0 is at the bottom."""
        x = self.left + column_of(at) * self.cell
        return x, self.top + (SIDE - 1 - row_of(at)) * self.cell

    def centre(self, at: Position) -> tuple[float, float]:
        """Return the centre of a cell."""
        x, y = self.corner(at)
        return x + self.cell / 2, y + self.cell / 2


def background(width: float, height: float, *, left: float = 0, top: float = 0) -> str:
    """Return the sheet below a picture."""
    return svg.element("rect", x=left, y=top, width=width, height=height, rx=14, fill=_PAPER)


def squares(grid: Grid, fills: Iterable[tuple[Position, str]]) -> str:
    """Return cells, each filled with its colour."""
    return "".join(
        svg.element("rect", x=x, y=y, width=grid.cell, height=grid.cell, fill=fill)
        for (x, y), fill in ((grid.corner(at), fill) for at, fill in fills)
    )


def grid_lines(grid: Grid, colour: str = QUIET) -> str:
    """Return the lines between the cells, and the edge of the board in this colour."""
    right, bottom = grid.left + grid.side, grid.top + grid.side
    between = "".join(
        f"M{grid.left:g} {grid.top + way:g}H{right:g}M{grid.left + way:g} {grid.top:g}V{bottom:g}"
        for way in (grid.cell * count for count in range(1, SIDE))
    )
    edge = {"x": grid.left, "y": grid.top, "width": grid.side, "height": grid.side}
    return svg.element("path", d=between, stroke=_GRID_LINE) + svg.element(
        "rect", fill="none", stroke=colour, stroke_width=2, **edge
    )


def piece_discs(grid: Grid, mask: int, fill: str) -> str:
    """Return a piece of this colour on each cell of a word."""
    middles = (grid.centre(at) for at in POSITIONS if mask >> at & 1)
    return "".join(disc(x, y, grid.cell / 3, fill) for x, y in middles)


def disc(x: float, y: float, radius: float, fill: str) -> str:
    """Return one piece centred at (x, y)."""
    return svg.element("circle", cx=x, cy=y, r=radius, fill=fill, stroke=INK, stroke_width=1.5)


def axis(x1: float, y1: float, x2: float, y2: float) -> str:
    """Return the axis of a mirror."""
    ends = {"x1": x1, "y1": y1, "x2": x2, "y2": y2}
    return svg.element("line", stroke=ACCENT, stroke_width=2, stroke_dasharray="7 5", **ends)


def label(x: float, y: float, content: str, size: float, **attributes: str | float) -> str:
    """Return a text centred at (x, y), unless `text_anchor` says otherwise."""
    attributes = {"font_size": size, "text_anchor": "middle", "fill": INK, **attributes}
    return svg.element("text", svg.text(content), x=x, y=y + size * _HALF_HEIGHT, **attributes)


def text_group(*labels: str, family: str = SANS) -> str:
    """Return labels grouped in one font family."""
    return svg.element("g", *labels, font_family=family)


def coordinates(grid: Grid, size: float) -> str:
    """Return the row numbers at the left edge and the column numbers below the board."""
    rows = (grid.centre(position_at(row, 0)) for row in range(SIDE))
    columns = (grid.centre(position_at(0, column)) for column in range(SIDE))
    beside = [(grid.left - size, y) for _, y in rows]
    below = [(x, grid.top + grid.side + size) for x, _ in columns]
    numbered = [*enumerate(beside), *enumerate(below)]
    return text_group(*(label(x, y, str(number), size, fill=QUIET) for number, (x, y) in numbered))

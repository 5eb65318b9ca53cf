"""What this engine's pictures have in common: the palette, a grid of cells, pieces, lettering.

Markup only, made from plain numbers and words; what a picture shows is decided by its own module.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from engines import svg
from engines.bitboard36.shape import POSITIONS, SIDE, column_of, position_at, row_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from engines.bitboard36.shape import Position

__all__ = [
    "ACCENT",
    "EMPTY",
    "FAINT",
    "INK",
    "LIGHT",
    "MONO",
    "QUIET",
    "SANS",
    "Grid",
    "axis",
    "coordinates",
    "disc",
    "frame",
    "label",
    "lettering",
    "paper",
    "pieces",
    "squares",
]

INK: Final = "#22303a"
QUIET: Final = "#5f6468"
FAINT: Final = "#756f62"
LIGHT: Final = "#ffffff"
EMPTY: Final = "#f6f3ec"
ACCENT: Final = "#b4532a"
_PAPER: Final = "#fdfcf9"
_LINE: Final = "#d5cfc2"

SANS: Final = "ui-sans-serif, system-ui, 'Helvetica Neue', Arial, sans-serif"
MONO: Final = "ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace"

# Digits and capitals are about 0.7 of the font size high. A baseline lowered by half of that
# centres them in every renderer; not all of them know `dominant-baseline`.
_HALF_HEIGHT: Final = 0.35


class Grid(NamedTuple):
    """Where a board lies in a picture: its left upper corner, and the side of a cell."""

    left: float
    top: float
    cell: float

    @property
    def side(self) -> float:
        """The side of the whole board."""
        return SIDE * self.cell

    def corner(self, at: Position) -> tuple[float, float]:
        """The left upper corner of a cell; row 0 lies at the bottom."""
        x = self.left + column_of(at) * self.cell
        return x, self.top + (SIDE - 1 - row_of(at)) * self.cell

    def centre(self, at: Position) -> tuple[float, float]:
        """The middle of a cell."""
        x, y = self.corner(at)
        return x + self.cell / 2, y + self.cell / 2


def paper(width: float, height: float, *, left: float = 0, top: float = 0) -> str:
    """The sheet below everything, so that a picture looks the same on light and on dark pages."""
    return svg.element("rect", x=left, y=top, width=width, height=height, rx=14, fill=_PAPER)


def squares(grid: Grid, fills: Iterable[tuple[Position, str]]) -> str:
    """Cells, each filled with its colour."""
    return "".join(
        svg.element("rect", x=x, y=y, width=grid.cell, height=grid.cell, fill=fill)
        for (x, y), fill in ((grid.corner(at), fill) for at, fill in fills)
    )


def frame(grid: Grid, colour: str = QUIET) -> str:
    """The lines between the cells, and the edge of the board in its colour."""
    right, bottom = grid.left + grid.side, grid.top + grid.side
    between = "".join(
        f"M{grid.left:g} {grid.top + way:g}H{right:g}M{grid.left + way:g} {grid.top:g}V{bottom:g}"
        for way in (grid.cell * count for count in range(1, SIDE))
    )
    edge = {"x": grid.left, "y": grid.top, "width": grid.side, "height": grid.side}
    return svg.element("path", d=between, stroke=_LINE) + svg.element(
        "rect", fill="none", stroke=colour, stroke_width=2, **edge
    )


def pieces(grid: Grid, mask: int, fill: str) -> str:
    """A piece of this colour on each cell of the word."""
    middles = (grid.centre(at) for at in POSITIONS if mask >> at & 1)
    return "".join(disc(x, y, grid.cell / 3, fill) for x, y in middles)


def disc(x: float, y: float, radius: float, fill: str) -> str:
    """One piece, around (x, y)."""
    return svg.element("circle", cx=x, cy=y, r=radius, fill=fill, stroke=INK, stroke_width=1.5)


def axis(x1: float, y1: float, x2: float, y2: float) -> str:
    """The axis of a mirror."""
    ends = {"x1": x1, "y1": y1, "x2": x2, "y2": y2}
    return svg.element("line", stroke=ACCENT, stroke_width=2, stroke_dasharray="7 5", **ends)


def label(x: float, y: float, content: str, size: float, **attributes: str | float) -> str:
    """A piece of text, centred upon (x, y) unless `text_anchor` says otherwise."""
    attributes = {"font_size": size, "text_anchor": "middle", "fill": INK, **attributes}
    return svg.element("text", svg.text(content), x=x, y=y + size * _HALF_HEIGHT, **attributes)


def lettering(*labels: str, family: str = SANS) -> str:
    """Labels in one family of fonts."""
    return svg.element("g", *labels, font_family=family)


def coordinates(grid: Grid, size: float) -> str:
    """The numbers of the rows at the left edge, and of the columns below the board."""
    rows = (grid.centre(position_at(row, 0)) for row in range(SIDE))
    columns = (grid.centre(position_at(0, column)) for column in range(SIDE))
    beside = [(grid.left - size, y) for _, y in rows]
    below = [(x, grid.top + grid.side + size) for x, _ in columns]
    numbered = [*enumerate(beside), *enumerate(below)]
    return lettering(*(label(x, y, str(number), size, fill=QUIET) for number, (x, y) in numbered))

"""Rows of differences as two columns: what was expected on the left, what was printed on the right.

Pure: rows in, lines out, none wider than the screen; < is missing, > is one too many, | differs.
Source: docs/differences.md.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import zip_longest
from typing import Final, NamedTuple

from harness.report.emphasis import beginning_of, cells, end_of, fitted, parts_of
from harness.report.rows import Mark, Row
from harness.words import visible

__all__ = ["Columns", "columns_for", "heading", "row_line"]

_LEAST: Final = 34  # characters of a column: below that, one below the other is read more easily
_MOST: Final = 100  # ... and more are not needed side by side
_NARROWEST: Final = 20  # ... but they need not be wider than what stands in them
_GUTTER: Final = 3
_GAP: Final = 2
_PLACE: Final = 30
_INDENT: Final = 2


class Columns(NamedTuple):
    """The widths of the two columns of values, and of the one of places."""

    value: int
    place: int


def columns_for(rows: Sequence[Row], width: int) -> Columns | None:
    """The columns that fit on a screen of this width; None: it is too narrow for two."""
    place = min(_PLACE, max((cells(_place(row)) for row in rows), default=0))
    value = (width - _GUTTER - _GAP - place) // 2
    if value < _LEAST:
        return None
    widest = max((_wanted(row) for row in rows), default=0)
    return Columns(max(_NARROWEST, min(value, _MOST, widest)), place)


def _wanted(row: Row) -> int:
    """How wide a column this row asks for. Half of it may be indentation."""
    indent = _INDENT * row.depth
    return max(2 * indent, indent + max(cells(row.left), cells(row.right)))


def heading(columns: Columns, sides: tuple[str, str] = ("expected", "printed")) -> str:
    """What stands above the columns: what the two sides are called."""
    left = beginning_of(sides[0], columns.value)
    return f"{left}{' ' * (columns.value - cells(left))}   {beginning_of(sides[1], columns.value)}"


def row_line(row: Row, columns: Columns, style: Callable[[str, str], str]) -> str:
    """The line of one row."""
    indent = " " * min(_INDENT * row.depth, columns.value // 2)
    if row.mark is Mark.FOLDED:
        return f"{indent}{style(row.left, 'dim')}"
    room = columns.value - len(indent)
    if row.mark is Mark.SAME:
        left, right = (beginning_of(visible(text), room) for text in (row.left, row.right))
        return f"{indent}{left}{' ' * (room + _GUTTER - cells(left))}{indent}{right}"
    ours, theirs = fitted(*parts_of(row.left, row.right), room)
    left = ours.painted(lambda part: style(part, "good")) + " " * (room - ours.cells)
    right = theirs.painted(lambda part: style(part, "bad")) + " " * (room - theirs.cells + _GAP)
    place = style(end_of(_place(row), columns.place), "dim")
    return f"{indent}{left} {style(row.mark.value, 'strong')} {indent}{right}{place}"


def _place(row: Row) -> str:
    """The place on both sides; where an index differs, both."""
    steps = zip_longest(row.place.split("/"), row.beside.split("/"), fillvalue="")
    return visible("/".join(one if one == other else f"{one}→{other}" for one, other in steps))

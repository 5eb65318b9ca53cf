"""Rows of differences one below the other: - what was expected, + what was printed.

Pure: rows in, lines out, none wider than the screen, each difference with its place.
Source: docs/differences.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from harness.report.emphasis import beginning_of, cells, end_of, fitted, parts_of
from harness.report.rows import Mark, Row
from harness.words import visible

__all__ = ["legend", "unified_lines"]

_MARGIN: Final = 2  # the sign, and a space
_INDENT: Final = 2
_AT: Final = "  at "

# Colours a text by its role.
Style = Callable[[str, str], str]


def legend(sides: tuple[str, str]) -> str:
    """What stands above the rows: what the two sides are called."""
    return f"- {sides[0]}, + {sides[1]}"


def unified_lines(row: Row, style: Style, width: int) -> Iterator[str]:
    """The lines of one row: two where a value was changed."""
    indent = " " * min(_INDENT * row.depth, width // 2)
    room = width - _MARGIN - len(indent)
    if row.mark is Mark.FOLDED:
        yield f"  {indent}{style(row.left, 'dim')}"
    elif row.mark is Mark.SAME:
        yield f"  {indent}{beginning_of(visible(row.left or row.right), room)}"
    else:
        yield from _differing(row, style, indent, room)


def _differing(row: Row, style: Style, indent: str, room: int) -> Iterator[str]:
    place, beside = (_AT + end_of(visible(at), room // 2) for at in (row.place, row.beside))
    left, right = fitted(*parts_of(row.left, row.right), room - max(cells(place), cells(beside)))
    if row.mark is not Mark.EXTRA:
        text = left.painted(lambda part: style(part, "good"))
        yield f"{style('-', 'good')} {indent}{text}{style(place, 'dim')}"
    if row.mark is not Mark.MISSING:
        text = right.painted(lambda part: style(part, "bad"))
        told = row.mark is Mark.EXTRA or row.beside != row.place
        yield f"{style('+', 'bad')} {indent}{text}{style(beside, 'dim') if told else ''}"

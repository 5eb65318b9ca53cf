"""Format the differences of a run as lines: in two columns where they fit, else as a unified diff.

Pure. In columns `<` marks a missing value, `>` an extra one and `|` a changed one.
Source: docs/output.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import zip_longest
from typing import Final

from harness.model.events import Evidence
from harness.reports.text.diff_rows import DiffMark, DiffRow, rows_of
from harness.reports.text.display import Display, Style
from harness.reports.text.emphasis import TextParts, beginning_of, end_of, fit_parts, parts_of
from harness.text import cells, escape_nonprintable, shorten_to_width

_SIDE: Final = 40  # columns of the name of a side
_EQUAL: Final = (DiffMark.SAME, DiffMark.FOLDED)
_INDENT: Final = 2  # a level of nesting

# Two columns.
_LEAST: Final = 34  # characters of a column; a unified diff is easier to read below that
_MOST: Final = 100
_NARROWEST: Final = 20  # columns shrink to their content, but not below this
_GUTTER: Final = 3
_GAP: Final = 2
_PLACE: Final = 30

# A unified diff.
_SIGN: Final = 2  # the sign and a space
_AT: Final = "  at "


def difference_lines(
    evidence: Evidence, display: Display, sides: tuple[str, str] | None = None
) -> Iterator[str]:
    """Return a heading with the names of the sides, the differing rows in context, and a note on
    differences that are left out."""
    rows, style = rows_of(evidence), display.style
    title, lines_of = _layout(rows, display, sides or escaped_sides(evidence))
    yield style(title, "dim")
    room = display.most_lines
    shown = 0
    for row in rows if room is None else _skip_to_difference(rows, room // 2):
        lines = lines_of(row)
        if room is not None and len(lines) > room:
            break
        yield from lines
        room = None if room is None else room - len(lines)
        shown += 0 if row.mark in _EQUAL else row.number
    if shown < evidence.differences_total:
        listed = len(evidence.differences)
        known = "all" if listed == evidence.differences_total else f"the first {listed:,}"
        hint = "" if shown == listed else f"; --full shows {known}"
        yield style(f"(and {evidence.differences_total - shown:,} more{hint})", "dim")


def escaped_sides(evidence: Evidence) -> tuple[str, str]:
    """Return what to call the output that was expected, or another answer, and the one printed."""
    expected, printed = evidence.sides
    return shorten_to_width(expected, _SIDE), printed


def _layout(
    rows: list[DiffRow], display: Display, sides: tuple[str, str]
) -> tuple[str, Callable[[DiffRow], list[str]]]:
    style, width = display.style, display.width
    columns = _columns_for(rows, width) if display.side_by_side else None
    if columns is None:
        title = f"- {sides[0]}, + {sides[1]}"
        return title, lambda row: list(_unified_lines(row, style, width))
    left, right = (beginning_of(side, columns[0]) for side in sides)
    title = f"{left}{' ' * (columns[0] - cells(left))}   {right}"
    return title, lambda row: [_column_line(row, *columns, style)]


def _skip_to_difference(rows: list[DiffRow], most: int) -> Iterator[DiffRow]:
    """Yield the rows, with at most `most` rows before the first difference."""
    first = next((at for at, row in enumerate(rows) if row.mark not in _EQUAL), 0)
    if first > most:
        yield DiffRow(DiffMark.FOLDED, "…", "", rows[first].depth)
    yield from rows[max(0, first - most) :]


def _columns_for(rows: Sequence[DiffRow], width: int) -> tuple[int, int] | None:
    """Return the widths of a value column and of the places, or None if `width` is too narrow."""
    place = min(_PLACE, max((cells(_place(row)) for row in rows), default=0))
    value = (width - _GUTTER - _GAP - place) // 2
    if value < _LEAST:
        return None
    widest = 0
    for row in rows:
        # Indentation takes at most half of a column.
        indent = _INDENT * row.depth
        # Escapes are longer than what they stand for.
        shown = max(parts.cells for parts in parts_of(row.left, row.right))
        widest = max(widest, 2 * indent, indent + shown)
    return max(_NARROWEST, min(value, _MOST, widest)), place


def _column_line(row: DiffRow, width: int, place_width: int, style: Style) -> str:
    indent = " " * min(_INDENT * row.depth, width // 2)
    if row.mark is DiffMark.FOLDED:
        return f"{indent}{style(row.left, 'dim')}"
    room = width - len(indent)
    if row.mark is DiffMark.SAME:
        left = beginning_of(escape_nonprintable(row.left), room)
        right = beginning_of(escape_nonprintable(row.right), room)
        return f"{indent}{left}{' ' * (room + _GUTTER - cells(left))}{indent}{right}"
    ours, theirs = fit_parts(*parts_of(row.left, row.right), room)
    left = _painted(ours, "good", row, style) + " " * (room - ours.cells)
    right = _painted(theirs, "bad", row, style) + " " * (room - theirs.cells + _GAP)
    place = style(end_of(_place(row), place_width), "dim")
    return f"{indent}{left} {style(row.mark.value, 'strong')} {indent}{right}{place}"


def _painted(parts: TextParts, role: str, row: DiffRow, style: Style) -> str:
    """Return a value in its colour; in a changed one, the difference is marked."""
    marked = f"{role} mark" if row.mark is DiffMark.CHANGED else role
    return parts.painted(lambda part: style(part, role), lambda part: style(part, marked))


def _place(row: DiffRow) -> str:
    """Return the pointer of a row; where an index differs between the sides, both: `/1→2/x`."""
    places = row.pointer.split("/"), row.actual_pointer.split("/")
    if places[0][0] != places[1][0]:
        return escape_nonprintable(f"{row.pointer} → {row.actual_pointer}")
    steps = zip_longest(*places, fillvalue="")
    return escape_nonprintable(
        "/".join(one if one == other else f"{one}→{other}" for one, other in steps)
    )


def _unified_lines(row: DiffRow, style: Style, width: int) -> Iterator[str]:
    indent = " " * min(_INDENT * row.depth, width // 2)
    room = width - _SIGN - len(indent)
    if row.mark is DiffMark.FOLDED:
        yield f"  {indent}{style(row.left, 'dim')}"
        return
    if row.mark is DiffMark.SAME:
        yield f"  {indent}{beginning_of(escape_nonprintable(row.left or row.right), room)}"
        return
    place, actual_place = (
        _AT + end_of(escape_nonprintable(at), room // 2) if at else ""
        for at in (row.pointer, row.actual_pointer)
    )
    left, right = fit_parts(
        *parts_of(row.left, row.right), room - max(cells(place), cells(actual_place))
    )
    if row.mark is not DiffMark.EXTRA:
        text = _painted(left, "good", row, style)
        yield f"{style('-', 'good')} {indent}{text}{style(place, 'dim')}"
    if row.mark is not DiffMark.MISSING:
        text = _painted(right, "bad", row, style)
        needs_place = row.mark is DiffMark.EXTRA or row.actual_pointer != row.pointer
        shown_place = style(actual_place, "dim") if needs_place else ""
        yield f"{style('+', 'bad')} {indent}{text}{shown_place}"

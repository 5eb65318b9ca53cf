"""All differences of a run as lines: side by side where there is room, else one below the other.

Pure. At most a screenful, unless all are asked for; what is left out is counted.
Source: docs/differences.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from harness.events import Evidence
from harness.report.rows import Mark, Row, rows_of
from harness.report.sidebyside import columns_for, heading, row_line
from harness.report.unified import legend, unified_lines

__all__ = ["Screen", "difference_lines"]

# Colours a text by its role.
Style = Callable[[str, str], str]

_EQUAL: Final = (Mark.SAME, Mark.FOLDED)


class Screen(NamedTuple):
    """Where differences are shown: characters of a line, lines at the most (None: all of them),
    whether two columns may stand side by side, and what the two sides are called."""

    width: int
    most: int | None
    beside: bool
    sides: tuple[str, str] = ("expected", "printed")


def difference_lines(evidence: Evidence, style: Style, screen: Screen) -> Iterator[str]:
    """A heading, the rows that differ, in the JSON around them, and how many are left out."""
    rows = rows_of(evidence)
    title, lines_of = _layout(rows, style, screen)
    yield style(title, "dim")
    room = screen.most
    shown = 0
    for row in rows if room is None else _begun(rows, room // 2):
        lines = lines_of(row)
        if room is not None and len(lines) > room:
            break
        yield from lines
        room = None if room is None else room - len(lines)
        shown += row.mark not in _EQUAL
    if shown < evidence.differences_total:
        yield style(_left_out(evidence, shown), "dim")


def _left_out(evidence: Evidence, shown: int) -> str:
    more = f"and {evidence.differences_total - shown:,} more"
    listed = len(evidence.differences)
    if shown == listed:
        return f"({more})"
    known = "all" if listed == evidence.differences_total else f"the first {listed:,}"
    return f"({more}; --full shows {known})"


def _layout(
    rows: list[Row], style: Style, screen: Screen
) -> tuple[str, Callable[[Row], list[str]]]:
    columns = columns_for(rows, screen.width) if screen.beside else None
    if columns is None:
        title = legend(screen.sides)
        return title, lambda row: list(unified_lines(row, style, screen.width))
    return heading(columns, screen.sides), lambda row: [row_line(row, columns, style)]


def _begun(rows: list[Row], most: int) -> Iterator[Row]:
    """The rows, of which no more than so many come before the first that differs: it may be far
    inside."""
    first = next((at for at, row in enumerate(rows) if row.mark not in _EQUAL), 0)
    if first > most:
        yield Row(Mark.FOLDED, "…", "", rows[first].depth)
    yield from rows[max(0, first - most) :]

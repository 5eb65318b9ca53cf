"""Format rows of cells as aligned columns that fit a terminal. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from textwrap import wrap
from typing import Final

from harness.text import escape_nonprintable, truncate_to_width

_GAP: Final = 2  # spaces between columns
_LEAST: Final = 8  # characters of a cell that is cut


def align_columns(
    rows: Sequence[tuple[str, ...]], left: Collection[int], width: int | None = None
) -> Iterator[str]:
    """Return rows, made printable, as lines; the columns `left` are aligned left, others right.

    Cells of the columns `left` are cut, the widest first, until lines have at most `width`
    characters, unless it is None.
    """
    shown = [tuple(map(escape_nonprintable, row)) for row in rows]
    widths = _fit_widths(
        [max(map(len, column)) for column in zip(*shown, strict=True)], left, width
    )
    for row in shown:
        cells = map(truncate_to_width, row, widths)
        yield (" " * _GAP).join(
            cell.ljust(room) if column in left else cell.rjust(room)
            for column, (cell, room) in enumerate(zip(cells, widths, strict=True))
        )


def table_width(rows: Sequence[tuple[str, ...]]) -> int:
    """Return the characters of the lines of a table that is not cut."""
    widths = (max(map(len, column)) + _GAP for column in zip(*rows, strict=True))
    return sum(widths) - _GAP


def break_heading(rows: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Return the first row as several, with cells that are wider than their column broken."""
    heading, *others = rows
    widest = [max((len(row[at]) for row in others), default=0) for at in range(len(heading))]
    broken = [
        wrap(cell, max(room, (len(cell) + 1) // 2), break_long_words=False)
        for cell, room in zip(heading, widest, strict=True)
    ]
    height = max(map(len, broken))
    lines = zip(*([""] * (height - len(cell)) + cell for cell in broken), strict=True)
    return [*lines]


def _fit_widths(widths: list[int], left: Collection[int], width: int | None) -> list[int]:
    excess = 0 if width is None else sum(widths) + _GAP * (len(widths) - 1) - width
    fitted = [*widths]
    for _ in range(excess):
        widest = max(left, key=fitted.__getitem__)
        if fitted[widest] <= _LEAST:
            break
        fitted[widest] -= 1
    return fitted

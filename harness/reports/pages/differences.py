"""The differences of a run as rows for the script of a page, which parts.js shows."""

from __future__ import annotations

from typing import Any, Final

from harness.model.events import Evidence
from harness.reports.text.diff_rows import DiffMark, DiffRow, rows_of
from harness.reports.text.emphasis import fit_parts, parts_of
from harness.text import shorten, shorten_to_width

_CELL: Final = 300  # characters of a value in a row
_SAME: Final = 160  # characters of an equal value


def difference_rows(evidence: Evidence, most: int) -> tuple[list[list[Any]], bool]:
    """Return at most this many rows of the differences, and whether these are all.

    A row is a list: the mark, the depth, two values and the place. A value is a text, or, of two
    that differ in a part, its three parts.
    """
    rows = rows_of(evidence) if evidence.differences else []
    are_all = len(rows) <= most and evidence.differences_total <= len(evidence.differences)
    return [_row(row) for row in rows[:most]], are_all


def _row(row: DiffRow) -> list[Any]:
    name = row.mark.name.lower()
    if row.mark is DiffMark.FOLDED:
        return [name, row.depth, row.left, ""]
    if row.mark is DiffMark.SAME:
        sides = (shorten_to_width(side, _SAME) for side in (row.left, row.right))
        return [name, row.depth, *sides]
    parts = fit_parts(*parts_of(row.left, row.right), _CELL)
    texts = (list(each) if each.differing else each.before + each.after for each in parts)
    places = dict.fromkeys((row.pointer, row.actual_pointer))
    return [name, row.depth, *texts, shorten(" → ".join(places), _CELL)]

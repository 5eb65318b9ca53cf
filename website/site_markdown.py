"""Pages as GitHub reads them, in the dialect of MkDocs.

Python-Markdown wants what belongs to an item of a list indented by four, whatever its sign, and a
blank line before a list; CommonMark does not. Pure text in, text out; the rest means the same to both.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

__all__ = ["python_markdown"]

_ITEM: Final = re.compile(r"(?P<sign>[-*+]|\d{1,9}[.)]) {1,4}(?=\S)")
# A paragraph ends where one of these begins; a line that goes on with "7." stays in it.
_INTERRUPTS: Final = re.compile(r"[-*+] |1[.)] ")
_FENCE: Final = re.compile(r"(`{3,}|~{3,})")


class _Place(NamedTuple):
    """Where a line stands: the columns at which the text of the open items begins, the fence that
    is open (the empty text: none), and whether the line before could be of a paragraph."""

    columns: tuple[int, ...] = ()
    fence: str = ""
    in_paragraph: bool = False


def python_markdown(text: str) -> str:
    """The page with its lists as Python-Markdown reads them."""
    place = _Place()
    written: list[str] = []
    for line in text.splitlines():
        lines, place = _written(line, place)
        written += lines
    return "".join(f"{line}\n" for line in written)


def _written(line: str, place: _Place) -> tuple[list[str], _Place]:
    if not line.strip():
        return [""], place._replace(in_paragraph=False)
    if place.fence:
        return _in_fence(line, place)
    columns = place.columns
    while columns and _indent(line) < columns[-1]:
        columns = columns[:-1]
    inner = line[columns[-1] :] if columns else line
    deep = "    " * len(columns)
    item = _ITEM.match(inner)
    if item:
        between = [""] if _interrupts(inner, columns, place) else []
        begin = (columns[-1] if columns else 0) + item.end()
        text = f"{deep}{item['sign']} {inner[item.end() :]}"
        return [*between, text], _Place((*columns, begin), "", True)
    fence = _FENCE.match(inner)
    return [deep + inner], _Place(columns, fence[1] if fence else "", not fence)


def _in_fence(line: str, place: _Place) -> tuple[list[str], _Place]:
    column = place.columns[-1] if place.columns else 0
    inner = line[min(column, _indent(line)) :]
    is_end = inner.strip().startswith(place.fence) and not inner.strip().strip(place.fence[0])
    return ["    " * len(place.columns) + inner], place._replace(fence="" if is_end else place.fence)


def _interrupts(inner: str, columns: tuple[int, ...], place: _Place) -> bool:
    """Whether a list begins here in the midst of a paragraph; a further item, and a list inside
    an item, do not."""
    is_inside = bool(columns or place.columns)
    return place.in_paragraph and not is_inside and bool(_INTERRUPTS.match(inner))


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))

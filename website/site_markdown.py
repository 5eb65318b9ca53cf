"""Pages as GitHub reads them, in the dialect of MkDocs.

Python-Markdown wants what belongs to an item of a list indented by four, whatever its sign, and a
blank line before a list; CommonMark does not. Pure: text in, text out. What else pages have means
the same to both, which a test holds to.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

__all__ = ["anchor", "python_markdown"]

_ITEM: Final = re.compile(r"(?P<sign>[-*+]|\d{1,9}[.)]) {1,4}(?=\S)")
# A paragraph ends where one of these begins; a line that goes on with "7." stays in it.
_INTERRUPTS: Final = re.compile(r"[-*+] |1[.)] ")
_CODE: Final = re.compile(r"`[^`]+`")
_FENCE: Final = re.compile(r"(`{3,}|~{3,})")


class _Place(NamedTuple):
    """Where a line stands: the columns at which the text of the open items begins, the fence that
    is open (the empty text: none), whether the line before has text, and whether a blank line has
    come since the last item began."""

    columns: tuple[int, ...] = ()
    fence: str = ""
    after_text: bool = False
    is_loose: bool = False


def anchor(heading: str, separator: str) -> str:
    """The anchor of a heading, as GitHub names it."""
    return re.sub(r"[^\w -]", "", heading.strip().lower()).replace(" ", separator)


def python_markdown(text: str) -> str:
    """The page with its lists as Python-Markdown reads them, and bars of code in tables: where
    GitHub wants a backslash in front of them, it shows that."""
    place = _Place()
    written: list[str] = []
    for line in text.splitlines():
        lines, place = _written(line, place)
        written += lines
    return "".join(f"{line}\n" for line in written)


def _written(line: str, place: _Place) -> tuple[list[str], _Place]:
    if not line.strip():
        return [""], place._replace(after_text=False, is_loose=True)
    if place.fence:
        return _in_fence(line, place)
    columns = place.columns
    while columns and _indent(line) < columns[-1]:
        columns = columns[:-1]
    inner = line[columns[-1] :] if columns else line
    deep = "    " * len(columns)
    item = _ITEM.match(inner)
    if item:
        between = [""] if _needs_blank(inner, columns, place) else []
        begin = (columns[-1] if columns else 0) + item.end()
        text = f"{deep}{item['sign']} {inner[item.end() :]}"
        return [*between, text], _Place((*columns, begin), after_text=True)
    if inner.startswith("|"):
        inner = _CODE.sub(lambda code: code[0].replace("\\|", "|"), inner)
    fence = _FENCE.match(inner)
    return [deep + inner], _Place(columns, fence[1] if fence else "", True, place.is_loose)


def _in_fence(line: str, place: _Place) -> tuple[list[str], _Place]:
    column = place.columns[-1] if place.columns else 0
    inner = line[min(column, _indent(line)) :]
    is_end = inner.strip().startswith(place.fence) and not inner.strip().strip(place.fence[0])
    return ["    " * len(place.columns) + inner], place._replace(
        fence="" if is_end else place.fence
    )


def _needs_blank(inner: str, columns: tuple[int, ...], place: _Place) -> bool:
    """Whether a blank line has to be put before an item: one that begins a list in the midst of a
    paragraph, or follows upon an item of several paragraphs."""
    if not place.after_text:
        return False
    is_further = len(place.columns) > len(columns)
    return place.is_loose if is_further else not columns and bool(_INTERRUPTS.match(inner))


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))

"""Convert pages from GitHub's Markdown to that of MkDocs. Pure.

Python-Markdown requires the content of a list item to be indented by four columns, and a blank line
before a list; CommonMark does not. Everything else on our pages means the same in both (tested).
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

_ITEM: Final = re.compile(r"(?P<sign>[-*+]|\d{1,9}[.)]) {1,4}(?=\S)")
# An item that can interrupt a paragraph: a line that starts with "7." cannot.
_INTERRUPTS: Final = re.compile(r"[-*+] |1[.)] ")
_CODE: Final = re.compile(r"`[^`]+`")
_FENCE: Final = re.compile(r"(`{3,}|~{3,})")


class _State(NamedTuple):
    """The state before a line."""

    columns: tuple[int, ...] = ()  # where the text of each open list item starts
    fence: str = ""  # the open fence, if any
    after_text: bool = False  # the previous line is not blank
    is_loose: bool = False  # a blank line followed the start of the last item


def anchor(heading: str, separator: str) -> str:
    """Return the anchor that GitHub gives a heading."""
    return re.sub(r"[^\w -]", "", heading.strip().lower()).replace(" ", separator)


def python_markdown(text: str) -> str:
    """Return a page with lists indented for Python-Markdown, and without the backslashes that
    GitHub requires before bars in the code of tables, which Python-Markdown would show.
    Names of files that a scenario writes are left out of fences."""
    state = _State()
    converted: list[str] = []
    for line in text.splitlines():
        lines, state = _convert_line(line, state)
        converted += lines
    return "".join(f"{line}\n" for line in converted)


def _convert_line(line: str, state: _State) -> tuple[list[str], _State]:
    if not line.strip():
        return [""], state._replace(after_text=False, is_loose=True)
    if state.fence:
        return _convert_fenced_line(line, state)
    columns = state.columns
    while columns and _indent(line) < columns[-1]:
        columns = columns[:-1]
    inner = line[columns[-1] :] if columns else line
    indent = "    " * len(columns)
    item = _ITEM.match(inner)
    if item:
        blank = [""] if _needs_blank_line(inner, columns, state) else []
        start = (columns[-1] if columns else 0) + item.end()
        text = f"{indent}{item['sign']} {inner[item.end() :]}"
        return [*blank, text], _State((*columns, start), after_text=True)
    if inner.startswith("|"):
        inner = _CODE.sub(lambda code: code[0].replace("\\|", "|"), inner)
    fence = _FENCE.match(inner)
    if fence:
        inner = inner.partition(" file=")[0]
    return [indent + inner], _State(columns, fence[1] if fence else "", True, state.is_loose)


def _convert_fenced_line(line: str, state: _State) -> tuple[list[str], _State]:
    column = state.columns[-1] if state.columns else 0
    inner = line[min(column, _indent(line)) :]
    is_end = inner.strip().startswith(state.fence) and not inner.strip().strip(state.fence[0])
    return ["    " * len(state.columns) + inner], state._replace(
        fence="" if is_end else state.fence
    )


def _needs_blank_line(inner: str, columns: tuple[int, ...], state: _State) -> bool:
    """Return whether an item needs a blank line before it: it interrupts a paragraph, or follows an
    item of several paragraphs."""
    if not state.after_text:
        return False
    follows_item = len(state.columns) > len(columns)
    return state.is_loose if follows_item else not columns and bool(_INTERRUPTS.match(inner))


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))

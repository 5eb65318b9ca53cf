"""Escape text for Markdown, and build tables. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

_SPECIAL: Final = re.compile(r"[][&<>\\`*_{}()#|~!]")


def plain(text: str) -> str:
    """Return Markdown that shows a text as it is."""
    return _SPECIAL.sub(lambda sign: f"&#{ord(sign[0])};", text)


def code(text: str) -> str:
    """Return a text as code; as HTML, because a bar in backticks would end a cell of a table."""
    return f"<code>{plain(text)}</code>"


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table of cells of Markdown."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)

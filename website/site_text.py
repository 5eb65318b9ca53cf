"""Text and tables as Markdown, where what stands in them is not Markdown. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

__all__ = ["code", "plain", "table"]

_SPECIAL: Final = re.compile(r"[][&<>\\`*_{}()#|~!]")


def plain(text: str) -> str:
    """Text that shows as it is, whatever is in it."""
    return _SPECIAL.sub(lambda sign: f"&#{ord(sign[0])};", text)


def code(text: str) -> str:
    """The same as code. Not in backticks: a table would part a cell at a bar in it."""
    return f"<code>{plain(text)}</code>"


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of cells that are Markdown."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)

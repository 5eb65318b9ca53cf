"""Mark where two texts differ, and cut them so that the difference stays visible.

Pure. Widths are terminal cells: a Chinese character takes two. Source: docs/differences.md.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple
from unicodedata import combining, east_asian_width, normalize

from harness.text import escape_nonprintable


class TextParts(NamedTuple):
    """A text in three parts: equal, differing, equal."""

    before: str
    differing: str
    after: str

    @property
    def cells(self) -> int:
        return sum(map(cells, self))

    def painted(self, paint: Callable[[str], str], mark: Callable[[str], str]) -> str:
        """Return the text, painted as a whole, and its difference marked."""
        paints = zip(self, (paint, mark, paint), strict=True)
        return "".join(each(part) for part, each in paints if part)


def parts_of(left: str, right: str) -> tuple[TextParts, TextParts]:
    """Return two texts, made printable, in three parts each.

    If they differ only in white space, differing spaces become dots; if only in Unicode
    composition, combining characters become escapes.
    """
    left, right = escape_nonprintable(left), escape_nonprintable(right)
    first = _common_length(left, right)
    last = _common_length(left[first:][::-1], right[first:][::-1])
    mark: Callable[[str], str] = str
    if left != right and "".join(left.split()) == "".join(right.split()):
        mark = _dot_spaces
    elif left != right and normalize("NFC", left) == normalize("NFC", right):
        mark = _escape_combining
    return _split(left, first, last, mark), _split(right, first, last, mark)


def fit_parts(left: TextParts, right: TextParts, room: int) -> tuple[TextParts, TextParts]:
    """Return both texts cut to `room` cells, with equal beginnings and the difference's start."""
    rest = max(left.cells, right.cells) - cells(left.before)
    before = end_of(left.before, max(room // 3, room - rest))
    return _cut(left, before, room), _cut(right, before, room)


def _cut(parts: TextParts, before: str, room: int) -> TextParts:
    room -= cells(before)
    differing = beginning_of(parts.differing, room)
    return TextParts(before, differing, beginning_of(parts.after, room - cells(differing)))


def cells(text: str) -> int:
    return len(text) if text.isascii() else sum(map(_cell, text))


def end_of(text: str, room: int) -> str:
    """Return a text cut at its beginning to `room` cells."""
    return beginning_of(text[::-1], room)[::-1]


def beginning_of(text: str, room: int) -> str:
    """Return a text cut at its end to `room` cells."""
    if cells(text) <= room:
        return text
    taken = text[: max(0, room - 1)]
    while cells(taken) > room - 1 and taken:
        taken = taken[:-1]
    return f"{taken}…" if room > 0 else ""


def _cell(char: str) -> int:
    if combining(char):
        return 0
    return 2 if east_asian_width(char) in ("W", "F") else 1


def _common_length(left: str, right: str) -> int:
    pairs = enumerate(zip(left, right, strict=False))
    return next((i for i, (one, other) in pairs if one != other), min(len(left), len(right)))


def _split(text: str, first: int, last: int, mark: Callable[[str], str]) -> TextParts:
    end = len(text) - last
    return TextParts(text[:first], mark(text[first:end]), text[end:])


def _dot_spaces(text: str) -> str:
    return text.replace(" ", "·")


def _escape_combining(text: str) -> str:
    return "".join(f"<U+{ord(char):04X}>" if combining(char) else char for char in text)

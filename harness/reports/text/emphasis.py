"""Mark where two texts differ, and cut them so that the difference stays visible.

Pure. Widths are terminal cells: a Chinese character takes two. Source: docs/output.md.
"""

from __future__ import annotations

from collections.abc import Callable
from os.path import commonprefix
from typing import NamedTuple
from unicodedata import combining, normalize

from harness.text import cells, escape_nonprintable, fitting_length


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
    composition, characters that look like others become escapes.
    """
    composed = normalize("NFC", left) if look_alike(left, right) else ""
    left, right = escape_nonprintable(left), escape_nonprintable(right)
    first = len(commonprefix((left, right)))
    last = len(commonprefix((left[first:][::-1], right[first:][::-1])))
    has_equal_words = "".join(left.split()) == "".join(right.split())

    def split(text: str) -> TextParts:
        differing = text[first : len(text) - last]
        if has_equal_words:
            differing = differing.replace(" ", "·")
        elif composed:
            differing = "".join(
                f"<U+{ord(char):04X}>"
                if combining(char) or not (char.isascii() or char in composed)
                else char
                for char in differing
            )
        return TextParts(text[:first], differing, text[len(text) - last :])

    return split(left), split(right)


def look_alike(left: str, right: str) -> bool:
    """Return whether two different texts differ only in Unicode composition."""
    return left != right and normalize("NFC", left) == normalize("NFC", right)


def fit_parts(left: TextParts, right: TextParts, room: int) -> tuple[TextParts, TextParts]:
    """Return both texts cut to `room` cells, with equal beginnings and the difference's start."""
    rest = max(left.cells, right.cells) - cells(left.before)
    before = end_of(left.before, max(room // 3, room - rest))
    return _cut(left, before, room), _cut(right, before, room)


def _cut(parts: TextParts, before: str, room: int) -> TextParts:
    room -= cells(before)
    differing = beginning_of(parts.differing, room)
    return TextParts(before, differing, beginning_of(parts.after, room - cells(differing)))


def end_of(text: str, room: int) -> str:
    """Return a text cut at its beginning to `room` cells."""
    return beginning_of(text[::-1], room)[::-1]


def beginning_of(text: str, room: int) -> str:
    """Return a text cut at its end to `room` cells."""
    if cells(text) <= room:
        return text
    return f"{text[: fitting_length(text, room - 1)]}…" if room > 0 else ""

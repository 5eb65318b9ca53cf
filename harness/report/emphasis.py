"""A text beside another one: the part that differs, in sight however long they are.

Pure. Widths are cells of a terminal, of which a Chinese character takes two. All that comes out is
visible, and no wider than it may be. Source: docs/differences.md.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple
from unicodedata import combining, east_asian_width, normalize

from harness.words import visible

__all__ = ["Parts", "beginning_of", "cells", "end_of", "fitted", "parts_of"]


class Parts(NamedTuple):
    """A text in three: what both have, where they differ, what both have."""

    before: str
    differing: str
    after: str

    @property
    def cells(self) -> int:
        """How wide it is."""
        return sum(map(cells, self))

    def painted(self, paint: Callable[[str], str]) -> str:
        """The text, with the differing part in colour."""
        return f"{self.before}{paint(self.differing) if self.differing else ''}{self.after}"


def parts_of(left: str, right: str) -> tuple[Parts, Parts]:
    """Two texts, made visible, each in three parts. Where they differ in white space only, those
    spaces are dots; where by composed characters, these are taken apart."""
    ours, theirs = visible(left), visible(right)
    first = _common(ours, theirs)
    last = _common(ours[first:][::-1], theirs[first:][::-1])
    both = _split(ours, first, last), _split(theirs, first, last)
    if ours != theirs and "".join(ours.split()) == "".join(theirs.split()):
        return _dotted(both[0]), _dotted(both[1])
    if ours != theirs and normalize("NFC", ours) == normalize("NFC", theirs):
        return _spelled(both[0]), _spelled(both[1])
    return both


def fitted(left: Parts, right: Parts, room: int) -> tuple[Parts, Parts]:
    """As much of two texts as there is room for, each; both begin with the same, and the beginning
    of where they differ is in sight."""
    rest = max(left.cells, right.cells) - cells(left.before)
    before = end_of(left.before, max(room // 3, room - rest))
    return _cut(left, before, room), _cut(right, before, room)


def _cut(parts: Parts, before: str, room: int) -> Parts:
    room -= cells(before)
    differing = beginning_of(parts.differing, room)
    return Parts(before, differing, beginning_of(parts.after, room - cells(differing)))


def cells(text: str) -> int:
    """How wide a text is on a terminal."""
    return len(text) if text.isascii() else sum(map(_cell, text))


def end_of(text: str, room: int) -> str:
    """A text of which the beginning is left out where there is no room for it."""
    return beginning_of(text[::-1], room)[::-1]


def beginning_of(text: str, room: int) -> str:
    """A text of which the end is left out where there is no room for it."""
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


def _common(left: str, right: str) -> int:
    """How many characters at the beginning are the same."""
    pairs = enumerate(zip(left, right, strict=False))
    return next((i for i, (one, other) in pairs if one != other), min(len(left), len(right)))


def _split(text: str, first: int, last: int) -> Parts:
    return Parts(text[:first], text[first : len(text) - last], text[len(text) - last :])


def _dotted(parts: Parts) -> Parts:
    return parts._replace(differing=parts.differing.replace(" ", "·"))


def _spelled(parts: Parts) -> Parts:
    marks = (f"\\u{ord(char):04x}" if combining(char) else char for char in parts.differing)
    return parts._replace(differing="".join(marks))

"""Texts as XML 1.0 carries them. Pure.

What XML has no place for (control characters, half a surrogate pair) and what nobody would see
stand as escapes, so that a document is well-formed whatever a program printed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from harness.words import visible

__all__ = ["attributes", "escaped", "paragraph"]

_MARKUP: Final = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"})


def escaped(text: str) -> str:
    """A text on one line, as an attribute or an element may have it."""
    return visible(text).translate(_MARKUP)


def paragraph(lines: Iterable[str]) -> str:
    """Several lines, as an element may have them."""
    return "\n".join(map(escaped, lines))


def attributes(values: Mapping[str, str | int]) -> str:
    """Attributes, each with a space in front."""
    return "".join(f' {name}="{escaped(str(value))}"' for name, value in values.items())

"""The form of JSON values: small strict decoders that every program's own are made of.

Each takes a value and its place, and returns what it means or raises Refused. Pure; knows no game.
"""

from __future__ import annotations

from typing import Final, TypeVar

from harness.jsontext import Number, encode
from xtests.refusal import Kind, Pointer, Refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from harness.jsontext import Json

__all__ = ["array", "number", "shown", "spellings", "unexpected", "word"]

T = TypeVar("T")
N = TypeVar("N", bound=int)

_LONGEST_SHOWN: Final = 40  # characters of a value that a message repeats


def spellings(numbers: Iterable[N]) -> dict[str, N]:
    """Integers by the one way to write each. A table of them makes reading strict: 1.0, 1e0, -0
    and true are no keys of it, and no number is ever converted, however long."""
    return {str(each): each for each in numbers}


def number(value: Json, at: Pointer, spelled: Mapping[str, T], expected: str) -> T:
    """What a number of the table stands for."""
    if isinstance(value, Number):
        if value.text in spelled:
            return spelled[value.text]
        if any(mark in value.text for mark in ".eE"):
            expected = f"{expected}, written without fraction or exponent,"
    raise unexpected(value, at, expected)


def word(value: Json, at: Pointer, words: Mapping[str, T], expected: str) -> T:
    """What a string of the table stands for."""
    if not isinstance(value, str) or value not in words:
        raise unexpected(value, at, expected)
    return words[value]


def array(value: Json, at: Pointer, lengths: tuple[int, ...] | None, expected: str) -> list[Json]:
    """The elements of an array of one of these lengths; None: of any length."""
    if not isinstance(value, list) or (lengths is not None and len(value) not in lengths):
        raise unexpected(value, at, expected)
    return value


def unexpected(value: Json, at: Pointer, expected: str) -> Refused:
    """The refusal of a value that has not the form which its place asks for."""
    message = f"{expected} expected at {at}, found {shown(value)}"
    return Refused(Kind.INVALID_SPEC, at, message)


def shown(value: Json) -> str:
    """A value as a message repeats it: itself where it is short, else what kind of thing it is."""
    if isinstance(value, str) and len(value) > _LONGEST_SHOWN:
        return f"{encode(value[:_LONGEST_SHOWN])}... ({len(value)} characters)"
    if isinstance(value, Number) and len(value.text) > _LONGEST_SHOWN:
        return f"{value.text[:_LONGEST_SHOWN]}... ({len(value.text)} characters)"
    text = encode(value)
    if isinstance(value, list) and len(text) > _LONGEST_SHOWN:
        return f"an array of {len(value)} element{'s' if len(value) > 1 else ''}"
    if isinstance(value, dict) and len(text) > _LONGEST_SHOWN:
        return f"an object of {len(value)} member{'s' if len(value) > 1 else ''}"
    return text

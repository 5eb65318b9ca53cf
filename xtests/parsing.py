"""Strict parsers of JSON values, from which the programs build their own.

Each takes a value and its place, and returns what the value means or raises InputError.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeVar

from harness.jsonio.decoder import Number, encode
from xtests.errors import ROOT, InputError, Kind, Pointer, element, incomplete, member

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from harness.jsonio.decoder import Json

__all__ = [
    "check_end",
    "describe",
    "integers_by_text",
    "parse_array",
    "parse_members",
    "parse_number",
    "parse_word",
    "require_value",
    "unexpected",
    "unknown_member",
]

T = TypeVar("T")
N = TypeVar("N", bound=int)

_MAX_QUOTED: Final = 40  # characters of a value that a message quotes


def require_value(values: list[Json], index: int, expected: str) -> Json:
    """Return an input value. Raise InputError if the input ends before it."""
    if index >= len(values):
        raise incomplete(index, expected)
    return values[index]


def check_end(values: list[Json], count: int) -> None:
    """Raise InputError if there are more than `count` input values."""
    if len(values) > count:
        raise unexpected(values[count], element(ROOT, count), "the end of the input")


def integers_by_text(integers: Iterable[N]) -> dict[str, N]:
    """Return a table for `parse_number`: integers by their canonical JSON text.

    A table makes parsing strict and bounded: it has no key 1.0, 1e0 or -0, and no number is ever
    converted, however long.
    """
    return {str(each): each for each in integers}


def parse_number(value: Json, at: Pointer, by_text: Mapping[str, T], expected: str) -> T:
    """Return the entry of a table whose key is the text of this number."""
    if isinstance(value, Number):
        if value.text in by_text:
            return by_text[value.text]
        if any(mark in value.text for mark in ".eE"):
            expected = f"{expected}, written without fraction or exponent,"
        elif value.text == "-0":
            expected = f"{expected}, written without a minus sign,"
    raise unexpected(value, at, expected)


def parse_word(value: Json, at: Pointer, words: Mapping[str, T], expected: str) -> T:
    """Return the entry of a table whose key is this string."""
    if not isinstance(value, str) or value not in words:
        raise unexpected(value, at, expected)
    return words[value]


def parse_array(
    value: Json, at: Pointer, lengths: tuple[int, ...] | None, expected: str
) -> list[Json]:
    """Return the elements of an array of one of these lengths, or of any length if None."""
    if not isinstance(value, list) or (lengths is not None and len(value) not in lengths):
        raise unexpected(value, at, expected)
    return value


def parse_members(
    value: Json, at: Pointer, required: tuple[str, ...], optional: tuple[str, ...], expected: str
) -> Iterator[tuple[str, Json, Pointer]]:
    """Yield the name, value and place of each member of an object, in document order.

    Raise InputError at once for another type or a missing member, and in its turn for a member of
    another name.
    """
    if not isinstance(value, dict) or not all(name in value for name in required):
        raise unexpected(value, at, expected)
    for name, part in value.items():
        place = member(at, name)
        if name not in required + optional:
            raise unknown_member(place, required + optional)
        yield name, part, place


def unexpected(value: Json, at: Pointer, expected: str) -> InputError:
    """Return the error for a value of a wrong type, length or range."""
    message = f"{expected} expected at {at}, found {describe(value)}"
    return InputError(Kind.INVALID_SPEC, at, message)


def unknown_member(at: Pointer, names: tuple[str, ...]) -> InputError:
    """Return the error for a member whose name is none of these."""
    known = ", ".join(map(encode, names))
    message = f"no member of this name expected at {at}: known here are {known}"
    return InputError(Kind.INVALID_SPEC, at, message)


def describe(value: Json) -> str:
    """Return a value as a message quotes it, abbreviated if it is long."""
    if isinstance(value, str) and len(value) > _MAX_QUOTED:
        return f"{encode(value[:_MAX_QUOTED])}... ({len(value)} characters)"
    if isinstance(value, Number) and len(value.text) > _MAX_QUOTED:
        return f"{value.text[:_MAX_QUOTED]}... ({len(value.text)} characters)"
    if isinstance(value, (list, dict)):
        # The text of more parts would be too long: each has at least two characters.
        text = encode(value) if len(value) <= _MAX_QUOTED else ""
        if text and len(text) <= _MAX_QUOTED:
            return text
        parts = "an array of {} element" if isinstance(value, list) else "an object of {} member"
        return f"{parts.format(len(value))}{'s' if len(value) > 1 else ''}"
    return encode(value)

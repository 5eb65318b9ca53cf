"""Slips: what may go wrong with one JSON value on its way from a right program to its output.

Pure: a value in, a value out, the same one where there is nothing to go wrong. Which values of an
answer slip, and how consistently, is decided in harness/care/mutation.py. Source: docs/care.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import isfinite
from typing import Final
from unicodedata import normalize

from harness.care.outline import Change
from harness.jsontext import Json, Number, encode
from harness.records import MISSING

__all__ = ["LEFT_OUT", "SLIPS", "other_case", "others"]

LEFT_OUT: Final = "left out"

_INT_DIGITS: Final = 4_000  # int() refuses texts of more than 4,300 digits, and is slow before that
_WORD: Final = 2**31


def others(value: Json) -> Iterator[Json]:
    """Values that might stand in the place of one: its neighbour, and the simplest of each kind."""
    if isinstance(value, Number):
        yield _stepped(value, 1)
        yield _stepped(value, -1)
    elif isinstance(value, str):
        yield f"{value}x"
    elif isinstance(value, list):
        yield from ([inner] for inner in _SIMPLEST)
    yield from (simple for simple in _SIMPLEST if encode(simple) != encode(value))


def other_case(text: str) -> str:
    """A text with capitals for small letters; one without letters gets a mark instead."""
    swapped = text.swapcase()
    return swapped if swapped != text else f"{text}_"


_SIMPLEST: Final[tuple[Json, ...]] = (None, False, True, Number("0"), "", "a", [], {})


# Any value, true and false, null.


def _null(_value: Json) -> Json:
    return None


def _wrapped(value: Json) -> Json:
    return [value]


def _as_string(value: Json) -> Json:
    return value if isinstance(value, (str, list, dict)) else encode(value)


def _encoded_twice(value: Json) -> Json:
    return encode(value) if isinstance(value, (list, dict)) else value


def _flipped(value: Json) -> Json:
    return not value if isinstance(value, bool) else value


def _as_bit(value: Json) -> Json:
    return Number(str(int(value))) if isinstance(value, bool) else value


def _false_for_null(value: Json) -> Json:
    return False if value is None else value


# Numbers.


def _on_integer(change: Callable[[int], int]) -> Callable[[Json], Json]:
    def slip(value: Json) -> Json:
        whole = _whole(value)
        # Zero in front of no sign: "-0" stays as it is written.
        return value if whole is None or change(whole) == whole else Number(str(change(whole)))

    return slip


def _whole(value: Json) -> int | None:
    if not isinstance(value, Number) or len(value.text) > _INT_DIGITS:
        return None
    return int(value.text) if value.text.lstrip("-").isdecimal() else None


def _stepped(number: Number, step: int) -> Json:
    whole = _whole(number)
    return Number("0" if whole is None else str(whole + step))


def _rounded(whole: int) -> int:
    try:
        return int(float(whole))
    except OverflowError:
        return whole


def _signed(value: Json) -> Json:
    if not isinstance(value, Number) or not value.text.strip("-0.eE+"):
        return value
    return Number(value.text[1:] if value.text.startswith("-") else f"-{value.text}")


def _with_point(value: Json) -> Json:
    if isinstance(value, Number) and value.text.lstrip("-").isdecimal():
        return Number(f"{value.text}.0")
    return value


def _without_fraction(value: Json) -> Json:
    if isinstance(value, Number) and "." in value.text and "e" not in value.text.lower():
        return Number(value.text.partition(".")[0])
    return value


def _nearly(value: Json) -> Json:
    if not isinstance(value, Number) or _whole(value) is not None:
        return value
    near = float(value.text) * (1 + 1e-6)
    return Number(repr(near)) if isfinite(near) else value


# Strings.


def _on_text(change: Callable[[str], str]) -> Callable[[Json], Json]:
    return lambda value: change(value) if isinstance(value, str) else value


def _ascii(text: str) -> str:
    return text.encode("ascii", "replace").decode()


def _as_number(value: Json) -> Json:
    if isinstance(value, str) and _is_written(value):
        return Number(value)
    return value


def _digits_rounded(text: str) -> str:
    return str(_rounded(int(text))) if _is_written(text) and len(text) < _INT_DIGITS else text


def _is_written(text: str) -> bool:
    """Whether a text is an integer as JSON writes it: no plus, no zeros in front."""
    digits = text.removeprefix("-")
    plain = digits.isascii() and digits.isdecimal()
    return plain and (digits == "0" or not digits.startswith("0"))


# Arrays and objects.


def _on_array(change: Callable[[list[Json]], list[Json]]) -> Callable[[Json], Json]:
    return lambda value: change(value) if isinstance(value, list) else value


def _sorted(array: list[Json]) -> list[Json]:
    return sorted(array, key=_rank)


def _rank(value: Json) -> tuple[int, int, str]:
    whole = _whole(value)
    return (1, 0, encode(value)) if whole is None else (0, whole, "")


def _distinct(array: list[Json]) -> list[Json]:
    first: dict[str, Json] = {}
    for element in array:
        first.setdefault(encode(element), element)
    return list(first.values())


def _flattened(array: list[Json]) -> list[Json]:
    return [each for one in array for each in (one if isinstance(one, list) else [one])]


def _emptied(value: Json) -> Json:
    return {} if isinstance(value, dict) else value


def _with_member(value: Json) -> Json:
    return {**value, "debug": None} if isinstance(value, dict) else value


# By how a report says it. Where a value stays as it is, there was nothing to slip on.
SLIPS: Final[tuple[tuple[str, Change], ...]] = (
    (LEFT_OUT, lambda value: MISSING),
    ("null", _null),
    ("in an array of its own", _wrapped),
    ("as a string", _as_string),
    ("encoded twice", _encoded_twice),
    ("false for true, true for false", _flipped),
    ("1 for true, 0 for false", _as_bit),
    ("false for null", _false_for_null),
    ("one more", _on_integer(lambda whole: whole + 1)),
    ("one less", _on_integer(lambda whole: whole - 1)),
    ("the other sign", _signed),
    ("with a decimal point", _with_point),
    ("without its fraction", _without_fraction),
    ("a millionth more", _nearly),
    ("a number beyond 2^53 rounded to a double", _on_integer(_rounded)),
    (
        "a number beyond 32 bits wrapped",
        _on_integer(lambda whole: (whole + _WORD) % (2 * _WORD) - _WORD),
    ),
    ("capitals for small letters", _on_text(str.swapcase)),
    ("empty", _on_text(lambda text: "")),
    ("one character short", _on_text(lambda text: text[:-1])),
    ("a space behind", _on_text(lambda text: f"{text} ")),
    ("? for what is not ASCII", _on_text(_ascii)),
    ("decomposed (NFD)", _on_text(lambda text: normalize("NFD", text))),
    ("the digits of a string as a number", _as_number),
    ("the digits of a string rounded to a double", _on_text(_digits_rounded)),
    ("without elements", _on_array(lambda array: [])),
    ("the first element dropped", _on_array(lambda array: array[1:])),
    ("the last element dropped", _on_array(lambda array: array[:-1])),
    ("the first element twice", _on_array(lambda array: array[:1] + array)),
    ("the last element twice", _on_array(lambda array: array + array[-1:])),
    ("the first two elements swapped", _on_array(lambda array: array[1::-1] + array[2:])),
    ("in reverse", _on_array(lambda array: array[::-1])),
    ("sorted", _on_array(_sorted)),
    ("equal elements once", _on_array(_distinct)),
    ("inner arrays dissolved", _on_array(_flattened)),
    ("a null behind", _on_array(lambda array: [*array, None])),
    ("without members", _emptied),
    ("a member too many", _with_member),
)

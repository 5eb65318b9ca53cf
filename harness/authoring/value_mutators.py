"""Mutators of one JSON value, such as a rounded number or a dropped element.

A mutator returns the value itself where it does not apply. docs/care.md lists them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import isfinite
from typing import Final
from unicodedata import normalize

from harness.authoring.json_shape import Change
from harness.jsonio.decoder import Json, Number, encode
from harness.model.judgement import MISSING

__all__ = ["MUTATORS", "REMOVED", "mutated_values", "swap_case"]

REMOVED: Final = "removed"

_INT_DIGITS: Final = 4_000  # int() rejects more than 4,300 digits
_WORD: Final = 2**31


def mutated_values(value: Json) -> Iterator[Json]:
    """Yield other values for the place of one: its neighbours, and the simplest of each kind."""
    if isinstance(value, Number):
        yield _stepped(value, 1)
        yield _stepped(value, -1)
    elif isinstance(value, str):
        yield f"{value}x"
    elif isinstance(value, list):
        yield from ([inner] for inner in _SIMPLEST)
    yield from (simple for simple in _SIMPLEST if encode(simple) != encode(value))


def swap_case(text: str) -> str:
    """Return a text with its case swapped, or with a mark if it has no letters."""
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
    def mutate(value: Json) -> Json:
        whole = _whole(value)
        # A change to an equal number is none: "-0" stays as it is written.
        return value if whole is None or change(whole) == whole else Number(str(change(whole)))

    return mutate


def _whole(value: Json) -> int | None:
    if not isinstance(value, Number) or len(value.text) > _INT_DIGITS:
        return None
    return int(value.text) if value.text.lstrip("-").isdecimal() else None


def _stepped(number: Number, step: int) -> Json:
    whole = _whole(number)
    return Number("0" if whole is None else str(whole + step))


def _round_to_double(whole: int) -> int:
    try:
        return int(float(whole))
    except OverflowError:
        return whole


def _negated(value: Json) -> Json:
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
    if isinstance(value, str) and _is_canonical_integer(value):
        return Number(value)
    return value


def _digits_rounded(text: str) -> str:
    return (
        str(_round_to_double(int(text)))
        if _is_canonical_integer(text) and len(text) < _INT_DIGITS
        else text
    )


def _is_canonical_integer(text: str) -> bool:
    """Return whether a text is an integer without plus or leading zeros."""
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


# By their names in reports.
MUTATORS: Final[tuple[tuple[str, Change], ...]] = (
    (REMOVED, lambda value: MISSING),
    ("null", _null),
    ("wrapped in an array", _wrapped),
    ("as a string", _as_string),
    ("encoded twice", _encoded_twice),
    ("true and false swapped", _flipped),
    ("1 for true, 0 for false", _as_bit),
    ("false for null", _false_for_null),
    ("plus 1", _on_integer(lambda whole: whole + 1)),
    ("minus 1", _on_integer(lambda whole: whole - 1)),
    ("negated", _negated),
    ("with a decimal point", _with_point),
    ("without its fraction", _without_fraction),
    ("a millionth larger", _nearly),
    ("beyond 2^53 rounded to a double", _on_integer(_round_to_double)),
    (
        "beyond 32 bits wrapped",
        _on_integer(lambda whole: (whole + _WORD) % (2 * _WORD) - _WORD),
    ),
    ("case swapped", _on_text(str.swapcase)),
    ("emptied string", _on_text(lambda text: "")),
    ("last character dropped", _on_text(lambda text: text[:-1])),
    ("trailing space added", _on_text(lambda text: f"{text} ")),
    ("? for non-ASCII characters", _on_text(_ascii)),
    ("decomposed (NFD)", _on_text(lambda text: normalize("NFD", text))),
    ("digits as a number", _as_number),
    ("digits rounded to a double", _on_text(_digits_rounded)),
    ("emptied array", _on_array(lambda array: [])),
    ("first element dropped", _on_array(lambda array: array[1:])),
    ("last element dropped", _on_array(lambda array: array[:-1])),
    ("first element twice", _on_array(lambda array: array[:1] + array)),
    ("last element twice", _on_array(lambda array: array + array[-1:])),
    ("first two elements swapped", _on_array(lambda array: array[1::-1] + array[2:])),
    ("reversed", _on_array(lambda array: array[::-1])),
    ("sorted", _on_array(_sorted)),
    ("duplicates removed", _on_array(_distinct)),
    ("inner arrays flattened", _on_array(_flattened)),
    ("null appended", _on_array(lambda array: [*array, None])),
    ("emptied object", _emptied),
    ("extra member", _with_member),
)

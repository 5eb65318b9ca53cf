"""Mutators of one JSON value, such as a rounded number or a dropped element.

A mutator returns the value itself where it does not apply. docs/care.md lists them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import isfinite
from typing import Final, TypeVar
from unicodedata import normalize

from harness.authoring.json_shape import ValueChange
from harness.jsonio.decoder import Json, Number, encode
from harness.model.judgement import MISSING

T = TypeVar("T")

REMOVED: Final = "removed"

_INT_DIGITS: Final = 4_000  # int() rejects more than 4,300 digits
_WORD: Final = 2**31


def mutated_values(value: Json) -> Iterator[Json]:
    """Yield values that differ from this one: similar ones, and the simplest of each type."""
    if isinstance(value, Number):
        yield _stepped(value, 1)
        yield _stepped(value, -1)
    elif isinstance(value, str):
        yield f"{value}x"
    elif isinstance(value, list):
        yield from ([inner] for inner in _SIMPLEST)
    yield from (simple for simple in _SIMPLEST if encode(simple) != encode(value))


def swap_case(text: str) -> str:
    """Return a text with its case swapped, or with an underscore added if it has no letters."""
    swapped = text.swapcase()
    return swapped if swapped != text else f"{text}_"


_SIMPLEST: Final[tuple[Json, ...]] = (None, False, True, Number("0"), "", "a", [], {})


def _on(kind: type[T], change: Callable[[T], Json]) -> ValueChange:
    """Return a mutator of values of one type."""
    return lambda value: change(value) if isinstance(value, kind) else value


def _on_integer(change: Callable[[int], int]) -> ValueChange:
    def mutate(number: Number) -> Json:
        whole = _whole(number)
        # A change to an equal number is none: "-0" stays as it is written.
        return number if whole is None or change(whole) == whole else Number(str(change(whole)))

    return _on(Number, mutate)


# Numbers.


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


def _negated(number: Number) -> Json:
    if not number.text.strip("-0.eE+"):
        return number
    return Number(number.text[1:] if number.text.startswith("-") else f"-{number.text}")


def _with_point(number: Number) -> Json:
    return Number(f"{number.text}.0") if number.text.lstrip("-").isdecimal() else number


def _without_fraction(number: Number) -> Json:
    whole, point, fraction = number.text.partition(".")
    return Number(whole) if point and "e" not in fraction.lower() else number


def _nearly(number: Number) -> Json:
    if _whole(number) is not None:
        return number
    near = float(number.text) * (1 + 1e-6)
    return Number(repr(near)) if isfinite(near) else number


# Strings.


def _digits_rounded(text: str) -> str:
    if not _is_canonical_integer(text) or len(text) >= _INT_DIGITS:
        return text
    return str(_round_to_double(int(text)))


def _is_canonical_integer(text: str) -> bool:
    """Return whether a text is an integer without plus or leading zeros."""
    digits = text.removeprefix("-")
    plain = digits.isascii() and digits.isdecimal()
    return plain and (digits == "0" or not digits.startswith("0"))


# Arrays.


def _rank(value: Json) -> tuple[int, int, str]:
    whole = _whole(value)
    return (1, 0, encode(value)) if whole is None else (0, whole, "")


def _flattened(array: list[Json]) -> list[Json]:
    return [each for one in array for each in (one if isinstance(one, list) else [one])]


# By their names in reports.
MUTATORS: Final[dict[str, ValueChange]] = {
    REMOVED: lambda value: MISSING,
    "null": lambda value: None,
    "wrapped in an array": lambda value: [value],
    "as a string": lambda value: value if isinstance(value, (str, list, dict)) else encode(value),
    "encoded twice": lambda value: encode(value) if isinstance(value, (list, dict)) else value,
    "true and false swapped": _on(bool, lambda value: not value),
    "1 for true, 0 for false": _on(bool, lambda value: Number(str(int(value)))),
    "false for null": lambda value: False if value is None else value,
    "plus 1": _on_integer(lambda whole: whole + 1),
    "minus 1": _on_integer(lambda whole: whole - 1),
    "negated": _on(Number, _negated),
    "with a decimal point": _on(Number, _with_point),
    "without its fraction": _on(Number, _without_fraction),
    "a millionth larger": _on(Number, _nearly),
    "beyond 2^53 rounded to a double": _on_integer(_round_to_double),
    "beyond 32 bits wrapped": _on_integer(lambda whole: (whole + _WORD) % (2 * _WORD) - _WORD),
    "case swapped": _on(str, str.swapcase),
    "emptied string": _on(str, lambda text: ""),
    "last character dropped": _on(str, lambda text: text[:-1]),
    "trailing space added": _on(str, lambda text: f"{text} "),
    "? for non-ASCII characters": _on(str, lambda text: text.encode("ascii", "replace").decode()),
    "decomposed (NFD)": _on(str, lambda text: normalize("NFD", text)),
    "digits as a number": _on(str, lambda t: Number(t) if _is_canonical_integer(t) else t),
    "digits rounded to a double": _on(str, _digits_rounded),
    "emptied array": _on(list, lambda array: []),
    "first element dropped": _on(list, lambda array: array[1:]),
    "last element dropped": _on(list, lambda array: array[:-1]),
    "first element twice": _on(list, lambda array: array[:1] + array),
    "last element twice": _on(list, lambda array: array + array[-1:]),
    "first two elements swapped": _on(list, lambda array: array[1::-1] + array[2:]),
    "reversed": _on(list, lambda array: array[::-1]),
    "sorted": _on(list, lambda array: sorted(array, key=_rank)),
    "duplicates removed": _on(list, lambda array: list({encode(e): e for e in array}.values())),
    "inner arrays flattened": _on(list, _flattened),
    "null appended": _on(list, lambda array: [*array, None]),
    "emptied object": _on(dict, lambda value: {}),
    "extra member": _on(dict, lambda value: {**value, "debug": None}),
}

"""The one place in the project that decides what equal JSON means, and where two streams differ.

Pure, and without recursion: values may be nested as deep as the judge reads them. Numbers are
compared by their digits, exactly, at any length. Source: docs/equality.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Context, Decimal
from typing import Final, NamedTuple

from harness.jsontext import Json, Number, encode
from harness.paths import Paths, Place, pointer
from harness.records import MISSING, Comparison, Difference, Missing, Numbers

__all__ = ["canonical", "differences", "equal_numbers"]


class _Pair(NamedTuple):
    """Two values that stand at the same place."""

    place: Place
    expected: Json | Missing
    actual: Json | Missing


def differences(
    expected: list[Json], actual: list[Json], comparison: Comparison
) -> Iterator[Difference]:
    """Every place where two streams of values differ, in document order of the expected stream.

    A value that only one side has is one difference, however large it is. In an unordered array,
    the elements that find no partner are reported, each under its own index.
    """
    paths = _PathSets(comparison)
    todo = [_Pair(None, expected, actual)]
    while todo:
        pair = todo.pop()
        if paths.ignore.match(pair.place):
            continue
        inner = _inner(pair, paths)
        if inner is not None:
            todo.extend(reversed(inner))
        elif not _same_leaf(pair.expected, pair.actual, comparison.numbers):
            yield Difference(pointer(pair.place), pair.expected, pair.actual)


class _PathSets:
    """The comparison's paths, ready to be matched."""

    def __init__(self, comparison: Comparison) -> None:
        self.numbers = comparison.numbers
        self.ignore = Paths(comparison.ignore)
        self.unordered = Paths(comparison.unordered)


def _inner(pair: _Pair, paths: _PathSets) -> list[_Pair] | None:
    """The pairs inside two containers of one kind; None where these are not two such."""
    place, expected, actual = pair
    if isinstance(expected, list) and isinstance(actual, list):
        if paths.unordered.match(place):
            return _unpartnered(place, expected, actual, paths)
        return _by_index(place, expected, actual)
    if isinstance(expected, dict) and isinstance(actual, dict):
        return _by_key(place, expected, actual)
    return None


def _by_index(place: Place, expected: list[Json], actual: list[Json]) -> list[_Pair]:
    both = min(len(expected), len(actual))
    pairs = [
        _Pair((place, index), left, right)
        for index, (left, right) in enumerate(zip(expected, actual, strict=False))
        if left is not right
    ]
    pairs += [_Pair((place, i), expected[i], MISSING) for i in range(both, len(expected))]
    pairs += [_Pair((place, i), MISSING, actual[i]) for i in range(both, len(actual))]
    return pairs


def _by_key(place: Place, expected: dict[str, Json], actual: dict[str, Json]) -> list[_Pair]:
    pairs = [
        _Pair((place, key), value, actual.get(key, MISSING)) for key, value in expected.items()
    ]
    pairs += [
        _Pair((place, key), MISSING, value) for key, value in actual.items() if key not in expected
    ]
    return pairs


def _unpartnered(
    place: Place, expected: list[Json], actual: list[Json], paths: _PathSets
) -> list[_Pair]:
    """The elements of two arrays, taken as multisets, that only one of them has."""
    waiting: dict[str, list[int]] = {}
    for index, element in enumerate(actual):
        waiting.setdefault(_canonical(element, (place, index), paths), []).append(index)
    pairs = []
    for index, element in enumerate(expected):
        partners = waiting.get(_canonical(element, (place, index), paths))
        if partners:
            partners.pop(0)
        else:
            pairs.append(_Pair((place, index), element, MISSING))
    left_over = sorted(index for partners in waiting.values() for index in partners)
    return pairs + [_Pair((place, index), MISSING, actual[index]) for index in left_over]


def _same_leaf(expected: Json | Missing, actual: Json | Missing, numbers: Numbers) -> bool:
    if isinstance(expected, Number) and isinstance(actual, Number):
        return equal_numbers(expected.text, actual.text, numbers)
    # Python's == takes True for 1; no other two kinds of leaf are ever equal to it.
    return type(expected) is type(actual) and expected == actual


# Numbers.


class _Value(NamedTuple):
    """A decimal number as 0.DIGITS times ten to the EXPONENT; no digit 0 at either end. Zero has
    no digits. The exponent is a Decimal where its own text is too long for int()."""

    negative: bool
    digits: str
    exponent: int | Decimal


# Python's int() refuses texts past 4,300 digits, and is quadratic before that.
_INT_DIGITS: Final = 4_000


def equal_numbers(left: str, right: str, numbers: Numbers) -> bool:
    """Whether two JSON numbers are equal. Exact: the same kind (integer, or with fraction or
    exponent) and the same value, where -0 is not 0. By value: 1 = 1.0 = 10e-1, and -0 = 0."""
    if left == right:
        return True
    if numbers is Numbers.EXACT and _is_integer(left) != _is_integer(right):
        return False
    return _value(left, numbers) == _value(right, numbers)


def _is_integer(text: str) -> bool:
    return not ("." in text or "e" in text or "E" in text)


def _value(text: str, numbers: Numbers) -> _Value:
    unsigned = text.removeprefix("-")
    mantissa, _, power = unsigned.replace("E", "e").partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = (whole + fraction).lstrip("0")
    shift = len(digits) - len(fraction)
    significant = digits.rstrip("0")
    negative = text != unsigned
    if not significant:
        # Minus zero is a value of its own only where sign counts by itself.
        return _Value(negative and numbers is Numbers.EXACT, "", 0)
    return _Value(negative, significant, _exponent(power, shift))


def _exponent(power: str, shift: int) -> int | Decimal:
    if len(power) <= _INT_DIGITS:
        return int(power or "0") + shift
    # One digit more than the longer of the two: the sum is exact.
    return Context(prec=len(power) + 20).add(Decimal(power), Decimal(shift))


# Canonical text: equal values, equal text.


def canonical(value: Json, comparison: Comparison) -> str:
    """A text that two values share exactly where they are equal under the comparison, whose paths
    are read as if the value were the whole stream."""
    return _canonical(value, None, _PathSets(comparison))


class _Visit(NamedTuple):
    """A value to be written; with keys: a container whose members have been, under these."""

    value: Json
    place: Place
    keys: list[str] | None = None


def _canonical(value: Json, place: Place, paths: _PathSets) -> str:
    todo = [_Visit(value, place)]
    done: list[str] = []
    while todo:
        item, where, keys = todo.pop()
        if keys is not None:
            first = len(done) - len(keys)
            texts = [key + text for key, text in zip(keys, done[first:], strict=True)]
            done[first:] = [_joined(item, texts, ordered=not paths.unordered.match(where))]
        elif paths.ignore.match(where):
            done.append("*")
        elif isinstance(item, (list, dict)):
            members = _members(item, where, paths)
            todo.append(_Visit(item, where, [_label(place_below) for _, place_below in members]))
            todo.extend(_Visit(member, below) for member, below in reversed(members))
        else:
            done.append(_leaf(item, paths.numbers))
    return done[0]


def _members(
    item: list[Json] | dict[str, Json], where: Place, paths: _PathSets
) -> list[tuple[Json, Place]]:
    if isinstance(item, list):
        return [(member, (where, index)) for index, member in enumerate(item)]
    # An ignored member need not be there at all; the order that members were printed in is free.
    below: list[tuple[Json, Place]] = [(item[key], (where, key)) for key in sorted(item)]
    return [(member, place) for member, place in below if not paths.ignore.match(place)]


def _label(place: Place) -> str:
    key = place[1] if place is not None else 0
    return f"{encode(key)}:" if isinstance(key, str) else ""


def _joined(item: Json, texts: list[str], *, ordered: bool) -> str:
    if isinstance(item, dict):
        return f"{{{','.join(texts)}}}"
    return f"[{','.join(texts if ordered else sorted(texts))}]"


def _leaf(item: None | bool | str | Number, numbers: Numbers) -> str:
    if not isinstance(item, Number):
        return encode(item)
    value = _value(item.text, numbers)
    kind = "" if numbers is Numbers.VALUE else "i" if _is_integer(item.text) else "f"
    return f"{kind}{'-' if value.negative else ''}0.{value.digits}e{value.exponent}"

"""Draw values that resemble others: equal ones, the next number, other orders of elements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Final

from harness.fuzz.values import look_alike, pick
from harness.jsonio.decoder import Json, Number

_DIGITS: Final = 15  # of an integer that is computed with


def echo_of(random: Random, value: Json, earlier: Mapping[type, Sequence[Json]]) -> Json:
    """Return a value that resembles an earlier one, and is often equal to it.

    `earlier` has all values that were drawn before, by type.
    """
    if isinstance(value, str):
        return _text_like(random, value, earlier)
    if random.random() < 0.4:
        return value
    if isinstance(value, Number):
        return _number_like(random, value, earlier[Number])
    if isinstance(value, list):
        return in_other_order(random, value) if random.random() < 0.7 else value[:-1]
    if isinstance(value, dict):
        return {key: value[key] for key in reversed(value)}
    return value


def _text_like(random: Random, text: str, earlier: Mapping[type, Sequence[Json]]) -> str:
    draw = random.random()
    if draw < 0.4:
        return text
    if draw < 0.5 and earlier[Number]:
        number = pick(random, earlier[Number])
        assert isinstance(number, Number)
        return number.text
    if draw < 0.6:
        return "".join(random.sample(text, len(text)))
    if draw < 0.7:
        return text[: int(random.random() * len(text)) + 1]
    if draw < 0.8:
        other = pick(random, earlier[str])
        assert isinstance(other, str)
        return text + other
    return text[::-1] if draw < 0.85 else look_alike(random, text)


def _number_like(random: Random, number: Number, earlier: Sequence[Json]) -> Number:
    value = _short_integer(number)
    if value is None:
        return Number(number.text.removeprefix("-"))
    other = _short_integer(pick(random, earlier)) or 0
    changed = pick(random, (value + 1, value - 1, -value, value + other, value - other, 2 * value))
    return Number(str(changed))


def in_other_order(random: Random, array: list[Json]) -> list[Json]:
    """Return the elements in another order, or consecutive numbers in their place."""
    draw = random.random()
    if draw < 0.2:
        return array[::-1]
    if draw < 0.4:
        return random.sample(array, len(array))
    numbers = list(map(_short_integer, array))
    if draw > 0.7 and None not in numbers:
        least = pick(random, (0, 0, 1))
        consecutive: list[Json] = [Number(str(least + index)) for index in range(len(array))]
        if draw > 0.9:
            return random.sample(consecutive, len(consecutive))
        return consecutive if draw < 0.8 else consecutive[::-1]
    ordered = sorted(array, key=_sort_key)
    return ordered if draw < 0.55 else ordered[::-1]


def _sort_key(value: Json) -> tuple[int, float, str]:
    """Return a key that sorts numbers and texts, and leaves other values in their order."""
    if isinstance(value, str):
        return (1, 0.0, value)
    return (0, float(value.text), "") if isinstance(value, Number) else (2, 0.0, "")


def _short_integer(value: Json) -> int | None:
    if isinstance(value, Number) and len(value.text) <= _DIGITS:
        if value.text.lstrip("-").isdecimal():
            return int(value.text)
    return None

"""Count the parts of an expected output that a run got right, each as a test of its own.

Pure, and linear in the size of the values, except for patterns and schemas. Source:
docs/assertions.md.
"""

from __future__ import annotations

from collections.abc import Iterator

from harness.jsonio.decoder import Json
from harness.jsonio.pointers import Pattern, Place, parse_pattern
from harness.judging.equality import DifferenceLocation, Pair, find_unequal, inner_pairs
from harness.judging.rules import rules_of
from harness.model.comparison import Comparison
from harness.model.judgement import MISSING

_Steps = tuple[int | str, ...]


def count_tests(expected: list[Json], each: str) -> int:
    """Return the number of values that a pattern matches, or 1 if it matches none."""
    return max(1, len(_places(expected, parse_pattern(each))))


def count_equal(expected: list[Json], actual: list[Json], each: str, rules: Comparison) -> int:
    """Return how many of the expected values that a pattern matches are equal to the actual ones.

    An element of an array without order is equal if it has a partner anywhere in the array.
    """
    pattern = parse_pattern(each)
    unequal = set(_unequal_places(expected, actual, rules, len(pattern)))
    return sum(
        not any(place[:length] in unequal for length in range(len(pattern) + 1))
        for place in _places(expected, pattern)
    )


def _places(expected: list[Json], pattern: Pattern) -> list[_Steps]:
    found: list[tuple[_Steps, Json]] = [((), expected)]
    for step in pattern:
        found = [
            ((*place, name), inside)
            for place, value in found
            for name, inside in _inside(value)
            if step in ("*", str(name))
        ]
    return [place for place, _ in found]


def _inside(value: Json) -> Iterator[tuple[int | str, Json]]:
    if isinstance(value, list):
        yield from enumerate(value)
    elif isinstance(value, dict):
        yield from value.items()


def _unequal_places(
    expected: list[Json], actual: list[Json], rules: Comparison, most: int
) -> Iterator[_Steps]:
    """Yield the places of unequal values, cut to `most` steps, without surplus values there."""
    streams = Pair(DifferenceLocation(None, None, rules_of(rules)), expected, actual)
    for pair in find_unequal(streams, inner_pairs):
        steps = _steps(pair.location.place)
        if pair.expected is not MISSING or len(steps) > most:
            yield steps[:most]


def _steps(place: Place) -> _Steps:
    steps: list[int | str] = []
    while place is not None:
        place, step = place
        steps.append(step)
    return tuple(reversed(steps))

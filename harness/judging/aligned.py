"""Where two streams differ, with the elements of their arrays aligned, so that one that was put in
or left out does not make all that follow it differ.

Pure. Decides what is told beside what: that two streams differ, and what is equal, is said by
`equality`. Bounded: past its allowance of work it tells by index. Source: docs/differences.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from harness.jsontext import Json
from harness.judging.alignment import Keys, Sides, Step, Work, partings
from harness.judging.equality import (
    Pair,
    Pairs,
    Spot,
    Table,
    equal_leaves,
    form_of,
    inner_pairs,
    is_uniform,
    stream_pair,
    told,
    unequal,
)
from harness.judging.likeness import ONE_KIND, Bag, bag_of, likeness
from harness.records import MISSING, Comparison, Difference, Missing

__all__ = ["aligned_differences"]

_WORK: Final = 1_000_000  # of one call: about half a second
_OF_CONTAINER: Final = 5  # work to open one
_OF_LEAF: Final = 2  # ... to make the form of a simple value
_OF_FORM: Final = 5  # ... for each value inside one whose form is made
_OF_BAG: Final = 100  # ... to look at what one value is made of


def aligned_differences(
    expected: list[Json], actual: list[Json], comparison: Comparison
) -> Iterator[Difference]:
    """The same as `differences`, which finds some exactly where this does, with the elements of
    ordered arrays aligned. In order of the expected stream; a value that was not expected stands
    where it was printed."""
    return map(told, unequal(stream_pair(expected, actual, comparison), _Aligner().inside))


class _Aligner:
    """The pairs inside two containers, aligned as long as there is work left."""

    def __init__(self) -> None:
        self._work: Final = Work(_WORK)

    def inside(self, pair: Pair) -> Pairs | None:
        """As `equality.inner_pairs`."""
        spot, expected, actual = pair
        if isinstance(expected, list) and isinstance(actual, list) and self._may_help(pair):
            arrays = _Arrays(spot.below(0), expected, actual, self._work)
            steps = partings(arrays.sides(), self._work)
            if steps is not None:
                return _parted(spot, expected, actual, steps)
        return inner_pairs(pair)

    def _may_help(self, pair: Pair) -> bool:
        return (
            self._work.left > 0 and is_uniform(pair.spot) and _is_many(pair.expected, pair.actual)
        )


def _is_many(*values: Json | Missing) -> bool:
    return any(isinstance(value, list) and len(value) > 1 for value in values)


def _parted(spot: Spot, expected: list[Json], actual: list[Json], steps: list[Step]) -> Pairs:
    for step in steps:
        i, j = step
        left = MISSING if i is None else expected[i]
        right = MISSING if j is None else actual[j]
        # Of a value that stands alone only its own index is ever told.
        known = [index for index in step if index is not None]
        yield Pair(spot.below(known[0], known[-1]), left, right)


class _Arrays:
    """Two arrays as alignment sees them. `spot` is that of all their elements."""

    def __init__(self, spot: Spot, expected: list[Json], actual: list[Json], work: Work) -> None:
        self._spot = spot
        self._expected = expected
        self._actual = actual
        self._work = work
        self._table = Table()
        self._bags: dict[int, Bag] = {}

    def sides(self) -> Sides:
        """What alignment needs."""
        counts = len(self._expected), len(self._actual)
        return Sides(*counts, self._equal, self._likeness, self._keys)

    def _equal(self, i: int, j: int) -> bool:
        left, right = self._expected[i], self._actual[j]
        if isinstance(left, (list, dict)):
            return next(unequal(Pair(self._spot, left, right), self._opened), None) is None
        return equal_leaves(left, right, self._spot)

    def _opened(self, pair: Pair) -> Pairs | None:
        size = len(pair.expected) if isinstance(pair.expected, (list, dict)) else 0
        return inner_pairs(pair) if self._work.spend(_OF_CONTAINER + size) else None

    def _keys(self, lefts: range, rights: range) -> Keys:
        ours = self._expected[lefts.start : lefts.stop]
        theirs = self._actual[rights.start : rights.stop]
        return [self._key(value) for value in ours], [self._key(value) for value in theirs]

    def _key(self, value: Json) -> int:
        work = _OF_LEAF
        if isinstance(value, (list, dict)):
            work = _OF_FORM * _size(value, self._work.left // _OF_FORM)
        return form_of(value, self._spot, self._table) if self._work.spend(work) else -1

    def _likeness(self, i: int, j: int) -> float:
        left, right = self._expected[i], self._actual[j]
        if type(left) is not type(right):
            return 0
        if not isinstance(left, (list, dict, str)) or not self._work.spend(_OF_CONTAINER):
            return ONE_KIND
        return likeness(self._bag(left), self._bag(right))

    def _bag(self, value: Json) -> Bag:
        if id(value) not in self._bags:
            self._work.spend(_OF_BAG)
            self._bags[id(value)] = bag_of(value)
        return self._bags[id(value)]


def _size(value: Json, most: int) -> int:
    """How many values there are in a value, itself among them; counted only while not too many."""
    todo, size = [value], 0
    while todo and size <= most:
        item = todo.pop()
        size += 1
        if isinstance(item, (list, dict)):
            todo += item if isinstance(item, list) else item.values()
    return size

"""Find the differences between two streams, with the elements of their arrays aligned.

With alignment, one inserted or removed element does not make all elements after it differ. This
only decides which elements are shown side by side; judging/equality.py decides what is equal. Work
is bounded: beyond the budget, elements are compared by index. Source: docs/output.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from harness.jsonio.decoder import Json, encode
from harness.judging.alignment import AlignedPair, Keys, Sides, WorkBudget, align
from harness.judging.equality import (
    DifferenceLocation,
    FormTable,
    Pair,
    Pairs,
    comparison_form,
    differences,
    equal_leaves,
    find_unequal,
    form_table,
    inner_pairs,
    is_uniform,
)
from harness.model.comparison import Comparison
from harness.model.judgement import MISSING, Difference

# Units of work.
_WORK: Final = 1_000_000  # the budget of one call: about half a second
_CONTAINER_COST: Final = 5  # to open a container
_LEAF_COST: Final = 2  # to make the form of a simple value
_FORM_COST: Final = 5  # to make the form of a value inside a container
_BAG_COST: Final = 100  # to collect the parts of a value

_MOST_PARTS: Final = 64  # parts of a value that are used
_SAME_KIND: Final = 0.05  # the similarity of two values of one kind without common parts

# The kind of a value, and its parts with their numbers.
Bag = tuple[type, Counter[str]]


def aligned_differences(
    expected: list[Json], actual: list[Json], comparison: Comparison
) -> Iterator[Difference]:
    """Yield the differences between two streams, aligning ordered arrays.

    There are some if and only if `differences` yields some. They come in the order of the expected
    stream; an unexpected value is reported where it was printed.
    """
    return differences(expected, actual, comparison, partial(_inside, WorkBudget(_WORK)))


def _inside(work: WorkBudget, pair: Pair) -> Pairs | None:
    """Return the pairs inside a pair, as `inner_pairs` does, aligned while the budget lasts."""
    location, expected, actual = pair
    if isinstance(expected, list) and isinstance(actual, list):
        if work.left > 0 and is_uniform(location) and max(len(expected), len(actual)) > 1:
            aligned = align(_Arrays(location.below(0), expected, actual, work).sides(), work)
            if aligned is not None:
                return _pairs_of(location, expected, actual, aligned)
    return inner_pairs(pair)


def _pairs_of(
    location: DifferenceLocation,
    expected: list[Json],
    actual: list[Json],
    aligned: list[AlignedPair],
) -> Pairs:
    for i, j in aligned:
        left = MISSING if i is None else expected[i]
        right = MISSING if j is None else actual[j]
        # For a value without a partner, only its own index is used.
        known = [index for index in (i, j) if index is not None]
        yield Pair(location.below(known[0], known[-1]), left, right)


@dataclass(frozen=True, slots=True)
class _Arrays:
    """Two arrays to align. All of their elements have the rules at `location`."""

    location: DifferenceLocation
    expected: list[Json]
    actual: list[Json]
    work: WorkBudget
    table: FormTable = field(default_factory=form_table)
    bags: dict[int, Bag] = field(default_factory=dict)

    def sides(self) -> Sides:
        counts = len(self.expected), len(self.actual)
        return Sides(*counts, self._equal, self._similarity, self._keys)

    def _equal(self, i: int, j: int) -> bool:
        left, right = self.expected[i], self.actual[j]
        if isinstance(left, (list, dict)):
            return next(find_unequal(Pair(self.location, left, right), self._opened), None) is None
        return equal_leaves(left, right, self.location)

    def _opened(self, pair: Pair) -> Pairs | None:
        size = len(pair.expected) if isinstance(pair.expected, (list, dict)) else 0
        return inner_pairs(pair) if self.work.spend(_CONTAINER_COST + size) else None

    def _keys(self, lefts: range, rights: range) -> Keys:
        ours = self.expected[lefts.start : lefts.stop]
        theirs = self.actual[rights.start : rights.stop]
        return [self._key(value) for value in ours], [self._key(value) for value in theirs]

    def _key(self, value: Json) -> int:
        work = _LEAF_COST
        if isinstance(value, (list, dict)):
            work = _FORM_COST * _size(value, self.work.left // _FORM_COST)
        if not self.work.spend(work):
            return -1
        return comparison_form(value, self.location.rules, self.table)

    def _similarity(self, i: int, j: int) -> float:
        left, right = self.expected[i], self.actual[j]
        if type(left) is not type(right):
            return 0
        if not isinstance(left, (list, dict, str)) or not self.work.spend(_CONTAINER_COST):
            return _SAME_KIND
        return similarity(self._bag(left), self._bag(right))

    def _bag(self, value: Json) -> Bag:
        if id(value) not in self.bags:
            self.work.spend(_BAG_COST)
            self.bags[id(value)] = bag_of(value)
        return self.bags[id(value)]


def _size(value: Json, most: int) -> int:
    """Return the number of values in a value, itself included; counting stops beyond `most`."""
    todo, size = [value], 0
    while todo and size <= most:
        item = todo.pop()
        size += 1
        if isinstance(item, (list, dict)):
            todo += item if isinstance(item, list) else item.values()
    return size


# The similarity of two values that are not equal.


def bag_of(value: Json) -> Bag:
    """Return the parts of a value: pairs of characters of a string; keys and simple values of a
    container, at any depth. Only the beginning of a value is used."""
    if isinstance(value, str):
        text = value[: _MOST_PARTS + 1]
        return str, Counter(map("".join, zip(text, text[1:], strict=False)))
    if isinstance(value, (list, dict)):
        return type(value), Counter(_parts(value))
    return type(value), Counter()


def similarity(left: Bag, right: Bag) -> float:
    """Return the similarity of two values: 0 if they are of different kinds, 1 at most."""
    if left[0] is not right[0]:
        return 0
    size = left[1].total() + right[1].total()
    return max(_SAME_KIND, 2 * (left[1] & right[1]).total() / size) if size else _SAME_KIND


def _parts(value: list[Json] | dict[str, Json]) -> Iterator[str]:
    """Yield each key once and its value twice: values say more than the keys that all have."""
    todo: list[tuple[str, Json]] = [("", value)]
    seen = 0
    while todo and seen < _MOST_PARTS:
        label, item = todo.pop()
        seen += 1
        if label:
            yield label
        if isinstance(item, dict):
            members = list(zip(item.items(), range(_MOST_PARTS), strict=False))
            todo += [(f"{key[:_MOST_PARTS]}:", member) for (key, member), _ in reversed(members)]
        elif isinstance(item, list):
            todo += [("", element) for element in reversed(item[:_MOST_PARTS])]
        else:
            start = item[:_MOST_PARTS] if isinstance(item, str) else item
            yield from [f"{label} {encode(start)}"] * 2

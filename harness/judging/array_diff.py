"""Find the differences between two streams, with the elements of their arrays aligned.

With alignment, one inserted or removed element does not make all elements after it differ. This
only decides which elements are shown side by side; judging/equality.py decides what is equal. Work
is bounded: beyond the budget, elements are compared by index. Source: docs/output.md.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from heapq import nsmallest
from itertools import chain, islice
from typing import Final
from zlib import crc32

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
from harness.model.comparison import ArrayOrder, Comparison
from harness.model.judgement import MISSING, Difference, Missing

# Units of work.
_WORK: Final = 1_000_000  # the budget of one call: about half a second
_CONTAINER_COST: Final = 5  # to open a container
_LEAF_COST: Final = 2  # to make the form of a simple value
_FORM_COST: Final = 5  # to make the form of a value inside a container
_BAG_COST: Final = 100  # to collect the parts of a value
_SIMILARITY_COST: Final = 20  # to compare the parts of two values

_MOST_CANDIDATES: Final = 10_000  # pairs of unordered elements whose similarity is looked up
_FEW_HAVE: Final = 4  # parts that so few elements have show which belong together
_MOST_SIZE: Final = 1_000
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
        if location.rules.here.order is not ArrayOrder.LIST and location.rules.here.key is None:
            return _with_nearest(location, list(inner_pairs(pair) or ()), work)
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


# Unordered arrays.


def _with_nearest(location: DifferenceLocation, pairs: list[Pair], work: WorkBudget) -> Pairs:
    """Yield the unequal elements of an unordered array, each paired with the nearest one.

    Only objects and arrays are paired, and only with one that has something in common with them.
    """
    lefts = {index: each for index, each in enumerate(pairs) if _is_container(each.expected)}
    rights = {index: each for index, each in enumerate(pairs) if _is_container(each.actual)}
    partners: dict[int, Pair] = {}
    if lefts and rights and not location.rules.name_an_index:
        partners = dict(_nearest(location, lefts, rights, work))
    taken = {id(each) for each in partners.values()}
    for index, each in enumerate(pairs):
        if index in partners:
            step, other_step = (_last_step(one) for one in (each, partners[index]))
            place = location.below(step, other_step)
            yield Pair(place, each.expected, partners[index].actual)
        elif id(each) not in taken:
            yield each


def _is_container(value: Json | Missing) -> bool:
    return isinstance(value, (list, dict))


def _last_step(pair: Pair) -> int | str:
    assert pair.location.place is not None
    return pair.location.place[1]


def _nearest(
    location: DifferenceLocation, lefts: dict[int, Pair], rights: dict[int, Pair], work: WorkBudget
) -> Iterator[tuple[int, Pair]]:
    """Yield pairs of elements, the nearest ones first, of those found while the budget lasts."""
    candidates = []
    for i, j in _candidates(lefts, rights, work):
        place = location.below(_last_step(lefts[i]), _last_step(rights[j]))
        pair = Pair(place, lefts[i].expected, rights[j].actual)
        size = max(_size(pair.expected, _MOST_SIZE), _size(pair.actual, _MOST_SIZE))
        work.spend(size)
        distance = _distance(pair, size, work)
        if not work.left:
            break  # this distance may be too small
        if distance and 2 * distance <= size:
            candidates.append((distance / size, abs(i - j), i, j))
    taken: set[int] = set()
    for _, _, i, j in sorted(candidates):
        if i not in taken and j not in taken:
            taken |= {i, j}
            yield i, rights[j]


def _candidates(
    lefts: dict[int, Pair], rights: dict[int, Pair], work: WorkBudget
) -> list[tuple[int, int]]:
    """Return the pairs to compare, the most similar first: a few for each left element."""
    bags = {i: _sample(left.expected, work) for i, left in lefts.items()}
    others = {j: _sample(right.actual, work) for j, right in rights.items()}
    ranked: list[tuple[float, int, int]] = []
    for i, near in _considered(bags, others):
        alike = [(-similarity(bags[i], others[j]), j) for j in near if others[j][0] is bags[i][0]]
        if not work.spend(_SIMILARITY_COST * (_FEW_HAVE + len(alike))):
            break
        ranked += [(unlike, i, j) for unlike, j in nsmallest(_FEW_HAVE, alike)]
    return [(i, j) for _, i, j in sorted(ranked)]


def _considered(
    bags: dict[int, Bag], others: dict[int, Bag]
) -> Iterator[tuple[int, Iterable[int]]]:
    """Yield each left element and the right ones to consider: all, or of many elements, those that
    share parts which few have."""
    if len(bags) * len(others) <= _MOST_CANDIDATES:
        yield from ((i, others) for i in bags)
        return
    having = defaultdict[str, list[int]](list)
    for j, (_, parts) in others.items():
        for part in parts:
            having[part].append(j)
    for i, (_, parts) in bags.items():
        shared = (having[part] for part in parts if part in having)
        votes = Counter(chain.from_iterable(each for each in shared if len(each) <= _FEW_HAVE))
        yield i, [j for j, _ in votes.most_common(_FEW_HAVE)]


def _sample(value: Json | Missing, work: WorkBudget) -> Bag:
    """Return some parts of a value: of equal parts, the same ones wherever they are in it."""
    parts = Counter[str]()
    if work.left and isinstance(value, (list, dict)):
        parts.update(_parts(value, _MOST_SIZE))
    work.spend(_BAG_COST + _FORM_COST * len(parts))
    chosen = nsmallest(
        _MOST_PARTS, parts, key=lambda part: crc32(part.encode(errors="surrogatepass"))
    )
    return type(value), Counter({part: parts[part] for part in chosen})


def _distance(pair: Pair, most: int, work: WorkBudget) -> int:
    """Return the number of differences between two values, counted up to `most`."""
    return sum(1 for _ in islice(find_unequal(pair, partial(_opened, work)), most))


def _opened(work: WorkBudget, pair: Pair) -> Pairs | None:
    """Return the pairs inside a pair, as `inner_pairs` does, while the budget lasts."""
    both = [each for each in (pair.expected, pair.actual) if isinstance(each, (list, dict))]
    cost = sum(map(len, both))
    if pair.location.rules.here.order is not ArrayOrder.LIST:
        cost = _FORM_COST * sum(_size(each, work.left) for each in both)
    return inner_pairs(pair) if work.spend(_CONTAINER_COST + cost) else None


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
            pair = Pair(self.location, left, right)
            return next(find_unequal(pair, partial(_opened, self.work)), None) is None
        return equal_leaves(left, right, self.location)

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


def _size(value: Json | Missing, most: int) -> int:
    """Return the number of values in a value, itself included; counting stops beyond `most`."""
    todo: list[Json | Missing] = [value]
    size = 0
    while todo and size <= most:
        item = todo.pop()
        size += 1
        if isinstance(item, (list, dict)):
            todo += item if isinstance(item, list) else item.values()
    return size


# The similarity of two values that are not equal.


def bag_of(value: Json | Missing) -> Bag:
    """Return the parts of a value: pairs of characters of a string; keys and simple values of a
    container, at any depth. Only the beginning of a value is used."""
    if isinstance(value, str):
        text = value[: _MOST_PARTS + 1]
        return str, Counter(map("".join, zip(text, text[1:], strict=False)))
    if isinstance(value, (list, dict)):
        return type(value), Counter(_parts(value, _MOST_PARTS))
    return type(value), Counter()


def similarity(left: Bag, right: Bag) -> float:
    """Return the similarity of two values: 0 if they are of different kinds, 1 at most."""
    if left[0] is not right[0]:
        return 0
    size = left[1].total() + right[1].total()
    return max(_SAME_KIND, 2 * (left[1] & right[1]).total() / size) if size else _SAME_KIND


def _parts(value: list[Json] | dict[str, Json], most: int) -> Iterator[str]:
    """Yield each key once and its value twice: values say more than the keys that all have.

    Only the first `most` values are used.
    """
    todo: list[tuple[str, Json]] = [("", value)]
    visited = 0
    while todo and visited < most:
        label, item = todo.pop()
        visited += 1
        if label:
            yield label
        if isinstance(item, dict):
            members = list(islice(item.items(), most))
            todo += [(f"{key[:_MOST_PARTS]}:", member) for key, member in reversed(members)]
        elif isinstance(item, list):
            todo += [("", element) for element in reversed(item[:most])]
        else:
            start = item[:_MOST_PARTS] if isinstance(item, str) else item
            yield from [f"{label} {encode(start)}"] * 2

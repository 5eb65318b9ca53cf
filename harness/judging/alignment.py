"""Align two sequences: pair their elements where some were inserted, removed or changed.

Works on indices; the caller compares elements. Gives up when its budget of work is spent. Source:
Myers, An O(ND) Difference Algorithm, 1986.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from itertools import starmap, zip_longest
from typing import Final, NamedTuple

# Unequal elements are paired by similarity in gaps of at most this many possible pairs.
_LARGEST_GAP: Final = 10_000
# Elements between equal ends of both sides. An alignment takes about 200 bytes for each.
_MOST_ELEMENTS: Final = 250_000
# The number of unmatched elements up to which the search does without keys.
_FEW: Final = 100
# A lower similarity is noise, and does not count.
_MIN_SIMILARITY: Final = 0.5
# The worth of other pairs: a little, so that as many as possible are paired, and more for elements
# of one kind.
_SOME_PAIR: Final = 0.0001
_BETTER_PAIR: Final = 0.0002
_ROUNDING: Final = 0.1  # more than the sum of those small worths in most arrays


class AlignedPair(NamedTuple):
    """The indices of two paired elements, or of one element without a partner."""

    expected: int | None
    actual: int | None


class WorkBudget:
    """A budget of work, in comparisons of two simple values."""

    def __init__(self, left: int) -> None:
        self.left = left

    def spend(self, units: int) -> bool:
        """Spend some of the budget; return False if it is used up."""
        self.left = max(0, self.left - units)
        return self.left > 0


Same = Callable[[int, int], bool]
# A key for each element of both sides; two elements are equal if and only if their keys are.
Keys = tuple[Sequence[Hashable], Sequence[Hashable]]


class Sides(NamedTuple):
    """Two sequences, as alignment sees them.

    `equal` and `similarity` (0 to 1) compare an expected element with an actual one, by index.
    `keys` returns the keys of a range of each. All three may spend work, and may return anything
    once it is used up.
    """

    expected: int  # the number of elements
    actual: int
    equal: Same
    similarity: Callable[[int, int], float]
    keys: Callable[[range, range], Keys]


def align(sides: Sides, work: WorkBudget) -> list[AlignedPair] | None:
    """Return the unequal pairs and the elements without a partner, in order, or None if there are
    too many elements or the budget is spent. All other elements are equal to their partners.

    Equal beginnings and ends are paired. Between them elements are paired by index, unless another
    pairing costs less. If as many elements remain on both sides, they were more likely changed than
    moved: another pairing must cost at most half as much, or three quarters if most elements are
    different from each other. An element without a partner costs 1, a pair 1 minus its worth.
    """
    first, last = _common_ends(sides)
    lefts = range(first, sides.expected - last)
    rights = range(first, sides.actual - last)
    if len(lefts) + len(rights) > _MOST_ELEMENTS:
        return None
    steps = _between_ends(sides, lefts, rights, work)
    return steps if work.left else None


def _common_ends(sides: Sides) -> tuple[int, int]:
    """Return the lengths of the equal beginning and of the equal end after it."""
    shorter, equal = min(sides.expected, sides.actual), sides.equal
    first = 0
    while first < shorter and equal(first, first):
        first += 1
    last = 0
    while last < shorter - first and equal(sides.expected - 1 - last, sides.actual - 1 - last):
        last += 1
    return first, last


def _between_ends(sides: Sides, lefts: range, rights: range, work: WorkBudget) -> list[AlignedPair]:
    if not lefts or not rights or len(lefts) == len(rights) == 1:
        return list(_by_index(lefts, rights))
    plain = [
        AlignedPair(i, j)
        for i, j in zip_longest(lefts, rights)
        if i is None or j is None or not sides.equal(i, j)
    ]
    aligned = list(_steps(sides, lefts, rights, _matches(sides, lefts, rights, work), work))
    cost, plain_cost = _cost(aligned, sides), _cost(plain, sides)
    if len(lefts) != len(rights):
        return aligned if cost < plain_cost else plain
    if 2 * cost <= plain_cost + _ROUNDING:
        return aligned
    if 4 * cost > 3 * plain_cost + _ROUNDING:
        return plain
    # If elements are seldom equal to others of their side, unlike the cells of a board, an equal
    # pair is significant.
    left_keys, right_keys = sides.keys(lefts, rights)
    mostly_distinct = 3 * len({*left_keys, *right_keys}) >= len(lefts) + len(rights)
    return aligned if mostly_distinct else plain


def _by_index(lefts: Iterable[int], rights: Iterable[int]) -> Iterator[AlignedPair]:
    return starmap(AlignedPair, zip_longest(lefts, rights))


def _cost(steps: list[AlignedPair], sides: Sides) -> float:
    return sum(1 - _worth(sides, *step) for step in steps)


def _worth(sides: Sides, i: int | None, j: int | None) -> float:
    if i is None or j is None:
        return 0
    similarity = sides.similarity(i, j)
    if similarity >= _MIN_SIMILARITY:
        return similarity
    return _BETTER_PAIR if similarity else _SOME_PAIR


# Equal elements.


def _matches(sides: Sides, lefts: range, rights: range, work: WorkBudget) -> list[tuple[int, int]]:
    # A search that ends soon is cheaper than keys.
    matches = most_matches(lefts, rights, sides.equal, work, _FEW)
    if matches is not None:
        return matches
    # Elements that only one side has are left out first: the search takes time quadratic in the
    # number of skipped elements.
    left_keys, right_keys = sides.keys(lefts, rights)
    left_set, right_set = set(left_keys), set(right_keys)
    matches = most_matches(
        [i for i, key in zip(lefts, left_keys, strict=True) if key in right_set],
        [j for j, key in zip(rights, right_keys, strict=True) if key in left_set],
        lambda i, j: left_keys[i - lefts.start] == right_keys[j - rights.start],
        work,
    )
    return matches or []


def most_matches(
    lefts: Sequence[int],
    rights: Sequence[int],
    same: Same,
    work: WorkBudget,
    most: int | None = None,
) -> list[tuple[int, int]] | None:
    """Return as many pairs of equal elements as possible, in the order of both sequences.

    Returns None if more than `most` elements would be left over, or if the budget is spent first.
    """
    # reach[k]: the farthest index in `lefts` on the diagonal k (index minus that in `rights`) for
    # that many skipped elements. history: the reach before each round.
    reach = {1: 0}
    history: list[dict[int, int]] = []
    many, others = len(lefts), len(rights)
    for skipped in range(1 + (many + others if most is None else min(most, many + others))):
        history.append(dict(reach))
        # Diagonals outside the sequences are left out.
        lowest = -skipped + 2 * max(0, skipped - others)
        highest = skipped - 2 * max(0, skipped - many)
        if not work.spend(highest - lowest + 2):
            return None
        for k in range(lowest, highest + 1, 2):
            i = begun = _entry(reach, k, skipped)
            while i < many and i - k < others and same(lefts[i], rights[i - k]):
                i += 1
            work.spend(i - begun)
            reach[k] = i
        if reach.get(many - others, -1) >= many:
            return [(lefts[i], rights[j]) for i, j in _trace_back(history, many, others)]
    return None


def _neighbour(reach: dict[int, int], k: int, skipped: int) -> int:
    """Return the diagonal from which k is entered: the neighbour that reaches farther."""
    if k == -skipped or (k != skipped and reach[k - 1] < reach[k + 1]):
        return k + 1
    return k - 1


def _entry(reach: dict[int, int], k: int, skipped: int) -> int:
    before = _neighbour(reach, k, skipped)
    return reach[before] + (before < k)


def _trace_back(history: list[dict[int, int]], i: int, j: int) -> list[tuple[int, int]]:
    matches: list[tuple[int, int]] = []
    for skipped in range(len(history) - 1, -1, -1):
        before = _neighbour(history[skipped], i - j, skipped)
        matched = i - _entry(history[skipped], i - j, skipped)
        matches += ((i - back, j - back) for back in range(1, matched + 1))
        i -= matched + (before < i - j)
        j = i - before
    return matches[::-1]


# Unequal elements.


def _steps(
    sides: Sides, lefts: range, rights: range, matches: list[tuple[int, int]], work: WorkBudget
) -> Iterator[AlignedPair]:
    left, right = lefts.start, rights.start
    for i, j in (*matches, (lefts.stop, rights.stop)):
        if i - left and j - right:
            yield from _by_similarity(sides, range(left, i), range(right, j), work)
        else:
            yield from _by_index(range(left, i), range(right, j))
        left, right = i + 1, j + 1


def _by_similarity(
    sides: Sides, lefts: range, rights: range, work: WorkBudget
) -> Iterator[AlignedPair]:
    """Yield the pairs of a gap without equal elements: those with the highest total similarity."""
    cells = len(lefts) * len(rights)
    if cells == 1 or cells > _LARGEST_GAP or not work.spend(cells):
        yield from _by_index(lefts, rights)
        return
    worth = [[_worth(sides, i, j) for j in rights] for i in lefts]
    best = _best(worth)
    i, j = 0, 0
    while i < len(lefts) and j < len(rights):
        if best[i][j] == best[i + 1][j + 1] + worth[i][j]:
            yield AlignedPair(lefts[i], rights[j])
            i, j = i + 1, j + 1
        elif best[i][j] == best[i + 1][j]:
            yield AlignedPair(lefts[i], None)
            i += 1
        else:
            yield AlignedPair(None, rights[j])
            j += 1
    yield from (AlignedPair(left, None) for left in lefts[i:])
    yield from (AlignedPair(None, right) for right in rights[j:])


def _best(worth: list[list[float]]) -> list[list[float]]:
    """Return for each place in a gap the highest total worth of the pairs from there on."""
    rows = [[0.0] * (len(worth[0]) + 1)]
    for row in reversed(worth):
        below = rows[-1]
        best = [0.0]
        for j in range(len(row) - 1, -1, -1):
            best.append(max(below[j + 1] + row[j], below[j], best[-1]))
        rows.append(best[::-1])
    return rows[::-1]

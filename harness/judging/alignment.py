"""Which elements of two sequences belong together, where some were put in, left out or changed.

Pure arithmetic on indices: what an element is, and when two are equal or alike, the caller knows.
Bounded: past its allowance of work it gives up. Source: Myers, An O(ND) Difference Algorithm, 1986.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from itertools import starmap, zip_longest
from typing import Final, NamedTuple

__all__ = ["Sides", "Step", "Work", "most_matches", "partings"]

# Pairs of elements that are not equal pair by likeness in gaps of up to so many possible pairs.
_LARGEST_GAP: Final = 10_000
# Elements left over up to which they are looked for without keys.
_FEW: Final = 100
# From here on two elements are alike: the likeness of others is noise, and does not count.
_ALIKE: Final = 0.5
# What a pair of others is worth: a little, so that as many as possible are paired, and a little
# more where the likeness is not nothing (they are of one kind).
_SOME_PAIR: Final = 0.0001
_BETTER_PAIR: Final = 0.0002
_ROUNDING: Final = 0.1  # more than such little worths sum up to in most arrays


class Step(NamedTuple):
    """Indices of two elements that belong together; None: the other one has no partner."""

    expected: int | None
    actual: int | None


class Work:
    """An allowance of work, in comparisons of two simple values, that gets used up."""

    __slots__ = ("left",)

    def __init__(self, left: int) -> None:
        self.left = left

    def spend(self, units: int) -> bool:
        """Use so much of it. Returns whether there was so much; if not, all is used up."""
        self.left = max(0, self.left - units)
        return self.left > 0


Same = Callable[[int, int], bool]
# For each element of the one side, and of the other, what two share exactly where they are equal.
Keys = tuple[Sequence[Hashable], Sequence[Hashable]]


class Sides(NamedTuple):
    """Two sequences, as far as alignment needs to know them.

    `equal` and `likeness` (0 to 1) compare an expected element with an actual one, by index. `keys`
    finds the keys of a range of each, or None where there is no such thing. All three may spend
    work, and say anything once it is used up.
    """

    expected: int  # how many
    actual: int
    equal: Same
    likeness: Callable[[int, int], float]
    keys: Callable[[range, range], Keys | None]


def partings(sides: Sides, work: Work) -> list[Step] | None:
    """Where two sequences part, in order: pairs of elements that belong together and are not equal,
    and elements without a partner. What is in no step is equal to its partner. None: the work was
    used up, and nothing is known.

    Equal beginnings and ends belong together. Between them it is by index, unless another way costs
    less. Where as many remain on both sides, elements were rather changed than moved: it must cost
    no more than half as much, or three quarters where most of them are different. An element
    without partner costs 1, a pair 1 less its worth.
    """
    first, last = _common_ends(sides)
    lefts = range(first, sides.expected - last)
    rights = range(first, sides.actual - last)
    steps = _between_ends(sides, lefts, rights, work)
    return steps if work.left else None


def _common_ends(sides: Sides) -> tuple[int, int]:
    """How many elements at the beginning, and then at the end, are equal."""
    shorter, equal = min(sides.expected, sides.actual), sides.equal
    first = 0
    while first < shorter and equal(first, first):
        first += 1
    last = 0
    while last < shorter - first and equal(sides.expected - 1 - last, sides.actual - 1 - last):
        last += 1
    return first, last


def _between_ends(sides: Sides, lefts: range, rights: range, work: Work) -> list[Step]:
    if not lefts or not rights or len(lefts) == len(rights) == 1:
        return list(_in_turn(lefts, rights))
    by_index = [step for step in _in_turn(lefts, rights) if not _is_equal(sides, step)]
    aligned = list(_steps(sides, lefts, rights, _matches(sides, lefts, rights, work), work))
    cost, known = _cost(aligned, sides), _cost(by_index, sides)
    if len(lefts) != len(rights):
        return aligned if cost < known else by_index
    if 2 * cost <= known + _ROUNDING:
        return aligned
    many_kinds = 4 * cost <= 3 * known + _ROUNDING and _are_various(sides, lefts, rights)
    return aligned if many_kinds else by_index


def _are_various(sides: Sides, lefts: range, rights: range) -> bool:
    """Whether so few elements are equal to others of their side that it means something when two of
    them are equal: not so of the cells of a board."""
    keys = sides.keys(lefts, rights)
    if keys is None:
        return False
    return 3 * len({*keys[0], *keys[1]}) >= len(lefts) + len(rights)


def _is_equal(sides: Sides, step: Step) -> bool:
    i, j = step
    return i is not None and j is not None and sides.equal(i, j)


def _in_turn(lefts: Iterable[int], rights: Iterable[int]) -> Iterator[Step]:
    return starmap(Step, zip_longest(lefts, rights))


def _cost(steps: list[Step], sides: Sides) -> float:
    return sum(1 - _worth(sides, *step) for step in steps)


def _worth(sides: Sides, i: int | None, j: int | None) -> float:
    if i is None or j is None:
        return 0
    likeness = sides.likeness(i, j)
    return likeness if likeness >= _ALIKE else _BETTER_PAIR if likeness else _SOME_PAIR


# Elements that are equal.


def _matches(sides: Sides, lefts: range, rights: range, work: Work) -> list[tuple[int, int]]:
    # Keys cost more than a search that is soon at its end.
    found = most_matches(lefts, rights, sides.equal, work, _FEW)
    if found is not None:
        return found
    keys = sides.keys(lefts, rights)
    if keys is not None:
        return _matches_by_key(lefts, rights, keys, work)
    return most_matches(lefts, rights, sides.equal, work) or []


def _matches_by_key(lefts: range, rights: range, keys: Keys, work: Work) -> list[tuple[int, int]]:
    """The same as `most_matches`, with elements that only one side has out of the way from the
    beginning: the search costs the square of how many are skipped."""
    ours, theirs = keys
    here, there = set(ours), set(theirs)
    found = most_matches(
        [i for i, key in zip(lefts, ours, strict=True) if key in there],
        [j for j, key in zip(rights, theirs, strict=True) if key in here],
        lambda i, j: ours[i - lefts.start] == theirs[j - rights.start],
        work,
    )
    return found or []


def most_matches(
    lefts: Sequence[int],
    rights: Sequence[int],
    same: Same,
    work: Work,
    most: int | None = None,
) -> list[tuple[int, int]] | None:
    """As many pairs of equal elements as possible, in the order of both sequences. None: more than
    `most` elements would be left over, or the work was used up before."""
    # reach[k]: how far one comes in `lefts` on the diagonal k (place in lefts less place in rights)
    # when so many elements are skipped. history: the reach before each round.
    reach = {1: 0}
    history: list[dict[int, int]] = []
    many, others = len(lefts), len(rights)
    for skipped in range(1 + (many + others if most is None else min(most, many + others))):
        history.append(dict(reach))
        # Diagonals that lie outside of the sequences are left out.
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
            return [(lefts[i], rights[j]) for i, j in _way_back(history, many, others)]
    return None


def _neighbour(reach: dict[int, int], k: int, skipped: int) -> int:
    """The diagonal from which k is entered: of the two beside it, the one that leads farther."""
    if k == -skipped or (k != skipped and reach[k - 1] < reach[k + 1]):
        return k + 1
    return k - 1


def _entry(reach: dict[int, int], k: int, skipped: int) -> int:
    before = _neighbour(reach, k, skipped)
    return reach[before] + (before < k)


def _way_back(history: list[dict[int, int]], i: int, j: int) -> list[tuple[int, int]]:
    """The matches on the way that was found, walked from its end; in order."""
    found: list[tuple[int, int]] = []
    for skipped in range(len(history) - 1, -1, -1):
        before = _neighbour(history[skipped], i - j, skipped)
        matched = i - _entry(history[skipped], i - j, skipped)
        found += ((i - back, j - back) for back in range(1, matched + 1))
        i -= matched + (before < i - j)
        j = i - before
    return found[::-1]


# Elements that are not.


def _steps(
    sides: Sides, lefts: range, rights: range, matches: list[tuple[int, int]], work: Work
) -> Iterator[Step]:
    """What is between the matches, one gap after another."""
    left, right = lefts.start, rights.start
    for i, j in (*matches, (lefts.stop, rights.stop)):
        if i - left and j - right:
            yield from _by_likeness(sides, range(left, i), range(right, j), work)
        else:
            yield from _in_turn(range(left, i), range(right, j))
        left, right = i + 1, j + 1


def _by_likeness(sides: Sides, lefts: range, rights: range, work: Work) -> Iterator[Step]:
    """The pairs of a gap in which nothing is equal: those that are most alike in all; where nothing
    is alike, the first with the first."""
    cells = len(lefts) * len(rights)
    if cells == 1 or cells > _LARGEST_GAP or not work.spend(cells):
        yield from _in_turn(lefts, rights)
        return
    worth = [[_worth(sides, i, j) for j in rights] for i in lefts]
    best = _best(worth)
    i, j = 0, 0
    while i < len(lefts) and j < len(rights):
        if best[i][j] == best[i + 1][j + 1] + worth[i][j]:
            yield Step(lefts[i], rights[j])
            i, j = i + 1, j + 1
        elif best[i][j] == best[i + 1][j]:
            yield Step(lefts[i], None)
            i += 1
        else:
            yield Step(None, rights[j])
            j += 1
    yield from (Step(left, None) for left in lefts[i:])
    yield from (Step(None, right) for right in rights[j:])


def _best(worth: list[list[float]]) -> list[list[float]]:
    """For each place in a gap, the most that the pairs from there on can be worth."""
    rows = [[0.0] * (len(worth[0]) + 1)]
    for row in reversed(worth):
        below = rows[-1]
        made = [0.0]
        for j in range(len(row) - 1, -1, -1):
            made.append(max(below[j + 1] + row[j], below[j], made[-1]))
        rows.append(made[::-1])
    return rows[::-1]

"""Pair the elements of two unordered arrays where numbers have a tolerance.

Closeness is not transitive: pairing each element with the first one that is close enough may leave
others without a partner. So as many pairs are found as there can be. Source: docs/equality.md.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cmp_to_key
from typing import NamedTuple

from harness.judging.numbers import compare_numbers, equal_numbers
from harness.model.comparison import Tolerance


class Unpaired(NamedTuple):
    """The indices of the elements that are left over on each side, ascending."""

    expected: list[int]
    actual: list[int]


def pair_numbers(
    expected: Mapping[int, str], actual: Mapping[int, str], tolerance: Tolerance
) -> Unpaired:
    """Pair finite numbers within a tolerance, and return those left over.

    The relative part is at most 1, so that of two expected numbers, the larger one accepts numbers
    that are at least as large. Then pairing both sides in ascending order leaves the fewest over.
    """
    lefts, rights = _ascending(expected), _ascending(actual)
    unpaired = Unpaired([], [])
    i = j = 0
    while i < len(lefts) and j < len(rights):
        left, right = expected[lefts[i]], actual[rights[j]]
        if equal_numbers(left, right, tolerance):
            i, j = i + 1, j + 1
        elif compare_numbers(left, right) < 0:
            unpaired.expected.append(lefts[i])
            i += 1
        else:
            unpaired.actual.append(rights[j])
            j += 1
    return Unpaired(
        sorted([*unpaired.expected, *lefts[i:]]), sorted([*unpaired.actual, *rights[j:]])
    )


def _ascending(numbers: Mapping[int, str]) -> list[int]:
    by_value = cmp_to_key(compare_numbers)
    return sorted(numbers, key=lambda index: by_value(numbers[index]))


def pair_all(
    expected: Sequence[int],
    actual: Sequence[int],
    first: Mapping[int, int],
    are_close: Callable[[int, int], bool],
) -> Unpaired:
    """Pair elements of any kind, and return those left over.

    `first` has pairs to begin with, expected to actual. The time grows with the product of the
    numbers of elements. Source: augmenting paths, without recursion.
    """
    partner_of = {right: left for left, right in first.items()}
    known: dict[tuple[int, int], bool] = {}

    def close(left: int, right: int) -> bool:
        if (left, right) not in known:
            known[left, right] = are_close(left, right)
        return known[left, right]

    for start in expected:
        if start not in first:
            _augment(start, actual, partner_of, close)
    paired = set(partner_of.values())
    return Unpaired(
        [index for index in expected if index not in paired],
        [index for index in actual if index not in partner_of],
    )


def _augment(
    start: int,
    rights: Sequence[int],
    partner_of: dict[int, int],
    close: Callable[[int, int], bool],
) -> None:
    """Give `start` a partner, if others can be moved to make room."""
    came_from: dict[int, int] = {}  # the expected element from which an actual one was reached
    waiting = [start]
    while waiting:
        left = waiting.pop()
        for right in rights:
            if right in came_from or not close(left, right):
                continue
            came_from[right] = left
            if right in partner_of:
                waiting.append(partner_of[right])
                continue
            _move(start, right, came_from, partner_of)
            return


def _move(start: int, right: int, came_from: dict[int, int], partner_of: dict[int, int]) -> None:
    """Give each expected element on the way from `start` the actual one that it reached."""
    earlier = {left: other for other, left in partner_of.items()}
    while True:
        left = came_from[right]
        partner_of[right] = left
        if left == start:
            return
        right = earlier[left]

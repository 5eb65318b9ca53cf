"""What cases are worth: drawn from what suites say of grading, in exact arithmetic.

Pure. The rules are those of docs/suites.md: a case has points of its own, or its share of what the
others leave of the suite's. Who scores what for a verdict is for a format to say.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from math import floor
from typing import Final, NamedTuple

from harness.about import About
from harness.records import Visibility
from harness.suites.naming import input_name, selects

__all__ = ["Purse", "Worths", "decimals_for", "worths_of"]

_LEAST_DECIMALS: Final = 2
_MOST_DECIMALS: Final = 12  # a float has 15 digits
# The smallest case is worth so many of the smallest steps: what is lost by rounding is below 1 %.
_STEPS: Final = 100


class Worths(NamedTuple):
    """What the cases of a suite are worth. `share`: each of those without points of its own;
    `whole`: all cases together."""

    about: About
    share: Fraction
    whole: Fraction

    def of(self, case: str) -> Fraction:
        """What a case is worth."""
        name = input_name(case)
        for worth in reversed(self.about.worth):
            if worth.points is not None and selects(worth.match, name):
                return _exact(worth.points)
        return self.share

    def visibility(self, case: str) -> Visibility:
        """When a student sees a case."""
        name = input_name(case)
        for worth in reversed(self.about.worth):
            if worth.visibility is not None and selects(worth.match, name):
                return worth.visibility
        return self.about.visibility

    @property
    def is_open(self) -> bool:
        """Whether students may see all of it."""
        said = (worth.visibility for worth in self.about.worth)
        return all(each in (Visibility.VISIBLE, None) for each in (self.about.visibility, *said))


def worths_of(about: About) -> Worths:
    """What there is to know of a suite's points."""
    deciding = [worth for worth in about.worth if worth.points is not None]
    own = sum((worth.cases * _exact(worth.points or 0) for worth in deciding), Fraction(0))
    others = about.cases - sum(worth.cases for worth in deciding)
    share = Fraction(1)
    if about.points is not None:
        left = max(_exact(about.points) - own, Fraction(0))
        share = left / others if others > 0 else Fraction(0)
    return Worths(about, share, own + max(others, 0) * share)


def decimals_for(suites: Iterable[Worths]) -> int:
    """How many decimals points need in order that those that were said come out as they were said,
    and that no share loses much by rounding."""
    said, shares = set[Fraction](), set[Fraction]()
    for suite in suites:
        points = [suite.about.points, *(worth.points for worth in suite.about.worth)]
        said.update(_exact(each) for each in points if each is not None)
        shares.add(suite.share)
    for decimals in range(_LEAST_DECIMALS, _MOST_DECIMALS):
        steps = 10**decimals
        fine = all(_is_whole(share * steps) or share * steps >= _STEPS for share in shares)
        if fine and all(_is_whole(points * steps) for points in said):
            return decimals
    return _MOST_DECIMALS


def _is_whole(number: Fraction) -> bool:
    return number.denominator == 1


class Purse:
    """Deals points out in whole steps of so many decimals, so that after each case all that was
    dealt is right to the step: in the end it is exactly what the cases are worth together."""

    __slots__ = ("_dealt", "_due", "_steps")

    def __init__(self, decimals: int) -> None:
        self._steps = 10**decimals
        self._due = Fraction(0)
        self._dealt = 0

    def deal(self, worth: Fraction) -> int:
        """The steps for the next case."""
        self._due += worth * self._steps
        # Not `round`, whose halves go to even numbers: whole steps are to stay as they are.
        steps = floor(self._due + Fraction(1, 2)) - self._dealt
        self._dealt += steps
        return steps


def _exact(points: float) -> Fraction:
    """As it is written: 0.1 is a tenth."""
    return Fraction(repr(points))

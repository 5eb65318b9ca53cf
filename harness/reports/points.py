"""Compute the points of cases from the grading rules of suites, in exact arithmetic.

Pure. A case has points of its own, or an equal share of what is left of the suite's points
(docs/suites.md).
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from math import floor
from typing import Final, NamedTuple

from harness.model.case_names import input_name
from harness.model.suite_info import Audience, SuiteInfo, Visibility
from harness.suites.rule_index import index_of

_LEAST_DECIMALS: Final = 2
_MOST_DECIMALS: Final = 12  # a float has 15 digits
# The smallest share has at least this many steps, so that rounding loses less than 1 %.
_STEPS: Final = 100


class GradingRules(NamedTuple):
    """The points of a suite: `share` of each case without points of its own, `whole` of all."""

    about: SuiteInfo
    share: Fraction
    whole: Fraction

    def of(self, case: str) -> Fraction:
        """Return the points of a case; the last matching rule wins."""
        rules = index_of(self.about.worth).matching(input_name(case))
        points = [rule.points for rule in rules if rule.points is not None]
        return _exact(points[-1]) if points else self.share

    def visibility(self, case: str) -> Visibility:
        """Return when students see a case; the last matching rule wins."""
        rules = index_of(self.about.worth).matching(input_name(case))
        visibilities = [rule.visibility for rule in rules if rule.visibility is not None]
        return visibilities[-1] if visibilities else self.about.visibility

    def is_open_to(self, audience: Audience) -> bool:
        """Return whether these readers see all cases."""
        rules = (rule.visibility for rule in self.about.worth)
        return audience.sees.issuperset({self.about.visibility, *rules} - {None})


def grading_rules(about: SuiteInfo) -> GradingRules:
    deciding = [rule for rule in about.worth if rule.points is not None]
    own = sum((rule.cases * _exact(rule.points or 0) for rule in deciding), Fraction(0))
    others = about.cases - sum(rule.cases for rule in deciding)
    share = Fraction(1)
    if about.points is not None:
        left = max(_exact(about.points) - own, Fraction(0))
        share = left / others if others > 0 else Fraction(0)
    return GradingRules(about, share, own + max(others, 0) * share)


def decimals_for(suites: Iterable[GradingRules]) -> int:
    """Return the number of decimals that keeps declared points exact and shares close enough."""
    declared, shares = set[Fraction](), set[Fraction]()
    for suite in suites:
        points = [suite.about.points, *(rule.points for rule in suite.about.worth)]
        declared.update(_exact(each) for each in points if each is not None)
        shares.add(suite.share)
    for decimals in range(_LEAST_DECIMALS, _MOST_DECIMALS):
        steps = 10**decimals
        fine = all(_is_whole(share * steps) or share * steps >= _STEPS for share in shares)
        if fine and all(_is_whole(points * steps) for points in declared):
            return decimals
    return _MOST_DECIMALS


def _is_whole(number: Fraction) -> bool:
    return number.denominator == 1


def to_steps(points: Fraction, decimals: int) -> int:
    """Return points as the nearest number of whole steps of 10**-decimals."""
    # `round` would round halves to even numbers.
    step: int = 10**decimals
    return floor(points * step + Fraction(1, 2))


def _exact(points: float) -> Fraction:
    """Return a number as it was written: 0.1 is one tenth."""
    return Fraction(repr(points))

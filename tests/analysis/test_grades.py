"""Points of cases: grading rules in exact arithmetic, and allocation in steps."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.golden import Golden

from harness.analysis.grades import decimals_for, grading_rules, share_earned, to_steps
from harness.model.events import RunResult
from harness.model.suite_info import Audience, GradingRule, SuiteInfo, Visibility
from harness.model.verdict import Verdict

HIDDEN, VISIBLE, LATER = Visibility.HIDDEN, Visibility.VISIBLE, Visibility.AFTER_DUE_DATE
ALL_HIDDEN = GradingRule("*", None, HIDDEN)


def suite(points: float | None, cases: int, *rules: GradingRule) -> SuiteInfo:
    return SuiteInfo("s", "s", points=points, worth=rules, cases=cases)


def test_cases_share_what_is_left_with_as_many_decimals_as_needed(golden: Golden) -> None:
    def shares(example: tuple[str, tuple[Any, ...]]) -> str:
        names, (points, cases, *declared) = example
        rules = grading_rules(suite(points, cases, *(GradingRule(*rule) for rule in declared)))
        shown = [*(str(rules.points_of(case)) for case in names.split()), f"all {rules.whole}"]
        return f"{', '.join(shown)}, {decimals_for([rules])} decimals"

    golden.table("points.txt", shares)


@pytest.mark.parametrize(
    ("suite_info", "seen"),
    [
        (suite(1.0, 3, ALL_HIDDEN, GradingRule("2", 0.5, None, 1)), [HIDDEN, HIDDEN, HIDDEN]),
        (suite(1.0, 3, ALL_HIDDEN, GradingRule("3", 1.0, LATER)), [HIDDEN, HIDDEN, LATER]),
        (suite(1.0, 3, GradingRule("2", None, LATER)), [VISIBLE, LATER, VISIBLE]),
        (suite(1.0, 3, GradingRule("1", 2.0), GradingRule("2", None, VISIBLE)), [VISIBLE] * 3),
        (suite(1.0, 3)._replace(visibility=HIDDEN), [HIDDEN] * 3),
    ],
)
def test_the_last_rule_decides_who_sees_a_case_and_a_suite_is_open_if_all_are_visible(
    suite_info: SuiteInfo, seen: list[Visibility]
) -> None:
    rules = grading_rules(suite_info)
    assert [rules.visibility(case) for case in "123"] == seen
    assert rules.is_open_to(Audience.STUDENT) == (set(seen) == {VISIBLE})
    assert rules.is_open_to(Audience.STAFF)


@given(
    st.integers(1, 10**6).map(lambda thousandths: thousandths / 1000),
    st.integers(1, 300),
    st.lists(st.integers(0, 4_000).map(lambda thousandths: thousandths / 1000), max_size=5),
)
def test_the_points_of_all_cases_are_those_of_the_suite(
    points: float, cases: int, own: list[float]
) -> None:
    """Rounding shifts a case by half a step at most, and one with points of its own not at all."""
    own = own[:cases]
    declared = (GradingRule(str(case), each, None, 1) for case, each in enumerate(own, start=1))
    rules = grading_rules(suite(points, cases, *declared))
    decimals = decimals_for([rules])
    total = sum(Fraction(repr(each)) for each in own)
    has_others = cases > len(own) and total <= Fraction(repr(points))
    whole = sum(rules.points_of(str(case)) for case in range(1, cases + 1))
    assert whole == (Fraction(repr(points)) if has_others else total)
    for case in range(1, cases + 1):
        exact = rules.points_of(str(case)) * 10**decimals
        shift = abs(to_steps(rules.points_of(str(case)), decimals) - exact)
        assert shift <= (0 if case <= len(own) else Fraction(1, 2))


def test_halves_are_rounded_up() -> None:
    assert [to_steps(Fraction(halves, 2), 0) for halves in (1, 2, 3, 5)] == [1, 1, 2, 3]


def test_a_failed_run_scores_the_share_of_its_tests() -> None:
    run = RunResult("s", "1", "a", "plain", Verdict.DIFFERS, "", tests=4, tests_passed=3)
    assert share_earned(run) == Fraction(3, 4)
    assert share_earned(run._replace(verdict=Verdict.PASSED)) == 1
    assert share_earned(run._replace(tests=0, tests_passed=0)) == 0

"""What cases are worth, and how points are dealt out in steps that come to exactly the whole."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.about import About, Worth
from harness.documents.points import Purse, decimals_for, worths_of
from harness.records import Visibility

HIDDEN, VISIBLE, LATER = Visibility.HIDDEN, Visibility.VISIBLE, Visibility.AFTER_DUE_DATE


def suite(points: float | None, cases: int, *worth: Worth) -> About:
    """A suite that is worth so much."""
    return About("s", "s", points=points, worth=worth, cases=cases)


def test_without_points_each_case_is_worth_one() -> None:
    worths = worths_of(suite(None, 7, Worth("2", 3.5, None, 1)))
    assert [worths.of("1"), worths.of("2"), worths.whole] == [1, Fraction(7, 2), Fraction(19, 2)]


def test_the_points_of_a_suite_are_shared_by_its_cases() -> None:
    worths = worths_of(suite(10.0, 3))
    assert [worths.of("1"), worths.whole] == [Fraction(10, 3), 10]


def test_a_case_with_points_of_its_own_leaves_the_rest_to_the_others() -> None:
    worths = worths_of(suite(1.0, 5, Worth("*", 0.0, None, 0), Worth("2-4", 0.1, None, 3)))
    assert [worths.of("3"), worths.whole] == [Fraction(1, 10), 1]
    # Nobody's rule but the first one, which decides nothing in this suite of prefixes.
    assert worths.of("bad-3") == 0
    assert worths_of(suite(1.0, 5, Worth("2-4", 0.1, None, 3))).of("1") == Fraction(7, 20)


def test_own_points_hold_where_they_are_more_than_the_suite_has() -> None:
    worths = worths_of(suite(1.0, 3, Worth("1-2", 2.0, None, 2)))
    assert [worths.of("1"), worths.of("3"), worths.whole] == [2, 0, 4]


def test_where_all_cases_have_own_points_there_are_no_others() -> None:
    worths = worths_of(suite(10.0, 2, Worth("*", 2.0, None, 2)))
    assert [worths.of("1"), worths.whole] == [2, 4]


def test_the_last_entry_that_speaks_of_visibility_decides_it() -> None:
    about = suite(
        1.0, 3, Worth("*", None, HIDDEN), Worth("2", 0.5, None, 1), Worth("3", 1.0, LATER)
    )
    worths = worths_of(about)
    assert [worths.visibility(case) for case in ("2", "3", "bad-1")] == [HIDDEN, LATER, HIDDEN]
    assert worths_of(suite(1.0, 3)).visibility("1") is VISIBLE
    assert worths_of(suite(1.0, 3)._replace(visibility=LATER)).visibility("1") is LATER


def test_a_suite_is_open_when_students_may_see_all_of_it() -> None:
    assert worths_of(suite(1.0, 3, Worth("1", 2.0), Worth("2", None, VISIBLE))).is_open
    assert not worths_of(suite(1.0, 3, Worth("2", None, LATER))).is_open
    assert not worths_of(suite(1.0, 3)._replace(visibility=HIDDEN)).is_open


@pytest.mark.parametrize(
    ("about", "decimals"),
    [
        (suite(10.0, 3), 2),  # 3.33
        (suite(10.0, 1000), 2),  # 0.01, exactly
        (suite(10.0, 24), 3),  # 0.417
        (suite(2.375, 1), 3),
        (suite(1.0, 3, Worth("1", 0.0001, None, 1)), 4),
        (suite(1e-9, 7), 12),
        (suite(0.0, 7), 2),
        (suite(None, 0), 2),
    ],
)
def test_there_are_as_many_decimals_as_points_need(about: About, decimals: int) -> None:
    assert decimals_for([worths_of(about)]) == decimals


def test_points_that_are_whole_steps_stay_as_they_are_between_others() -> None:
    purse = Purse(0)
    half = Fraction(1, 2)
    # Halves are rounded upwards each time: the ones between them would waver otherwise.
    assert [purse.deal(worth) for worth in (half, Fraction(1), Fraction(1), half)] == [1, 1, 1, 0]


@given(
    st.integers(1, 10**6).map(lambda thousandths: thousandths / 1000),
    st.integers(1, 300),
    st.lists(st.integers(0, 4_000).map(lambda thousandths: thousandths / 1000), max_size=5),
)
@settings(deadline=None)
def test_all_cases_come_to_exactly_what_the_suite_is_worth(
    points: float, cases: int, own: list[float]
) -> None:
    """Whatever is rounded on the way: the parts are the whole, and none is off by a step."""
    own = own[:cases]
    worth = (Worth(str(case), each, None, 1) for case, each in enumerate(own, start=1))
    worths = worths_of(suite(points, cases, *worth))
    decimals = decimals_for([worths])
    purse = Purse(decimals)
    dealt = [purse.deal(worths.of(str(case))) for case in range(1, cases + 1)]
    said = sum(Fraction(repr(each)) for each in own)
    others = cases > len(own) and said <= Fraction(repr(points))
    assert Fraction(sum(dealt), 10**decimals) == (Fraction(repr(points)) if others else said)
    for case, steps in enumerate(dealt, start=1):
        assert abs(steps - worths.of(str(case)) * 10**decimals) < 1
        if case <= len(own):
            assert steps == worths.of(str(case)) * 10**decimals

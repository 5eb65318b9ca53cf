"""Numbers within a tolerance, exactly, and those that are no numbers of JSON."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from harness.judging.comparison_parser import JsonText, parse_tolerance
from harness.judging.numbers import equal_numbers, is_finite, normalize_number
from harness.model.comparison import Numbers, Tolerance

PAGE = (Path(__file__).parents[2] / "docs" / "equality.md").read_text(encoding="utf-8")
ZEROS = "0" * 70


def test_the_tolerances_on_the_page_are_kept_as_it_says() -> None:
    rows = re.findall(r"^\| `(.+)` \| `(.+)` \| `(.+)` \| (equal|different) \|$", PAGE, re.M)
    assert len(rows) == 9
    for expected, actual, written, said in rows:
        way = parse_tolerance(tomllib.loads(f"x = {{ {written} }}", parse_float=JsonText)["x"])
        assert way is not None
        assert equal_numbers(expected, actual, way) is (said == "equal"), (expected, actual)


@pytest.mark.parametrize(
    ("expected", "actual", "way", "near"),
    [
        ("1", "1.5", Tolerance("0.5", "0"), True),
        ("1.5", "1", Tolerance("0.5", "0"), True),
        ("1", "1.5", Tolerance("0.4999", "0"), False),
        ("-1", "1", Tolerance("2", "0"), True),
        ("-1", "1", Tolerance("1.99", "0"), False),
        ("0.1", "0.3", Tolerance("0.2", "0"), True),  # not so in floats
        ("10", "11", Tolerance("0", "0.1"), True),
        ("10", "9", Tolerance("0", "0.1"), True),
        ("9", "10", Tolerance("0", "0.1"), False),
        ("10", "12", Tolerance("1", "0.2"), True),  # either is enough
        ("10", "12", Tolerance("2", "0.1"), True),
        ("10", "12", Tolerance("1", "0.1"), False),
        ("0", "-0.0", Tolerance("0", "0"), True),
        ("100", "1e2", Tolerance("0", "0"), True),
    ],
)
@pytest.mark.parametrize("zeros", ["", ZEROS])
def test_the_bound_belongs_to_a_tolerance_of_short_numbers_and_of_long_ones(
    expected: str, actual: str, way: Tolerance, near: bool, zeros: str
) -> None:
    if zeros:
        # The same value, written too long to be taken at once.
        expected = f"{expected}.{zeros}" if expected.lstrip("-").isdigit() else expected + ZEROS
    assert equal_numbers(expected, actual, way) is near


def test_exponents_past_a_million_digits_are_compared_within_a_tolerance_bug() -> None:
    """They were put in order by their negatives, which Python's decimals round, or refuse: a number
    that a program printed made the harness fall over."""
    nines = "9" * 1_000_001
    half = Tolerance("1", "0.5")
    assert not equal_numbers(f"1e{nines}", f"2e-{nines}", half)
    assert not equal_numbers(f"1e{nines}", f"15e{nines[:-1]}8", Tolerance(relative="0.49"))
    assert equal_numbers(f"1e{nines}", f"15e{nines[:-1]}8", half)
    assert equal_numbers(f"2e-{nines}", f"1e-{nines}", half)


@pytest.mark.parametrize("way", [*Numbers, Tolerance("1e9", "1e9")])
def test_nan_and_the_infinities_are_equal_to_themselves_only(way: Numbers | Tolerance) -> None:
    odd = ["NaN", "Infinity", "-Infinity", "0", "1e400"]
    for i, left in enumerate(odd[:3]):
        for j, right in enumerate(odd):
            assert equal_numbers(left, right, way) is (i == j)
            assert equal_numbers(right, left, way) is (i == j)
    assert [is_finite(number) for number in odd] == [False, False, False, True, True]
    assert normalize_number("-Infinity", Numbers.VALUE) == "-Infinity"


def test_a_tolerance_is_not_negative() -> None:
    assert parse_tolerance(-1) is None
    assert parse_tolerance(True) is None
    assert parse_tolerance(0) == Tolerance("0")

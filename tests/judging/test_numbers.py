"""Exact tolerances between numbers, and numbers that JSON does not have."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from support.golden import Golden

from harness.judging.comparison_parser import JsonText, parse_tolerance
from harness.judging.numbers import equal_numbers, is_finite, normalize_number
from harness.model.comparison import Numbers, Tolerance

PAGE = (Path(__file__).parents[2] / "docs" / "equality.md").read_text(encoding="utf-8")
ZEROS = "0" * 70


def test_the_tolerances_on_the_page_are_kept_as_it_says() -> None:
    rows = re.findall(r"^\| `(.+)` \| `(.+)` \| `(.+)` \| (equal|different) \|$", PAGE, re.M)
    assert len(rows) == 9
    for expected, actual, written, outcome in rows:
        way = parse_tolerance(tomllib.loads(f"x = {{ {written} }}", parse_float=JsonText)["x"])
        assert way is not None
        assert equal_numbers(expected, actual, way) is (outcome == "equal"), (expected, actual)


def test_a_tolerance_includes_its_bound_for_short_and_long_numbers(golden: Golden) -> None:
    def is_near(example: tuple[str, str, str, str]) -> str:
        expected, actual, *amounts = example
        near = equal_numbers(expected, actual, Tolerance(*amounts))
        # The same value, spelled too long to be compared as a decimal.
        long = f"{expected}.{ZEROS}" if expected.lstrip("-").isdigit() else expected + ZEROS
        assert equal_numbers(long, actual, Tolerance(*amounts)) is near
        return "near" if near else "far"

    golden.table("tolerances.txt", is_near)


def test_exponents_past_a_million_digits_are_compared_bug() -> None:
    """They overflowed the default range of Python's decimals, and their negatives were rounded, or
    refused: a number that a program printed made the harness fall over."""
    nines = "9" * 1_000_001
    assert equal_numbers(f"1e{nines}", f"1.0e{nines}", Numbers.EXACT)
    assert not equal_numbers(f"1e{nines}", f"2e{nines}", Numbers.EXACT)
    assert not equal_numbers(f"1e{nines}", f"1e-{nines}", Numbers.VALUE)
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

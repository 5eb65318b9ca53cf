"""What would make printed values right as a whole."""

from __future__ import annotations

import pytest

from harness.jsonfast import decode
from harness.judging.aligned import aligned_differences
from harness.judging.hints import stream_hint
from harness.records import Comparison, Numbers


def hint(expected: str, actual: str, comparison: Comparison = Comparison()) -> str:
    """The hint on two texts that differ."""
    left, right = decode(expected.encode()).values, decode(actual.encode()).values
    found = tuple(aligned_differences(left, right, comparison))
    assert found
    return stream_hint(left, right, comparison, found)


BY_VALUE = 'equal if numbers are compared by value (numbers = "value" in suite.toml)'
WITHIN = "equal within a tolerance (numbers = { relative = 1e-9 } in suite.toml)"


@pytest.mark.parametrize(
    ("expected", "actual", "told"),
    [
        ("1 2", "[1, 2]", "the values are printed inside one array"),
        ("[1, 2]", "1 2", "the elements of one array are printed, and not the array"),
        ("[1, 2]", "[[1, 2]]", "the values are printed inside one array"),
        ("[[1, 2]]", "[1, 2]", "the elements of one array are printed, and not the array"),
        ("1 2", "1 3", ""),
        ("1 2", "[1, 2.0]", ""),
        ("[1]", "2", ""),
    ],
)
def test_a_stream_that_is_right_but_for_its_form(expected: str, actual: str, told: str) -> None:
    assert hint(expected, actual) == told


def test_the_form_is_compared_as_the_suite_does() -> None:
    assert hint("1 2 3", "[1.0, 2, 3]") == ""
    by_value = Comparison(numbers=Numbers.VALUE)
    assert hint("1 2 3", "[1.0, 2, 3]", by_value) == "the values are printed inside one array"


@pytest.mark.parametrize(
    ("expected", "actual", "told"),
    [
        ('[1, 2, "x"]', '[1.0, 2e0, "x"]', BY_VALUE),
        ("[1, 2]", "[1.0, 2]", BY_VALUE),
        ("0", "-0", BY_VALUE),
        ("[0.3, 1]", "[0.30000000000000004, 1.0]", WITHIN),
        ("[0.3]", "[0.30000000000000004]", WITHIN),
        ("[0.3]", "[0.3001]", ""),
        ("[0.0]", "[1e-30]", ""),
        ("[1, 2]", "[1.0, 3]", ""),
        ("[1, 2]", '[1.0, "2"]', ""),
        ("[1, 2]", '["1", " 2 "]', "equal but for numbers that are printed as strings"),
        ('["1", "2"]', "[1, 2]", "equal but for strings that are printed as numbers"),
        ('["\\u00e9", "\\u00f1"]', '["e\\u0301", "n\\u0303"]', "equal after Unicode normalisation"),
        ('["Ab", "C"]', '["aB", "c"]', "equal but for the case of letters"),
        ('["a b", "c"]', '["ab", "c "]', "equal but for white space in strings"),
        # The one difference says as much itself.
        ('["a"]', '["A"]', ""),
    ],
)
def test_what_all_differences_have_in_common(expected: str, actual: str, told: str) -> None:
    assert hint(expected, actual) == told


@pytest.mark.parametrize(
    ("expected", "actual", "told"),
    [
        ('{"Name": 1, "b": 2}', '{"name": 1, "b": 2}', "the keys differ only in case"),
        ('[{"A": [1]}, {"B": 2}]', '[{"a": [1]}, {"b": 2}]', "the keys differ only in case"),
        (
            '{"first_name": 1, "x": 0}',
            '{"firstName": 1, "x": 0}',
            "the keys differ only in case and punctuation",
        ),
        (
            '{"\\u00e9": 1}',
            '{"e\\u0301": 1}',
            "the keys differ only after Unicode normalisation",
        ),
        ('{"Name": 1}', '{"name": 2}', ""),
        ('{"Name": 1}', "{}", ""),
        ('{"Name": 1, "b": 2}', '{"name": 1, "b": 3}', ""),
    ],
)
def test_keys_that_are_nearly_right(expected: str, actual: str, told: str) -> None:
    assert hint(expected, actual) == told


@pytest.mark.parametrize(
    ("expected", "actual", "told"),
    [
        ("1 2", "2 1", "all is there, but in another order"),
        (
            '{"winners": ["b", "a"]}',
            '{"winners": ["a", "b"]}',
            "equal but for the order of /0/winners",
        ),
        (
            '{"a": [1, 2], "b": [3, 4, 5]}',
            '{"a": [2, 1], "b": [3, 5, 4]}',
            "equal but for the order of /0/a and /0/b",
        ),
        ('{"a": [[1, 2], [3, 4]]}', '{"a": [[3, 4], [1, 2]]}', "equal but for the order of /0/a"),
        ('{"a": [[1], [2, 3]]}', '{"a": [[3, 2], [1]]}', "all is there, but in another order"),
        (
            "[[1, 2], [1, 2], [1, 2], [1, 2]] 5",
            "[[2, 1], [2, 1], [2, 1], [2, 1]] 5",
            "all is there, but in another order",
        ),
        ('{"a": [1, 2]}', '{"a": [2, 3]}', ""),
    ],
)
def test_arrays_whose_order_alone_is_wrong(expected: str, actual: str, told: str) -> None:
    assert hint(expected, actual) == told


def test_what_a_suite_ignores_stays_ignored() -> None:
    comparison = Comparison(ignore=("/*/t",))
    expected, actual = '{"t": 1, "w": [1, 2]}', '{"t": 2, "w": [2, 1]}'
    assert hint(expected, actual, comparison) == "equal but for the order of /0/w"


def test_a_place_in_a_hint_is_visible_and_cut() -> None:
    key = "k" * 100
    assert hint(f'{{"\\n{key}": [1, 2]}}', f'{{"\\n{key}": [2, 1]}}') == (
        f"equal but for the order of /0/\\n{'k' * 38} … 105 characters"
    )

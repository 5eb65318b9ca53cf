"""Where two streams differ, with the elements of arrays aligned."""

from __future__ import annotations

import pytest

from harness.jsonio.decoder import Json, Number, encode
from harness.jsonio.fast import decode
from harness.judging.array_diff import aligned_differences
from harness.model.comparison import Comparison, Numbers
from harness.model.judgement import MISSING, Missing


def spelled(value: Json | Missing) -> str:
    """A value, or that there is none."""
    return "-" if value is MISSING else encode(value)


def found(expected: str, actual: str, comparison: Comparison = Comparison()) -> list[str]:
    """The differences between two texts, each on a line."""
    left, right = decode(expected.encode()).values, decode(actual.encode()).values
    return [
        f"{one.pointer}{f' is {one.actual_pointer}' if one.actual_pointer else ''}:"
        f" {spelled(one.expected)} | {spelled(one.actual)}"
        for one in aligned_differences(left, right, comparison)
    ]


@pytest.mark.parametrize(
    ("expected", "actual", "told"),
    [
        ("1 2 3", "1 2 3", []),
        ("1 2 3 4", "2 3 4", ["/0: 1 | -"]),
        ("[1,2,3,4,5]", "[1,2,9,4,5]", ["/0/2: 3 | 9"]),
        ("[1,2,3]", "[1,2,3,4]", ["/0/3: - | 4"]),
        ("[[1]]", "[[]]", ["/0/0/0: 1 | -"]),
        (
            '["abcd","efgh"]',
            '["x","abcdx","efgh"]',
            ['/0/0: - | "x"', '/0/0 is /0/1: "abcd" | "abcdx"'],
        ),
        (
            '[[1,2,[3,4,5,6]],7,"a"]',
            '[0,[1,2,[3,5,6,8,9]],7,"a"]',
            ["/0/0: - | 0", "/0/0/2/1: 4 | -", "/0/1/2/3: - | 8", "/0/1/2/4: - | 9"],
        ),
        (
            '[{"id":1,"name":"ann","born":{"year":1}},{"id":2,"name":"bob","born":{"year":2}}]',
            '[{"id":2,"name":"bob","born":{"year":3}}]',
            [
                '/0/0: {"id":1,"name":"ann","born":{"year":1}} | -',
                "/0/1/born/year is /0/0/born/year: 2 | 3",
            ],
        ),
        ("[1,2,3,4]", '{"0":1}', ['/0: [1,2,3,4] | {"0":1}']),
        (
            "[1,true,null]",
            '["1",{},[],"x"]',
            ['/0/0: 1 | "1"', "/0/1: true | {}", "/0/2: null | []", '/0/3: - | "x"'],
        ),
    ],
)
def test_an_element_put_in_or_left_out_is_one_difference(
    expected: str, actual: str, told: list[str]
) -> None:
    assert found(expected, actual) == told


@pytest.mark.parametrize(
    ("comparison", "told"),
    [
        (Comparison(numbers=Numbers.VALUE), ["/0/0: 0 | -", "/0/2/t is /0/1/t: 1 | 2"]),
        (Comparison(numbers=Numbers.VALUE, ignore=("/**/t",)), ["/0/0: 0 | -"]),
        (Comparison(ignore=("/0/*",)), []),
        (
            Comparison(unordered=("/0",), ignore=("/**/t",)),
            ["/0/0: 0 | -", "/0/1: 1 | -", "/0/0: - | 1.0"],
        ),
        (
            Comparison(ignore=("/0/1",)),
            ["/0/0: 0 | 1.0", '/0/2: {"t":1} | 7', "/0/3: 7 | -"],
        ),
    ],
)
def test_arrays_are_aligned_where_the_comparison_does_not_speak_of_an_index(
    comparison: Comparison, told: list[str]
) -> None:
    assert found('[0,1,{"t":1},7]', '[1.0,{"t":2},7]', comparison) == told


def numbers(many: int, first: int = 0) -> list[Json]:
    """So many numbers."""
    return [Number(str(first + number)) for number in range(many)]


def test_among_many_changed_elements_one_that_is_left_out_is_found() -> None:
    left: list[Json] = [[Number(str(number)), "a", "b", "c"] for number in range(400)]
    right: list[Json] = [[Number(str(number)), "a", "b", "cd"[number % 2]] for number in range(400)]
    told = list(aligned_differences([left], [right[1:]], Comparison()))
    assert (told[0].pointer, told[0].actual) == ("/0/0", MISSING)
    assert [(one.pointer, one.actual_pointer) for one in told[1:]] == [
        (f"/0/{number}/3", f"/0/{number - 1}/3") for number in range(1, 400, 2)
    ]


def test_far_different_large_arrays_are_told_by_index_within_bounds() -> None:
    left, right = numbers(20_000), numbers(20_000)[::-1]
    told = aligned_differences([left], [right], Comparison())
    assert [one.pointer for one in told] == [f"/0/{index}" for index in range(20_000)]


def test_values_too_large_for_their_forms_are_told_by_index() -> None:
    left: list[Json] = [numbers(2_000, number) for number in range(105)]
    told = list(aligned_differences([left], [left[:0:-1]], Comparison()))
    assert told[-1].pointer == "/0/104"
    assert told[-1].actual is MISSING


def test_deep_values_are_walked_without_recursion_and_within_bounds() -> None:
    left: Json = Number("1")
    right: Json = Number("2")
    for _ in range(3_000):
        left, right = [Number("7"), left], [Number("7"), right]
    (one,) = aligned_differences([left], [right], Comparison())
    assert (one.pointer, one.actual_pointer) == ("/0" + "/1" * 3_000, None)

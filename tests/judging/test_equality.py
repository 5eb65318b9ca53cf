"""Equality of JSON, and the places where two streams differ."""

from __future__ import annotations

import re
import subprocess
import sys
import tracemalloc
from collections.abc import Iterator
from itertools import permutations
from typing import Any
from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.calls import count_calls
from support.golden import Golden
from support.tables import comparison_of, transcript_of
from support.xtest import TOP

from harness.jsonio.decoder import EXTENSIONS, Json, Number, encode
from harness.jsonio.fast import decode
from harness.judging.equality import are_equal, canonical, count_tests, differences, split_tests
from harness.judging.judge import judge
from harness.judging.numbers import equal_numbers
from harness.judging.strings import Form, equal_strings, normal_form
from harness.model.case import Case, Policy
from harness.model.comparison import (
    ArrayOrder,
    Comparison,
    Matching,
    Numbers,
    PlaceRule,
    Strings,
    Tolerance,
)
from harness.model.judgement import MISSING, Difference, Missing

N = Number
PLAIN = Comparison()


def read(text: str) -> list[Json]:
    decoded = decode(text.encode())
    assert decoded.fault is None
    return decoded.values


def compare(example: tuple[str, ...]) -> str:
    expected, actual, *rules = example
    comparison = comparison_of(*rules)
    left, right = read(expected), read(actual)
    found = [
        f"{one.pointer or 'all'}: {text_of(one.expected)} / {text_of(one.actual)}"
        for one in differences(left, right, comparison)
    ]
    same_text = canonical(left, comparison) == canonical(right, comparison)
    assert comparison.has_tolerance or same_text is (not found)
    return "; ".join(found) or "equal"


def text_of(value: Json | Missing) -> str:
    """Return a value as JSON, or a dash if it is missing."""
    return "-" if value is MISSING else encode(value)


def test_differences_are_found_under_the_rules_of_a_comparison(golden: Golden) -> None:
    golden.table("equality.txt", compare)


# --- numbers

LONG_ZEROS = "0" * 5_000


@pytest.mark.parametrize("numbers", Numbers)
@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("1" + "0" * 9_999 + ".0", "1e9999"),
        ("0." + "0" * 9_999 + "7", "7e-10000"),
        ("9" * 10_000 + "e0", "9" * 10_000 + ".0"),
        (f"1e{LONG_ZEROS}1", "10.0"),
        (f"1e-{LONG_ZEROS}", "1.0"),
        ("-0e" + "9" * 5_000, "-0.0"),
    ],
    ids=lambda text: text[:12],
)
def test_numbers_of_one_kind_and_one_value_are_equal(
    left: str, right: str, numbers: Numbers
) -> None:
    """For numbers of usual length, tests/property has the law."""
    for one, other in ((left, right), (right, left)):
        assert equal_numbers(one, other, numbers)


PAGE = (TOP / "docs" / "equality.md").read_text(encoding="utf-8")


def test_the_numbers_on_the_page_are_equal_where_it_says_so() -> None:
    rows = re.findall(
        r"^\| `(.+)` \| `(.+)` \| (equal|different) \| (equal|different) \|$", PAGE, re.M
    )
    assert len(rows) == 10
    for one, other, exact, value in rows:
        assert equal_numbers(one, other, Numbers.EXACT) is (exact == "equal")
        assert equal_numbers(one, other, Numbers.VALUE) is (value == "equal")


def test_every_kind_of_value_differs_from_every_other() -> None:
    kinds = read('null true false 0 0.0 "" "0" "null" [] {} [0] [[]] {"0":0} [null] [{}]')
    for i, left in enumerate(kinds):
        for j, right in enumerate(kinds):
            equal = not list(differences([left], [right], PLAIN))
            assert equal is (i == j)


def test_strings_are_compared_as_the_policy_says(golden: Golden) -> None:
    def outcome(example: tuple[str, str, str]) -> str:
        way, left, right = example
        strings = Matching(way) if way.startswith("[") else Strings(way)
        equal = equal_strings(left, right, strings)
        assert equal_strings(right, left, strings) is equal
        for order in ArrayOrder:
            comparison = Comparison(strings=strings, at=(PlaceRule(("",), order=order),))
            assert are_equal([left], [right], comparison) is equal
        return "equal" if equal else "different"

    golden.table("strings.txt", outcome)


FORMS: list[Form] = ["NFC", "NFD", "NFKC", "NFKD"]
# Marks of several classes, precomposed letters, Hangul, ligatures.
LETTERS = "a\u0300\u0323\u0327\u0345é\u1e69ﬁ\uac01\u1100\u1161\u0f77"


@given(st.sampled_from(FORMS), st.text(st.sampled_from(LETTERS) | st.characters(codec="utf-8")))
def test_a_long_text_has_the_normal_form_of_the_standard_library(form: Form, text: str) -> None:
    # Long enough for our own sorting; "|" keeps the texts apart.
    repeated = "|".join([text] * (1_001 // (len(text) + 1) + 1)) + "|é"
    assert normal_form(form, repeated * 2) == normalize(form, repeated * 2)


@pytest.mark.parametrize("form", FORMS)
def test_a_long_run_of_marks_takes_linear_time(form: Form) -> None:
    # By insertion, this would take hours.
    text = "a" + "\u0300\u0323" * 300_000
    marks = "\u0323" * 300_000 + "\u0300" * 300_000
    assert normal_form(form, text) == normalize(form, "a" + marks)


def test_ligatures_in_a_normal_form_take_little_more_memory_than_their_letters() -> None:
    text = "\ufdfa" * 100_000  # 18 characters each
    tracemalloc.start()
    assert len(normal_form("NFKC", text)) == 1_800_000
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 20 * 2**20
    assert equal_strings("\ufdfa", normalize("NFKC", "\ufdfa"), Strings.NFKC)


def test_a_comparison_without_schema_does_not_import_jsonschema() -> None:
    script = "import sys, harness.judging.judge; print('jsonschema' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=TOP
    )
    assert done.stdout == "False\n"


def test_nan_and_half_a_surrogate_pair_are_equal_to_themselves() -> None:
    values = decode(b'NaN Infinity "\\ud800"', allow=EXTENSIONS).values
    others = decode(b'NaN -Infinity "\\udc00"', allow=EXTENSIONS).values
    for comparison in (PLAIN, Comparison(unordered=("",)), Comparison(strings=Strings.NFKC)):
        assert not list(differences(values, list(values), comparison))
        assert list(differences(values[1:2], others[1:2], comparison))
        assert list(differences(values[2:], others[2:], comparison))
        assert canonical(values, comparison) != canonical(others, comparison)


# --- no recursion, one pass, no more than is asked for


def nested(depth: int, core: Json) -> list[Json]:
    """A stream of one value: the core in so many brackets, arrays and objects in turn."""
    for level in range(depth):
        core = [core] if level % 2 else {"k": core}
    return [core]


@pytest.mark.parametrize(
    "comparison",
    [
        PLAIN,
        Comparison(unordered=("/**",)),
        Comparison(ignore=("/**/x",)),
        Comparison(unordered=("/0/**/k",)),
        Comparison(at=(PlaceRule(("/**",), order=ArrayOrder.SET), PlaceRule(("/**/k",), key="k"))),
    ],
)
def test_values_9_999_deep_are_compared(comparison: Comparison) -> None:
    left, same, other = nested(9_999, N("1")), nested(9_999, N("1")), nested(9_999, N("2"))
    assert not list(differences(left, same, comparison))
    assert list(differences(left, other, comparison))
    assert canonical(left, comparison) == canonical(same, comparison)
    assert canonical(left, comparison) != canonical(other, comparison)


def calls(depth: int, comparison: Comparison) -> int:
    """Calls that a comparison of two equal values of this depth makes."""
    left, right = nested(depth, N("1")), nested(depth, N("1"))
    return count_calls(lambda: list(differences(left, right, comparison)))


@pytest.mark.parametrize("ignore", [(), ("/**/x",), ("/**/k/**/x", "/0/y")])
@pytest.mark.parametrize("unordered", [(), ("/0",), ("/**",), ("/**/k",)])
def test_each_level_costs_as_much_as_the_one_above(
    ignore: tuple[str, ...], unordered: tuple[str, ...]
) -> None:
    comparison = Comparison(ignore=ignore, unordered=unordered)
    short, longer, longest = (calls(depth, comparison) for depth in (200, 400, 600))
    assert longest - longer == longer - short


class Counted(list[Json]):
    """An array that counts how many of its elements were asked for."""

    asked = 0

    def __iter__(self) -> Iterator[Json]:
        for element in super().__iter__():
            self.asked += 1
            yield element


def test_finding_one_difference_does_not_compute_the_others() -> None:
    printed = Counted([N("0")] * 1000)
    some = differences([N("0"), N("0")], printed, PLAIN)
    assert next(some) == Difference("/2", MISSING, N("0"))
    assert printed.asked == 3


# --- values that count as tests


def test_equal_values_count_at_their_places(golden: Golden) -> None:
    def right_of_all(example: tuple[str, ...]) -> str:
        each, wanted, printed, *rules = example
        expected, actual = read(wanted), read(printed)
        right, failed = split_tests(expected, actual, each, comparison_of(*rules))
        total = count_tests(expected, each)
        assert right + len(failed) in (total, 0)
        return f"{right} of {total}"

    golden.table("assertions.txt", right_of_all)


def test_an_output_that_is_cut_off_has_no_right_tests(golden: Golden) -> None:
    case = Case("s", "1", b"", b"", read("[1,2,3]"), policy=Policy(test_path="/0/*"))

    def right(run: dict[str, Any], judged: Case = case) -> str:
        judgement = judge(transcript_of(run), judged, judged.policy)
        return f"{judgement.tests_passed} of {judgement.tests}"

    golden.table("cut_off_tests.txt", right)
    either = case._replace(alternatives=(case.expected, read("[9,8,7,6]")))
    assert right({"stdout": b"[9]"}, either) == "1 of 3"


NUMBERS = st.lists(st.integers(0, 8).map(lambda n: Number(f"{n / 4}")), max_size=5)


@given(NUMBERS, NUMBERS, st.booleans())
def test_unordered_numbers_within_a_tolerance_are_paired_as_often_as_possible(
    expected: list[Json], actual: list[Json], wrapped: bool
) -> None:
    rules = Comparison(Tolerance(absolute="0.5", relative="0.25"), unordered=("/0",))
    if wrapped:  # not sorted, but paired by searching
        expected, actual = [[each] for each in expected], [[each] for each in actual]
    found = list(differences([expected], [actual], rules))
    near = rules._replace(unordered=())
    is_more = len(expected) >= len(actual)
    longer, shorter = (expected, actual) if is_more else (actual, expected)

    def are_close(one: Json, other: Json) -> bool:
        left, right = (one, other) if is_more else (other, one)
        return are_equal([left], [right], near)

    most = max(
        sum(are_close(one, other) for one, other in zip(order, shorter, strict=False))
        for order in permutations(longer)
    )
    assert len(found) == len(expected) + len(actual) - 2 * most

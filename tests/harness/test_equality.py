"""What equal JSON means, and the places where two streams differ."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

import pytest

from harness.jsonfast import decode
from harness.jsontext import LAXITIES, Json, Number
from harness.judging.comparison import (
    Comparison,
    Matching,
    Numbers,
    Order,
    PlaceRule,
    Schema,
    Strings,
    Tolerance,
)
from harness.judging.equality import canonical, differences, equal_numbers, equal_strings
from harness.records import MISSING, Difference, Missing

N = Number
PLAIN = Comparison()


def read(text: str) -> list[Json]:
    """The values of a text."""
    decoded = decode(text.encode())
    assert decoded.fault is None
    return decoded.values


def found(expected: str, actual: str, comparison: Comparison = PLAIN) -> list[Difference]:
    """The differences between two texts."""
    return list(differences(read(expected), read(actual), comparison))


def at(pointer: str, expected: Json | Missing, actual: Json | Missing) -> Difference:
    """One difference."""
    return Difference(pointer, expected, actual)


# --- numbers

EQUAL = [
    ("0", "0"),
    ("-12", "-12"),
    ("1e2", "100.0"),
    ("1e2", "1E+02"),
    ("1.5", "15e-1"),
    ("1.50", "1.5"),
    ("0.1", "1e-1"),
    ("0.0", "0e5"),
    ("0.0", "0.000"),
    ("-0.0", "-0e1"),
    ("100e-2", "1.0"),
    ("-1.25e-3", "-0.00125"),
    ("1e0", "1.0"),
    ("1e-0", "1e+0"),
    ("1" + "0" * 9_999 + ".0", "1e9999"),
    ("0." + "0" * 9_999 + "7", "7e-10000"),
    ("9" * 10_000 + "e0", "9" * 10_000 + ".0"),
    ("1e" + "9" * 5_000, "10e" + "9" * 4_999 + "8"),
    ("1e1" + "0" * 5_000, "10e" + "9" * 5_000),
    ("1e-1" + "0" * 5_000, "0.1e-" + "9" * 5_000),
    ("1e" + "0" * 5_000 + "1", "10.0"),
    ("-0e" + "9" * 5_000, "-0.0"),
    ("1e-" + "0" * 5_000, "1.0"),
]

UNEQUAL = [
    ("0", "1"),
    ("1", "-1"),
    ("1", "10"),
    ("12", "21"),
    ("1.0", "1.01"),
    ("1e2", "1e3"),
    ("1e2", "1e-2"),
    ("0.0", "1e-400"),
    ("1e400", "1e401"),
    ("9007199254740992", "9007199254740993"),
    ("0.1", "0.1000000000000000055511151231257827"),
    ("1" * 10_000, "1" * 9_999 + "2"),
    ("1" * 10_000, "1" * 10_001),
    ("1e" + "9" * 5_000, "1e" + "9" * 4_999 + "8"),
    ("1e" + "9" * 5_000, "1e-" + "9" * 5_000),
    ("1e1" + "0" * 5_000, "1e" + "9" * 5_000),
]

SAME_VALUE = [
    ("1", "1.0"),
    ("100", "1e2"),
    ("0", "-0"),
    ("0", "0.0"),
    ("-0", "0e9"),
    ("-0.0", "0.0"),
    ("-120", "-1.2e2"),
    ("1" + "0" * 9_999, "1e9999"),
]


@pytest.mark.parametrize("numbers", Numbers)
@pytest.mark.parametrize(("left", "right"), EQUAL, ids=lambda text: text[:12])
def test_numbers_of_one_kind_and_one_value_are_equal(
    left: str, right: str, numbers: Numbers
) -> None:
    for one, other in ((left, right), (right, left)):
        assert equal_numbers(one, other, numbers)


@pytest.mark.parametrize("numbers", Numbers)
@pytest.mark.parametrize(("left", "right"), UNEQUAL, ids=lambda text: text[:12])
def test_numbers_of_different_values_are_never_equal(
    left: str, right: str, numbers: Numbers
) -> None:
    for one, other in ((left, right), (right, left)):
        assert not equal_numbers(one, other, numbers)


@pytest.mark.parametrize(("left", "right"), SAME_VALUE, ids=lambda text: text[:12])
def test_kind_and_the_sign_of_zero_count_only_where_numbers_are_exact(
    left: str, right: str
) -> None:
    for one, other in ((left, right), (right, left)):
        assert equal_numbers(one, other, Numbers.VALUE)
        assert not equal_numbers(one, other, Numbers.EXACT)


def test_exponents_past_a_million_digits_are_compared_bug() -> None:
    """They overflowed the range that Python's decimals have unless told otherwise, and the harness
    fell over a number that a program under test had printed."""
    nines = "9" * 1_000_001
    assert equal_numbers(f"1e{nines}", f"1.0e{nines}", Numbers.EXACT)
    assert not equal_numbers(f"1e{nines}", f"2e{nines}", Numbers.EXACT)
    assert not equal_numbers(f"1e{nines}", f"1e-{nines}", Numbers.VALUE)


TOP = Path(__file__).resolve().parents[2]
PAGE = (TOP / "docs" / "equality.md").read_text(encoding="utf-8")


def test_the_numbers_on_the_page_are_equal_where_it_says_so() -> None:
    rows = re.findall(
        r"^\| `(.+)` \| `(.+)` \| (equal|different) \| (equal|different) \|$", PAGE, re.M
    )
    assert len(rows) == 10
    for one, other, exact, value in rows:
        assert equal_numbers(one, other, Numbers.EXACT) is (exact == "equal")
        assert equal_numbers(one, other, Numbers.VALUE) is (value == "equal")


# --- two streams


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        ("", ""),
        ("1", " 1\n"),
        ('{"a":1,"b":[2]}', '{ "b" : [ 2 ],\r\n"a":1 }'),
        (r'"\u00e9\/"', '"\u00e9/"'),
        (r'{"\u0061":1}', '{"a":1}'),
        ("[1][2]", "[1]\n[2]"),
        ("1.50", "15e-1"),
    ],
)
def test_white_space_order_of_members_and_spelling_do_not_count(expected: str, actual: str) -> None:
    assert not found(expected, actual)


def test_every_kind_of_value_differs_from_every_other() -> None:
    kinds = read('null true false 0 0.0 "" "0" "null" [] {} [0] [[]] {"0":0} [null] [{}]')
    for i, left in enumerate(kinds):
        for j, right in enumerate(kinds):
            equal = not list(differences([left], [right], PLAIN))
            assert equal is (i == j)


def test_every_difference_is_found_in_the_order_of_the_expected_stream() -> None:
    assert found(
        '{"z":1,"a":[1,{"b":true}],"same":[[]],"gone":[]} "x" 7',
        '{"new":{},"a":[2,{"b":1},null],"same":[[]],"z":"1"} "y" 7 [8]',
    ) == [
        at("/0/z", N("1"), "1"),
        at("/0/a/0", N("1"), N("2")),
        at("/0/a/1/b", True, N("1")),
        at("/0/a/2", MISSING, None),
        at("/0/gone", [], MISSING),
        at("/0/new", MISSING, {}),
        at("/1", "x", "y"),
        at("/3", MISSING, [N("8")]),
    ]


def test_an_array_for_an_object_is_one_difference() -> None:
    assert found("[[1,2]]", '[{"0":1,"1":2}]') == [
        at("/0/0", [N("1"), N("2")], {"0": N("1"), "1": N("2")})
    ]


def test_a_value_that_only_one_side_has_is_one_difference_however_large() -> None:
    assert found("[1]", "[1] [[1,2],[3]]") == [
        at("/1", MISSING, [[N("1"), N("2")], [N("3")]]),
    ]
    assert found("[[[],[]]]", "[]") == [at("/0/0", [[], []], MISSING)]


def test_null_is_not_the_absence_of_a_value() -> None:
    assert found('{"a":null}', "{}") == [at("/0/a", None, MISSING)]
    assert found("[]", "[null]") == [at("/0/0", MISSING, None)]


def test_keys_are_escaped_in_pointers() -> None:
    assert found('{"a/b":{"~":1,"":2}}', '{"a/b":{"~":2,"":1}}') == [
        at("/0/a~1b/~0", N("1"), N("2")),
        at("/0/a~1b/", N("2"), N("1")),
    ]


def test_equal_texts_that_look_alike_but_are_not_normalised_differ() -> None:
    assert found('"\u00e9"', '"e\u0301"') == [at("/0", "\u00e9", "e\u0301")]


def test_numbers_by_value_are_told_by_the_comparison() -> None:
    assert found("[1,2]", "[1.0,3]", Comparison(Numbers.VALUE)) == [at("/0/1", N("2"), N("3"))]
    assert found("[1,2]", "[1.0,2]") == [at("/0/0", N("1"), N("1.0"))]


# --- what is ignored


def test_what_is_ignored_need_not_agree_nor_be_there() -> None:
    comparison = Comparison(ignore=("/*/t", "/1/x/**"))
    assert not found('{"t":1,"a":2}', '{"a":2,"t":[]}', comparison)
    assert not found('{"t":1,"a":2}', '{"a":2}', comparison)
    assert not found("{}{}", '{"t":0}{"x":{"y":1}}', comparison)
    assert found('{"a":{"t":1}}', '{"a":{"t":2}}', comparison) == [at("/0/a/t", N("1"), N("2"))]


def test_values_of_the_stream_may_be_ignored_and_absent() -> None:
    assert not found('1 2 "seen at 12:00"', "1 2", Comparison(ignore=("/2",)))
    assert not found("1 2", "1 2 3", Comparison(ignore=("/2",)))
    assert found("1 2 3 4", "1 2", Comparison(ignore=("/2",))) == [at("/3", N("4"), MISSING)]
    assert not found("1 2", "", Comparison(ignore=("",)))


# --- arrays whose order does not count


def test_unordered_arrays_are_compared_as_multisets() -> None:
    comparison = Comparison(unordered=("/0",))
    assert not found("[1,2,3,2]", "[2,3,2,1]", comparison)
    assert not found('[[1,2],{"a":1,"b":2}]', '[{"b":2,"a":1},[1,2]]', comparison)
    assert not found("[1.50,true]", "[true,15e-1]", comparison)
    assert found("[1,1,2]", "[1,2,2]", comparison) == [
        at("/0/1", N("1"), MISSING),
        at("/0/2", MISSING, N("2")),
    ]


def test_the_order_inside_the_elements_still_counts() -> None:
    assert found("[[1,2],[3]]", "[[3],[2,1]]", Comparison(unordered=("/0",))) == [
        at("/0/0", [N("1"), N("2")], MISSING),
        at("/0/1", MISSING, [N("2"), N("1")]),
    ]
    assert not found("[[1,2],[3]]", "[[3],[2,1]]", Comparison(unordered=("/**",)))


def test_elements_without_a_partner_stand_under_their_own_index() -> None:
    assert found("[9,1,2,3]", "[3,8,1,7,2]", Comparison(unordered=("/0",))) == [
        at("/0/0", N("9"), MISSING),
        at("/0/1", MISSING, N("8")),
        at("/0/3", MISSING, N("7")),
    ]


def test_of_equal_elements_the_last_ones_are_left_over() -> None:
    assert found("[5,5]", "[5,5,5,5]", Comparison(unordered=("/0",))) == [
        at("/0/2", MISSING, N("5")),
        at("/0/3", MISSING, N("5")),
    ]


def test_the_stream_itself_may_be_unordered() -> None:
    assert not found("1 [2] 3", "3 1 [2]", Comparison(unordered=("",)))


def test_unordered_says_nothing_about_objects_and_other_kinds() -> None:
    comparison = Comparison(unordered=("/**",))
    assert found('{"a":1,"b":2}', '{"a":2,"b":1}', Comparison(unordered=("/0",))) == [
        at("/0/a", N("1"), N("2")),
        at("/0/b", N("2"), N("1")),
    ]
    assert found('["ab"]', '["ba"]', Comparison(unordered=("/0/0",))) == [at("/0/0", "ab", "ba")]
    assert found("[[]]", "[{}]", comparison) == [at("/0", [[]], MISSING), at("/0", MISSING, [{}])]


def test_what_is_ignored_inside_an_unordered_array_does_not_part_its_elements() -> None:
    comparison = Comparison(unordered=("/0",), ignore=("/0/*/t",))
    assert not found('[{"a":1,"t":1},{"a":2}]', '[{"a":2,"t":5},{"t":6,"a":1}]', comparison)
    assert found('[{"a":1,"t":1}]', '[{"a":2,"t":1}]', comparison) == [
        at("/0/0", {"a": N("1"), "t": N("1")}, MISSING),
        at("/0/0", MISSING, {"a": N("2"), "t": N("1")}),
    ]


def test_an_ignored_element_of_an_unordered_array_is_nobodys_partner() -> None:
    comparison = Comparison(unordered=("/0",), ignore=("/0/1",))
    assert not found("[1,2]", "[1]", comparison)
    assert not found("[1,2,3]", "[3,7,1]", comparison)
    assert found("[1,2]", "[2,1]", comparison) == [
        at("/0/0", N("1"), MISSING),
        at("/0/0", MISSING, N("2")),
    ]


# --- arrays as sets, and by a key


def places(*rules: PlaceRule) -> Comparison:
    """A comparison that speaks of places only."""
    return Comparison(at=rules)


def test_in_a_set_neither_order_nor_number_counts() -> None:
    comparison = places(PlaceRule(("/0",), order=Order.SET))
    assert not found("[1,2,1]", "[2,1,2,2]", comparison)
    assert found("[1,1,3,3]", "[1,2,2]", comparison) == [
        at("/0/2", N("3"), MISSING),
        at("/0/1", MISSING, N("2")),
    ]
    assert not found("[[1,1],2]", "[2,[1]]", places(PlaceRule(("/**",), order=Order.SET)))


KEYED = places(PlaceRule(("/0",), key="id"))


def test_elements_of_one_key_are_compared_inside_under_the_expected_index() -> None:
    assert found(
        '[{"id":"a","n":1},{"id":"b","n":[2,3]},{"id":"c"}]',
        '[{"id":"c"},{"id":"b","n":[2,4]},{"id":"a","n":1,"m":0}]',
        KEYED,
    ) == [at("/0/0/m", MISSING, N("0")), at("/0/1/n/1", N("3"), N("4"))]


def test_of_several_elements_of_one_key_the_first_that_found_no_equal_are_paired() -> None:
    assert found(
        '[{"id":1,"n":1},{"id":1,"n":2},{"id":1,"n":3},{"id":1.0}]',
        '[{"id":1,"n":4},{"id":1,"n":2},{"id":1,"n":5},{"id":1,"n":6}]',
        KEYED,
    ) == [
        at("/0/0/n", N("1"), N("4")),
        at("/0/2/n", N("3"), N("5")),
        at("/0/3", {"id": N("1.0")}, MISSING),
        at("/0/3", MISSING, {"id": N("1"), "n": N("6")}),
    ]


def test_elements_without_a_key_are_paired_with_equal_ones_only() -> None:
    assert not found('[7,{"n":1},{"id":1}]', '[{"id":1},7,{"n":1}]', KEYED)
    assert found('[{"n":1},["id"]]', '[{"n":2},["id",1]]', KEYED) == [
        at("/0/0", {"n": N("1")}, MISSING),
        at("/0/1", ["id"], MISSING),
        at("/0/0", MISSING, {"n": N("2")}),
        at("/0/1", MISSING, ["id", N("1")]),
    ]


def test_keys_are_equal_under_what_holds_at_their_own_place() -> None:
    comparison = places(
        PlaceRule(("/0",), key="id"), PlaceRule(("/0/*/id",), numbers=Numbers.VALUE)
    )
    assert found('[{"id":1,"n":1}]', '[{"id":1.0,"n":2}]', comparison) == [
        at("/0/0/n", N("1"), N("2"))
    ]


def test_a_keyed_set_is_a_set() -> None:
    comparison = places(PlaceRule(("/0",), order=Order.SET, key="id"))
    assert not found('[{"id":1},{"id":1}]', '[{"id":1}]', comparison)
    assert found('[{"id":1},{"id":1}]', '[{"id":1}]', KEYED)


def test_with_a_key_numbers_inside_may_have_a_tolerance() -> None:
    comparison = places(
        PlaceRule(("/0",), key="id"), PlaceRule(("/0/*/n",), numbers=Tolerance("0.1"))
    )
    assert found(
        '[{"id":1,"n":1},{"id":2,"n":2}]', '[{"id":2,"n":2.2},{"id":1,"n":1.05}]', comparison
    ) == [at("/0/1/n", N("2"), N("2.2"))]


# --- what holds at some places


def test_numbers_are_compared_as_their_own_place_has_it() -> None:
    comparison = Comparison(
        at=(
            PlaceRule(("/*/near",), numbers=Tolerance("0.5")),
            PlaceRule(("/*/value",), numbers=Numbers.VALUE),
        )
    )
    assert not found('{"near":1,"value":1,"n":1}', '{"near":1.5,"value":1.0,"n":1}', comparison)
    assert [entry.pointer for entry in found('{"near":1,"n":1}', '{"near":2,"n":1.0}', comparison)]
    assert found('{"n":1}', '{"n":1.0}', comparison) == [at("/0/n", N("1"), N("1.0"))]
    # What holds at a place does not hold inside it, and a number is never a text.
    assert found('{"near":[1]}', '{"near":[1.5]}', comparison)
    assert found('{"near":1}', '{"near":"1"}', comparison)


@pytest.mark.parametrize(
    ("strings", "left", "right", "equal"),
    [
        (Strings.EXACT, "\u00e9", "e\u0301", False),
        (Strings.NFC, "\u00e9", "e\u0301", True),
        (Strings.NFD, "\u00e9", "e\u0301", True),
        (Strings.NFC, "\ufb01", "fi", False),
        (Strings.NFKC, "\ufb01", "fi", True),
        (Strings.NFKD, "\u00b2", "2", True),
        (Strings.NFKC, "A", "a", False),
        (Matching("[0-9a-f]+"), "12ab", "0", True),
        (Matching("[0-9a-f]+"), "12ab", "0x", False),
        (Matching("[0-9a-f]+"), "12ab", "0\n", False),
        (Matching("[0-9a-f]+"), "x", "0", False),
        (Matching("[0-9a-f]+"), "x", "x", True),
        (Matching("[0-9a-f]+"), "x", "y", False),
        (Matching("a"), "a", "matches a", False),
    ],
)
def test_strings_are_equal_as_the_policy_has_it(
    strings: Strings | Matching, left: str, right: str, equal: bool
) -> None:
    for one, other in ((left, right), (right, left)):
        assert equal_strings(one, other, strings) is equal
    for order in Order:
        comparison = Comparison(strings=strings, at=(PlaceRule(("",), order=order),))
        assert (not list(differences([left], [right], comparison))) is equal


def test_keys_of_objects_are_never_normalised() -> None:
    assert found('{"\u00e9":1}', '{"e\u0301":1}', Comparison(strings=Strings.NFC))


PLACEHOLDER = places(PlaceRule(("/*/t",), schema=Schema('{"type":["integer","array"]}')))


def test_two_values_that_fit_a_placeholder_are_equal() -> None:
    assert not found('{"t":1}', '{"t":2}', PLACEHOLDER)
    assert not found('{"t":1}', '{"t":[[]]}', PLACEHOLDER)
    assert not found('{"t":"x"}', '{"t":"x"}', PLACEHOLDER)
    assert found('{"t":1}', '{"t":"x"}', PLACEHOLDER) == [at("/0/t", N("1"), "x")]
    assert found('{"t":1}', "{}", PLACEHOLDER) == [at("/0/t", N("1"), MISSING)]
    assert found('1 {"t":{"a":1}}', '1 {"t":{"a":2}}', PLACEHOLDER) == [
        at("/1/t/a", N("1"), N("2"))
    ]


def test_placeholders_inside_a_set_make_elements_equal() -> None:
    comparison = PLACEHOLDER._replace(unordered=("",))
    assert not found('{"t":1,"a":1} {"a":2}', '{"a":2} {"a":1,"t":5}', comparison)
    assert found('{"t":1}', '{"t":"x"}', comparison)


def test_equality_that_no_schema_is_in_imports_no_jsonschema() -> None:
    script = (
        "import sys; from harness.judging.equality import differences\n"
        "from harness.judging.comparison import Comparison, PlaceRule, Numbers\n"
        "list(differences(['a'], ['b'], Comparison(at=(PlaceRule(('/0',), ignore=True),))))\n"
        "print(sorted({'jsonschema', 'decimal', 'unicodedata', 'hashlib'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=TOP
    )
    assert done.stdout == "[]\n"


def test_nan_and_half_a_pair_are_equal_to_themselves() -> None:
    values = decode(b'NaN Infinity "\\ud800"', allow=LAXITIES).values
    others = decode(b'NaN -Infinity "\\udc00"', allow=LAXITIES).values
    for comparison in (PLAIN, Comparison(unordered=("",)), Comparison(strings=Strings.NFKC)):
        assert not list(differences(values, list(values), comparison))
        assert list(differences(values[1:2], others[1:2], comparison))
        assert list(differences(values[2:], others[2:], comparison))
        assert canonical(values, comparison) != canonical(others, comparison)


# --- canonical texts


@pytest.mark.parametrize(
    ("left", "right", "comparison"),
    [
        ('{"a":1,"b":[2]}', '{"b":[2],"a":1}', PLAIN),
        ("[1.50]", "[15e-1]", PLAIN),
        ("[1,-0]", "[1.0,0.0]", Comparison(Numbers.VALUE)),
        ("[1,2]", "[2,1]", Comparison(unordered=("/0",))),
        ("[[1,2],3]", "[3,[2,1]]", Comparison(unordered=("/**",))),
        ('{"a":1,"t":2}', '{"a":1}', Comparison(ignore=("/0/t",))),
        ("1 2", "", Comparison(ignore=("",))),
    ],
)
def test_equal_values_share_their_canonical_text(
    left: str, right: str, comparison: Comparison
) -> None:
    assert canonical(read(left), comparison) == canonical(read(right), comparison)


def test_different_values_have_different_canonical_texts() -> None:
    values = read(
        """null true false 0 -0 0.0 -0.0 1 "" "null" "0" "integer 0" "ignored" [] {} [[]] [{}]
        {"":[]} [1,2] [2,1] [[1],2] [1,[2]] [1,2,[]] ["a",1] {"a":1,"b":2} {"a":2,"b":1} {"a":1}
        {"b":1} {"1":"a"}"""
    )
    assert len({canonical(value, PLAIN) for value in values}) == len(values) == 29


def test_an_ignored_element_may_be_absent_from_a_canonical_text_bug() -> None:
    """It was written as a mark of its own, and [1,2] and [1] told apart where /0/1 is ignored."""
    comparison = Comparison(ignore=("/0/1",))
    assert canonical(read("[1,2]"), comparison) == canonical(read("[1]"), comparison)
    assert canonical(read("[1,2,3]"), comparison) != canonical(read("[1,2]"), comparison)


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
        Comparison(at=(PlaceRule(("/**",), order=Order.SET), PlaceRule(("/**/k",), key="k"))),
    ],
)
def test_values_9_999_deep_are_compared(comparison: Comparison) -> None:
    left, same, other = nested(9_999, N("1")), nested(9_999, N("1")), nested(9_999, N("2"))
    assert not list(differences(left, same, comparison))
    assert list(differences(left, other, comparison))
    assert canonical(left, comparison) == canonical(same, comparison)
    assert canonical(left, comparison) != canonical(other, comparison)


def calls(depth: int, comparison: Comparison) -> int:
    """Calls that a comparison of two equal values of this depth makes: the same in every run."""
    left, right = nested(depth, N("1")), nested(depth, N("1"))
    count = 0

    def note(frame: FrameType, event: str, _about: object) -> None:
        nonlocal count
        # Only the harness's own: the collector of garbage may call others at any time.
        if frame.f_globals["__name__"].startswith("harness."):
            count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        same = not list(differences(left, right, comparison))
    finally:
        sys.setprofile(before)
    assert same
    return count


@pytest.mark.parametrize("ignore", [(), ("/**/x",), ("/**/k/**/x", "/0/y")])
@pytest.mark.parametrize("unordered", [(), ("/0",), ("/**",), ("/**/k",)])
def test_each_level_costs_what_the_one_above_it_does(
    ignore: tuple[str, ...], unordered: tuple[str, ...]
) -> None:
    comparison = Comparison(ignore=ignore, unordered=unordered)
    calls(10, comparison)  # what is made once for a comparison
    short, longer, longest = (calls(depth, comparison) for depth in (200, 400, 600))
    assert longest - longer == longer - short


class Counted(list[Json]):
    """An array that counts how many of its elements were asked for."""

    asked = 0

    def __iter__(self) -> Iterator[Json]:
        for element in super().__iter__():
            self.asked += 1
            yield element


def test_who_asks_for_one_difference_pays_for_no_other() -> None:
    printed = Counted([N("0")] * 1000)
    some = differences([N("0"), N("0")], printed, PLAIN)
    assert next(some) == at("/2", MISSING, N("0"))
    assert printed.asked == 3

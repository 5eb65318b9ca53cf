"""File names taken apart, natural order, and the patterns that select cases."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.model.case_names import (
    CaseFile,
    CaseName,
    case_file,
    in_range,
    looks_like_case_file,
    natural,
    parse_range,
    selects,
)

NAMES = st.builds(
    CaseName,
    st.text(st.characters(exclude_characters="/\0"), max_size=6).filter(lambda t: t[:1] != "."),
    st.integers(0, 10**12),
)


@pytest.mark.parametrize(
    ("file_name", "case", "is_input"),
    [
        ("0-in.json", CaseName("", 0), True),
        ("7-out.json", CaseName("", 7), False),
        ("007-in.json", CaseName("", 7), True),
        ("bad-7-in.json", CaseName("bad", 7), True),
        ("bad-2-7-out.json", CaseName("bad-2", 7), False),
        ("40-59-in.json", CaseName("40", 59), True),
        ("--3-in.json", CaseName("-", 3), True),
        ("two\nlines-3-in.json", CaseName("two\nlines", 3), True),
        ("9" * 200 + "-in.json", CaseName("", int("9" * 200)), True),
    ],
)
def test_a_file_name_says_its_case_and_its_side(
    file_name: str, case: CaseName, is_input: bool
) -> None:
    assert case_file(file_name) == CaseFile(case, is_input)


@pytest.mark.parametrize(
    "file_name",
    [
        *("-7-in.json", "a-in.json", "in.json", "7in.json", "7-in.json.bak", "7-in.JSON"),
        *("7-In.json", "7_in.json", "7-input.json", "٣-in.json", "suite.toml", ""),
        # Hidden files: some systems put one beside each file.
        *(".7-in.json", "._bad-7-in.json", ".a-7-out.json"),
        "7-in.json\n",
    ],
)
def test_other_file_names_are_no_side_of_a_case(file_name: str) -> None:
    assert case_file(file_name) is None


@pytest.mark.parametrize(
    "file_name",
    [
        *("a-in.json", "-7-in.json", "7-in.JSON", "7-OUT.json", "7_in.json", "7.out.json"),
        *("7-input.json", "a 7-output.json", "٣-in.json", "a b in.json"),
    ],
)
def test_a_name_that_was_perhaps_meant_to_be_a_side_looks_like_one(file_name: str) -> None:
    assert looks_like_case_file(file_name)


@pytest.mark.parametrize(
    "file_name",
    [
        *("7-in.json", "bad-7-out.json", "suite.toml", "xboard-in.schema.json", "main.json"),
        *("in.json", "out.json", "7-in.json~", "begin.json", "._a-in.json", ".a-in.json"),
    ],
)
def test_a_side_itself_or_another_file_does_not_look_like_a_side(file_name: str) -> None:
    assert not looks_like_case_file(file_name)


def test_the_text_of_a_name_has_the_number_without_zeros() -> None:
    assert [CaseName("", 7).text, CaseName("bad", 10).text] == ["7", "bad-10"]


def test_natural_order_is_how_people_number_things() -> None:
    ordered = ["", "1", "2", "10", "100", "a", "a1", "a02", "a2", "a10", "a10b", "b", "٣"]
    assert sorted(reversed(ordered), key=natural) == ordered


def test_natural_order_takes_more_digits_than_int_does() -> None:
    long = "1" * 5_000
    assert sorted([long + "0", long, "2"], key=natural) == ["2", long, long + "0"]


@given(st.text(max_size=8), st.text(max_size=8))
@settings(deadline=None)
def test_natural_order_is_total(left: str, right: str) -> None:
    """Only equal texts have equal keys, and any two keys can be compared."""
    assert (natural(left) == natural(right)) == (left == right)
    assert (natural(left) < natural(right)) != (natural(left) >= natural(right))


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("7", (7, 7)),
        ("40-59", (40, 59)),
        ("007-09", (7, 9)),
        ("59-40", (59, 40)),
        *((text, None) for text in ("", "a", "1-", "-1", "1-2-3", " 1", "1\n", "٣", "1" * 256)),
    ],
)
def test_a_range_is_one_number_or_two(text: str, numbers: tuple[int, int] | None) -> None:
    assert parse_range(text) == numbers


def test_a_range_holds_both_its_ends_and_no_case_with_a_prefix() -> None:
    inside = [number for number in range(10) if in_range(CaseName("", number), (3, 5))]
    assert inside == [3, 4, 5]
    assert not in_range(CaseName("bad", 4), (3, 5))


@pytest.mark.parametrize(
    ("pattern", "names"),
    [
        ("7", ["7"]),
        ("07", ["7"]),
        ("7-40", ["7", "40", "7-40"]),
        ("bad-*", ["bad-7", "bad-40"]),
        ("*7", ["7", "bad-7"]),
        ("BAD-*", []),
        ("[b4]*", ["40", "bad-7", "bad-40"]),
        ("?", ["7"]),
        ("[", []),
    ],
)
def test_a_pattern_is_a_range_or_a_glob(pattern: str, names: list[str]) -> None:
    cases = [CaseName(*parts) for parts in (("", 7), ("", 40), ("bad", 7), ("bad", 40), ("7", 40))]
    assert [case.text for case in cases if selects(pattern, case)] == names


@given(NAMES, st.booleans())
@settings(deadline=None)
def test_a_name_survives_being_a_file_name(name: CaseName, is_input: bool) -> None:
    """The file that a name's text makes is a side of just that case."""
    file_name = f"{name.text}-{'in' if is_input else 'out'}.json"
    assert case_file(file_name) == CaseFile(name, is_input)

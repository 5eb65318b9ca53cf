"""What may go wrong with one value: each slip on a value that it changes, and on others."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.care.slips import SLIPS, other_case, others
from harness.jsonfast import decode
from harness.jsontext import Json, encode
from harness.records import MISSING

TOP = Path(__file__).resolve().parent.parent.parent


def value_of(text: str) -> Json:
    """The value that a text holds."""
    (value,) = decode(text.encode()).values
    return value


# Slip, a value, what becomes of it.
CHANGES = [
    ("null", "7", "null"),
    ("in an array of its own", "7", "[7]"),
    ("as a string", "7", '"7"'),
    ("as a string", "null", '"null"'),
    ("encoded twice", '{"a":[1]}', r'"{\"a\":[1]}"'),
    ("false for true, true for false", "false", "true"),
    ("1 for true, 0 for false", "true", "1"),
    ("false for null", "null", "false"),
    ("one more", "-1", "0"),
    ("one less", "0", "-1"),
    ("the other sign", "-2.5", "2.5"),
    ("the other sign", "10", "-10"),
    ("with a decimal point", "-3", "-3.0"),
    ("without its fraction", "-3.75", "-3"),
    ("a millionth more", "2.0", "2.000002"),
    ("a number beyond 2^53 rounded to a double", "9007199254740993", "9007199254740992"),
    ("a number beyond 32 bits wrapped", "2147483648", "-2147483648"),
    ("capitals for small letters", '"aB é"', '"Ab É"'),
    ("empty", '"a"', '""'),
    ("one character short", '"ab"', '"a"'),
    ("a space behind", '""', '" "'),
    ("? for what is not ASCII", '"né"', '"n?"'),
    ("decomposed (NFD)", '"é"', '"e\u0301"'),
    ("the digits of a string as a number", '"-10"', "-10"),
    ("the digits of a string as a number", '"0"', "0"),
    ("the digits of a string rounded to a double", '"9007199254740993"', '"9007199254740992"'),
    ("without elements", "[1]", "[]"),
    ("the first element dropped", "[1,2]", "[2]"),
    ("the last element dropped", "[1,2]", "[1]"),
    ("the first element twice", "[1,2]", "[1,1,2]"),
    ("the last element twice", "[1,2]", "[1,2,2]"),
    ("the first two elements swapped", "[1,2,3]", "[2,1,3]"),
    ("in reverse", "[1,2,3]", "[3,2,1]"),
    ("sorted", '["b",10,"a",9]', '[9,10,"a","b"]'),
    ("equal elements once", "[1,2,1,3]", "[1,2,3]"),
    ("inner arrays dissolved", "[[1,[2]],3]", "[1,[2],3]"),
    ("a null behind", "[]", "[null]"),
    ("without members", '{"a":1}', "{}"),
    ("a member too many", "{}", '{"debug":null}'),
]
# Values that a slip leaves as they are.
NOTHING_TO_SLIP_ON = [
    ("as a string", '"a"'),
    ("as a string", "[]"),
    ("encoded twice", "1"),
    ("false for true, true for false", "0"),
    ("one more", "1.0"),
    ("one more", "1" * 5_000),
    ("the other sign", "0"),
    ("the other sign", "0.0e0"),
    ("with a decimal point", "1e2"),
    ("without its fraction", "1.5e1"),
    ("a millionth more", "1"),
    ("a millionth more", "1e999"),
    ("a number beyond 2^53 rounded to a double", "9007199254740992"),
    ("a number beyond 2^53 rounded to a double", "1" * 400),
    ("a number beyond 32 bits wrapped", "2147483647"),
    ("the digits of a string as a number", '"007"'),
    ("the digits of a string as a number", '"+1"'),
    ("the digits of a string as a number", '""'),
    ("the digits of a string as a number", '"²"'),
    ("the digits of a string rounded to a double", '"12"'),
    ("the first element dropped", "[]"),
    ("sorted", '[1,2,"a"]'),
    ("in reverse", '"ab"'),
    ("without members", "[]"),
]


@pytest.mark.parametrize(("what", "before", "after"), CHANGES)
def test_a_slip_changes_what_it_says(what: str, before: str, after: str) -> None:
    made = dict(SLIPS)[what](value_of(before))
    assert made is not MISSING
    assert encode(made) == after


@pytest.mark.parametrize(("what", "text"), NOTHING_TO_SLIP_ON)
def test_a_slip_leaves_other_values_alone(what: str, text: str) -> None:
    value = value_of(text)
    made = dict(SLIPS)[what](value)
    assert made is not MISSING
    assert encode(made) == encode(value)


def test_each_slip_is_tried_here_and_has_a_name_of_its_own() -> None:
    names = [what for what, _ in SLIPS]
    assert len(set(names)) == len(names)
    assert {what for what, *_ in CHANGES} | {"left out"} == set(names)
    assert dict(SLIPS)["left out"](None) is MISSING


def test_in_place_of_a_value_others_of_its_kind_and_the_simplest_of_each_might_stand() -> None:
    simplest = ["null", "false", "true", "0", '""', '"a"', "[]", "{}"]
    assert [encode(other) for other in others(value_of("5"))] == ["6", "4", *simplest]
    assert [encode(other) for other in others(value_of("1.5"))] == ["0", "0", *simplest]
    assert [encode(other) for other in others("b")] == ['"bx"', *simplest]
    assert "null" not in [encode(other) for other in others(None)]
    assert '["a"]' in [encode(other) for other in others([])]


def test_a_key_without_letters_is_spelled_differently_all_the_same() -> None:
    assert other_case("winner") == "WINNER"
    assert other_case("7") == "7_"


def test_the_documentation_lists_every_slip_and_no_other() -> None:
    text = (TOP / "docs" / "care.md").read_text(encoding="utf-8")
    listed = text.partition("- left out;")[2]
    words = " ".join(f"left out; {listed}".replace("\n- ", " ").split()).rstrip(".")
    assert words.split("; ") == [what for what, _ in SLIPS]

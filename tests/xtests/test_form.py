"""The small strict decoders."""

from __future__ import annotations

import pytest

from harness.jsontext import PROGRAM_DEPTH, Decoder, Json
from xtests.form import array, number, shown, spellings, word
from xtests.refusal import Kind, Pointer, Refused

SMALL = spellings(range(12))
AT = Pointer("/3/1")


def _read(text: str) -> Json:
    decoder = Decoder(PROGRAM_DEPTH)
    (value,) = decoder.feed(text.encode()) + decoder.close()
    return value


@pytest.mark.parametrize(("text", "meant"), [("0", 0), ("1", 1), ("11", 11)])
def test_an_integer_of_the_range_is_read(text: str, meant: int) -> None:
    assert number(_read(text), AT, SMALL, "a small one") == meant


@pytest.mark.parametrize("text", ["12", "-1", "-0", "true", "false", "null", '"1"', "[1]", "{}"])
def test_what_is_no_integer_of_the_range_is_refused(text: str) -> None:
    with pytest.raises(Refused) as caught:
        number(_read(text), AT, SMALL, "a small one")
    assert caught.value.kind is Kind.INVALID_SPEC
    assert caught.value.at == "/3/1"
    assert caught.value.message == f"a small one expected at /3/1, found {text}"


@pytest.mark.parametrize("text", ["1.0", "1e0", "1E0", "10e-1", "-0.0"])
def test_an_integer_in_other_clothes_is_refused_and_told_why(text: str) -> None:
    with pytest.raises(Refused) as caught:
        number(_read(text), AT, SMALL, "a small one")
    assert caught.value.at == "/3/1"
    assert caught.value.message == (
        f"a small one, written without fraction or exponent, expected at /3/1, found {text}"
    )


def test_an_integer_of_ten_thousand_digits_is_refused_in_a_short_message() -> None:
    with pytest.raises(Refused) as caught:
        number(_read("7" * 10_000), AT, SMALL, "a small one")
    assert caught.value.message == (
        f"a small one expected at /3/1, found {'7' * 40}... (10000 characters)"
    )


def test_a_word_of_the_table_is_read() -> None:
    assert word("low", AT, {"low": 0, "high": 9}, "low or high") == 0


@pytest.mark.parametrize("text", ['"Low"', '""', '"low "', "0", "null", '["low"]'])
def test_what_is_no_word_of_the_table_is_refused(text: str) -> None:
    with pytest.raises(Refused) as caught:
        word(_read(text), AT, {"low": 0, "high": 9}, "low or high")
    assert caught.value.kind is Kind.INVALID_SPEC
    assert caught.value.at == "/3/1"
    assert caught.value.message == f"low or high expected at /3/1, found {text}"


def test_an_array_of_a_right_length_is_taken_apart() -> None:
    assert array(_read('[null,"a"]'), AT, (2, 4), "a pair") == [None, "a"]


def test_an_array_of_any_length_can_be_asked_for() -> None:
    assert array(_read("[]"), AT, None, "a list") == []


@pytest.mark.parametrize("text", ["[]", "[1]", "[1,2,3]", '{"0":1,"1":2}', '"ab"', "2"])
def test_an_array_of_a_wrong_length_is_at_fault_itself(text: str) -> None:
    with pytest.raises(Refused) as caught:
        array(_read(text), AT, (2, 4), "a pair")
    assert caught.value.kind is Kind.INVALID_SPEC
    assert caught.value.at == "/3/1"
    assert caught.value.message == f"a pair expected at /3/1, found {text}"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("null", "null"),
        ("-12.50E+3", "-12.50E+3"),
        ('"caf\\u00e9\\n"', '"café\\n"'),
        ('"' + "a" * 41 + '"', '"' + "a" * 40 + '"... (41 characters)'),
        ("[[], {}, false]", "[[],{},false]"),
        ("[" + "10,10," * 10 + "10]", "an array of 21 elements"),
        ('["' + "a" * 60 + '"]', "an array of 1 element"),
        ('{"long":"' + "a" * 60 + '"}', "an object of 1 member"),
        ('{"' + "a" * 60 + '":1,"b":2}', "an object of 2 members"),
    ],
)
def test_a_message_repeats_short_values_and_names_long_ones(text: str, expected: str) -> None:
    assert shown(_read(text)) == expected

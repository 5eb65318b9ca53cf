"""Values that fit a schema, and schemas that cannot be used."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.golden import Golden

from harness.jsonio.decoder import Json, Number
from harness.jsonio.fast import decode
from harness.judging.comparison_parser import SCHEMA, ComparisonError, JsonText, schema_in_file
from harness.judging.schema_match import matches_schema, part_of_schema, schema_fault
from harness.tomlio.tables import parse_toml


def test_values_are_matched_with_schemas(golden: Golden) -> None:
    def fit(example: tuple[str, str]) -> str:
        schema, text = example
        return str(matches_schema(schema, decode(text.encode()).values[0]))

    golden.table("schema_match.txt", fit)
    assert matches_schema('{"type":"integer"}', Number("7" * 5_000))
    assert matches_schema('{"multipleOf":0.5}', Number("7" * 400))


def test_a_value_that_takes_quadratic_time_to_validate_does_not_hold_up_the_judge() -> None:
    long = "7" * 1_000_000
    assert matches_schema('{"type":"integer","multipleOf":7}', Number(long))
    assert not matches_schema('{"multipleOf":70}', Number(long))
    for power in ("999999999", "9" * 1_000_000):
        large, small = Number(f"1e{power}"), Number(f"1e-{power}")
        for number in (large, small):
            assert matches_schema('{"exclusiveMinimum":0}', number)
        assert matches_schema(
            '{"type":"integer","multipleOf":70000,"minimum":1}', Number(f"7e{power}")
        )
        assert not matches_schema('{"type":"integer","multipleOf":3}', large)
        assert not matches_schema('{"multipleOf":0.01}', small)
        assert matches_schema(f'{{"multipleOf":1e-{power}}}', large)
    mixed: Json = [value for at in range(50_000) for value in (Number(str(at)), str(at))]
    assert matches_schema('{"uniqueItems":true}', mixed)


def test_a_value_nested_too_deeply_to_be_checked_does_not_match() -> None:
    deep: Json = Number("1")
    for _ in range(9_000):
        deep = [deep]
    assert not matches_schema("{}", deep)


def test_an_unusable_schema_has_a_message(golden: Golden) -> None:
    def fault(schema: str) -> str:
        return schema_fault(schema).partition(": ")[0]  # without the words of libraries

    golden.table("schema_faults.txt", fault)


def test_a_part_of_a_schema_stands_for_itself() -> None:
    for name in ({}, {"$id": "urn:example:all"}):
        whole = json.dumps(
            name | {"type": "array", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"type": "string"}}}
        )
        part = part_of_schema(whole, "/$defs/a")
        assert schema_fault(part) == ""
        assert matches_schema(part, "x")
        assert not matches_schema(part, [])
        assert schema_fault(part_of_schema(whole, "/$defs/c")).startswith("refers to ")
    assert schema_fault(part_of_schema("true", "/a")) == 'refers to "#/a", which is not in it'


_FORMS: Final = ("{0}", "{0}.0", "{0}0e-1", "{0}.00E+0", "{0}e00")


@st.composite
def _numbers(draw: st.DrawFn, least: int) -> tuple[str, Fraction]:
    """Draw the text of a number, in one of its forms, and its value."""
    digits, power = draw(st.integers(least, 50)), draw(st.integers(-3, 3))
    text = draw(st.sampled_from(_FORMS)).format(digits)
    mantissa, _, own = text.lower().partition("e")
    return f"{mantissa}e{int(own or 0) + power}", digits * Fraction(10) ** power


@given(_numbers(-50), _numbers(1))
def test_numbers_in_all_their_forms_are_compared_by_value(
    number: tuple[str, Fraction], bound: tuple[str, Fraction]
) -> None:
    (printed, value), (limit, other) = number, bound
    expected = {
        "minimum": value >= other,
        "maximum": value <= other,
        "exclusiveMinimum": value > other,
        "exclusiveMaximum": value < other,
        "multipleOf": (value / other).denominator == 1,
        "const": value == other,
    }
    for keyword, fits in expected.items():
        assert matches_schema(f'{{"{keyword}":{limit}}}', Number(printed)) == fits
    assert matches_schema(f'{{"enum":[0.5,[{limit}]]}}', [Number(printed)]) == (value == other)
    assert matches_schema('{"type":"integer"}', Number(printed)) == (value.denominator == 1)
    two: Json = [Number(printed), Number(limit)]
    assert matches_schema('{"uniqueItems":true}', two) == (value != other)


def test_a_schema_is_checked_once_for_all_parts_that_rules_name() -> None:
    text = '{"$defs": {"a": {"type": "array"}, "b": {"type": "object"}}}'
    schema_fault.cache_clear()
    names = (f"/$defs/{name}" for name in "abba")
    parts = [
        schema_in_file(text.encode(), "s", name, dict[str, bytes]().get).text for name in names
    ]
    assert schema_fault.cache_info().misses == 1
    assert [matches_schema(part, []) for part in parts] == [True, False, False, True]


def test_a_schema_may_refer_to_files_that_refer_to_each_other() -> None:
    files = {
        "file:///a.json": b'{"$id": "urn:own", "allOf": [{"$ref": "sub/b.json#/$defs/low"}]}',
        "file:///sub/b.json": b'{"$defs": {"low": {"maximum": 1.50, "$ref": "c.json#top"}}}',
        "file:///sub/c.json": b'{"$anchor": "top", "minimum": 1, "items": {"$ref": "../a.json"}}',
        "file:///broken.json": b"{",
    }
    for text, fragment in (
        ('{"$ref": "a.json"}', ""),
        ('{"$defs": {"x": {"$ref": "a.json"}}}', "/$defs/x"),
    ):
        schema = schema_in_file(text.encode(), "s", fragment, files.get).text
        matched = [
            number
            for number in ("0.99", "1", "1.5", "1.51")
            if matches_schema(schema, [Number(number)])
        ]
        assert matched == ["1", "1.5"]
    for lost, reason in (("no.json", "neither it nor"), ("broken.json", "is not one JSON")):
        with pytest.raises(ComparisonError, match=f'refers to "{lost}", which {reason}'):
            schema_in_file(f'{{"$ref": "{lost}"}}'.encode(), "s", "", files.get)


def test_a_toml_schema_keeps_the_numbers_as_written() -> None:
    text = b"schema = {maximum = 1_0.100000000000000000001e-1, exclusiveMinimum = +1e-400}"
    schema = SCHEMA.read(parse_toml(text, JsonText)["schema"])
    assert schema.text == '{"maximum":10.100000000000000000001e-1,"exclusiveMinimum":1e-400}'

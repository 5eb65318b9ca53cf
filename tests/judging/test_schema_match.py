"""Values that fit a schema, and schemas that cannot be used."""

from __future__ import annotations

import json

from support.golden import Golden

from harness.jsonio.decoder import Json, Number
from harness.jsonio.fast import decode
from harness.judging.schema_match import matches_schema, part_of_schema, schema_fault


def test_values_are_matched_with_schemas(golden: Golden) -> None:
    def fit(example: tuple[str, str]) -> str:
        schema, text = example
        return str(matches_schema(schema, decode(text.encode()).values[0]))

    golden.table("schema_match.txt", fit)
    assert matches_schema('{"type":"integer"}', Number("7" * 5_000))
    assert not matches_schema('{"multipleOf":0.5}', Number("7" * 400))


def test_a_value_that_takes_quadratic_time_to_validate_does_not_hold_up_the_judge() -> None:
    assert not matches_schema('{"type":"integer"}', Number("7" * 1_000_000))
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

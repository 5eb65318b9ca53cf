"""Values that fit a schema, and schemas that cannot be used."""

from __future__ import annotations

import json

import pytest

from harness.jsonio.decoder import Json, Number
from harness.jsonio.fast import decode
from harness.judging.schema_match import matches_schema, part_of_schema, schema_fault


def value(text: str) -> Json:
    """The value of a text."""
    return decode(text.encode()).values[0]


@pytest.mark.parametrize(
    ("schema", "text", "fit"),
    [
        ('{"type":"integer"}', "7", True),
        ('{"type":"integer"}', "7" * 5_000, True),
        ('{"type":"integer"}', "7.5", False),
        ('{"type":"string","minLength":2}', '"ab"', True),
        ('{"type":"string","minLength":2}', '"a"', False),
        ('{"items":{"$ref":"#"},"type":"array"}', "[[],[[]]]", True),
        ('{"items":{"$ref":"#"},"type":"array"}', "[[],[1]]", False),
        ("{}", '{"a":null}', True),
    ],
)
def test_a_value_fits_a_schema_or_does_not(schema: str, text: str, fit: bool) -> None:
    assert matches_schema(schema, value(text)) is fit


def test_what_is_nested_too_deep_to_be_looked_at_does_not_fit() -> None:
    deep: Json = Number("1")
    for _ in range(9_000):
        deep = [deep]
    assert not matches_schema("{}", deep)


@pytest.mark.parametrize(
    ("schema", "fault"),
    [
        ("{}", ""),
        ("true", ""),
        ('{"$ref":"#/$defs/a","$defs":{"a":{"$anchor":"b"}},"items":[{}]}', None),
        ('{"$ref":"#b","$defs":{"a":{"$anchor":"b"}}}', ""),
        ('{"type":"text"}', None),
        ("3", None),
        ("{", None),
        ('{"$ref":"other.json"}', 'refers to "other.json", which is not in it'),
        ('{"allOf":[{"$ref":"#/$defs/a"}]}', 'refers to "#/$defs/a", which is not in it'),
    ],
)
def test_an_unusable_schema_has_a_message(schema: str, fault: str | None) -> None:
    message = schema_fault(schema)
    assert (
        message == fault
        if fault is not None
        else message.startswith(("not a JSON Schema: at ", "canno"))
    )


def test_a_part_of_a_schema_stands_for_itself() -> None:
    for name in ({}, {"$id": "urn:example:all"}):
        whole = json.dumps(
            name | {"type": "array", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"type": "string"}}}
        )
        part = part_of_schema(whole, "/$defs/a")
        assert schema_fault(part) == ""
        assert matches_schema(part, "x")
        assert not matches_schema(part, [])
        assert schema_fault(part_of_schema(whole, "/$defs/c")).startswith('refers to "urn:')
    assert schema_fault(part_of_schema("true", "/a")).startswith('refers to "urn:')

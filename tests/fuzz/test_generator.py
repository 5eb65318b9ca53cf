"""Inputs are drawn from a schema: all valid, near its bounds, and the same for the same seed."""

from __future__ import annotations

import json
import re
from random import Random
from typing import Any

import pytest
from support.fuzz import compiled
from support.xtest import TOP

from harness.fuzz.edits import values_inside
from harness.fuzz.generator import Generator
from harness.fuzz.mutation import InputMaker
from harness.fuzz.shapes import learn_schema
from harness.jsonio.decoder import Json, encode
from harness.jsonio.fast import decode
from harness.judging.schema_values import schema_value

TREE = {"anyOf": [{"type": "null"}, {"type": "array", "items": {"$ref": "#"}, "maxItems": 3}]}
# Each keyword of validation, alone or with those that it works with.
SCHEMAS: dict[str, Any] = {
    "true": {},
    "type": {"type": ["integer", "string", "null"]},
    "enum": {"enum": [1, "1", [1], {"a": None}, True, 1e2]},
    "const": {"const": {"a": [1, -0.0]}},
    "integers": {"type": "integer", "minimum": -3, "exclusiveMaximum": 7},
    "numbers": {"type": "number", "exclusiveMinimum": 0, "maximum": 0.25},
    "large": {"type": "integer", "minimum": 9007199254740991, "maximum": 9007199254740995},
    "multipleOf": {"type": "number", "multipleOf": 0.25, "minimum": 1, "maximum": 9},
    "multipleOf integers": {"type": "integer", "multipleOf": 7, "minimum": 10},
    "lengths": {"type": "string", "minLength": 2, "maxLength": 4},
    "pattern": {"type": "string", "pattern": "^[a-c]{2,3}-(x|\\d+)$"},
    "patterns": {"type": "string", "allOf": [{"pattern": "a"}, {"pattern": "^.{2,5}$"}]},
    "negated pattern": {"type": "string", "pattern": "^[^/~]+$", "maxLength": 9},
    "prefixItems": {"prefixItems": [{"type": "integer"}, {"type": "string"}], "items": False},
    "items": {"type": "array", "items": {"enum": ["a", "b"]}, "minItems": 1, "maxItems": 5},
    "uniqueItems": {"type": "array", "items": {"enum": [1, 2, 3]}, "uniqueItems": True},
    "contains": {"type": "array", "contains": {"const": 1}, "minContains": 2, "maxContains": 3},
    "contains at most": {
        "items": {"enum": ["a", "b"]},
        "contains": {"const": "a"},
        "minContains": 0,
        "maxContains": 1,
        "type": "array",
    },
    "required": {"type": "object", "required": ["a", ""], "properties": {"a": {"type": "null"}}},
    "dependentRequired": {
        "properties": {"a": {}, "b": {}},
        "dependentRequired": {"a": ["b"]},
        "additionalProperties": False,
        "type": "object",
    },
    "dependentSchemas": {
        "type": "object",
        "properties": {"a": {"type": "integer"}},
        "dependentSchemas": {"a": {"required": ["c"]}},
    },
    "patternProperties": {
        "type": "object",
        "patternProperties": {"^x-": {"type": "integer"}},
        "additionalProperties": False,
        "minProperties": 1,
    },
    "propertyNames": {
        "type": "object",
        "propertyNames": {"pattern": "^[a-z]+$", "maxLength": 4},
        "maxProperties": 3,
    },
    "additionalProperties": {"type": "object", "additionalProperties": {"type": "boolean"}},
    "allOf": {"allOf": [{"type": "integer"}, {"minimum": 5}, {"maximum": 9}]},
    "anyOf": {"anyOf": [{"type": "string", "maxLength": 2}, {"type": "integer", "minimum": 3}]},
    "oneOf": {"type": "integer", "oneOf": [{"multipleOf": 3}, {"multipleOf": 5}]},
    "not": {"type": "integer", "minimum": 0, "maximum": 9, "not": {"enum": [3, 4, 5]}},
    "if": {
        "type": "object",
        "required": ["kind"],
        "properties": {"kind": {"enum": ["a", "b"]}},
        "if": {"properties": {"kind": {"const": "a"}}},
        "then": {"required": ["size"]},
        "else": {"maxProperties": 1},
    },
    "$ref": {"$ref": "#/$defs/list", "$defs": {"list": TREE | {"$id": "urn:tree"}}},
    "recursion": TREE,
    "tree": {
        "$ref": "#/$defs/node",
        "$defs": {
            "node": {
                "type": "object",
                "required": ["value", "next"],
                "properties": {
                    "value": {"type": "integer"},
                    "next": {"oneOf": [{"type": "null"}, {"$ref": "#/$defs/node"}]},
                },
                "additionalProperties": False,
            }
        },
    },
}
FORMATS = {
    *("date-time", "date", "time", "duration", "email", "hostname", "ipv4", "ipv6", "uuid", "uri"),
    *("uri-reference", "json-pointer", "relative-json-pointer", "regex"),
}
OWN = sorted((TOP / "schemas").glob("x*-in.schema.json"))


def drawn(generator: Generator, number: int) -> list[Json]:
    found = [generator.draw(Random(seed)) for seed in range(number)]
    return [value for value in found if value is not None]


@pytest.mark.parametrize("name", SCHEMAS)
def test_all_that_is_drawn_is_valid_and_varies(name: str) -> None:
    schema, validator = compiled(json.dumps(SCHEMAS[name]))
    assert not schema.unknown
    generator, number = Generator(schema), 80
    texts = set()
    for seed in range(number):
        value = generator.draw(Random(seed))
        if value is None and not validator.is_valid(None):
            continue  # a dead end: rare, counted below
        texts.add(encode(value))
        assert validator.is_valid(schema_value(value)), encode(value)
    assert len(texts) >= (1 if name == "const" else 4)


@pytest.mark.parametrize("name", SCHEMAS)
def test_the_fast_check_agrees_with_the_validator(name: str) -> None:
    """Values of other schemas are mostly invalid, changed ones are near the edge."""
    schema, validator = compiled(json.dumps(SCHEMAS[name]))
    free = Generator(compiled("{}")[0])
    maker = InputMaker(Generator(schema), (), 1, is_invalid=True)
    values = [
        *drawn(free, 30),
        *(value for n in range(60) if (value := maker.make(n)[0]) is not None),
    ]
    for value in values:
        is_valid = validator.is_valid(schema_value(value))
        assert schema.root.accepts(value) == is_valid, encode(value)


@pytest.mark.parametrize("path", OWN, ids=lambda path: path.name)
def test_the_schemas_of_our_programs_are_exhausted(path: Any) -> None:
    schema, validator = compiled(path.read_text())
    generator, hits = Generator(schema), set[int]()
    for seed in range(800):
        value = generator.draw(Random(seed))
        assert value is not None
        hits |= generator.hits
        if seed % 30 == 0:
            assert validator.is_valid(schema_value(value)), encode(value)
    missed = [where for where, number in schema.branches.items() if number not in hits]
    assert not missed


def test_bounds_and_odd_values_come_soon() -> None:
    free = Generator(compiled("{}")[0])
    inner = [each for value in drawn(free, 2_500) for each in values_inside(value)]
    texts = {encode(each) for each in inner}
    for wanted in ("[]", "{}", '""', "-0", "1.0", "1E400", "9007199254740993", "true", "null"):
        assert wanted in texts, wanted
    keys = {key for each in inner if isinstance(each, dict) for key in each}
    assert {"", "a", "A"} <= keys
    assert any("\u0301" in each for each in texts)
    assert {ord(character) >> 16 for text in texts for character in text} == set(range(17))
    lists = [each for each in inner if isinstance(each, list)]
    assert any(len(each) > 1 and each[0] == each[1] for each in lists)


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_formats_are_drawn(name: str) -> None:
    from harness.judging.formats import FORMATS as CHECKS  # pylint: disable=import-outside-toplevel

    schema, _ = compiled(json.dumps({"type": "string", "format": name}))
    texts = [value for value in drawn(Generator(schema), 40) if isinstance(value, str)]
    assert sum(map(CHECKS[name], texts)) > 25
    assert set(CHECKS) == FORMATS


def test_what_cannot_be_generated_is_named() -> None:
    schema, _ = compiled(
        '{"items": {"unevaluatedItems": false, "format": "iri", "pattern": "(?",'
        ' "patternProperties": {"(": {}}}}'
    )
    assert schema.unknown == {
        "unevaluatedItems": "#/items/unevaluatedItems",
        "pattern": "#/items/pattern",
        "patternProperties": "#/items/patternProperties",
        "format iri": "#/items/format",
    }


def test_sizes_that_are_too_large_are_named_and_other_types_are_drawn() -> None:
    text = '{"items": {"minLength": 1e1000000000}, "minItems": 2.0, "maxItems": 3e0}'
    schema, _ = compiled(text)
    assert list(schema.too_large.values()) == ["#/items/minLength"]
    values = [value for value in drawn(Generator(schema), 60) if isinstance(value, list)]
    assert {len(value) for value in values} == {2, 3}
    assert not any(isinstance(each, str) for value in values for each in value)


IMPOSSIBLE: dict[str, Any] = {
    "contradiction": {"allOf": [{"type": "integer"}, {"type": "string"}]},
    "empty range": {"type": "integer", "minimum": 5, "maximum": 4},
    "endless reference": {"$ref": "#"},
    "endless list": {"type": "array", "minItems": 1, "items": {"$ref": "#"}},
    "endless members": {"type": "object", "required": ["a"], "properties": {"a": {"$ref": "#"}}},
    "too many elements": {"type": "array", "minItems": 1_000_000_000},
    "too long a text": {"type": "string", "minLength": 1_000_000_000},
    "too long a match": {"type": "string", "pattern": "^((a{100}){100}){100}$"},
}


@pytest.mark.parametrize("name", IMPOSSIBLE)
def test_what_cannot_be_drawn_ends(name: str) -> None:
    generator = Generator(compiled(json.dumps(IMPOSSIBLE[name]))[0])
    assert [generator.draw(Random(seed)) for seed in range(3)] == [None] * 3


def test_alternatives_that_others_exclude_are_not_drawn() -> None:
    kinds = [
        {
            "type": "object",
            "required": [key],
            "properties": {key: {"type": "integer"}},
            "additionalProperties": False,
        }
        for key in "abcdefgh"
    ]
    schema, _ = compiled(json.dumps({"allOf": [{"oneOf": kinds}, kinds[3]]}))
    values = drawn(Generator(schema), 50)
    assert len(values) == 50
    assert all(isinstance(value, dict) and set(value) == {"d"} for value in values)


def test_a_seed_gives_the_same_inputs_in_any_order() -> None:
    text = OWN[0].read_text()
    corpus = drawn(Generator(compiled(text)[0]), 5)
    makers = [InputMaker(Generator(compiled(text)[0]), corpus, 3) for _ in range(2)]
    forward = [makers[0].make(number) for number in range(60)]
    assert forward == [makers[1].make(number) for number in reversed(range(60))][::-1]
    assert forward != [
        InputMaker(Generator(compiled(text)[0]), corpus, 4).make(n) for n in range(60)
    ]


def test_a_schema_is_learned_from_inputs() -> None:
    texts = (
        '[{"op": "add", "path": "/a", "n": 1}, 2]',
        '[{"op": "del", "path": "/b/0"}, 3]',
        '[{"op": "add", "path": "", "n": 2}, 4]',
        '[{"op": "add", "path": "/c", "n": 7}, 5]',
    )
    corpus = [decode(text.encode()).values[0] for text in texts]
    schema, validator = compiled(json.dumps(learn_schema(corpus), default=lambda one: one.text))
    assert all(validator.is_valid(schema_value(value)) for value in corpus)
    values = drawn(Generator(schema), 200)
    seen = {encode(value) for value in values} - set(texts)
    assert len(seen) > 100
    for value in values:
        assert isinstance(value, list) and len(value) == 2
        assert isinstance(value[0], dict) and {"op", "path"} <= set(value[0]) <= {"op", "path", "n"}


def test_an_invalid_input_breaks_the_schema_in_one_place() -> None:
    schema, validator = compiled(OWN[-1].read_text())
    maker = InputMaker(Generator(schema), (), 0, is_invalid=True)
    values = [value for number in range(90) if (value := maker.make(number)[0]) is not None]
    broken = [value for value in values if not validator.is_valid(schema_value(value))]
    assert len(values) / 5 < len(broken) < len(values) / 2


GRAMMAR = (
    "point = {x = 1, y = 2}\n",
    "# a comment\n[table]\nday = 1979-05-27\n",
    'list = [1, 2, 3]\nname = "none"\n',
    "[table.inner]\ntime = 07:32:00\n",
    "[[tables]]\nflag = true # a comment\n",
)
BORDERS = {
    "a comma before the end": r",\s*[}\]]",
    "a newline in braces": r"\{[^}]*\n[^}]*\}",
    "a day that is missing": r"= \d+-\d\d\n",
    "a time without seconds": r"= \d\d:\d\d\n",
    "another year": r"= (?!1979)\d+-05-27",
    "a day that February lacks": r"= \d+-02-30\n",
    "an hour that the day lacks": r"= 24:00:00\n",
    "an integer that floats round": r"= \d{17}",
    "a comment in an array": r"\[[^\]]*#[^\]]*\]",
    "a table in braces": r"\{[^}]*\[",
    "an empty value": r"=\s*\n",
    "a number that only some read": r"= (NaN|1e310|0x1F|1_000)\b",
}


def test_texts_with_a_grammar_are_changed_token_by_token() -> None:
    corpus: list[Json] = [[text] for text in GRAMMAR]
    schema, _ = compiled(json.dumps(learn_schema(corpus)))
    maker = InputMaker(Generator(schema), corpus, 3)
    made = (maker.make(number)[0] for number in range(3_000))
    texts = [value[0] for value in made if isinstance(value, list)]
    for name, border in BORDERS.items():
        assert any(isinstance(text, str) and re.search(border, text) for text in texts), name

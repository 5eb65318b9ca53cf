"""Compile schemas for drawing inputs, and remove parts of inputs one by one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from jsonschema import Draft202012Validator
from referencing import Registry
from referencing.jsonschema import DRAFT202012

from harness.fuzz.schema import CompiledSchema
from harness.jsonio.decoder import Json, Number
from harness.judging.schema_values import ExactValidator, parse_schema

_NUMBER: Final = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?")


def compiled(text: str) -> tuple[CompiledSchema, Draft202012Validator]:
    """Return a schema for drawing, and the validator of suites for it."""
    schema = parse_schema(text)
    uri = schema.get("$id", "")
    registry: Registry[Any] = Registry().with_resource(uri, DRAFT202012.create_resource(schema))
    return CompiledSchema(schema, registry.resolver(uri)), ExactValidator(schema, registry=registry)


def removals(value: Json) -> Iterator[Json]:
    """Yield a value without one of its elements, members, characters or digits, for each."""
    if isinstance(value, str):
        yield from (value[:at] + value[at + 1 :] for at in range(len(value)))
    elif isinstance(value, Number):
        text = value.text
        shorter = (text[:at] + text[at + 1 :] for at in range(len(text)))
        yield from (Number(each) for each in shorter if _NUMBER.fullmatch(each))
    elif isinstance(value, list):
        for at, element in enumerate(value):
            yield [*value[:at], *value[at + 1 :]]
            yield from ([*value[:at], inner, *value[at + 1 :]] for inner in removals(element))
    elif isinstance(value, dict):
        for key, member in value.items():
            yield {each: inner for each, inner in value.items() if each != key}
            yield from (value | {key: inner} for inner in removals(member))
            for at in range(len(key)):
                renamed = key[:at] + key[at + 1 :]
                if renamed not in value:
                    yield {renamed if each == key else each: value[each] for each in value}

"""Compile schemas for drawing inputs, and make inputs smaller or simpler in one place."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Any, Final

from jsonschema import Draft202012Validator
from referencing import Registry
from referencing.jsonschema import DRAFT202012

from harness.fuzz.schema import CompiledSchema
from harness.jsonio.decoder import Json, Number, encode
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


_SIMPLE: Final[tuple[Json, ...]] = (
    *(Number(text) for text in ("0", "1", "-1")),
    *(False, None, "", "a", [], {}),
)


def simplifications(value: Json) -> Iterator[Json]:
    """Yield a value with a simpler one in place of one inside it, for each place below the root.

    A simpler value is shorter: 0, "", an empty array, half a number, a number spelled with fewer
    characters. Or it is as long, with a digit one less, or a code point nearer to "a".
    """
    if isinstance(value, list):
        for at, element in enumerate(value):
            for new in _simpler(element):
                yield [*value[:at], new, *value[at + 1 :]]
    elif isinstance(value, dict):
        for key, member in value.items():
            yield from (value | {key: new} for new in _simpler(member))
            for name in _nearer(key):
                if name not in value:
                    yield {name if each == key else each: value[each] for each in value}


def _simpler(value: Json) -> Iterator[Json]:
    length = len(encode(value))
    yield from (each for each in _SIMPLE if len(encode(each)) < length)
    if isinstance(value, Number):
        yield from map(Number, _simpler_numbers(value.text))
    elif isinstance(value, str):
        yield from _nearer(value)
    yield from simplifications(value)


def _simpler_numbers(text: str) -> Iterator[str]:
    exact = Decimal(text)
    if abs(exact.adjusted()) < 30:
        spellings = (f"{exact:f}", str(exact), f"{exact.normalize():f}", f"{exact / 2:f}")
        yield from (each for each in spellings if len(each) < len(text))
        if exact == int(exact):
            half = str(int(exact) // 2)
            yield from [half] if len(half) < len(text) else []
    for at, figure in enumerate(text):
        if figure in "123456789":
            fewer = text[:at] + str(int(figure) - 1) + text[at + 1 :]
            yield from [fewer] if _NUMBER.fullmatch(fewer) else []


def _nearer(text: str) -> Iterator[str]:
    """Yield a text with one code point nearer to "a", unless it is before "a"."""
    for at, character in enumerate(text):
        if character > "a" and not 0xD800 <= ord(character) - 1 < 0xE000:
            yield text[:at] + chr(ord(character) - 1) + text[at + 1 :]
            yield f"{text[:at]}a{text[at + 1 :]}"

"""The reference pages generated from schemas have every member, with its type."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from html import unescape
from typing import Any

import pytest
from site_schemas import events_page, suite_page, type_words, xtest_page
from support.xtest import TOP

Page = Callable[[], str]


def members_of(schema: object) -> Iterator[str]:
    """Yield the names of all members anywhere in a schema."""
    if isinstance(schema, dict):
        yield from schema.get("properties", {})
        for inner in schema.values():
            yield from members_of(inner)
    elif isinstance(schema, list):
        for inner in schema:
            yield from members_of(inner)


@pytest.mark.parametrize(
    ("name", "page"), [("suite", suite_page), ("xtest", xtest_page), ("results", events_page)]
)
def test_a_page_has_every_member_of_its_schema(name: str, page: Page) -> None:
    path = TOP / "schemas" / f"{name}.schema.json"
    shown = set(re.findall(r"<code>([^<]+)</code>", unescape(page())))
    assert set(members_of(json.loads(path.read_text(encoding="utf-8")))) - shown == set()


def test_sections_have_the_headers_of_toml_tables() -> None:
    heads = re.findall(r"^## (.*)$", unescape(suite_page()), re.MULTILINE)
    wanted = ["[limits]", "[compare]", "[[compare.at]]", "[[cases]]", "[[known]]"]
    assert [head for head in heads if head in wanted] == wanted
    heads = re.findall(r"^## (.*)$", unescape(xtest_page()), re.MULTILINE)
    assert heads == ["Top level", "[subjects.NAME]", "[subjects.NAME.limits]"]


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"type": "string"}, "text"),
        ({"type": "boolean"}, "true or false"),
        ({"const": 1}, "<code>1</code>"),
        ({"enum": ["a", "b"]}, '<code>"a"</code>, <code>"b"</code>'),
        ({"type": "number", "exclusiveMinimum": 0}, "number above 0"),
        ({"type": "integer", "minimum": 0, "maximum": 255}, "integer from 0 to 255"),
        ({"type": "integer", "minimum": 0}, "integer, 0 or more"),
        ({"type": "array", "items": {"type": "string"}}, "array of text"),
        ({"anyOf": [{"type": "string"}, {"type": "integer"}]}, "text or integer"),
        ({"type": "object"}, "table"),
        (
            {"type": "object", "properties": {"a": {}, "b": {}}},
            "table of <code>a</code> and <code>b</code>",
        ),
        ({"$ref": "#/$defs/part"}, "[part](#part)"),
        ({"$ref": "https://json-schema.org/draft/2020-12/schema"}, "JSON Schema"),
        ({}, "any value"),
    ],
)
def test_a_type_is_described_in_words(schema: Mapping[str, Any], words: str) -> None:
    root = {"$defs": {"part": {"type": "object", "properties": {"a": {}}}}}
    assert type_words(schema, root) == words

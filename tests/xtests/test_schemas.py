"""All schemas of the programs: what they are, and that they are described and closed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import pytest
from jsonschema import Draft202012Validator
from schema_checks import SCHEMAS, Plain, schema_of

PROGRAMS: Final = (
    "xtiles",
    "xboard",
    "xrules",
    "xref",
    "xadmin",
    "xisolation",
    "xtictactoe",
    "xbitboard36",
)
NAMES: Final = tuple(f"{program}-{side}" for program in PROGRAMS for side in ("in", "out"))
# What objects require of their members, where it is not all of them.
REQUIRED: Final[dict[str, list[str]]] = {"/$defs/request": ["ask"], "/$defs/answer": []}


def _parts(schema: Plain, at: str = "") -> Iterator[tuple[str, dict[str, Plain]]]:
    """Every schema inside a schema, with its place."""
    if not isinstance(schema, dict):
        return
    yield at, schema
    for key in ("items", "contains"):
        yield from _parts(schema.get(key), f"{at}/{key}")
    for key in ("prefixItems", "oneOf", "anyOf", "allOf"):
        for k, part in enumerate(schema.get(key, [])):
            yield from _parts(part, f"{at}/{key}/{k}")
    for key in ("$defs", "properties"):
        for name, part in schema.get(key, {}).items():
            yield from _parts(part, f"{at}/{key}/{name}")


def test_every_schema_is_looked_at() -> None:
    files = {file.name for file in SCHEMAS.glob("x*")} - {"xtest.schema.json"}  # no program
    assert files == {f"{name}.schema.json" for name in NAMES}


@pytest.mark.parametrize("name", NAMES)
def test_a_schema_is_one_of_draft_2020_12_and_says_what_it_is(name: str) -> None:
    schema = schema_of(name)
    Draft202012Validator.check_schema(schema)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["$id"] == f"urn:xtest:schema:{name}"
    assert schema["title"]


@pytest.mark.parametrize("name", NAMES)
def test_every_part_of_a_schema_is_described_or_is_a_reference(name: str) -> None:
    for at, part in _parts(schema_of(name)):
        assert part.get("description") or set(part) == {"$ref"}, at


@pytest.mark.parametrize("name", NAMES)
def test_every_array_and_object_of_a_schema_is_closed(name: str) -> None:
    for at, part in _parts(schema_of(name)):
        # `contains` only looks for a member.
        if part.get("type") == "object" and "/contains" not in at:
            assert part["additionalProperties"] is False, at
            every = list(part["properties"])
            assert part.get("required", []) == REQUIRED.get(at, every), at
        if part.get("type") == "array":
            choices = [part] if "items" in part else part["oneOf"]
            assert choices and all("items" in choice for choice in choices), at
        if "prefixItems" in part:
            assert part["minItems"] == len(part["prefixItems"]), at

"""Pages of members, read off the JSON Schemas: of suite.toml, xtest.toml and the results file.

A chapter for each object, a line for each member. What they are for is said on pages by hand.
Source: schemas/.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from site_text import code, plain, table

from harness.suites.bundled import schemas_folder

__all__ = ["events_page", "suite_page", "type_words", "xtest_page"]

Schema = Mapping[str, Any]

_HEADS: Final = ("member", "", "")
_FEW: Final = 3  # so many members are named where there is no chapter for them


def suite_page() -> str:
    """What suite.toml may say, a chapter for each of its tables."""
    return _page(
        "suite.toml, member by member",
        "suite",
        "What it is for, and examples: [suites](../suites.md#suitetoml), [what equal means](../equality.md).",
        _toml_tables(_schema("suite")),
    )


def xtest_page() -> str:
    """The same of xtest.toml."""
    return _page(
        "xtest.toml, member by member",
        "xtest",
        "What it is for, and examples: [several subjects](../subjects.md).",
        _toml_tables(_schema("xtest")),
    )


def events_page() -> str:
    """What a line of a results file may hold, a chapter for each event and each of its parts."""
    return _page(
        "Events, member by member",
        "results",
        "What they are for, and an example: [the results file](../results.md).",
        _definitions(_schema("results")),
    )


def type_words(schema: Schema, root: Schema) -> str:
    """Which values a schema takes, in a few words, as Markdown."""
    name = schema.get("$ref", "").removeprefix("#/$defs/")
    schema = _resolved(schema, root)
    if "$ref" in schema:
        return "JSON Schema"  # the only one that is referred to and lies elsewhere
    if "const" in schema:
        return code(json.dumps(schema["const"]))
    if "enum" in schema:
        return ", ".join(code(json.dumps(value)) for value in schema["enum"])
    if "anyOf" in schema:
        return " or ".join(type_words(each, root) for each in schema["anyOf"])
    match schema.get("type"):
        case "array":
            return f"array of {type_words(schema.get('items', {}), root)}"
        case "object":
            return _object_words(schema, name)
        case "integer" | "number":
            return _number_words(schema)
        case other:
            return {"string": "text", "boolean": "true or false"}.get(other, "any value")


def _object_words(schema: Schema, name: str) -> str:
    members = schema.get("properties", {})
    if name and members:
        return f"[{name}](#{name})"
    if 0 < len(members) <= _FEW:
        return f"table of {' and '.join(map(code, members))}"
    return "table"


def _number_words(schema: Schema) -> str:
    words = str(schema["type"])
    if "exclusiveMinimum" in schema:
        return f"{words} above {schema['exclusiveMinimum']}"
    if "minimum" in schema and "maximum" in schema:
        return f"{words} from {schema['minimum']} to {schema['maximum']}"
    return f"{words}, {schema['minimum']} or more" if "minimum" in schema else words


def _toml_tables(root: Schema) -> Iterator[str]:
    yield "## Above the first table\n"
    yield _members(root, root)
    for head, schema in _tables_in(root, "", root):
        yield f"## {plain(head)}\n"
        if "description" in schema:
            yield f"{plain(schema['description'])}\n"
        yield _members(schema, root)


def _tables_in(schema: Schema, above: str, root: Schema) -> Iterator[tuple[str, Schema]]:
    """The tables inside one, each with its head in TOML, deeper ones after the one they are in."""
    for name, member in schema["properties"].items():
        path = f"{above}.{name}".removeprefix(".")
        resolved = _resolved(member, root)
        named = resolved.get("additionalProperties") or {}
        for head, key, found in (
            (f"[{path}]", path, resolved),
            (f"[[{path}]]", path, _resolved(resolved.get("items", {}), root)),
            (f"[{path}.NAME]", f"{path}.NAME", _resolved(named, root)),
        ):
            if "properties" in found:
                yield head, {**found, "description": member.get("description", "")}
                yield from _tables_in(found, key, root)


def _definitions(root: Schema) -> Iterator[str]:
    for name, schema in root["$defs"].items():
        if "properties" in schema:
            yield f"## {name}\n"
            yield f"{plain(schema.get('description', ''))}\n"
            yield _members(schema, root)


def _members(schema: Schema, root: Schema) -> str:
    required = schema.get("required", ())
    rows = [
        (
            code(name),
            type_words(member, root) + (", **required**" if name in required else ""),
            plain(_resolved(member, root).get("description", "")),
        )
        for name, member in schema["properties"].items()
    ]
    return table(_HEADS, rows)


def _page(title: str, name: str, more: str, chapters: Iterator[str]) -> str:
    said = plain(_schema(name)["description"].split(" The words behind it")[0])
    made = f"Made from {code(f'schemas/{name}.schema.json')}, which editors can use, too."
    return "\n".join([f"# {title}\n", f"{said} {made} {more}\n", *chapters])


def _schema(name: str) -> Schema:
    path = schemas_folder() / f"{name}.schema.json"
    schema: Schema = json.loads(path.read_text(encoding="utf-8"))
    return schema


def _resolved(schema: Schema, root: Schema) -> Schema:
    """The schema with what its $ref means; its own words go before those."""
    if not schema.get("$ref", "").startswith("#/$defs/"):
        return schema
    meant = root["$defs"][schema["$ref"].removeprefix("#/$defs/")]
    return {**_resolved(meant, root), **{key: word for key, word in schema.items() if key != "$ref"}}

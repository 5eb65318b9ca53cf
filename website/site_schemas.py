"""Pages of members, read off the JSON Schemas: of suite.toml, xtest.toml and the results file.

A chapter for each object, a line for each member. What they are for is said on pages by hand.
Source: schemas/.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from site_markdown import anchor
from site_text import code, plain, table

from harness.suites.bundled import schemas_folder

__all__ = ["events_page", "suite_page", "type_words", "xtest_page"]

Schema = Mapping[str, Any]

_HEADS: Final = ("member", "", "")
_FREE: Final = "NAME"  # stands for what the author of a file may choose
_FEW: Final = 3  # so many members are named where there is no chapter for them


def suite_page() -> str:
    """What suite.toml may say, a chapter for each of its tables."""
    return _page(
        "suite.toml, member by member",
        "suite",
        "What it is for, and examples: [suites](../suites.md#suitetoml), [what equal"
        " means](../equality.md).",
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
    if "const" in schema or "enum" in schema:
        values = schema.get("enum") or [schema["const"]]
        return ", ".join(code(json.dumps(value)) for value in values)
    if "anyOf" in schema:
        return " or ".join(type_words(each, root) for each in schema["anyOf"])
    return _kind_words(schema, root, name)


def _kind_words(schema: Schema, root: Schema, name: str) -> str:
    match schema.get("type", ""):
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
    tables = list(_tables_in(root, "", root))
    heads = {path: head for head, path, _ in tables}
    yield "## Above the first table\n"
    yield _members(root, root, "", heads)
    for head, path, schema in tables:
        yield f"## {plain(head)}\n"
        yield f"{plain(schema['description'])}\n"
        yield _members(schema, root, path, heads)


def _tables_in(schema: Schema, above: str, root: Schema) -> Iterator[tuple[str, str, Schema]]:
    """The tables inside one, deeper ones after the one that they are in: each with its head in
    TOML, and its path, in which a name that is free is `NAME`."""
    for name, member in schema["properties"].items():
        path = f"{above}.{name}".removeprefix(".")
        itself = _resolved(member, root)
        for head, key, found in (
            ("[{}]", path, itself),
            ("[[{}]]", path, _resolved(itself.get("items", {}), root)),
            ("[{}]", f"{path}.{_FREE}", _resolved(itself.get("additionalProperties") or {}, root)),
        ):
            if "properties" in found:
                yield head.format(key), key, {"description": itself.get("description", ""), **found}
                yield from _tables_in(found, key, root)


def _definitions(root: Schema) -> Iterator[str]:
    for name, schema in root["$defs"].items():
        if "properties" in schema:
            yield f"## {name}\n"
            yield f"{plain(schema.get('description', ''))}\n"
            yield _members(schema, root, "", {})


def _members(schema: Schema, root: Schema, path: str, heads: Mapping[str, str]) -> str:
    required = schema.get("required", ())
    rows = []
    for name, member in schema["properties"].items():
        inner = f"{path}.{name}".removeprefix(".")
        head = heads.get(inner) or heads.get(f"{inner}.{_FREE}")
        words = f"[{code(head)}](#{anchor(head, '-')})" if head else type_words(member, root)
        must = ", **required**" if name in required else ""
        said = plain(_resolved(member, root).get("description", ""))
        rows.append((code(name), words + must, said))
    return table(_HEADS, rows)


def _page(title: str, name: str, more: str, chapters: Iterator[str]) -> str:
    # The last sentence leads to the page that this one leads to.
    said = plain(_schema(name)["description"].rsplit(". ", 1)[0] + ".")
    file = f"schemas/{name}.schema.json"
    made = f"Made from [{code(file)}](../../{file}), which editors can use, too."
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
    return {
        **_resolved(meant, root),
        **{key: word for key, word in schema.items() if key != "$ref"},
    }

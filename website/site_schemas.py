"""Generate the reference pages of suite.toml, xtest.toml and the results file from their schemas.

Each object has a section, and each member a row.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from schema_files import load_schema
from site_markdown import anchor
from site_text import code, plain, table

Schema = Mapping[str, Any]

_HEADS: Final = ("member", "", "")
_FREE: Final = "NAME"  # for a name that the author of a file chooses
_ANY: Final = 2**53 - 1  # a maximum that says nothing
_FEW: Final = 3  # an object without a section names its members, up to this many
# The last sentence of a description, if it names the page that the generated page links to.
_SEE_PAGE: Final = re.compile(r" See docs/\S+\.md\.$")


def suite_page() -> str:
    """Return the page of suite.toml."""
    return _page(
        "Keys of suite.toml",
        "suite",
        "For examples see [suites](../suites.md#suitetoml) and [equality rules](../equality.md).",
        _toml_tables(load_schema("suite")),
    )


def xtest_page() -> str:
    """Return the page of xtest.toml."""
    return _page(
        "Keys of xtest.toml",
        "xtest",
        "For examples see [xtest.toml and the matrix](../subjects.md).",
        _toml_tables(load_schema("xtest")),
    )


def events_page() -> str:
    """Return the page of the events in a results file."""
    return _page(
        "Members of events",
        "results",
        "For an example see [the results file](../results.md).",
        _definitions(load_schema("results")),
    )


def type_words(schema: Schema, root: Schema) -> str:
    """Return a short description, as Markdown, of the values that a schema accepts."""
    name = schema.get("$ref", "").removeprefix("#/$defs/")
    schema = _resolved(schema, root)
    if "$ref" in schema:
        return "JSON Schema"  # the only reference to another file that is left
    if "const" in schema or "enum" in schema:
        values = schema.get("enum") or [schema["const"]]
        return ", ".join(code(json.dumps(value)) for value in values)
    if "anyOf" in schema and "properties" not in schema:
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
    if "minimum" in schema and schema.get("maximum", _ANY) < _ANY:
        return f"{words} from {schema['minimum']} to {schema['maximum']}"
    return f"{words}, {schema['minimum']} or more" if "minimum" in schema else words


def _toml_tables(root: Schema) -> Iterator[str]:
    tables = list(_tables_in(root, "", root))
    heads = {path: head for head, path, _ in tables}
    yield "## Top level\n"
    yield _members(root, root, "", heads)
    for head, path, schema in tables:
        yield f"## {plain(head)}\n"
        yield f"{plain(schema['description'])}\n"
        yield _members(schema, root, path, heads)


def _tables_in(schema: Schema, above: str, root: Schema) -> Iterator[tuple[str, str, Schema]]:
    """Yield the tables inside a table, outer ones first: the header in TOML, the path with `NAME`
    for free names, and the schema."""
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
        suffix = ", **required**" if name in required else ""
        description = plain(_resolved(member, root).get("description", ""))
        rows.append((code(name), words + suffix, description))
    return table(_HEADS, rows)


def _page(title: str, name: str, more: str, sections: Iterator[str]) -> str:
    description = plain(_SEE_PAGE.sub("", load_schema(name)["description"]))
    file = f"schemas/{name}.schema.json"
    source = f"Generated from [{code(file)}](../../{file}), which editors can use as well."
    return "\n".join([f"# {title}\n", f"{description} {source} {more}\n", *sections])


def _resolved(schema: Schema, root: Schema) -> Schema:
    """Return the schema merged with the one that its $ref points to; its own keywords win."""
    if not schema.get("$ref", "").startswith("#/$defs/"):
        return schema
    referenced = root["$defs"][schema["$ref"].removeprefix("#/$defs/")]
    return {
        **_resolved(referenced, root),
        **{key: word for key, word in schema.items() if key != "$ref"},
    }

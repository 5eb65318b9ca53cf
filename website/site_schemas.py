"""Generate the reference of the results file from its schema.

Each object has a section, and each member a row.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from schema_files import load_schema
from site_text import code, plain, table

Schema = Mapping[str, Any]

_HEADS: Final = ("member", "", "")
_ANY: Final = 2**53 - 1  # a maximum that says nothing
_FEW: Final = 3  # an object without a section names its members, up to this many


def events_section() -> str:
    """Return the section on the events in a results file."""
    sections = _definitions(load_schema("results"))
    return "\n".join(["\n## Members of events\n", "Generated from the schema.\n", *sections])


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


def _definitions(root: Schema) -> Iterator[str]:
    for name, schema in root["$defs"].items():
        if "properties" in schema:
            is_event = "event" in schema["properties"]
            yield f"### {name} events\n" if is_event else f"### {name}\n"
            yield f"{plain(schema.get('description', ''))}\n"
            yield _members(schema, root)


def _members(schema: Schema, root: Schema) -> str:
    required = schema.get("required", ())
    rows = []
    for name, member in schema["properties"].items():
        suffix = ", **required**" if name in required else ""
        description = plain(_resolved(member, root).get("description", ""))
        rows.append((code(name), type_words(member, root) + suffix, description))
    return table(_HEADS, rows)


def _resolved(schema: Schema, root: Schema) -> Schema:
    """Return the schema merged with the one that its $ref points to; its own keywords win."""
    if not schema.get("$ref", "").startswith("#/$defs/"):
        return schema
    referenced = root["$defs"][schema["$ref"].removeprefix("#/$defs/")]
    return {
        **_resolved(referenced, root),
        **{key: word for key, word in schema.items() if key != "$ref"},
    }

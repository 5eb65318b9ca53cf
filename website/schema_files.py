"""Read the JSON Schemas of xtest's own files, with the definitions that they share."""

from __future__ import annotations

import json
from typing import Any

from harness.files import schemas_folder

_COMMON = "common.schema.json"


def load_schema(name: str) -> dict[str, Any]:
    """Return a schema on its own: the definitions of common.schema.json that it uses are copied."""
    schema: dict[str, Any] = json.loads(_read(f"{name}.schema.json").replace(_COMMON, ""))
    definitions: dict[str, Any] = schema.setdefault("$defs", {})
    common = json.loads(_read(_COMMON))["$defs"]
    missing = _references(schema) - definitions.keys()
    while missing:
        definitions.update((each, common[each]) for each in sorted(missing))
        missing = _references(definitions) - definitions.keys()
    return schema


def _read(file: str) -> str:
    return (schemas_folder() / file).read_text(encoding="utf-8")


def _references(value: Any) -> set[str]:
    """Return the names of the definitions that a part of a schema refers to."""
    if isinstance(value, list):
        return set().union(*map(_references, value))
    if not isinstance(value, dict):
        return set()
    own = value.get("$ref")
    found = set().union(*map(_references, value.values()))
    if isinstance(own, str) and own.startswith("#/$defs/"):
        found.add(own.removeprefix("#/$defs/"))
    return found

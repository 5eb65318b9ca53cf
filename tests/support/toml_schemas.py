"""Generate the schema and documentation of a TOML file from its keys."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from jsonschema import Draft202012Validator
from support.golden import compare_with_file
from support.xtest import TOP

from harness.suites.inheritance import default_of
from harness.tomlio.tables import Key, TableForm, TableSchema, walk_tables

_BEGIN, _END = "<!-- keys of {}: generated -->\n", "<!-- end of keys -->\n"
# Where the example of a type begins, which is shown at its first key.
_DETAIL: Final = re.compile(r",? \(with |,? such as |, a range such as |, the program first")
_EXAMPLE: Final = re.compile(r'\{[^}]*\}|\[[^]]*\]|"[^" ]*\*[^" ]*"|\*+')


def compare_schema(item: pytest.Item, table: TableSchema, file: str) -> None:
    """Fail unless schemas/ holds the schema of a file; with `--update-golden`, write it."""
    name = file.partition(".")[0]
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:xtest:schema:{name}",
        "title": file,
        **_table_schema(table),
    }
    Draft202012Validator.check_schema(schema)
    path = TOP / "schemas" / f"{name}.schema.json"
    compare_with_file(item, path, json.dumps(schema, indent=2, ensure_ascii=False) + "\n")


def compare_table(
    item: pytest.Item, table: TableSchema, file: str, page: Path, elsewhere: tuple[str, ...]
) -> None:
    """Fail unless a page lists the keys of a file; with `--update-golden`, write it.

    The keys of the tables `elsewhere`, and of those in them, are documented in other places.
    """
    text = page.read_text(encoding="utf-8")
    begin = _BEGIN.format(file)
    before, found, rest = text.partition(begin)
    _, end, after = rest.partition(_END)
    assert found and end, f"{page.name} has no place for the keys of {file}"
    sections = "\n".join(_sections(table, elsewhere))
    compare_with_file(item, page, f"{before}{begin}\n{sections}\n{end}{after}")


def _sections(root: TableSchema, elsewhere: tuple[str, ...]) -> Iterator[str]:
    shown = set[str]()
    for path, header, table in walk_tables(root):
        if any(path.startswith(f"{each}.") for each in elsewhere):
            continue
        if header:
            yield f"### {header}\n\n{table.description}\n"
        keys = () if path in elsewhere else table.keys
        items = [_item(table, key, shown) for key in keys if isinstance(key, Key)]
        if items:
            yield "".join(items)


def _item(table: TableSchema, key: Key, shown: set[str]) -> str:
    default = default_of(table, key)
    note = "" if default is None else f" Default: `{json.dumps(default)}`."
    name = f"`{key.name}`, required" if key.required else f"`{key.name}`"
    # No value is ever near the bound that the schema and messages name.
    expected = key.type.expected.replace(" and below 1e9", "")
    # The page says that texts are not empty.
    expected = expected.replace("a non-empty string", "text").replace("non-empty strings", "texts")
    begin, *detail = _DETAIL.split(expected, maxsplit=1)
    if detail and key.type.expected in shown:
        expected = begin
    shown.add(key.type.expected)
    # In code, as the site would take braces for attributes and stars for emphasis.
    expected = _EXAMPLE.sub(r"`\g<0>`", expected)
    return f"- {name} ({expected}): {key.description}{note}\n"


def _table_schema(table: TableSchema) -> dict[str, Any]:
    required = [key.name for key in table.keys if isinstance(key, Key) and key.required]
    return {
        "description": table.description,
        "type": "object",
        "properties": {key.name: _member_schema(table, key) for key in table.keys},
        **({"required": required} if required else {}),
        **table.constraints,
        "additionalProperties": False,
    }


def _member_schema(table: TableSchema, key: Key | TableSchema) -> dict[str, Any]:
    if isinstance(key, Key):
        default = default_of(table, key)
        shown = {} if default is None else {"default": default}
        return {"description": key.description, **key.type.schema, **shown}
    schema = _table_schema(key)
    if key.form is TableForm.ARRAY:
        return {"description": schema.pop("description"), "type": "array", "items": schema}
    if key.form is TableForm.NAMED and key.name_type is not None:
        return {
            "description": schema.pop("description"),
            "type": "object",
            "propertyNames": key.name_type.schema,
            "additionalProperties": schema,
        }
    return schema

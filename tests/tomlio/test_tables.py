"""Tables of TOML: the place of a mistake; messages are tested with suite.toml and xtest.toml."""

from __future__ import annotations

from typing import Any

import pytest
from support.golden import Golden

from harness.tomlio.tables import (
    POSITIVE_INTEGER,
    STRING,
    Key,
    TableForm,
    TableSchema,
    TomlError,
    ValueType,
    parse_toml,
    read_document,
)

NAME = ValueType(lambda name: name if name in "xy" else None, "x or y", {})


def record(**values: Any) -> dict[str, Any]:
    return values


SCHEMA = TableSchema(
    "",
    record,
    "",
    (
        Key("a", POSITIVE_INTEGER, "", field="first"),
        TableSchema("list", record, "", (Key("b", STRING, "", required=True),), TableForm.ARRAY),
        TableSchema(
            "named",
            record,
            "",
            (TableSchema("inner", record, "", (Key("d", STRING, ""),)),),
            TableForm.NAMED,
            name_type=NAME,
            check=lambda values: "needs inner" if values["name"] == "y" and len(values) < 2 else "",
        ),
    ),
)


def test_a_mistake_has_its_place(golden: Golden) -> None:
    def mistake(text: str) -> str:
        with pytest.raises(TomlError) as caught:
            read_document(SCHEMA, parse_toml(text.encode()))
        return f"{caught.value.place}: {caught.value}"

    golden.table("tables.txt", mistake)


def test_a_table_becomes_a_record() -> None:
    text = b"a = 1\n[[list]]\nb = 'x'\n[named.y.inner]\nd = 'z'"
    assert read_document(SCHEMA, parse_toml(text)) == {
        "first": 1,
        "list": ({"b": "x"},),
        "named": ({"name": "y", "inner": {"d": "z"}},),
    }

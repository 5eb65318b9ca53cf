"""Tables of TOML: the place of a mistake; messages are tested with suite.toml and xtest.toml."""

from __future__ import annotations

from typing import Any

import pytest

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
    """Return the values as they come."""
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


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("a = 0", ("", 0, "a"), "a must be an integer above 0 and below 1e9, not 0"),
        ("e = 0", ("", 0, "e"), 'unknown key "e"; known: a, list, named'),
        ("d = 0", ("", 0, "d"), 'unknown key "d"; it belongs in [named.NAME.inner]'),
        (
            "[[list]]\na = 1",
            ("list", 0, "a"),
            '[[list]] number 1: unknown key "a"; it belongs above the first [table]',
        ),
        (
            "[[list]]\nb = 'b'\n[[list]]",
            ("list", 1, "b"),
            "[[list]] number 2: b is missing; it must be a non-empty string",
        ),
        ("[named.x]\n[named.y]", ("named", 1, ""), "[named.y] needs inner"),
        ("[named.z]", ("", 0, "named"), "[named.z]: the name must be x or y"),
        (
            "[named.x.inner]\nd = 1",
            ("named.inner", 0, "d"),
            "[named.x] inner: d must be a non-empty string, not 1",
        ),
    ],
)
def test_a_mistake_has_its_place(text: str, place: tuple[str, int, str], message: str) -> None:
    with pytest.raises(TomlError) as caught:
        read_document(SCHEMA, parse_toml(text.encode()))
    assert (caught.value.place, str(caught.value)) == (place, message)


def test_a_table_becomes_a_record() -> None:
    text = b"a = 1\n[[list]]\nb = 'x'\n[named.y.inner]\nd = 'z'"
    assert read_document(SCHEMA, parse_toml(text)) == {
        "first": 1,
        "list": ({"b": "x"},),
        "named": ({"name": "y", "inner": {"d": "z"}},),
    }

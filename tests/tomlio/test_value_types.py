"""The reader and the JSON Schema of every TOML key accept the same values."""

from __future__ import annotations

import math
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from harness.judging.comparison_parser import JsonText
from harness.model.verdict import Verdict
from harness.project.xtest_toml import XTEST_TOML
from harness.suites.settings import DELIVERY_NAMES
from harness.suites.suite_toml import SUITE_TOML
from harness.tomlio.tables import Key, TableSchema, TomlError, ValueType, walk_tables

TEXTS = ["", "a", "raw", "json", "off-schema", "exact", "value", "NFC", "list", "set", "visible"]
TEXTS += ["nonzero", "nonzero ", "NONZERO", "nonzero\n", "0-255", "255-256", "1-125", "1-1", "1-"]
TEXTS += ["7", "007", "0000007", "00000007", "256", "59-40", "7\n", "-1", "1-2-3", "bad-*", "\n"]
TEXTS += ["/", "/0/~0", "/~", "~1", "/~2", "/a\n", "/*/**", "//", "a b", " ", "a\0", "output", "["]
TEXTS += ["input", "é", "{suite}", "nan", "duplicate-keys", *DELIVERY_NAMES]
TEXTS += [verdict.value for verdict in Verdict]
NUMBERS = [-1, 0, 1, 255, 256, 10**9 - 1, 10**9]
FLOATS = [JsonText(text) for text in ("0.0", "0.5", "-0.5", "1.0", "1e9", "1e300", "inf")]
SCALARS: list[Any] = [*TEXTS, *NUMBERS, *FLOATS, True, False]
TABLES: list[Any] = [{}, {"type": "string"}, {"type": "none"}]
TABLES += [{"absolute": value} for value in (1, -1, "1", True)]
TABLES += [{"relative": JsonText("0.5")}, {"absolute": 1, "relative": 0}, {"absolut": 1}]
TABLES += [{"matching": "[a-z]+"}, {"matching": 1}, {"matches": "a"}]
TABLES += [{"A": ""}, {"A": "1\0"}, {"A": 1}, {"": "1"}, {"A=B": "1"}]
VALUES: list[Any] = [*SCALARS, *TABLES, [], [[]], [{}], *([each] for each in SCALARS)]
VALUES += [["plain", "slow"], ["slow", "slow"], ["input", "output"], ["a", ""], ["", "a"]]
VALUES += [["a", "\0"], ["a", 1], ["/0", "a"], ["differs", "flaky"], ["differs", "passed"]]
KEYS = [
    pytest.param(key, id=f"{header}{key.name}")
    for file in (SUITE_TOML, XTEST_TOML)
    for _, header, table in walk_tables(file)
    for key in table.keys
    if isinstance(key, Key)
]


def is_read(value_type: ValueType, value: Any) -> bool:
    try:
        return value_type.read(value) is not None
    except (ValueError, TomlError):
        return False


def schema_twin(value: Any) -> Any:
    """Return a value that a schema cannot tell from this one, or the value itself.

    JSON has no infinity, and 1.0 is an integer to a schema; a range may run backwards, and a
    regular expression may be invalid.
    """
    if isinstance(value, list):
        return [schema_twin(each) for each in value]
    if isinstance(value, float):
        return JsonText("0.5") if math.isinf(value) else int(value) if value % 1 == 0 else value
    return {"59-40": "40-59", "[": "a"}.get(value, value) if isinstance(value, str) else value


@pytest.mark.parametrize("key", KEYS)
def test_reader_and_schema_agree(key: Key) -> None:
    validator = Draft202012Validator(key.type.schema)
    for value in VALUES:
        is_valid = validator.is_valid(value)
        if is_read(key.type, value) is not is_valid:
            twin = schema_twin(value)
            assert is_valid and is_read(key.type, twin), value


def test_names_of_subjects() -> None:
    (names,) = (
        table.name_type
        for table in XTEST_TOML.keys
        if isinstance(table, TableSchema) and table.name_type is not None
    )
    validator = Draft202012Validator(names.schema)
    for name in ("a", "c++", "@a", "-a", "", "a b", "é", "a" * 60, "a" * 61, ".a", "_"):
        assert is_read(names, name) is validator.is_valid(name), name

"""Files of known failures: their keys, the schema and the documentation generated from them."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.toml_schemas import compare_schema, compare_table
from support.xtest import TOP

from harness.authoring.known_changes import known_changes, known_text
from harness.model.case_names import input_name, selects
from harness.model.verdict import Verdict
from harness.project.known_file import KNOWN_TOML, KnownCases, read_known_file


def test_the_schema_is_generated_from_the_keys(request: pytest.FixtureRequest) -> None:
    compare_schema(request.node, KNOWN_TOML, "known.toml")


def test_the_table_of_keys_is_generated(request: pytest.FixtureRequest) -> None:
    compare_table(request.node, KNOWN_TOML, "known.toml", TOP / "docs" / "known.md", ())


def test_names_are_exact() -> None:
    rule = KnownCases("s", ("a*-1", "40-59", "7"), "r").rule()
    listed = [
        name
        for name in ("a*-1", "ab-1", "40-59", "45", "7")
        if selects(rule.match, input_name(name))
    ]
    assert listed == ["a*-1", "40-59", "7"]


def test_a_written_file_reads_back(tmp_path: Path) -> None:
    tables = (
        KnownCases("s", ("2", "10"), 'a "reason"\x7f', "l", (Verdict.DIFFERS,)),
        KnownCases("t", ("é-1",), "other"),
    )
    path = f"{tmp_path}/known.toml"
    with open(path, "w", encoding="utf-8") as file:
        file.write(known_text("x", tables))
    assert read_known_file(path) == tables
    assert known_changes(tables, (), "r", "") == (tables, [])

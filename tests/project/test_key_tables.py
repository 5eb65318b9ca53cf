"""The schemas of TOML files and the tables in the documentation are generated from their keys."""

from __future__ import annotations

import pytest
from support.toml_schemas import compare_schema, compare_table
from support.xtest import TOP

from harness.fest.config import FEST_TOML
from harness.project.known_file import KNOWN_TOML
from harness.project.xtest_toml import XTEST_TOML
from harness.suites.suite_toml import SUITE_TOML
from harness.tomlio.tables import TableSchema


@pytest.mark.parametrize(
    ("keys", "file", "elsewhere"),
    [
        (SUITE_TOML, "suite.toml", ("cases.limits", "cases.compare")),
        (XTEST_TOML, "xtest.toml", ("defaults", "subjects.limits")),
        (FEST_TOML, "fest.toml", ()),
        (KNOWN_TOML, "known.toml", ()),
    ],
    ids=["suite.toml", "xtest.toml", "fest.toml", "known.toml"],
)
def test_schema_and_documentation_have_the_keys_of_the_reader(
    request: pytest.FixtureRequest,
    keys: TableSchema,
    file: str,
    elsewhere: tuple[str, ...],
) -> None:
    compare_schema(request.node, keys, file)
    compare_table(request.node, keys, file, TOP / "docs" / "reference" / "keys.md", elsewhere)

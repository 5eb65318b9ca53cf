"""The promises in docs/explanation/promises.md: each names a test that exists."""

from __future__ import annotations

import re

import pytest
from support.xtest import TOP

_HEADER = "| promise | mechanism | test |\n"
_ROW = re.compile(r"^\| (.+) \| (.+) \| `(tests/[^`]+)` \|$")


def _rows() -> list[str]:
    page = (TOP / "docs" / "explanation" / "promises.md").read_text(encoding="utf-8")
    tables = (table.split("\n\n")[0].splitlines()[1:] for table in page.split(_HEADER)[1:])
    return [row for table in tables for row in table]


@pytest.mark.parametrize("row", _rows())
def test_a_promise_names_its_test(row: str) -> None:
    match = _ROW.fullmatch(row)
    assert match is not None
    file, _, name = match[3].partition("::")
    text = (TOP / file).read_text(encoding="utf-8")
    assert not name or f"def {name}(" in text

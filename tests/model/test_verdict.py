"""The meanings of verdicts: the same in reports as in docs/verdicts.md."""

from __future__ import annotations

import pytest
from support.golden import compare_with_file
from support.xtest import TOP

from harness.model.verdict import Verdict

PAGE = TOP / "docs" / "verdicts.md"
HEAD = "| verdict | meaning |\n|---|---|\n"


def test_the_table_of_verdicts_is_generated(request: pytest.FixtureRequest) -> None:
    before, head, rest = PAGE.read_text(encoding="utf-8").partition(HEAD)
    _, end, after = rest.partition("\n\n")
    rows = "\n".join(f"| `{each.value}` | {each.description} |" for each in Verdict)
    compare_with_file(request.node, PAGE, f"{before}{head}{rows}{end}{after}")

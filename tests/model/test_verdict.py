"""The meanings of verdicts: the same in reports as in docs/verdicts.md."""

from __future__ import annotations

import re
from pathlib import Path

from harness.model.verdict import Verdict

PAGE = Path(__file__).resolve().parents[2] / "docs" / "verdicts.md"


def test_every_verdict_has_the_meaning_that_the_documentation_gives_it() -> None:
    rows = re.findall(r"^\| `([\w-]+)` \| (.*) \|$", PAGE.read_text(encoding="utf-8"), re.M)
    assert {verdict.value: verdict.description for verdict in Verdict} == dict(rows)

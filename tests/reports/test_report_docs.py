"""docs/reports.md: its examples are the reports of the example in docs/results.md."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from support.events import write_document

from harness.model.event_lines import parse_event
from harness.reports.registry import FORMATS

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE = (DOCS / "reports.md").read_text(encoding="utf-8")


def example() -> str:
    """Return the results file that docs/results.md shows."""
    found = re.search(r"```json\n(.*?)```", (DOCS / "results.md").read_text("utf-8"), re.DOTALL)
    assert found is not None
    return found[1]


@pytest.mark.parametrize("name", ["junit", "tap", "csv", "markdown"])
def test_the_page_shows_the_report(name: str) -> None:
    events = [parse_event(line) for line in example().splitlines()]
    document = write_document(name, *events).replace("\r\n", "\n")
    assert f"\n{document}```" in PAGE


def test_the_page_shows_how_the_json_begins() -> None:
    document = write_document("json", *(parse_event(line) for line in example().splitlines()))
    beginning = document.partition('  "matrix"')[0]
    assert f"```json\n{beginning}```" in PAGE


def test_the_page_names_every_format() -> None:
    for name in FORMATS:
        assert f"\n| [`{name}`](" in PAGE, name

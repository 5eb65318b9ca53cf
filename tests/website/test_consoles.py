"""The consoles of the README and of the documentation print what the pages show."""

from __future__ import annotations

import pytest
from support.console import NEEDS, check_page
from support.xtest import TOP

# Their commands need files that the page does not show.
NOT_PLAYED = {"docs/care.md", "docs/reports.md"}

TEXTS = {
    str(path.relative_to(TOP)): path.read_text(encoding="utf-8")
    for path in (TOP / "README.md", *sorted((TOP / "docs").rglob("*.md")))
}
PAGES = [
    pytest.param(page, marks=pytest.mark.system if NEEDS.search(text) else ())
    for page, text in TEXTS.items()
    if "```console\n" in text and page not in NOT_PLAYED
]


@pytest.mark.parametrize("page", PAGES)
def test_the_consoles_of_a_page(page: str, request: pytest.FixtureRequest) -> None:
    check_page(request.node, TOP / page)

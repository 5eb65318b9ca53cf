"""The drawing of VS Code's Test Explorer shows a real run, with the settings of its page."""

from __future__ import annotations

import re
from pathlib import Path

from explorer import INI, SETTINGS, explorer_svg, run_tests
from support.svg import elements
from support.xtest import TOP

PICTURE = TOP / "docs" / "pictures" / "test-explorer.svg"
_TIME = re.compile(r"\b\d+\.\d+ s\b")


def texts(picture: str) -> list[str]:
    """Return what a drawing says, with all times alike."""
    return [_TIME.sub("0.0 s", text.text or "") for text in elements(picture, "text")]


def test_the_explorer_is_drawn_from_what_pytest_reports(tmp_path: Path) -> None:
    drawn = texts(PICTURE.read_text(encoding="utf-8"))
    assert drawn == texts(explorer_svg(run_tests(tmp_path))), "run: python website/explorer.py"
    tree = ["adder", "suites", "none", "1", "2", "sums", "1", "2", "3"]
    assert drawn[drawn.index("adder") :][: len(tree)] == tree
    assert "4/5 tests passed" in drawn and "    printed    5" in drawn


def test_the_page_has_the_settings_of_the_drawing() -> None:
    page = (TOP / "docs/howto/vscode.md").read_text(encoding="utf-8")
    blocks = re.findall(r" {4}```\w+\n(.*?) {4}```", page, re.DOTALL)
    assert [re.sub("^ {4}", "", block, flags=re.MULTILINE) for block in blocks] == [INI, SETTINGS]

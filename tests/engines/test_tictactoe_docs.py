"""The examples of docs/tictactoe.md give what the page says they give."""

from __future__ import annotations

import doctest
import io
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "tictactoe.md"


def fences(language: str) -> str:
    """What stands in the page's fences of this language, one after the other."""
    chunks = PAGE.read_text(encoding="utf-8").split("\n```")
    return "\n\n".join(
        chunk.removeprefix(language) for chunk in chunks if chunk.startswith(language)
    )


def test_the_examples_give_what_the_page_says() -> None:
    examples = doctest.DocTestParser().get_doctest(fences("pycon"), {}, PAGE.name, str(PAGE), 0)
    report = io.StringIO()
    counts = doctest.DocTestRunner(verbose=False).run(examples, out=report.write)
    assert counts.failed == 0, report.getvalue()
    assert counts.attempted == PAGE.read_text(encoding="utf-8").count("\n>>> ") > 0

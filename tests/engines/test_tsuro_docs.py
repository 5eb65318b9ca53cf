"""The page about the board: its examples run, and the tests that it names are there."""

from __future__ import annotations

from pathlib import Path

import engines.tsuro

_ROOT = Path(__file__).parents[2]
_PAGE = (_ROOT / "docs" / "tsuro-board.md").read_text(encoding="utf-8")


def _blocks() -> list[str]:
    return [part.split("```")[0] for part in _PAGE.split("```python\n")[1:]]


def _named(prefix: str) -> set[str]:
    """The words in backticks that begin so."""
    return {word for word in _PAGE.split("`")[1::2] if word.startswith(prefix)}


def test_the_examples_of_the_page_run() -> None:
    blocks = _blocks()
    assert len(blocks) == 3
    for block in blocks:
        exec(block, {})  # pylint: disable=exec-used  # the page is the project's own


def test_every_test_that_the_page_names_is_there() -> None:
    files = [
        *_ROOT.glob("tests/engines/test_tsuro_*.py"),
        *_ROOT.glob("tests/property/test_tsuro_*.py"),
    ]
    written = "".join(file.read_text(encoding="utf-8") for file in files)
    named = _named("test_")
    assert len(named) > 50
    assert {name for name in named if f"def {name}(" not in written} == set()


def test_every_attribute_that_the_page_names_is_there() -> None:
    owners = ("Board", "BoardPosition", "BoardState", "Tile", "Port")
    named = {word for owner in owners for word in _named(f"{owner}.")}
    assert len(named) > 20
    missing = {
        word
        for owner, word in ((word.split(".")[0], word) for word in named)
        if not hasattr(getattr(engines.tsuro, owner), word.split(".")[1].split("(")[0])
    }
    assert missing == set()

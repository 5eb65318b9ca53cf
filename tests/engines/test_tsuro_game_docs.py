"""The page about games and tournaments: its examples run, and its tables have every way to end."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from engines.tsuro import Beginning, Ending, GameObserver, Turn

_PAGE = (Path(__file__).parents[2] / "docs" / "tsuro-game.md").read_text(encoding="utf-8")
_BLOCKS = [part.split("```")[0] for part in _PAGE.split("```python\n")[1:]]


def test_the_page_has_an_example_of_everything() -> None:
    assert len(_BLOCKS) == 5


@pytest.mark.parametrize("block", _BLOCKS)
def test_an_example_of_the_page_runs(block: str) -> None:
    exec(block, {"__name__": "example"})  # pylint: disable=exec-used  # the project's own page


def _rows(head: str) -> list[str]:
    table = _PAGE.split(head)[1].split("\n\n")[0]
    return re.findall(r"^\| `(\w+)", table, re.MULTILINE)


def test_the_page_has_every_ending_and_every_field_of_a_move() -> None:
    assert _rows("| `Ending` |") == [ending.name for ending in Ending]
    assert _rows("| | what it says |") == list(Turn._fields)
    assert set(Beginning._fields) <= set(Turn._fields)


def test_the_page_has_everything_that_an_observer_hears() -> None:
    methods = [name for name in vars(GameObserver) if not name.startswith("_")]
    assert _rows("| method | hears |") == methods

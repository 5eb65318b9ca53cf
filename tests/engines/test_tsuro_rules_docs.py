"""The page about rules and players: its examples run, and its tables have every reason."""

from __future__ import annotations

import re
from enum import Enum
from pathlib import Path
from typing import Any

import pytest

from engines.tsuro import STRATEGIES, InitialRefusal, TileIndex, TurnRefusal, layout_with
from engines.tsuro.movement import Layout, Placement
from engines.tsuro.rules import turn_outcome

_PAGE = (Path(__file__).parents[2] / "docs" / "tsuro-rules.md").read_text(encoding="utf-8")


def _ran() -> list[dict[str, Any]]:
    """What each example of the page leaves behind."""
    left = []
    for part in _PAGE.split("```python\n")[1:]:
        names: dict[str, Any] = {}
        exec(part.split("```")[0], names)  # pylint: disable=exec-used  # the project's own page
        left.append(names)
    return left


def test_the_examples_of_the_page_run_and_its_player_plays() -> None:
    names = _ran()[-1]
    careful, three = names["careful"], (TileIndex(7), TileIndex(8), TileIndex(2))
    layout = Layout({}, {})
    layout = layout_with(layout, "blue", careful.initial_placement(layout, "blue", three))
    given = (TileIndex(34), TileIndex(6))
    outcome = turn_outcome(layout, "blue", given, careful.turn(layout, "blue", given))
    assert isinstance(outcome, Placement)


@pytest.mark.parametrize("refusal", [InitialRefusal, TurnRefusal])
def test_the_page_has_every_refusal_in_the_order_in_which_they_are_looked_for(
    refusal: type[Enum],
) -> None:
    table = _PAGE.split(f"| `{refusal.__name__}` |")[1].split("\n\n")[0]
    assert re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE) == [each.name for each in refusal]


def test_the_page_has_every_strategy_by_its_name() -> None:
    assert re.findall(r'"(\w+-s)"', _PAGE) == list(STRATEGIES)

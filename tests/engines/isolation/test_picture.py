"""Pictures of a state as SVG and text."""

from __future__ import annotations

import pytest
from support.golden import Golden
from support.svg import split_elements

from engines.isolation import Action, Isolation, board_svg, board_text

OPENING = Isolation().result(57)
PLACED = OPENING.result(0)
STATES = {
    "opening": OPENING,
    "placed": PLACED,
    "blocked": PLACED.result(Action.ENE).result(Action.NNW).result(Action.NNW),
    # Neither piece can move: player 1, to move, has lost.
    "both-stuck": Isolation(board=1 << 50 | 1 << 60, ply_count=6, locs=(114, 0)),
    # Player 1 could move, but player 2 cannot.
    "won-by-mover": Isolation(board=1 << 27, ply_count=2, locs=(0, 114)),
}


@pytest.mark.parametrize("name", STATES)
def test_text(name: str, golden: Golden) -> None:
    golden(f"{name}.txt", board_text(STATES[name]) + "\n")


@pytest.mark.parametrize("name", ["opening", "blocked", "both-stuck"])
def test_svg(name: str, golden: Golden) -> None:
    golden(f"{name}.svg", split_elements(board_svg(STATES[name])))

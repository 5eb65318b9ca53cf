"""Pictures of a board as SVG and text."""

from __future__ import annotations

from itertools import product

import pytest
from support.golden import Golden
from support.svg import contrast, elements, split_elements

from engines.tictactoe.board import parse
from engines.tictactoe.picture import Picture, board_svg, board_text

STATES = {
    "open": parse("XX.O....O").value(),
    "x-won-twice": parse("XXXXOOXOO").value(),
    "o-won": parse("X.O.O.OXX").value(),
    "draw": parse("XOXXOOOXX").value(),
}


@pytest.mark.parametrize("name", STATES)
def test_text(name: str, golden: Golden) -> None:
    golden(f"{name}.txt", board_text(STATES[name]) + "\n")


@pytest.mark.parametrize("name", STATES)
def test_svg(name: str, golden: Golden) -> None:
    golden(f"{name}.svg", split_elements(board_svg(STATES[name])))


def test_a_picture_prints_as_text() -> None:
    assert str(Picture(STATES["open"])) == board_text(STATES["open"])


def test_colours_have_enough_contrast() -> None:
    # WCAG 2.1: 4.5 for text (1.4.3), 3 for marks (1.4.11).
    won = [board_svg(STATES[name]) for name in ("x-won-twice", "o-won")]
    paper = elements(won[0], "rect")[0].attrib["fill"]
    assert all(contrast(t.attrib["fill"], paper) >= 4.5 for t in elements(won[0], "text"))
    lines = {
        line.attrib["stroke-width"]: line.attrib["stroke"] for line in elements(won[0], "line")
    }
    x_colour, x_band = lines["12"], lines["80"]
    o_colour = elements(won[1], "circle")[0].attrib["stroke"]
    o_band = elements(won[1], "line")[0].attrib["stroke"]
    for mark, ground in product((x_colour, o_colour), (paper, x_band, o_band)):
        assert contrast(mark, ground) >= 3

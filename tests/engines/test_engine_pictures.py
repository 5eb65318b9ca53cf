"""Pictures of boards as SVG and text; tests/test_pictures.py compares those of docs/pictures."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Final
from xml.etree.ElementTree import Element

import pytest
from support.golden import Golden
from support.svg import contrast, darkened, elements, split_elements
from support.tsuro import CORNERS, STRAIGHT, U_TURNS, state

from engines import bitboard36, isolation, tictactoe, tsuro
from engines.bitboard36 import Board
from engines.bitboard36.shape import FULL
from engines.isolation import Action, Isolation
from engines.tsuro import BoardPosition, Port, tile_pattern

# Pieces of both colours without any symmetry, cell 0 among them.
BOARD36: Final = Board(
    1 << 0 | 1 << 7 | 1 << 8 | 1 << 22, 1 << 9 | 1 << 19 | 1 << 35, bitboard36.Player.BLACK
)

OPENING: Final = Isolation().result(57)
PLACED: Final = OPENING.result(0)
ISOLATION: Final = {
    "opening": OPENING,
    "placed": PLACED,
    "blocked": PLACED.result(Action.ENE).result(Action.NNW).result(Action.NNW),
    # Neither piece can move: player 1, to move, has lost.
    "both-stuck": Isolation(board=1 << 50 | 1 << 60, ply_count=6, locs=(114, 0)),
    # Player 1 could move, but player 2 cannot.
    "won-by-mover": Isolation(board=1 << 27, ply_count=2, locs=(0, 114)),
}

TICTACTOE: Final = {
    "open": tictactoe.parse("XX.O....O").value(),
    "x-won-twice": tictactoe.parse("XXXXOOXOO").value(),
    "o-won": tictactoe.parse("X.O.O.OXX").value(),
    "draw": tictactoe.parse("XOXXOOOXX").value(),
}

# Without symmetry: wires AE BC DG FH and AB CG DF EH.
FIRST: Final = tile_pattern(6, 0)
SECOND: Final = tile_pattern(26, 0)
HERE: Final = BoardPosition(3, 5)
TSURO: Final = {
    "empty": tsuro.BoardState(),
    # One avatar on each port; on the edge, one without a tile.
    "ports": state(
        {(3, 5): FIRST, (5, 5): SECOND},
        {
            "white": (HERE, Port.TopRight),
            "black": (BoardPosition(5, 5), Port.RightTop),
            "red": (HERE, Port.BottomLeft),
            "green": (BoardPosition(5, 5), Port.LeftBottom),
            "blue": (BoardPosition(0, 0), Port.TopLeft),
        },
    ),
    # Avatars on one port stand in a row, with dashed paths; two face each other.
    "shared": state(
        {(3, 5): FIRST, (4, 5): SECOND},
        {
            "white": (HERE, Port.TopLeft),
            "black": (HERE, Port.TopLeft),
            "green": (HERE, Port.BottomRight),
            "red": (HERE, Port.RightTop),
            "blue": (BoardPosition(4, 5), Port.LeftTop),
        },
    ),
    # Paths over several tiles: back to the edge, and around a circle.
    "paths": state(
        {
            **{(0, 5): STRAIGHT, (1, 5): CORNERS, (9, 9): U_TURNS},
            **{(4, 4): tile_pattern(5, 90), (5, 4): tile_pattern(5, 180)},
            **{(5, 5): tile_pattern(5, 270), (4, 5): tile_pattern(5, 0)},
        },
        {
            "red": (BoardPosition(1, 5), Port.TopRight),
            "black": (BoardPosition(4, 5), Port.TopRight),
            "green": (BoardPosition(9, 9), Port.LeftTop),
        },
    ),
}

TEXTS: Final = {
    "bitboard36-board": bitboard36.board_text(BOARD36),
    **{f"isolation-{name}": isolation.board_text(each) for name, each in ISOLATION.items()},
    **{f"tictactoe-{name}": str(tictactoe.Picture(each)) for name, each in TICTACTOE.items()},
    **{f"tsuro-{name}": tsuro.board_text(each) for name, each in TSURO.items()},
}
SVGS: Final = {
    "bitboard36-board": bitboard36.board_svg(BOARD36),
    "bitboard36-state": bitboard36.state_svg(bitboard36.State(1 << 0 | 1 << 7, 1 << 35)),
    **{f"isolation-{name}": isolation.board_svg(each) for name, each in ISOLATION.items()},
    **{f"tictactoe-{name}": tictactoe.board_svg(each) for name, each in TICTACTOE.items()},
    **{f"tsuro-{name}": tsuro.board_svg(each) for name, each in TSURO.items()},
    "tsuro-tile": tsuro.tile_svg(FIRST.rotate()),
}


@pytest.mark.parametrize("name", TEXTS)
def test_text(name: str, golden: Golden) -> None:
    golden(f"{name}.txt", TEXTS[name] + "\n")


@pytest.mark.parametrize("name", SVGS)
def test_svg(name: str, golden: Golden) -> None:
    golden(f"{name}.svg", split_elements(SVGS[name]))


# WCAG 2.1: a contrast of 4.5 for text (1.4.3), of 3 for marks (1.4.11).


@pytest.mark.parametrize("shown", [str, darkened])
def test_colours_of_tictactoe_have_enough_contrast(shown: Callable[[str], str]) -> None:
    x_won, o_won = shown(SVGS["tictactoe-x-won-twice"]), shown(SVGS["tictactoe-o-won"])
    paper = elements(x_won, "rect")[0].attrib["fill"]
    assert all(contrast(t.attrib["fill"], paper) >= 4.5 for t in elements(x_won, "text"))
    lines = {line.attrib["stroke-width"]: line.attrib["stroke"] for line in elements(x_won, "line")}
    o_mark, o_band = (elements(o_won, tag)[0].attrib["stroke"] for tag in ("circle", "line"))
    for mark, ground in product((lines["12"], o_mark), (paper, lines["80"], o_band)):
        assert contrast(mark, ground) >= 3


@pytest.mark.parametrize("pieces", [0, 1 << 14, FULL ^ 1 << 14, FULL])
@pytest.mark.parametrize("is_white", [True, False])
@pytest.mark.parametrize("shown", [str, darkened])
def test_numbers_of_bitboard36_have_enough_contrast(
    pieces: int, is_white: bool, shown: Callable[[str], str]
) -> None:
    svg = shown(bitboard36.board_svg(Board(pieces, 0) if is_white else Board(0, pieces)))
    numbers = [text for text in elements(svg, "text") if _number(text, "font-size") in (11, 22)]
    assert len(numbers) == 2 * 36
    for text in numbers:
        assert contrast(text.attrib["fill"], _colour_behind(text, svg)) >= 4.5


@pytest.mark.parametrize("name", ["isolation-blocked", "tsuro-empty", "tsuro-tile"])
def test_text_has_enough_contrast_on_a_dark_page(name: str) -> None:
    svg = darkened(SVGS[name])
    grounds = {rect.attrib["fill"] for rect in elements(svg, "rect")}
    for text in elements(svg, "text"):
        assert max(contrast(text.attrib["fill"], ground) for ground in grounds - {"none"}) >= 4.5
    # White on the ground is legible, so the ground is dark.
    assert all(contrast("#ffffff", ground) >= 4.5 for ground in grounds - {"none"})


def _colour_behind(text: Element, svg: str) -> str:
    x, y = _number(text, "x"), _number(text, "y") - 0.35 * _number(text, "font-size")
    squares = [
        square
        for square in elements(svg, "rect")
        if _number(square, "width") == 64
        and 0 <= x - _number(square, "x") < 64
        and 0 <= y - _number(square, "y") < 64
    ]
    discs = [
        disc
        for disc in elements(svg, "circle")
        if abs(complex(_number(disc, "cx") - x, _number(disc, "cy") - y)) < _number(disc, "r")
    ]
    return [*squares, *discs][-1].attrib["fill"]


def _number(element: Element, attribute: str) -> float:
    return float(element.attrib[attribute])

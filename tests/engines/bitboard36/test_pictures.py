"""Pictures of boards; tests/test_pictures.py compares those of docs/pictures."""

from __future__ import annotations

from xml.etree.ElementTree import Element

import pytest
from support.golden import Golden
from support.svg import contrast, elements, split_elements

from engines.bitboard36 import Board, Player, State, board_svg, board_text, state_svg
from engines.bitboard36.shape import FULL

# Pieces of both colours without any symmetry, cell 0 among them.
BOARD = Board(1 << 0 | 1 << 7 | 1 << 8 | 1 << 22, 1 << 9 | 1 << 19 | 1 << 35, Player.BLACK)


def test_board(golden: Golden) -> None:
    golden("board.svg", split_elements(board_svg(BOARD)))
    golden("board.txt", board_text(BOARD) + "\n")


def test_state(golden: Golden) -> None:
    golden("state.svg", split_elements(state_svg(State(1 << 0 | 1 << 7, 1 << 35))))


@pytest.mark.parametrize("pieces", [0, 1 << 14, FULL ^ 1 << 14, FULL])
@pytest.mark.parametrize("is_white", [True, False])
def test_numbers_have_enough_contrast(pieces: int, is_white: bool) -> None:
    svg = board_svg(Board(pieces, 0) if is_white else Board(0, pieces))
    numbers = [text for text in elements(svg, "text") if _number(text, "font-size") in (11, 22)]
    assert len(numbers) == 2 * 36
    for text in numbers:  # WCAG 2.1, 1.4.3
        assert contrast(text.attrib["fill"], _colour_behind(text, svg)) >= 4.5


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

"""Pictures of boards and tiles as SVG and text; docs/pictures shows what a board looks like."""

from __future__ import annotations

import pytest
from support.golden import Golden
from support.svg import split_elements
from support.tsuro import CORNERS, STRAIGHT, U_TURNS, state

from engines import tsuro
from engines.tsuro import BoardPosition, Port, board_svg, tile_pattern

# Without symmetry: wires AE BC DG FH and AB CG DF EH.
FIRST = tile_pattern(6, 0)
SECOND = tile_pattern(26, 0)
HERE = BoardPosition(3, 5)

STATES = {
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


@pytest.mark.parametrize("name", STATES)
def test_text(name: str, golden: Golden) -> None:
    golden(f"{name}.txt", tsuro.board_text(STATES[name]) + "\n")


@pytest.mark.parametrize("name", STATES)
def test_svg(name: str, golden: Golden) -> None:
    golden(f"{name}.svg", split_elements(board_svg(STATES[name])))


def test_tile(golden: Golden) -> None:
    golden("tile.svg", split_elements(tsuro.tile_svg(FIRST.rotate())))

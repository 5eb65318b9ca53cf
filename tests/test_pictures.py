"""The pictures of README.md and of the pages about the engines are what the engines draw.

`PYTHONPATH=. python tests/test_pictures.py` draws them anew.
"""

from __future__ import annotations

import pytest
from support.wire import parse_one
from support.xtest import TOP

from engines import bitboard36, tsuro
from xtests.xdraw import draw

PICTURES = TOP / "docs" / "pictures"

# What xdraw draws of a value, by the name of the picture.
VALUES = {
    "xtiles": ("tsuro", '[22, 90, "C"]'),
    "xboard": ("tsuro", '[[[6, 90], "red", "D", 3, 7], [[2, 0], 4, 8]]'),
    # What xmoves prints.
    "xmoves": (
        "tsuro",
        """[[[2, 0], 4, 0], [[6, 90], "red", "H", 4, 1], [[20, 90], "green", "E", 8, 0],
        [[6, 90], 0, 7], [[9, 0], "blue", "F", 1, 7], [[13, 90], "white", "G", 9, 5]]""",
    ),
    "xisolation": ("isolation", '{"moves": [57, 0, 25], "ask": []}'),
    "xtictactoe": ("tictactoe", '{"moves": [4, 0, 8], "ask": []}'),
    "xbitboard36": (
        "bitboard36",
        '{"state": {"white": [5, 9, 10], "black": [8, 12], "to_play": "white"}, "ask": []}',
    ),
    "xdraw": ("tictactoe", '{"board": "XO..X....", "player": "O"}'),
    # Five players in the middle of a game.
    "tsuro": (
        "tsuro",
        """[
        [[29,180],7,0], [[27,180],8,0], [[14,90],"black","E",7,1], [[8,0],8,1], [[23,270],9,1],
        [[11,0],0,2], [[22,0],1,2], [[21,0],2,2], [[33,180],8,2], [[34,0],9,2], [[0,90],2,3],
        [[19,90],"red","E",7,3], [[9,90],8,3], [[31,270],2,4], [[4,0],"green","D",3,4],
        [[15,270],8,4], [[34,0],9,4], [[25,90],2,5], [[13,90],3,5], [[17,0],4,5], [[4,0],5,5],
        [[26,90],8,5], [[12,0],0,6], [[3,0],1,6], [[12,0],2,6], [[2,0],3,6], [[6,90],4,6],
        [[16,90],5,6], [[32,180],8,6], [[7,0],9,6], [[20,270],0,7], [[33,180],3,7],
        [[1,0],"white","C",4,7], [[1,0],"blue","D",4,7], [[24,90],3,8], [[15,180],4,8],
        [[10,90],4,9]]""",
    ),
    # A game in which much is blocked, and both can still move.
    "isolation": (
        "isolation",
        '{"board": "41523161122928693686130705940341567", "ply_count": 31, "locs": [18, 81]}',
    ),
    "tictactoe": ("tictactoe", '{"board": "XO.OXX.OX", "player": "X"}'),
    "bitboard36-board": (
        "bitboard36",
        '{"white": 17180575264, "black": 1245712640, "to_play": "white"}',
    ),
}

# Of the game that docs/games/tsuro-games.md replays.
_GAME = tsuro.play_game([tsuro.SECOND] * 4, tsuro.endless_deck())
BOARD_AFTER_40_MOVES = tsuro.state_of(list(tsuro.replay(_GAME))[39])

DRAWN = {
    **{f"{name}.svg": draw(game, parse_one(text)) for name, (game, text) in VALUES.items()},
    "tsuro-game.svg": tsuro.board_svg(BOARD_AFTER_40_MOVES),
    "bitboard36-numbering.svg": bitboard36.numbering_svg(),
    "bitboard36-variants.svg": bitboard36.variants_svg(
        bitboard36.variants(bitboard36.State(0x4000AC620, 0x04A401100))
    ),
}


@pytest.mark.parametrize("name", DRAWN)
def test_a_committed_picture_is_what_the_code_draws(name: str) -> None:
    committed = (PICTURES / name).read_text(encoding="utf-8")
    assert committed == DRAWN[name] + "\n", f"draw it anew: {__doc__}"


@pytest.mark.parametrize(
    "name", ["xdraw", *sorted(path.stem for path in TOP.glob("test_cases/x*"))]
)
def test_the_section_on_a_program_shows_a_picture_before_any_table(name: str) -> None:
    pages = [page.read_text(encoding="utf-8") for page in (TOP / "docs" / "games").glob("*.md")]
    (text,) = (page.partition(head)[2] for page in pages if (head := f"\n## {name}\n") in page)
    assert "\n![" in text.partition("\n|")[0]


if __name__ == "__main__":
    for file_name, picture in DRAWN.items():
        (PICTURES / file_name).write_text(picture + "\n", encoding="utf-8")

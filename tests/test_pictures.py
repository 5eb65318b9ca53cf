"""The pictures of README.md and of the pages about the engines are what the engines draw.

`PYTHONPATH=. python tests/test_pictures.py` draws them anew.
"""

from __future__ import annotations

import pytest
from support.wire import parse_one
from support.xtest import TOP

from engines import bitboard36, isolation, tictactoe, tsuro
from xtests.xdraw import draw

PICTURES = TOP / "docs" / "pictures"

# By player, in the order of play: where it starts, the tile, how it is turned, the port.
STARTS = """\
white 0,2 11 0 3, black 7,0 29 180 5, red 9,6 7 0 7, green 4,9 10 90 1, blue 0,7 20 270 0"""

# Then each player's tile and how it is turned, round after round.
ROUNDS = """\
22 0, 14 90, 32 180, 15 180, 12 0
21 180, 8 180, 26 90, 24 90, 3 180
0 270, 23 270, 15 270, 1 270, 12 180
31 270, 27 180, 34 90, 6 90, 25 90
2 180, 33 180, 9 90, 16 90, 4 90
17 0, 34 270, 19 90, 4 90, 13 90
33 180"""

# The first two place a piece, the others are steps.
ISOLATION = """\
57 45 ESE WNW NNW ENE ENE WNW SSW SSE SSE SSW WNW ESE WNW NNW WSW NNW SSE SSW WNW ESE SSW SSE ENE
NNE ENE NNE SSW NNE ENE"""

TICTACTOE = "XO.OXX.OX"

BITBOARD36 = bitboard36.Board(white=0x4000AC620, black=0x04A401100)


def tsuro_game() -> tsuro.BoardState:
    """Five players in the middle of a game, each tile placed by the rules."""
    later = [
        tsuro.IntermediateMove(tile(*written.split()), player)
        for line in ROUNDS.splitlines()
        for player, written in zip(tsuro.COLORS, line.split(", "))
    ]
    starts = [first_move(*written.split()) for written in STARTS.split(", ")]
    return tsuro.Board.create_board_from_moves(starts, later).value().get_board_state()


def first_move(player: str, place: str, index: str, turn: str, port: str) -> tsuro.InitialMove:
    position = tsuro.BoardPosition(*map(int, place.split(",")))
    color = tsuro.color_string(player)
    return tsuro.InitialMove(position, tile(index, turn), tsuro.port_id(int(port)), color)


def tile(index: str, turn: str) -> tsuro.Tile:
    return tsuro.tile_pattern(int(index), int(turn))


def isolation_game() -> isolation.Isolation:
    """A game in which much is blocked, and both can still move."""
    state = isolation.Isolation()
    for written in ISOLATION.split():
        action = int(written) if written.isdecimal() else isolation.Action[written]
        assert action in state.actions()
        state = state.result(action)
    return state


# What xdraw draws of the first example of a program's page.
EXAMPLES = {
    "xtiles": ("tsuro", '[22, 90, "C"]'),
    "xboard": ("tsuro", '[[[6, 90], "red", "D", 3, 7], [[2, 0], 4, 8]]'),
    "xisolation": ("isolation", '{"moves": [57, 0, 25], "ask": []}'),
    "xtictactoe": ("tictactoe", '{"moves": [4, 0, 8], "ask": []}'),
    "xbitboard36": (
        "bitboard36",
        '{"state": {"white": [5, 9, 10], "black": [8, 12], "to_play": "white"}, "ask": []}',
    ),
    "xdraw": ("tictactoe", '{"board": "XO..X....", "player": "O"}'),
}


def board_after(moves: int) -> tsuro.BoardState:
    """The board after some moves of the game that docs/tsuro-game.md replays."""
    game = tsuro.play_game([tsuro.SECOND] * 4, tsuro.endless_deck())
    return tsuro.state_of(list(tsuro.replay(game))[moves - 1])


DRAWN = {
    **{f"{name}.svg": draw(game, parse_one(text)) for name, (game, text) in EXAMPLES.items()},
    "tsuro-game.svg": tsuro.board_svg(board_after(40)),
    "tsuro.svg": tsuro.board_svg(tsuro_game()),
    "isolation.svg": isolation.board_svg(isolation_game()),
    "tictactoe.svg": tictactoe.board_svg(tictactoe.parse(TICTACTOE).value()),
    "bitboard36-board.svg": bitboard36.board_svg(BITBOARD36),
    "bitboard36-numbering.svg": bitboard36.numbering_svg(),
    "bitboard36-variants.svg": bitboard36.variants_svg(
        bitboard36.variants(bitboard36.state_of(BITBOARD36))
    ),
}


@pytest.mark.parametrize("name", DRAWN)
def test_a_committed_picture_is_what_the_code_draws(name: str) -> None:
    committed = (PICTURES / name).read_text(encoding="utf-8")
    assert committed == DRAWN[name] + "\n", f"draw it anew: {__doc__}"


@pytest.mark.parametrize(
    "name", ["xdraw", *sorted(path.stem for path in TOP.glob("test_cases/x*"))]
)
def test_the_page_of_a_program_shows_a_picture_before_any_table(name: str) -> None:
    text = (TOP / "docs" / f"{name}.md").read_text(encoding="utf-8")
    assert "\n![" in text.partition("\n|")[0]


if __name__ == "__main__":
    for file_name, picture in DRAWN.items():
        (PICTURES / file_name).write_text(picture + "\n", encoding="utf-8")

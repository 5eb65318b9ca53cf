"""xdraw finds the board in a value of another program, and draws it."""

from __future__ import annotations

import subprocess
import sys
from subprocess import CompletedProcess
from xml.etree import ElementTree

import pytest
from support.wire import parse_one

from engines import bitboard36, isolation, tictactoe
from xtests.xdraw import draw

STATE_PAT = '[[14,270],"red","B",6,2]'
OPEN = '{"board":"41523161203939122082683632224299007","ply_count":0,"locs":[null,null]}'
WHITE_AND_BLACK = '{"white":[9],"black":1,"to_play":"black"}'


def _title(game: str, text: str) -> str:
    return ElementTree.fromstring(draw(game, parse_one(text)))[0].text or ""


def _xdraw(arguments: list[str], sent: str) -> CompletedProcess[str]:
    words = [sys.executable, "-m", "xtests.xdraw", *arguments]
    return subprocess.run(words, input=sent, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("game", "value", "title"),
    [
        ("tsuro", "[]", "Tsuro board, tiles: 0, avatars: none"),
        ("tsuro", STATE_PAT, "Tsuro board, tiles: 1, avatars: red (6, 2) B"),
        ("tsuro", f"[{STATE_PAT}]", "Tsuro board, tiles: 1, avatars: red (6, 2) B"),
        ("tsuro", f"[{STATE_PAT},[[3,0],1,1]]", "Tsuro board, tiles: 2, avatars: red (6, 2) B"),
        ("tsuro", "[5,90]", "Tsuro tile 5, 90°: wires AH BF CG DE"),
        ("tsuro", '[5,90,"B"]', "Tsuro tile 5, 90°: wires AH BF CG DE"),
        ("isolation", OPEN, "Isolation, player 1 to move, ply 0"),
        ("isolation", f'{{"player":0,"state":{OPEN}}}', "Isolation, player 1 to move, ply 0"),
        ("isolation", '{"moves":[3],"ask":[]}', "Isolation, player 2 to move, ply 1"),
        ("tictactoe", '{"board":"XXX.OO...","player":"O"}', "Tic-tac-toe: X has won"),
        (
            "tictactoe",
            '{"value":1,"canonical":{"board":"X........","player":"O"}}',
            "Tic-tac-toe: not decided yet",
        ),
        (
            "bitboard36",
            f'{{"state":{WHITE_AND_BLACK},"moves":[],"ask":[]}}',
            "6 x 6 board, Black to play: white 0x000000200, black 0x000000001",
        ),
        (
            "bitboard36",
            '{"base_state":{"current":5,"next":8}}',
            "6 x 6 board, Current and next player: current 0x000000005, next 0x000000008",
        ),
    ],
)
def test_a_board_is_found_in_every_value_of_a_program(game: str, value: str, title: str) -> None:
    assert _title(game, value) == title


def test_the_pictures_are_those_of_the_engines() -> None:
    moved = isolation.Isolation().result(3)
    assert draw("isolation", parse_one('{"moves":[3],"ask":[]}')) == isolation.board_svg(moved)
    board = parse_one('{"board":"XO.......","player":"X"}')
    assert draw("tictactoe", board) == tictactoe.board_svg(tictactoe.parse("XO.......").value())
    state = parse_one('{"state":{"white":5,"black":8,"to_play":"white"}}')
    assert draw("bitboard36", state) == bitboard36.board_svg(bitboard36.Board(5, 8))


def test_the_program_prints_the_picture_and_a_line_end() -> None:
    board = '{"board":".........","player":"X"}'
    done = _xdraw(["tictactoe"], f"{board}\n")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"{draw('tictactoe', parse_one(board))}\n"


REQUEST = "a request, and an answer that has a state in it, can be drawn"
TSURO = "a state, a state-pat, a tile-pat and a query of xtiles can be drawn"


@pytest.mark.parametrize(
    ("game", "sent", "message"),
    [
        ("tsuro", '"red died"', f'no board in "red died": {TSURO}'),
        ("tsuro", "1", f"no board in 1: {TSURO}"),
        ("isolation", '{"player":0}', f'no board in {{"player":0}}: {REQUEST}'),
        ("bitboard36", "7", f"no board in 7: {REQUEST}"),
        (
            "tictactoe",
            '{"board":"XXXOOO...","player":"X"}',
            "the board at /0/state/board cannot be: 28679 is no state: X holds the line 0, 1, 2 "
            "and O the line 3, 4, 5, expected that a game ends with its first line",
        ),
        (
            "tsuro",
            "[[]]",
            "a state-pat, [tile-pat, x, y] or [tile-pat, colour, port, x, y], expected at /0/0, "
            "found []",
        ),
        (
            "tsuro",
            "[99,0]",
            "an integer from 0 to 34 (the index of a tile) expected at /0/0, found 99",
        ),
        ("tsuro", "", "one value expected, found 0"),
        ("tsuro", "[] []", "one value expected, found 2"),
        ("tsuro", "[", "the text ends inside an array, at byte 1 of the input"),
    ],
)
def test_a_value_without_a_board_is_refused_on_standard_error(
    game: str, sent: str, message: str
) -> None:
    done = _xdraw([game], sent)
    assert (done.returncode, done.stdout, done.stderr) == (1, "", f"xdraw: {message}\n")


@pytest.mark.parametrize("arguments", [[], ["go"], ["tsuro", "tsuro"]])
def test_the_argument_is_a_game(arguments: list[str]) -> None:
    done = _xdraw(arguments, "[]")
    games = "one of tsuro, isolation, tictactoe, bitboard36 expected"
    message = f"xdraw: {games}; it reads a JSON value from standard input\n"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", message)

"""xdraw: pictures of what our programs read and print; what it says where there is no board."""

from __future__ import annotations

import subprocess
import sys
from subprocess import CompletedProcess
from xml.etree import ElementTree

import pytest

from engines import bitboard36, isolation, tictactoe
from harness.jsonfast import decode
from xtests.refusal import Refused
from xtests.xdraw import drawn

STATE_PAT = '[[14,270],"red","B",6,2]'
OPEN = '{"board":"41523161203939122082683632224299007","ply_count":0,"locs":[null,null]}'


def picture(game: str, text: str) -> str:
    """The picture of a value, written as JSON."""
    (value,) = decode(text.encode()).values
    return drawn(game, value)


def title_of(svg: str) -> str:
    """What a picture is called for those who do not see it."""
    return ElementTree.fromstring(svg)[0].text or ""


def xdraw(arguments: list[str], sent: str) -> CompletedProcess[str]:
    """The program, run to its end."""
    words = [sys.executable, "-m", "xtests.xdraw", *arguments]
    return subprocess.run(words, input=sent, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("game", "value", "title"),
    [
        ("tsuro", "[]", "Tsuro board, tiles: 0, avatars: none"),
        ("tsuro", STATE_PAT, "Tsuro board, tiles: 1, avatars: red (6, 2) B"),
        ("tsuro", f"[{STATE_PAT}]", "Tsuro board, tiles: 1, avatars: red (6, 2) B"),
        (
            "tsuro",
            f"[{STATE_PAT}, [[3, 0], 1, 1]]",
            "Tsuro board, tiles: 2, avatars: red (6, 2) B",
        ),
        ("tsuro", "[5, 90]", "Tsuro tile 5, 90°: wires AH BF CG DE"),
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
            '{"state":{"white":[9],"black":1,"to_play":"black"},"moves":[],"ask":[]}',
            "6 x 6 board, Black to play: white 0x000000200, black 0x000000001",
        ),
        (
            "bitboard36",
            '{"base_state":{"current":5,"next":8}}',
            "6 x 6 board, Current and next player: current 0x000000005, next 0x000000008",
        ),
    ],
)
def test_a_board_is_found_wherever_a_program_reads_or_prints_it(
    game: str, value: str, title: str
) -> None:
    assert title_of(picture(game, value)) == title


def test_a_query_of_xtiles_is_drawn_as_its_tile() -> None:
    assert picture("tsuro", '[5, 90, "B"]') == picture("tsuro", "[5, 90]")


def test_the_pictures_are_those_of_the_engines() -> None:
    moved = isolation.Isolation().result(3)
    assert picture("isolation", '{"moves":[3],"ask":[]}') == isolation.board_svg(moved)
    board = '{"board":"XO.......","player":"X"}'
    assert picture("tictactoe", board) == tictactoe.board_svg(tictactoe.parse("XO.......").value())
    state = '{"state":{"white":5,"black":8,"to_play":"white"}}'
    assert picture("bitboard36", state) == bitboard36.board_svg(bitboard36.Board(5, 8))


@pytest.mark.parametrize(
    ("game", "value", "said"),
    [
        (
            "tsuro",
            '"red died"',
            'no board in "red died": a state, a state-pat, a tile-pat and a query of xtiles can be'
            " drawn",
        ),
        (
            "isolation",
            '{"player":0}',
            'no board in {"player":0}: a request, and an answer that has a state in it, can be'
            " drawn",
        ),
        (
            "bitboard36",
            "7",
            "no board in 7: a request, and an answer that has a state in it, can be drawn",
        ),
        (
            "tictactoe",
            '{"board":"XXXOOO...","player":"X"}',
            "the board at /0/state/board cannot be: 28679 is no state: X holds the line 0, 1, 2 and"
            " O the line 3, 4, 5, expected that a game ends with its first line",
        ),
        (
            "tsuro",
            "[[]]",
            "a state-pat, [tile-pat, x, y] or [tile-pat, colour, port, x, y],"
            " expected at /0/0, found []",
        ),
        (
            "tsuro",
            "[99, 0]",
            "an integer from 0 to 34 (the index of a tile) expected at /0/0, found 99",
        ),
    ],
)
def test_a_value_without_a_board_is_refused_with_what_could_be_drawn(
    game: str, value: str, said: str
) -> None:
    with pytest.raises(Refused) as caught:
        picture(game, value)
    assert caught.value.message == said


def test_the_program_prints_the_picture_and_a_line_end() -> None:
    done = xdraw(["tictactoe"], '{"board":".........","player":"X"}\n')
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == picture("tictactoe", '{"board":".........","player":"X"}') + "\n"


@pytest.mark.parametrize(
    ("arguments", "sent", "status", "said"),
    [
        (
            ["tsuro"],
            "1",
            1,
            "no board in 1: a state, a state-pat, a tile-pat and a query of xtiles can be drawn",
        ),
        (["tsuro"], "", 1, "one value expected, found 0"),
        (["tsuro"], "[] []", 1, "one value expected, found 2"),
        (["tsuro"], "[", 1, "the text ends inside an array, at byte 1 of the input"),
        (
            [],
            "[]",
            2,
            "one of tsuro, isolation, tictactoe, bitboard36 expected; it reads a JSON"
            " value from standard input",
        ),
        (
            ["go"],
            "[]",
            2,
            "one of tsuro, isolation, tictactoe, bitboard36 expected; it reads a"
            " JSON value from standard input",
        ),
    ],
)
def test_what_cannot_be_drawn_is_said_in_a_line_on_standard_error(
    arguments: list[str], sent: str, status: int, said: str
) -> None:
    done = xdraw(arguments, sent)
    assert (done.returncode, done.stdout) == (status, "")
    assert done.stderr == f"xdraw: {said}\n"

"""xtictactoe: what is asked for of a position, and what cannot be served."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from subprocess import CompletedProcess, Popen
from typing import Any

import pytest

from harness.jsontext import PROGRAM_DEPTH, Decoder, encode
from xtests import xtictactoe
from xtests.refusal import Kind, Pointer, Refused

Run = Callable[[str, bytes], CompletedProcess[bytes]]
Start = Callable[[str], Popen[bytes]]

# A value of JSON as Python's json module has it.
Plain = Any


def _answer(request: str) -> str:
    decoder = Decoder(PROGRAM_DEPTH)
    (value,) = decoder.feed(request.encode()) + decoder.close()
    return encode(xtictactoe.answer(value, Pointer("/4")))


def _refusal(request: str) -> Refused:
    with pytest.raises(Refused) as caught:
        _answer(request)
    return caught.value


def _told(query: Plain, board: str, player: str = "X", moves: Sequence[int] = ()) -> Plain:
    """The answer to one query, which is the only member of the answer."""
    state = {"board": board, "player": player}
    request = json.dumps({"state": state, "moves": list(moves), "ask": [query]})
    answer = json.loads(_answer(request))
    (name,) = answer
    assert name == (query if isinstance(query, str) else next(iter(query)))
    return answer[name]


def test_without_a_state_the_game_starts_with_x() -> None:
    assert _answer('{"ask":["state"]}') == '{"state":{"board":".........","player":"X"}}'


def test_the_answer_has_the_members_that_were_asked_for_in_their_order() -> None:
    assert _answer('{"ask":["player","bitboard",{"mark":3}]}') == (
        '{"player":"X","bitboard":0,"mark":null}'
    )
    assert _answer('{"ask":[]}') == "{}"


def test_moves_are_made_in_turn_by_the_players() -> None:
    assert _answer('{"moves":[0,8,1],"ask":["state"]}') == (
        '{"state":{"board":"XX......O","player":"O"}}'
    )
    assert _told("state", "XX......O", "O", [2, 5]) == {"board": "XXO..X..O", "player": "O"}


def test_the_player_of_a_finished_game_is_the_one_whose_turn_it_would_be() -> None:
    assert _told("player", "XX.OO....", "X", [2]) == "O"


# Cells 1 and 5 for X, 6 and 7 for O: no symmetry leaves it as it is.
ODD = ".X...XOO."


@pytest.mark.parametrize(
    ("query", "answer"),
    [
        ("state", {"board": ODD, "player": "X"}),
        ("player", "X"),
        ("bitboard", 2 + 32 + 2**15 + 2**16),
        ("marks", {"X": [1, 5], "O": [6, 7]}),
        ("actions", [0, 2, 3, 4, 8]),
        ("finished", False),
        ("utility", None),
        ("winner", None),
        ("winning_lines", []),
        ("value", 1),
        ("best_moves", [8]),
        ("turned", {"board": "O..O.X.X.", "player": "X"}),
        ("mirrored", {"board": ".X.X...OO", "player": "X"}),
        ({"mark": 5}, "X"),
        ({"mark": 6}, "O"),
        ({"mark": 0}, None),
        ({"symbol": [1, 2]}, "X"),
        ({"symbol": [2, 1]}, "O"),
        ({"symbol": [0, 0]}, " "),
        ({"perft": 0}, 1),
        ({"perft": 1}, 5),
        ("text", "+-+-+-+\n| |X| |\n+-+-+-+\n| | |X|\n+-+-+-+\n|O|O| |\n+-+-+-+\n"),
    ],
)
def test_every_query_is_about_the_position(query: Plain, answer: Plain) -> None:
    assert _told(query, ODD) == answer


def test_next_states_have_the_other_player_and_the_order_of_the_actions() -> None:
    assert _told("next_states", "XX.OO.XOX", "O") == [
        {"board": "XXOOO.XOX", "player": "X"},
        {"board": "XX.OOOXOX", "player": "X"},
    ]


def test_values_of_moves_are_those_of_the_states_they_lead_to() -> None:
    assert _told("move_values", "XX.OO.XOX", "O") == [
        {"cell": 2, "value": 0},
        {"cell": 5, "value": -1},
    ]
    assert (_told("value", "XX.OO.XOX", "O"), _told("best_moves", "XX.OO.XOX", "O")) == (-1, [5])


def test_a_finished_game_says_who_has_won_and_where() -> None:
    queries = ("finished", "utility", "winner", "winning_lines", "value", "actions", "best_moves")
    assert [_told(query, "OXXXO.XXO") for query in queries] == [
        *(True, -1, "O", [[0, 4, 8]], -1, [], [])
    ]
    assert [_told(query, "XOXXOOOXX") for query in queries] == [True, 0, None, [], 0, [], []]
    assert _told("winning_lines", "XXXXOOXOO") == [[0, 1, 2], [0, 3, 6]]


def test_the_picture_shows_the_winning_line() -> None:
    assert _told("picture", "OXXXO.XXO") == (
        "    0   1   2\n"
        "  ┌───┬───┬───┐\n"
        "0 │[O]│ X │ X │\n"
        "  ├───┼───┼───┤\n"
        "1 │ X │[O]│   │\n"
        "  ├───┼───┼───┤\n"
        "2 │ X │ X │[O]│\n"
        "  └───┴───┴───┘\n"
        "  O has won"
    )


def test_images_are_four_turns_and_four_of_the_mirror_image() -> None:
    boards = [image["board"] for image in _told("images", ODD)]
    assert boards == [
        *(".X...XOO.", "O..O.X.X.", ".OOX...X.", ".X.X.O..O"),
        *(".X.X...OO", ".X.O.XO..", "OO...X.X.", "..OX.O.X."),
    ]
    # By their numbers: O in 0 and 1 weighs less than any other two.
    assert _told("canonical", ODD) == {"board": "OO...X.X.", "player": "X"}


def test_trees_are_counted_by_depth_by_result_and_by_position() -> None:
    tree = {"nodes": 4, "games": 2, "x_wins": 1, "o_wins": 0, "draws": 1}
    assert _told("tree", "XX.OO.XOX", "X") == tree
    assert _told("reachable", "XX.OO.XOX", "X") == {"states": 4, "up_to_symmetry": 4}
    assert [_told({"perft": depth}, "XX.OO.XOX", "X") for depth in (0, 1, 2, 3)] == [1, 2, 1, 0]


# What cannot be served.

A_CELL = "a cell (an integer from 0 to 8)"
A_BOARD = 'a board (nine symbols out of "X", "O" and ".")'
A_PLAYER = 'a player ("X" or "O")'
A_DEPTH = "a depth (an integer from 0 to 9)"
A_STATE = 'a state {"board": ..., "player": ...}'


@pytest.mark.parametrize(
    ("request_", "at", "expected", "found"),
    [
        ('{"state":null,"ask":[]}', "/4/state", A_STATE, "null"),
        (
            '{"state":{"board":"........."},"ask":[]}',
            "/4/state",
            A_STATE,
            '{"board":"........."}',
        ),
        ('{"state":{"board":0,"player":7},"ask":[]}', "/4/state/board", A_BOARD, "0"),
        (
            '{"state":{"board":"........","player":"X"},"ask":[]}',
            *("/4/state/board", A_BOARD),
            '"........"',
        ),
        (
            '{"state":{"board":"....-....","player":"X"},"ask":[]}',
            *("/4/state/board", A_BOARD),
            '"....-...."',
        ),
        ('{"state":{"player":"x","board":0},"ask":[]}', "/4/state/player", A_PLAYER, '"x"'),
        ('{"state":{"board":".........","player":0},"ask":[]}', "/4/state/player", A_PLAYER, "0"),
        ('{"moves":4,"ask":[]}', "/4/moves", "an array of moves", "4"),
        ('{"moves":[0,9],"ask":[]}', "/4/moves/1", A_CELL, "9"),
        ('{"moves":[true],"ask":[]}', "/4/moves/0", A_CELL, "true"),
        ('{"ask":[{"mark":9}]}', "/4/ask/0/mark", A_CELL, "9"),
        ('{"ask":[{"perft":10}]}', "/4/ask/0/perft", A_DEPTH, "10"),
        ('{"ask":[{"perft":-1}]}', "/4/ask/0/perft", A_DEPTH, "-1"),
        ('{"ask":[{"symbol":4}]}', "/4/ask/0/symbol", "a place [row, column]", "4"),
        (
            '{"ask":[{"symbol":[3,3]}]}',
            *("/4/ask/0/symbol/0", "a row (an integer from 0 to 2)"),
            "3",
        ),
        (
            '{"ask":[{"symbol":[2,3]}]}',
            *("/4/ask/0/symbol/1", "a column (an integer from 0 to 2)"),
            "3",
        ),
    ],
)
def test_the_first_fault_of_form_is_refused(
    request_: str, at: str, expected: str, found: str
) -> None:
    refused = _refusal(request_)
    assert (refused.kind, refused.at) == (Kind.INVALID_SPEC, at)
    assert refused.message == f"{expected} expected at {at}, found {found}"


def test_a_request_without_ask_is_told_what_a_request_is() -> None:
    assert _refusal('{"moves":[9]}').message == (
        'a request {"ask": [...]}, with or without "state" and "moves", expected at /4, '
        'found {"moves":[9]}'
    )


def test_a_number_in_other_clothes_is_told_why() -> None:
    assert _refusal('{"moves":[4.0],"ask":[]}').message == (
        f"{A_CELL}, written without fraction or exponent, expected at /4/moves/0, found 4.0"
    )


def test_a_board_on_which_both_hold_a_line_cannot_be() -> None:
    refused = _refusal('{"ask":[],"moves":[3],"state":{"board":"XXX...OOO","player":"X"}}')
    assert (refused.kind, refused.at) == (Kind.INVALID_SPEC, "/4/state/board")
    assert refused.message == (
        "the board at /4/state/board cannot be: 229383 is no state: X holds the line 0, 1, 2 and "
        "O the line 6, 7, 8, expected that a game ends with its first line"
    )


def test_a_fault_of_form_comes_before_a_board_that_cannot_be() -> None:
    request = '{"state":{"board":"XXX...OOO","player":"X"},"ask":[],"moves":[9]}'
    assert _refusal(request).at == "/4/moves/0"


@pytest.mark.parametrize(
    ("board", "moves", "at", "why"),
    [
        ("X........", "[3,0]", "/4/moves/1", "it has an X, expected an empty cell"),
        ("........O", "[3,8]", "/4/moves/1", "it has an O, expected an empty cell"),
        ("XX.......", "[2,3]", "/4/moves/1", "the game is over, expected one that goes on"),
        ("OOO......", "[0]", "/4/moves/0", "the game is over, expected one that goes on"),
    ],
)
def test_a_move_that_cannot_be_made_is_illegal(board: str, moves: str, at: str, why: str) -> None:
    refused = _refusal(f'{{"state":{{"board":"{board}","player":"X"}},"moves":{moves},"ask":[]}}')
    assert (refused.kind, refused.at) == (Kind.ILLEGAL_MOVE, at)
    cell = moves[-2]
    assert refused.message == (
        f"the move at {at} cannot be made: cell {cell} cannot be marked: {why}"
    )


# The process.


def test_each_request_is_answered_as_soon_as_its_last_byte_has_come(start: Start) -> None:
    process = start("xtictactoe")
    assert process.stdin and process.stdout and process.stderr
    for request, answer in (
        (b'{"ask":["player"]}', b'{"player":"X"}\n'),
        (b'\n{"ask":["player"],"moves":[8]}', b'{"player":"O"}\n'),
    ):
        for k in range(len(request)):
            process.stdin.write(request[k : k + 1])
        assert process.stdout.readline() == answer
    process.stdin.close()
    assert (process.stdout.read(), process.stderr.read(), process.wait()) == (b"", b"", 0)


def test_after_a_request_that_cannot_be_served_the_next_one_is(start: Start) -> None:
    process = start("xtictactoe")
    assert process.stdin and process.stdout and process.stderr
    process.stdin.write(b'{"moves":[2,2],"ask":["player"]}')
    assert b'"kind":"illegal-move","at":"/0/moves/1"' in process.stdout.readline()
    process.stdin.write(b'{"ask":["who"]}')
    assert b'"kind":"invalid-spec","at":"/1/ask/0"' in process.stdout.readline()
    process.stdin.write(b'{"moves":[2],"ask":["player"]}')
    assert process.stdout.readline() == b'{"player":"O"}\n'
    process.stdin.close()
    assert (process.stdout.read(), process.stderr.read(), process.wait()) == (b"", b"", 0)


def test_malformed_json_ends_the_stream_at_once(start: Start) -> None:
    process = start("xtictactoe")
    assert process.stdin and process.stdout and process.stderr
    process.stdin.write(b'{"ask":["player"]} {"ask":[],}')  # and nothing is closed
    assert process.stdout.readline() == b'{"player":"X"}\n'
    assert b'"kind":"malformed-json","at":{"byte":29}' in process.stdout.readline()
    assert (process.stdout.read(), process.stderr.read(), process.wait()) == (b"", b"", 1)


@pytest.mark.parametrize("sent", [b"", b" \r\n\t"])
def test_a_stream_of_no_requests_has_no_answers(run: Run, sent: bytes) -> None:
    ran = run("xtictactoe", sent)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, b"", b"")


def test_the_picture_is_printed_in_utf_8(run: Run) -> None:
    ran = run("xtictactoe", b'{"ask":["picture"]}')
    assert json.loads(ran.stdout.decode())["picture"].splitlines()[1] == "  ┌───┬───┬───┐"
    assert "┼".encode() in ran.stdout

"""xisolation: what is answered of a state, which states are taken, and what is refused where."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from itertools import permutations
from pathlib import Path
from subprocess import CompletedProcess, Popen
from typing import Any

import pytest

from engines.isolation import GRID, Action
from harness.jsontext import PROGRAM_DEPTH, Decoder, encode
from xtests import xisolation
from xtests.refusal import Kind, Pointer, Refused

Run = Callable[[str, bytes], CompletedProcess[bytes]]
Start = Callable[[str], Popen[bytes]]
# A value of JSON as Python's json module has it.
Plain = Any

OPEN_BOARD = 41523161203939122082683632224299007
# The state that the game's documentation ends with: player 1 is stuck, and to move.
END = {"board": "36349881425809777517250506995532800", "ply_count": 84, "locs": [32, 21]}
# Of a board on which cells 57, 82, 0 and 15 are blocked, the parts in one order and another.
FOUR_BLOCKED = str(OPEN_BOARD - 2**57 - 2**82 - 2**0 - 2**15)


def _answer(text: str) -> Plain:
    decoder = Decoder(PROGRAM_DEPTH)
    (value,) = decoder.feed(text.encode()) + decoder.close()
    return json.loads(encode(xisolation.answer(value, Pointer("/4"))))


def _asked(*ask: Plain, **parts: Plain) -> Plain:
    return _answer(json.dumps({**parts, "ask": ask}))


def _refusal(text: str) -> Refused:
    with pytest.raises(Refused) as caught:
        _answer(text)
    return caught.value


def _state(open_cells: list[int], locs: list[int | None]) -> Plain:
    """A state that goes together: as many plies as cells are blocked."""
    board = sum(2**cell for cell in open_cells)
    return {"board": str(board), "ply_count": 99 - len(open_cells), "locs": locs}


def test_a_request_without_state_and_moves_is_about_the_start() -> None:
    assert _asked("state", "player", "terminal") == {
        "state": {"board": str(OPEN_BOARD), "ply_count": 0, "locs": [None, None]},
        "player": 0,
        "terminal": False,
    }


def test_the_answer_has_what_is_asked_for_and_nothing_else() -> None:
    assert _asked() == {}
    assert list(_asked("player", {"perft": 1}, "terminal")) == ["player", "perft", "terminal"]


def test_moves_are_played_in_turn() -> None:
    answer = _asked("state", "player", moves=[57, 0, 25])
    assert answer["state"]["locs"] == [82, 0]
    assert answer["state"]["board"] == str(OPEN_BOARD - 2**57 - 2**0 - 2**82)
    assert (answer["state"]["ply_count"], answer["player"]) == (3, 1)


def test_a_state_that_was_printed_can_be_sent() -> None:
    printed = _asked("state", moves=[57, 0])["state"]
    assert _asked("state", state=printed, moves=[25]) == _asked("state", moves=[57, 0, 25])


def test_actions_are_cells_and_then_steps() -> None:
    assert _asked("actions", moves=[0])["actions"][:11] == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 13]
    assert _asked("actions", moves=[57, 0])["actions"] == [25, 11, -15, -27, -25, -11, 15, 27]


def test_cell_0_is_a_cell_and_null_is_none() -> None:
    assert _asked({"liberties": 0}) == {"liberties": [15, 27]}
    assert _asked({"liberties": None}, moves=[0, 1])["liberties"][0] == 2
    last = _state([0], [15, 27])
    assert _asked("actions", "terminal", state=last) == {"actions": [-15], "terminal": False}
    assert _asked("state", state=last, moves=[-15])["state"]["locs"] == [0, 27]


@pytest.mark.parametrize(
    ("parts", "of_player_1", "of_player_2"),
    [
        ({}, "open", "open"),
        ({"state": END}, "loss", "win"),
        # The other one is stuck; then both, and player 2 is to move.
        ({"state": _state([82], [57, 10])}, "win", "loss"),
        ({"state": _state([], [57, 10])}, "win", "loss"),
        ({"state": _state([4], [57, 10])}, "loss", "win"),
    ],
)
def test_a_utility_is_a_word(parts: Plain, of_player_1: str, of_player_2: str) -> None:
    assert _asked({"utility": 0}, **parts) == {"utility": of_player_1}
    assert _asked({"utility": 1}, **parts) == {"utility": of_player_2}


def test_after_the_end_the_piece_that_is_not_stuck_may_still_move() -> None:
    over = _state([82], [57, 10])
    assert _asked("terminal", "actions", state=over) == {"terminal": True, "actions": [25]}
    assert _asked("player", state=over, moves=[25]) == {"player": 1}
    assert _asked({"perft": 1}, state=over) == {"perft": 0}


def test_column_and_row_are_counted_below_the_board_too() -> None:
    found = {n: _asked({"ind2xy": n})["ind2xy"] for n in (57, 25, 0, -1, -13, -27)}
    assert found == {57: [5, 4], 25: [12, 1], 0: [0, 0], -1: [12, -1], -13: [0, -1], -27: [12, -3]}


def test_a_board_of_another_size_is_numbered() -> None:
    assert _asked({"encoding": {"width": 2, "height": 3}})["encoding"] == {
        **{"length": 10, "north": 4, "east": -1, "south": -4, "west": 1},
        "open_board": "819",
    }


def test_the_greatest_depth_is_counted_from_the_start() -> None:
    assert _asked({"perft": 6}) == {"perft": 8528480}


def test_the_board_is_shown_as_text_as_a_picture_and_as_bits() -> None:
    answer = _asked("text", "picture", "bitboard", moves=[114])
    assert answer["text"].startswith("\n+ - + - +") and answer["text"].endswith(" - +\n")
    assert answer["text"].splitlines()[2].startswith("| 1 |   |")
    assert answer["picture"].splitlines()[1].startswith(" 104  (1)  113  112")
    assert answer["picture"].endswith("\n\n     player 2 to move, ply 1")
    assert answer["bitboard"] == f"{OPEN_BOARD - 2**114:0115b}"


@pytest.mark.parametrize(
    ("text", "at", "message"),
    [
        (
            "7",
            "/4",
            'a request {"ask": [...]}, with or without "state" and "moves", expected at /4, '
            "found 7",
        ),
        (
            '{"ask": [], "w/o~": 0}',
            "/4/w~1o~0",
            'no member of this name expected at /4/w~1o~0: known here are "ask", "state", "moves"',
        ),
        (
            '{"state": {"board": "1"}, "ask": 7}',
            "/4/state",
            'a state {"board": ..., "ply_count": ..., "locs": ...} expected at /4/state, '
            'found {"board":"1"}',
        ),
        (
            '{"ask": [], "state": {"board": 1, "ply_count": 98, "locs": [15, 27]}}',
            "/4/state/board",
            "a board (a string, the decimal digits of a number whose ones are open cells) "
            "expected at /4/state/board, found 1",
        ),
        (
            '{"ask": [], "state": {"board": "1", "ply_count": 100, "locs": [15, 27]}}',
            "/4/state/ply_count",
            "an integer from 0 to 99 (how many actions have been played) expected at "
            "/4/state/ply_count, found 100",
        ),
        (
            '{"ask": [], "state": {"board": "1", "ply_count": 98, "locs": [15]}}',
            "/4/state/locs",
            "an array of two (a cell each, or null for a piece not yet placed) expected at "
            "/4/state/locs, found [15]",
        ),
        (
            '{"ask": [], "state": {"board": "1", "ply_count": 98, "locs": [15, 11]}}',
            "/4/state/locs/1",
            "null or a cell (an integer from 0 to 114, without the numbers between the rows) "
            "expected at /4/state/locs/1, found 11",
        ),
        (
            '{"moves": [57, 115], "ask": []}',
            "/4/moves/1",
            "an integer from -27 to 114 (a cell or a step) expected at /4/moves/1, found 115",
        ),
        (
            '{"ask": [{"ind2xy": -28}]}',
            "/4/ask/0/ind2xy",
            "an integer from -27 to 114 (an index of the board or a step) expected at "
            "/4/ask/0/ind2xy, found -28",
        ),
        (
            '{"ask": [{"utility": 2}]}',
            "/4/ask/0/utility",
            "0 (player 1) or 1 (player 2) expected at /4/ask/0/utility, found 2",
        ),
        (
            '{"ask": [{"perft": 7}]}',
            "/4/ask/0/perft",
            "an integer from 0 to 6 (a depth) expected at /4/ask/0/perft, found 7",
        ),
        (
            '{"ask": [{"encoding": {"width": 33, "height": 0}}]}',
            "/4/ask/0/encoding/width",
            "an integer from 1 to 32 expected at /4/ask/0/encoding/width, found 33",
        ),
        (
            '{"ask": [{"perft": 1}, {"perft": 9}]}',
            "/4/ask/1",
            '"perft" is asked for already, found again at /4/ask/1',
        ),
        (
            '{"ask": ["perft"]}',
            "/4/ask/0",
            'a query ("state", "player", "actions", "terminal", "bitboard", "text", "picture", '
            '{"liberties": ...}, {"utility": ...}, {"ind2xy": ...}, {"perft": ...} or '
            '{"encoding": ...}) expected at /4/ask/0, found "perft"',
        ),
    ],
)
def test_a_fault_of_form_is_told(text: str, at: str, message: str) -> None:
    refused = _refusal(text)
    assert refused.kind is Kind.INVALID_SPEC
    assert (refused.at, refused.message) == (at, message)


@pytest.mark.parametrize(
    "digits", ["", "00", "01", "+1", " 1", "1 ", "1_0", "1e3", "٣", "²", "1\n"]
)
def test_a_board_is_written_in_one_way(digits: str) -> None:
    refused = _refusal(json.dumps({"ask": [], "state": {**END, "board": digits}}))
    assert refused.at == "/4/state/board"


@pytest.mark.parametrize("bit", [11, 12, 102, 103, 115, 116])
def test_a_board_has_ones_for_cells_only(bit: int) -> None:
    refused = _refusal(json.dumps({"ask": [], "state": {**END, "board": str(2**bit)}}))
    assert refused.at == "/4/state/board"


def test_a_board_of_a_million_digits_is_refused_without_reading_them() -> None:
    # To convert them is refused by Python, or takes minutes.
    refused = _refusal(json.dumps({"ask": [], "state": {**END, "board": "9" * 1_000_000}}))
    assert refused.at == "/4/state/board"
    assert len(refused.message) < 200


@pytest.mark.parametrize(
    ("state", "at", "message"),
    [
        (
            {"board": FOUR_BLOCKED, "ply_count": 3, "locs": [82, 15]},
            "/4/state/ply_count",
            "every action blocks one cell, found 4 blocked and 3 played",
        ),
        (
            {"locs": [None, 15], "ply_count": 4, "board": FOUR_BLOCKED},
            "/4/state/ply_count",
            "the first two actions place the pieces, found 4 played and player 1 not placed",
        ),
        (
            {"board": str(OPEN_BOARD - 1), "ply_count": 1, "locs": [0, 0]},
            "/4/state/locs/1",
            "the first two actions place the pieces, found 1 played and player 2 placed",
        ),
        (
            {"board": FOUR_BLOCKED, "ply_count": 4, "locs": [82, 16]},
            "/4/state/locs/1",
            "a piece blocks its cell, found cell 16 of player 2 open",
        ),
        (
            {"board": FOUR_BLOCKED, "ply_count": 4, "locs": [0, 0]},
            "/4/state/locs/1",
            "two cells expected for two pieces, found 0 twice",
        ),
    ],
)
def test_the_parts_of_a_state_go_together(state: Plain, at: str, message: str) -> None:
    refused = _refusal(json.dumps({"state": state, "ask": []}))
    assert refused.kind is Kind.INVALID_SPEC
    assert refused.at == at
    assert refused.message == f"the state contradicts itself at {at}: {message}"


@pytest.mark.parametrize("order", [*permutations(("board", "ply_count", "locs"))])
def test_of_two_parts_the_later_one_is_at_fault(order: tuple[str, ...]) -> None:
    def found(**parts: Plain) -> str:
        state = {"board": FOUR_BLOCKED, "ply_count": 4, "locs": [82, 15], **parts}
        text = json.dumps({"state": {name: state[name] for name in order}, "ask": []})
        return str(_refusal(text).at).removeprefix("/4/state/")

    def later(one: str, other: str) -> str:
        return max(one, other, key=lambda part: order.index(part.partition("/")[0]))

    assert found(ply_count=5) == later("board", "ply_count")
    assert found(locs=[82, None]) == later("ply_count", "locs/1")
    assert found(locs=[81, 15]) == later("board", "locs/0")
    assert found(locs=[15, 15]) == "locs/1"
    # Three at once, and the one that is named comes first of them.
    at_fault = {later("board", "ply_count"), later("board", "locs/0"), "locs/1"}
    first = min(at_fault, key=lambda part: (order.index(part.partition("/")[0]), part))
    assert found(ply_count=5, locs=[81, 81]) == first


@pytest.mark.parametrize(
    ("moves", "at", "message"),
    [
        (
            [57, 57],
            "/4/moves/1",
            "player 2 to move, placing it: cell 57 is taken by a piece; expected an open cell",
        ),
        (
            [11, 100],
            "/4/moves/0",
            "player 1 to move, placing it: cell 11 is off the board; expected an open cell",
        ),
        (
            [0, 57, -15],
            "/4/moves/2",
            "player 1 to move, action -15 from cell 0: cell -15 is off the board; "
            "expected WNW (15), NNW (27)",
        ),
    ],
)
def test_a_move_that_cannot_be_played_is_told(moves: list[int], at: str, message: str) -> None:
    refused = _refusal(json.dumps({"moves": moves, "ask": ["state"]}))
    assert refused.kind is Kind.ILLEGAL_MOVE
    assert refused.at == at
    assert refused.message == f"the move at {at} cannot be played: {message}"


def test_form_comes_before_facts_and_facts_before_moves() -> None:
    bad_state = {**END, "ply_count": 83}
    assert _refusal(json.dumps({"state": bad_state, "moves": [1], "ask": [1]})).at == "/4/ask/0"
    assert _refusal(json.dumps({"moves": [1], "ask": [], "state": bad_state})).at == (
        "/4/state/ply_count"
    )
    assert _refusal(json.dumps({"moves": [1], "ask": [], "state": END})).at == "/4/moves/0"


def test_requests_are_answered_in_order_and_the_refused_ones_in_their_place(run: Run) -> None:
    ran = run(
        "xisolation",
        b'{"ask":["player"]}{"moves":[57,57],"ask":[]} \r\n {"moves":\t[57],"ask":["player"]} []',
    )
    first, second, third, fourth = ran.stdout.splitlines()
    assert (first, third) == (b'{"player":0}', b'{"player":1}')
    assert second.startswith(b'{"error":{"kind":"illegal-move","at":"/1/moves/1","message":"')
    assert fourth.startswith(b'{"error":{"kind":"invalid-spec","at":"/3","message":"')
    assert (ran.returncode, ran.stderr) == (0, b"")


def test_no_request_at_all_is_a_stream_of_none(run: Run) -> None:
    ran = run("xisolation", b" \n")
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, b"", b"")


def test_malformed_json_ends_the_stream_after_the_answers_before_it(run: Run) -> None:
    ran = run("xisolation", b'{"ask":7} {"ask":["player"]} {"ask":]} {"ask":["player"]}')
    refused, answered, malformed = ran.stdout.splitlines()
    assert refused.startswith(b'{"error":{"kind":"invalid-spec","at":"/0/ask",')
    assert answered == b'{"player":0}'
    assert malformed.startswith(b'{"error":{"kind":"malformed-json","at":{"byte":36},')
    assert (ran.returncode, ran.stderr) == (1, b"")


def test_a_request_is_answered_before_the_next_is_sent_also_after_one_that_is_refused(
    start: Start,
) -> None:
    process = start("xisolation")
    assert process.stdin and process.stdout and process.stderr
    for sent, answer in (
        (b'{"moves":[57],"ask":["player"]}', b'{"player":1}\n'),
        (b'{"moves":[12],"ask":["player"]}', None),
        (b'\n{"ask":["player",{"perft":2}]}', b'{"player":0,"perft":9702}\n'),
    ):
        for byte in sent:
            process.stdin.write(bytes([byte]))
        line = process.stdout.readline()
        assert line == answer or (answer is None and b'"at":"/1/moves/0"' in line)
    process.stdin.close()
    assert (process.stdout.read(), process.stderr.read(), process.wait()) == (b"", b"", 0)


def test_the_page_numbers_cells_and_steps_as_the_engine_does() -> None:
    page = (Path(__file__).parents[2] / "docs" / "xisolation.md").read_text()
    rows = re.findall(r"^ +(\d+)  ((?: *\d+){11})$", page, re.MULTILINE)
    assert [(int(row), [int(cell) for cell in cells.split()]) for row, cells in rows] == [
        (13 * y, [GRID.cell(13 * y + x) for x in reversed(range(11))]) for y in reversed(range(9))
    ]
    names, numbers = re.findall(r"^\| ((?:[-\w]+ \| ){7}[-\w]+) \|$", page, re.MULTILINE)
    steps = zip(names.split(" | "), map(int, numbers.split(" | ")), strict=True)
    assert list(steps) == [(action.name, action.value) for action in Action]

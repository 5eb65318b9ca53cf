"""xbitboard36: what is asked of a board, request by request."""

from __future__ import annotations

from collections.abc import Callable
from subprocess import CompletedProcess, Popen

import pytest

from harness.jsontext import PROGRAM_DEPTH, Decoder, Json, encode
from xtests import xbitboard36
from xtests.refusal import Kind, Pointer, Refused

Run = Callable[[str, bytes], CompletedProcess[bytes]]
Start = Callable[[str], Popen[bytes]]

# White on 5, 9 and 10, Black on 8 and 12: no mirror leaves it as it is.
STATE = '{"white":[5,9,10],"black":[8,12],"to_play":"white"}'
BLACK_PLAYS = STATE.replace('"white"}', '"black"}')


def _value(text: str) -> Json:
    decoder = Decoder(PROGRAM_DEPTH)
    (value,) = decoder.feed(text.encode()) + decoder.close()
    return value


def _answer(request: str) -> str:
    return encode(xbitboard36.answer(_value(request), Pointer("/4")))


def _asked(query: str, state: str = STATE) -> str:
    """The only member of the answer to a request with one query."""
    answer = _answer(f'{{"state":{state},"ask":[{query}]}}')
    name = query.strip("{").split(":")[0]
    assert answer.startswith(f"{{{name}:") and answer.endswith("}")
    return answer[len(name) + 2 : -1]


def _refused(request: str) -> Refused:
    with pytest.raises(Refused) as caught:
        _answer(request)
    return caught.value


def test_the_board_is_empty_and_white_plays_where_there_is_no_state() -> None:
    assert _answer('{"ask":["state"]}') == '{"state":{"white":0,"black":0,"to_play":"white"}}'


def test_nothing_asked_for_is_answered_by_nothing() -> None:
    assert _answer('{"ask":[]}') == "{}"


def test_the_answer_has_the_members_that_were_asked_for_and_no_others() -> None:
    asked = '["player",{"perft":0},"pieces"]'
    assert _answer(f'{{"ask":{asked}}}') == '{"player":"white","perft":1,"pieces":0}'


@pytest.mark.parametrize(
    ("query", "answer"),
    [
        ('"state"', '{"white":1568,"black":4352,"to_play":"white"}'),
        ('"player"', '"white"'),
        ('"pieces"', "5920"),
        ('"positions"', '{"white":[5,9,10],"black":[8,12]}'),
        ('"hexadecimal"', '{"white":"0x000000620","black":"0x000001100"}'),
        ('"current_next"', '{"current":1568,"next":4352}'),
        ('"base_state"', '{"current":385,"next":131584}'),
        ('"horizontal_mirror"', '{"white":34762391552,"black":67371008}'),
        ('"vertical_mirror"', '{"white":385,"black":131584}'),
        ('{"value":5}', '{"white":1,"black":0}'),
        ('{"value":12}', '{"white":0,"black":1}'),
        ('{"value":0}', '{"white":0,"black":0}'),
        ('{"toggled":5}', '{"white":1536,"black":4384}'),
        ('{"moved":[5,0]}', '{"white":1537,"black":4385}'),
        ('{"neighbour_count":4}', "3"),
        ('{"neighbour_count":0}', "0"),
        ('{"row_column":17}', '{"row":2,"column":5}'),
        ('{"position_at":{"row":0,"column":0}}', "0"),
        ('{"position_at":{"column":5,"row":2}}', "17"),
        ('{"perft":0}', "1"),
        ('{"perft":1}', "93"),
        ('{"perft":2}', "5766"),
        ('{"perft":7}', "17828173943928"),
    ],
)
def test_a_query_is_answered_by_a_member_of_its_name(query: str, answer: str) -> None:
    assert _asked(query) == answer


def test_counts_come_by_position_and_as_planes() -> None:
    one_piece = '{"white":[7],"black":0,"to_play":"white"}'
    counts = [1, 1, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 1, 1, 1] + [0] * 21
    assert _asked('"neighbour_counts"', one_piece) == encode(counts)
    assert _asked('"neighbour_planes"', one_piece) == (
        '{"ones":28999,"twos":0,"fours":0,"eights":0}'
    )


def test_actions_are_the_moves_that_can_be_sent() -> None:
    nearly_full = '{"white":[0,9],"black":68718427614,"to_play":"white"}'
    assert _asked('"actions"', nearly_full) == "[[0,5],[0,20],[9,5],[9,20]]"


def test_variants_are_states_that_can_be_sent_and_have_the_same_base_state() -> None:
    variants = _value(_asked('"variants"'))
    assert isinstance(variants, dict)
    assert list(variants) == ["white_right", "white_left", "black_right", "black_left"]
    assert {_asked('"base_state"', encode(state)) for state in variants.values()} == {
        '{"current":385,"next":131584}'
    }
    assert _value('{"white":1568,"black":4352,"to_play":"white"}') == variants["white_left"]


def test_the_text_is_the_drawing_for_a_terminal() -> None:
    assert _value(_asked('"text"', BLACK_PLAYS)) == (
        "Black to play     neighbours\n"
        "5  . . . . . .    0 0 0 0 0 0\n"
        "4  . . . . . .    0 0 0 0 0 0\n"
        "3  . . . . . .    1 1 0 0 0 0\n"
        "2  B . . . . .    0 2 2 3 2 1\n"
        "1  . . B W W .    1 2 1 2 2 2\n"
        "0  . . . . . W    0 1 2 3 3 1\n"
        "   0 1 2 3 4 5    0 1 2 3 4 5\n"
        "white 0x000000620  black 0x000001100"
    )


def test_moves_are_played_by_both_in_turn_before_anything_is_asked() -> None:
    answer = _answer(f'{{"ask":["state"],"moves":[[5,0],[12,35]],"state":{STATE}}}')
    assert answer == '{"state":{"white":1537,"black":34359738624,"to_play":"white"}}'


@pytest.mark.parametrize(
    ("moves", "at", "message"),
    [
        (
            "[[0,1]]",
            "/4/moves/0",
            "the move at /4/moves/0 cannot be made: position 0: there is no piece of white, who "
            "plays, to move",
        ),
        (
            "[[5,0],[0,1]]",
            "/4/moves/1",
            "the move at /4/moves/1 cannot be made: position 0: there is no piece of black, who "
            "plays, to move",
        ),
        (
            "[[5,12],[0,1]]",
            "/4/moves/0",
            "the move at /4/moves/0 cannot be made: position 12: the cell to move to is occupied",
        ),
    ],
)
def test_the_first_illegal_move_is_named(moves: str, at: str, message: str) -> None:
    refused = _refused(f'{{"state":{STATE},"moves":{moves},"ask":["state"]}}')
    assert (refused.kind, refused.at, refused.message) == (Kind.ILLEGAL_MOVE, at, message)


@pytest.mark.parametrize(
    ("state", "at", "position"),
    [
        ('{"white":3,"black":6,"to_play":"white"}', "/4/state/black", 1),
        ('{"white":[3,0],"black":9,"to_play":"white"}', "/4/state/black", 0),
        ('{"black":1,"white":[2,0],"to_play":"white"}', "/4/state/white/1", 0),
        ('{"to_play":"white","white":[5,2,35],"black":[1,35,2]}', "/4/state/black/1", 35),
    ],
)
def test_a_cell_in_both_words_is_at_fault_in_the_later_one(
    state: str, at: str, position: int
) -> None:
    refused = _refused(f'{{"state":{state},"moves":[[7,7]],"ask":["state"]}}')
    assert (refused.kind, refused.at) == (Kind.INVALID_SPEC, at)
    assert refused.message == (
        f"the other colour has a piece on position {position} already, found another at {at}"
    )


@pytest.mark.parametrize(
    ("request_", "at", "message"),
    [
        (
            "7",
            "/4",
            'a request {"ask": [...]}, with or without "state" and "moves", expected at /4, '
            "found 7",
        ),
        (
            '{"ask":[],"state":{"white":0,"black":0}}',
            "/4/state",
            'a state {"white": word, "black": word, "to_play": colour} expected at /4/state, '
            'found {"white":0,"black":0}',
        ),
        (
            '{"ask":[],"state":{"white":68719476736,"black":0,"to_play":"white"}}',
            "/4/state/white",
            "a word (an integer from 0 to 68719476735, or an array of positions) expected at "
            "/4/state/white, found 68719476736",
        ),
        (
            '{"ask":[],"state":{"white":0,"black":1e0,"to_play":"white"}}',
            "/4/state/black",
            "a word (an integer from 0 to 68719476735, or an array of positions), written without "
            "fraction or exponent, expected at /4/state/black, found 1e0",
        ),
        (
            '{"ask":[],"state":{"white":[0,36],"black":0,"to_play":"white"}}',
            "/4/state/white/1",
            "an integer from 0 to 35 (a position) expected at /4/state/white/1, found 36",
        ),
        (
            '{"ask":[],"state":{"white":[35,2,35],"black":0,"to_play":"white"}}',
            "/4/state/white/2",
            "position 35 is at /4/state/white/0 already, found again at /4/state/white/2",
        ),
        (
            '{"ask":[],"state":{"white":0,"black":0,"to_play":"red"}}',
            "/4/state/to_play",
            'a colour ("white" or "black") expected at /4/state/to_play, found "red"',
        ),
        (
            '{"ask":[],"moves":[[0]]}',
            "/4/moves/0",
            "a move [from, to] expected at /4/moves/0, found [0]",
        ),
        (
            '{"ask":[],"moves":7}',
            "/4/moves",
            "an array of moves [from, to] expected at /4/moves, found 7",
        ),
        (
            '{"ask":[{"position_at":{"row":6,"column":0}}]}',
            "/4/ask/0/position_at/row",
            "an integer from 0 to 5 (a row or a column) expected at /4/ask/0/position_at/row, "
            "found 6",
        ),
        (
            '{"ask":[{"position_at":17}]}',
            "/4/ask/0/position_at",
            'a place {"row": ..., "column": ...} expected at /4/ask/0/position_at, found 17',
        ),
        (
            '{"ask":["state",{"perft":8}]}',
            "/4/ask/1/perft",
            "an integer from 0 to 7 (a depth) expected at /4/ask/1/perft, found 8",
        ),
    ],
)
def test_the_first_fault_of_form_in_a_request_is_refused(
    request_: str, at: str, message: str
) -> None:
    refused = _refused(request_)
    assert refused.kind is Kind.INVALID_SPEC
    assert (refused.at, refused.message) == (at, message)


@pytest.mark.parametrize(
    ("request_", "at"),
    [
        ('{"ask":[],"a~/":1}', "/4/a~0~1"),
        ('{"ask":["perft"]}', "/4/ask/0"),
        ('{"ask":[{"state":0}]}', "/4/ask/0/state"),
        ('{"ask":["text","text"]}', "/4/ask/1"),
        # In document order, and form before a cell in both words.
        ('{"ask":["text","text"],"moves":[[]]}', "/4/ask/1"),
        ('{"moves":[[]],"ask":["text","text"]}', "/4/moves/0"),
        ('{"state":{"white":1,"black":1,"to_play":"white"},"ask":["stat"]}', "/4/ask/0"),
        ('{"state":{"to_play":"x","black":-1,"white":-1},"ask":[]}', "/4/state/to_play"),
        # A container before its parts.
        ('{"state":{"white":-1}}', "/4"),
        ('{"state":{"white":-1},"ask":[]}', "/4/state"),
    ],
)
def test_one_fault_is_named_by_its_place(request_: str, at: str) -> None:
    refused = _refused(request_)
    assert (refused.kind, refused.at) == (Kind.INVALID_SPEC, at)


def test_a_word_of_a_million_digits_is_refused_in_a_short_message() -> None:
    refused = _refused(
        f'{{"ask":[],"state":{{"white":{"7" * 1_000_000},"black":0,"to_play":"white"}}}}'
    )
    assert refused.at == "/4/state/white"
    assert refused.message.endswith(f"found {'7' * 40}... (1000000 characters)")


def test_a_request_is_answered_before_the_next_is_sent(start: Start) -> None:
    process = start("xbitboard36")
    assert process.stdin and process.stdout and process.stderr
    for moves, white in (("[[5,0]]", 1537), ("[[9,0]]", 1057), ("[]", 1568)):
        # Without white space: the bracket ends it.
        process.stdin.write(f'{{"state":{STATE},"moves":{moves},"ask":["state"]}}'.encode())
        assert f'"white":{white},'.encode() in process.stdout.readline()
    process.stdin.close()
    assert (process.stdout.read(), process.stderr.read(), process.wait()) == (b"", b"", 0)


def test_a_refused_request_is_answered_and_the_next_is_served(start: Start) -> None:
    process = start("xbitboard36")
    assert process.stdin and process.stdout and process.stderr
    process.stdin.write(b'{"ask":["pieces",{"perft":8}]}')
    assert process.stdout.readline() == (
        b'{"error":{"kind":"invalid-spec","at":"/0/ask/1/perft","message":"an integer from 0 to 7 '
        b'(a depth) expected at /0/ask/1/perft, found 8"}}\n'
    )
    process.stdin.write(b'{"moves":[[0,1]],"ask":[]}')
    assert b'"kind":"illegal-move","at":"/1/moves/0"' in process.stdout.readline()
    process.stdin.write(b'{"ask":["pieces"]}')
    assert process.stdout.readline() == b'{"pieces":0}\n'
    process.stdin.close()
    assert (process.stdout.read(), process.stderr.read(), process.wait()) == (b"", b"", 0)


def test_malformed_bytes_end_the_stream_after_the_answers_before_them(run: Run) -> None:
    ran = run("xbitboard36", b'{"ask":["pieces"]} {"ask":7} {"ask":[}]} {"ask":["pieces"]}')
    answers = ran.stdout.splitlines()
    assert answers[0] == b'{"pieces":0}'
    assert b'"kind":"invalid-spec","at":"/1/ask"' in answers[1]
    assert b'"kind":"malformed-json","at":{"byte":37}' in answers[2]
    assert (len(answers), ran.returncode, ran.stderr) == (3, 1, b"")


@pytest.mark.parametrize("sent", [b"", b" \r\n\t"])
def test_a_stream_without_requests_has_no_answers(run: Run, sent: bytes) -> None:
    ran = run("xbitboard36", sent)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, b"", b"")

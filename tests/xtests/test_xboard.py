"""xboard: where red rests at last, or the word for what stopped the actions."""

from __future__ import annotations

from collections.abc import Callable
from subprocess import CompletedProcess

import pytest

from harness.jsontext import PROGRAM_DEPTH, Decoder, encode
from xtests import xboard
from xtests.refusal import Kind, Refused

Run = Callable[[str, bytes], CompletedProcess[bytes]]

# White at (2, 2) closes a wire in a loop, red leaves by the left edge, blue and green meet.
LOOP_MEETING_AND_DEATH = (
    '[[[6,0],"red","C",0,2],[[6,0],"blue","D",0,2],[[6,0],"green","B",0,2],'
    '[[25,270],"white","G",2,2]]["white",[34,0]]'
)
# White and blue meet, and red leaves.
MEETING_AND_DEATH = (
    '[[[13,90],"blue","A",0,2],[[21,90],"red","F",0,0],[[21,90],"white","D",0,0]]["blue",[2,180]]'
)
# White's tile leads red off the board.
DEATH = '[[[22,270],6,1],[[0,90],"red","D",6,0],[[0,90],"white","C",6,0]]["white",[7,180]]'
# Blue's tile leads red on, and blue itself off the board.
LED_ON = '[[[3,90],"red","E",7,8],[[3,90],"blue","F",7,8],[[3,90],8,7]]["blue",[26,90]]'
# White and blue stand on one port, red on the same tile.
PAIR_AND_RED = '[[[19,0],"white","C",8,8],[[19,0],"blue","C",8,8],[[19,0],"red","G",8,8]]'


def _answer(text: str) -> str:
    decoder = Decoder(PROGRAM_DEPTH)
    return encode(xboard.answer(decoder.feed(text.encode()) + decoder.close()))


def _refusal(text: str) -> Refused:
    with pytest.raises(Refused) as caught:
        _answer(text)
    return caught.value


def test_red_rests_where_it_stood_while_nothing_is_done() -> None:
    assert _answer('[[[9,0],"blue","A",0,1],[[6,90],"red","D",3,7]]') == '[[6,90],"red","D",3,7]'


def test_red_is_led_on_over_every_tile_before_it() -> None:
    # By D of (3, 7) to the right: 9 is AD BE CH FG, so in at G and out at F, downwards; there 2,
    # AF BE CH DG, in at A and out at F: at rest above the bottom row.
    state = '[[[6,90],"red","D",3,7],[[2,0],4,8]]'
    assert _answer(state + '["red",[9,0]]') == '[[2,0],"red","F",4,8]'


def test_several_actions_are_performed_in_order() -> None:
    # 34 is AB CD EF GH: in at G, out at H, and back through 6 at 90 degrees, AF BH CG DE, in at C
    # and out at G. Then blue leaves by the left edge. Then 9, AD BE CH FG: in at D, out at A.
    state = '[[[6,90],"red","D",3,7],[[9,0],"blue","A",0,1]]'
    assert _answer(state + '["red",[34,0]]') == '[[6,90],"red","G",3,7]'
    three = '["red",[34,0]]["blue",[24,0]]["red",[9,0]]'
    assert _answer(state + three) == '[[9,0],"red","A",2,7]'


def test_red_moves_by_the_action_of_another() -> None:
    # 26 at 90 degrees is AE BG CD FH: red goes in at B, blue at A.
    assert _answer(LED_ON) == '[[26,90],"red","G",7,9]'


def test_red_is_printed_with_the_least_degrees() -> None:
    assert _answer('[[[2,90],"red","D",3,7]]') == '[[2,0],"red","D",3,7]'
    assert _answer('[[[3,270],"red","D",3,7]]') == '[[3,90],"red","D",3,7]'
    assert _answer('[[[6,90],"red","D",3,7]]["red",[2,90]]') == '[[2,0],"red","D",4,7]'


@pytest.mark.parametrize(
    "text",
    [
        "[]",
        '[[[9,0],"blue","A",0,1]]',
        # Not performed: neither the action of an absent avatar, nor one that would loop.
        '[[[9,0],"blue","A",0,1]]["red",[0,0]]["white",[0,0]]',
        LOOP_MEETING_AND_DEATH.replace('"red"', '"black"'),
    ],
)
def test_without_red_nothing_is_performed(text: str) -> None:
    assert _answer(text) == '"red never played"'


def test_a_loop_comes_before_a_collision_and_before_the_death_of_red() -> None:
    assert _answer(LOOP_MEETING_AND_DEATH) == '"infinite"'


def test_a_collision_comes_before_the_death_of_red() -> None:
    assert _answer(MEETING_AND_DEATH) == '"collision"'


def test_red_dies_by_the_action_of_another() -> None:
    assert _answer(DEATH) == '"red died"'


@pytest.mark.parametrize("text", [LOOP_MEETING_AND_DEATH, MEETING_AND_DEATH, DEATH])
def test_nothing_is_performed_after_the_stop(text: str) -> None:
    # Neither red, who is gone, nor black, who never was, could act.
    assert _answer(text + '["red",[0,0]]["black",[0,0]]') == _answer(text)


def test_avatars_on_one_port_stay_there_while_nothing_is_done() -> None:
    state = '[[[19,0],"white","C",8,8],[[19,0],"red","C",8,8]]'
    assert _answer(state) == '[[19,0],"red","C",8,8]'


def test_avatars_on_one_port_are_a_collision_after_any_action() -> None:
    assert _answer(PAIR_AND_RED) == '[[19,0],"red","G",8,8]'
    assert _answer(PAIR_AND_RED + '["red",[23,90]]') == '"collision"'


def test_avatars_that_leave_together_do_not_collide() -> None:
    state = '[[[33,90],"white","H",8,9],[[33,90],"blue","H",8,9],[[33,90],"red","C",8,9]]'
    assert _answer(state + '["blue",[11,90]]') == '[[33,90],"red","C",8,9]'
    pair_with_red = '[[[1,270],"red","G",9,9],[[1,270],"blue","G",9,9]]["blue",[24,90]]'
    assert _answer(pair_with_red) == '"red died"'


def test_an_absent_avatar_cannot_act() -> None:
    refused = _refusal('[[[6,90],"red","D",3,7]]["red",[34,0]]["white",[0,0]]')
    assert refused.kind is Kind.ILLEGAL_MOVE
    assert refused.at == "/2"
    assert refused.message == (
        "the action at /2 cannot be performed: white is not on the board, so it cannot place a tile"
    )


def test_an_avatar_that_left_cannot_act() -> None:
    refused = _refusal(LED_ON + '["blue",[0,0]]')
    assert refused.kind is Kind.ILLEGAL_MOVE
    assert refused.at == "/2"
    assert refused.message == (
        "the action at /2 cannot be performed: blue is not on the board, so it cannot place a "
        "tile; it left the board before"
    )


def test_an_empty_input_lacks_the_state() -> None:
    refused = _refusal(" ")
    assert refused.kind is Kind.INCOMPLETE_INPUT
    assert refused.at == "/0"
    assert refused.message == "a state [state-pat, ...] expected at /0, but the input ends there"


@pytest.mark.parametrize(
    ("text", "at"),
    [
        # Form, the state before the actions.
        ("7", "/0"),
        ('[[[6,90],"red","D",3,70]]["pink",[0,0]]', "/0/0/4"),
        ('[[[6,90],"red","D",3,7]]["red",[0,0]]["red",[0,1]]["pink",[0,0]]', "/2/1/1"),
        ('[[[6,90],"red","D",3,7]][]', "/1"),
        ('[[[6,90],"red","D",3,7]][[[6,90],"red","D",3,7]]', "/1"),
        # Form, though nothing would be performed.
        ('[[[9,0],"blue","A",0,1]]["pink",[0,0]]', "/1/0"),
        (DEATH + '["red",[0,null]]', "/2/1/1"),
        # Form before facts.
        ('[[[6,90],"red","H",0,7]]["red",[0,0]]["pink",[0,0]]', "/2/0"),
        # Facts of the state, though nothing would be performed, and before any action is.
        ('[[[6,90],"blue","H",0,7]]', "/0/0"),
        ('[[[6,90],"red","D",3,7],[[6,90],"red","C",3,7]]["white",[0,0]]', "/0/1/1"),
        ('[[[6,90],"red","D",3,7],[[6,0],3,7]]', "/0/1"),
    ],
)
def test_a_bad_spec_is_refused_at_its_first_fault(text: str, at: str) -> None:
    refused = _refusal(text)
    assert refused.kind is Kind.INVALID_SPEC
    assert refused.at == at


def test_one_value_is_printed_for_the_whole_input(run: Run) -> None:
    ran = run("xboard", LED_ON.encode())
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, b'[[26,90],"red","G",7,9]\n', b"")


def test_a_word_is_printed_as_a_string(run: Run) -> None:
    ran = run("xboard", b"[]")
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, b'"red never played"\n', b"")


def test_a_refusal_is_printed_in_place_of_the_answer(run: Run) -> None:
    ran = run("xboard", b'[[[6,90],"red","D",3,7]]\n["white",[0,0]]\n')
    assert ran.stdout == (
        b'{"error":{"kind":"illegal-move","at":"/1","message":"the action at /1 cannot be '
        b'performed: white is not on the board, so it cannot place a tile"}}\n'
    )
    assert (ran.returncode, ran.stderr) == (1, b"")


def test_a_fault_of_the_text_comes_before_every_other(run: Run) -> None:
    # The state is bad, too; but without a whole array of values there is nothing to point into.
    ran = run("xboard", b'[[[6,90],"pink","D",3,7]] ["red",[0,0]')
    assert ran.stdout == (
        b'{"error":{"kind":"malformed-json","at":{"byte":38},"message":'
        b'"the text ends inside an array, at byte 38 of the input"}}\n'
    )
    assert (ran.returncode, ran.stderr) == (1, b"")

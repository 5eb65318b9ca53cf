"""Tsuro's values on the wire: first their form, then the facts about a whole state."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from engines.tsuro.ports import PortID
from engines.tsuro.positions import Square
from engines.tsuro.tiles import tile_pattern
from harness.jsontext import PROGRAM_DEPTH, Decoder, Json, encode
from xtests import tsuro_wire
from xtests.refusal import Kind, Pointer, Refused

AT = Pointer("/0")


def _read(text: str) -> Json:
    decoder = Decoder(PROGRAM_DEPTH)
    (value,) = decoder.feed(text.encode()) + decoder.close()
    return value


def _refusal(decode: Callable[[Json, Pointer], object], text: str) -> Refused:
    with pytest.raises(Refused) as caught:
        decode(_read(text), AT)
    assert caught.value.kind is Kind.INVALID_SPEC
    return caught.value


def _layout(value: Json, at: Pointer) -> object:
    return tsuro_wire.layout(tsuro_wire.state(value, at), at)


def test_a_tile_pat_is_that_tile_turned() -> None:
    tile = tsuro_wire.tile_pat(_read("[6,90]"), AT)
    # 6 is AE BC DG FH; a quarter turn takes each port two letters on.
    assert tile.edges == ((0, 5), (1, 7), (2, 6), (3, 4))


def test_a_state_pat_has_its_square_row_by_row_and_its_avatar() -> None:
    (part,) = tsuro_wire.state(_read('[[[6,90],"green","H",3,7]]'), AT)
    assert part.square == Square(73)
    assert part.avatar == ("green", PortID(7))
    assert part.tile.same_wires(tile_pattern(6, 90))


def test_a_state_pat_of_three_has_no_avatar() -> None:
    (part,) = tsuro_wire.state(_read("[[[6,90],9,0]]"), AT)
    assert part.square == Square(9)
    assert part.avatar is None


def test_an_action_is_a_colour_and_a_tile() -> None:
    action = tsuro_wire.action(_read('["white",[33,270]]'), AT)
    assert action.player == "white"
    assert action.tile.same_wires(tile_pattern(33, 270))


@pytest.mark.parametrize(
    ("text", "at", "message"),
    [
        (
            '"red"',
            "/0",
            'a state [state-pat, ...] expected at /0, found "red"',
        ),
        (
            "[[[6,90],4]]",
            "/0/0",
            "a state-pat, [tile-pat, x, y] or [tile-pat, colour, port, x, y], expected at /0/0, "
            "found [[6,90],4]",
        ),
        (
            '[[[6,90],1,1],[[6,90],"red",3,7]]',
            "/0/1",
            "a state-pat, [tile-pat, x, y] or [tile-pat, colour, port, x, y], expected at /0/1, "
            'found [[6,90],"red",3,7]',
        ),
        (
            '[[6,"red","A",3,7]]',
            "/0/0/0",
            "a tile-pat [index, degrees] expected at /0/0/0, found 6",
        ),
        (
            "[[[6],3,7]]",
            "/0/0/0",
            "a tile-pat [index, degrees] expected at /0/0/0, found [6]",
        ),
        (
            "[[[35,45],3,7]]",
            "/0/0/0/0",
            "an integer from 0 to 34 (the index of a tile) expected at /0/0/0/0, found 35",
        ),
        (
            "[[[34,360],3,7]]",
            "/0/0/0/1",
            "0, 90, 180 or 270 (degrees, clockwise) expected at /0/0/0/1, found 360",
        ),
        (
            '[[[6,90],"Red","a",3,7]]',
            "/0/0/1",
            'a colour ("white", "black", "red", "green" or "blue") expected at /0/0/1, found "Red"',
        ),
        (
            '[[[6,90],"red","a",3,7]]',
            "/0/0/2",
            'a port ("A" to "H") expected at /0/0/2, found "a"',
        ),
        (
            '[[[6,90],"red","A",10,-1]]',
            "/0/0/3",
            "an integer from 0 to 9 (x) expected at /0/0/3, found 10",
        ),
        (
            '[[[6,90],"red","A",9,-1]]',
            "/0/0/4",
            "an integer from 0 to 9 (y) expected at /0/0/4, found -1",
        ),
        (
            "[[[6,90],true,7]]",
            "/0/0/1",
            "an integer from 0 to 9 (x) expected at /0/0/1, found true",
        ),
        (
            "[[[6,90],3,7.0]]",
            "/0/0/2",
            "an integer from 0 to 9 (y), written without fraction or exponent, expected at "
            "/0/0/2, found 7.0",
        ),
    ],
)
def test_the_first_fault_of_form_in_a_state_is_refused(text: str, at: str, message: str) -> None:
    refused = _refusal(tsuro_wire.state, text)
    assert (refused.at, refused.message) == (at, message)


@pytest.mark.parametrize(
    ("text", "at", "message"),
    [
        ("[]", "/0", "an action [colour, tile-pat] expected at /0, found []"),
        (
            '["red",[6,90],1]',
            "/0",
            'an action [colour, tile-pat] expected at /0, found ["red",[6,90],1]',
        ),
        (
            '["pink",[99,90]]',
            "/0/0",
            'a colour ("white", "black", "red", "green" or "blue") expected at /0/0, found "pink"',
        ),
        (
            '["red",[-0,90]]',
            "/0/1/0",
            "an integer from 0 to 34 (the index of a tile) expected at /0/1/0, found -0",
        ),
        (
            '["red",{"index":6,"degrees":90}]',
            "/0/1",
            'a tile-pat [index, degrees] expected at /0/1, found {"index":6,"degrees":90}',
        ),
    ],
)
def test_the_first_fault_of_form_in_an_action_is_refused(text: str, at: str, message: str) -> None:
    refused = _refusal(tsuro_wire.action, text)
    assert (refused.at, refused.message) == (at, message)


def test_a_layout_has_the_tiles_and_the_avatars() -> None:
    parts = tsuro_wire.state(_read('[[[6,90],2,5],[[9,0],"blue","G",1,8]]'), AT)
    board = tsuro_wire.layout(parts, AT)
    assert sorted(board.tiles) == [52, 81]
    assert board.tiles[Square(52)].same_wires(tile_pattern(6, 90))
    assert dict(board.avatars) == {"blue": (81, 6)}


def test_a_layout_may_be_empty() -> None:
    assert tsuro_wire.layout((), AT) == ({}, {})


def test_a_repeated_square_is_the_same_tile_again() -> None:
    # 3 looks the same after half a turn; only the wires count.
    text = '[[[3,90],"red","A",4,4],[[3,270],"white","C",4,4],[[3,90],4,4],[[3,90],4,4]]'
    board = tsuro_wire.layout(tsuro_wire.state(_read(text), AT), AT)
    assert list(board.tiles) == [44]
    assert dict(board.avatars) == {"red": (44, 0), "white": (44, 2)}


def test_two_avatars_may_share_a_port() -> None:
    text = '[[[3,90],"red","A",4,4],[[3,90],"white","A",4,4]]'
    board = tsuro_wire.layout(tsuro_wire.state(_read(text), AT), AT)
    assert dict(board.avatars) == {"red": (44, 0), "white": (44, 0)}


def test_other_wires_on_a_taken_square_are_at_fault_as_a_whole() -> None:
    refused = _refusal(_layout, "[[[3,0],1,1],[[3,270],7,4],[[3,0],7,4]]")
    assert refused.at == "/0/2"
    assert refused.message == (
        "two tiles on (7, 4): the wires of [3, 90] lie there already, found those of [3, 0] at /0/2"
    )


def test_an_avatar_that_faces_a_tile_is_at_fault_even_where_the_tile_comes_later() -> None:
    refused = _refusal(_layout, '[[[3,0],0,0],[[8,0],"green","E",6,2],[[8,0],6,3]]')
    assert refused.at == "/0/1"
    assert refused.message == (
        "the green avatar at /0/1 is not at rest: an empty square expected before port E of "
        "(6, 2), found (6, 3), which holds a tile"
    )


def test_an_avatar_that_faces_the_outside_is_at_fault() -> None:
    refused = _refusal(_layout, '[[[3,0],4,4],[[8,0],"green","H",0,2]]')
    assert refused.at == "/0/1"
    assert refused.message == (
        "the green avatar at /0/1 is not at rest: an empty square expected before port H of "
        "(0, 2), found the outside of the board"
    )


def test_a_colour_that_comes_twice_is_at_fault_the_second_time() -> None:
    refused = _refusal(_layout, '[[[3,0],"red","A",4,4],[[3,0],7,7],[[3,0],"red","A",2,3]]')
    assert refused.at == "/0/2/1"
    assert refused.message == (
        "two red avatars: the first stands on (4, 4), found another at /0/2/1"
    )


def test_the_facts_are_looked_at_in_document_order() -> None:
    # Part 1 contradicts part 0 twice: its tile, which comes first, and its colour.
    assert _refusal(_layout, '[[[3,0],"red","A",4,4],[[3,90],"red","A",4,4]]').at == "/0/1"
    # Part 1 is at fault by its colour, part 2 by its tile.
    text = '[[[3,0],"red","A",4,4],[[3,0],"red","C",4,4],[[3,90],4,4]]'
    assert _refusal(_layout, text).at == "/0/1/1"
    # Part 0 is not at rest because of part 2; part 1 is a second red.
    text = '[[[3,0],"red","A",4,4],[[3,0],"red","E",4,4],[[3,90],4,3]]'
    assert _refusal(_layout, text).at == "/0/0"


@pytest.mark.parametrize(
    ("index", "turn", "least"),
    [(2, 90, 0), (34, 270, 0), (3, 180, 0), (3, 270, 90), (6, 270, 270), (0, 90, 90)],
)
def test_a_tile_is_printed_with_the_least_degrees(index: int, turn: int, least: int) -> None:
    printed = tsuro_wire.state_pat_of(tile_pattern(index, turn), "black", (Square(73), PortID(6)))
    assert encode(printed) == f'[[{index},{least}],"black","G",3,7]'

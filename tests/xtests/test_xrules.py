"""xrules: whether a turn is legal, or why the input cannot be accepted."""

from __future__ import annotations

from collections.abc import Callable
from subprocess import CompletedProcess

import pytest

from harness.jsontext import PROGRAM_DEPTH, Decoder, encode
from xtests import xrules
from xtests.refusal import Kind, Refused

Run = Callable[[str, bytes], CompletedProcess[bytes]]

# Red amid the board, on a tile that leads back: 34 loops at every turn, 2 at none.
AMID = '[[[34,0],"red","C",3,6]]'
# Red before the corner (0, 0), where 2 leads off the board at every turn, and 34 back.
CORNER = '[[[2,0],"red","A",0,1]]'
# The same on a tile that leads back: 34 loops at every turn, 2 leads off at every turn.
BOTH = '[[[34,0],"red","A",0,1]]'


def _answer(text: str) -> str:
    decoder = Decoder(PROGRAM_DEPTH)
    return encode(xrules.answer(decoder.feed(text.encode()) + decoder.close()))


def _refusal(text: str) -> Refused:
    with pytest.raises(Refused) as caught:
        _answer(text)
    return caught.value


@pytest.mark.parametrize(
    ("text", "word"),
    [
        (AMID + '[["red",[2,0]],2,34]', "legal"),
        (AMID + '[["red",[2,270]],34,2]', "legal"),
        (AMID + '[["red",[34,0]],2,34]', "cheating"),
        (CORNER + '[["red",[34,90]],2,34]', "legal"),
        (CORNER + '[["red",[2,90]],2,34]', "cheating"),
        # The avatar is not on the board; the tile was not given.
        (AMID + '[["white",[2,0]],2,34]', "cheating"),
        ('[][["white",[2,0]],2,34]', "cheating"),
        (AMID + '[["red",[4,0]],2,34]', "cheating"),
        # All eight loop; all eight are suicides; some are the one, some the other.
        (AMID + '[["red",[34,90]],34,34]', "legal"),
        (CORNER + '[["red",[2,180]],2,2]', "legal"),
        (BOTH + '[["red",[2,0]],2,34]', "cheating"),
        (BOTH + '[["red",[34,0]],2,34]', "cheating"),
    ],
)
def test_a_turn_is_legal_or_cheating(text: str, word: str) -> None:
    assert _answer(text) == f'"{word}"'


def test_a_turn_by_more_than_the_least_degrees_is_the_same_turn() -> None:
    # Tile 2 looks the same at every turn: [2, 270] is the tile that was given.
    for degrees in (0, 90, 180, 270):
        assert _answer(f'{AMID}[["red",[2,{degrees}]],0,2]') == '"legal"'


@pytest.mark.parametrize(
    ("text", "at", "message"),
    [
        ("", "/0", "a state [state-pat, ...] expected at /0, but the input ends there"),
        (AMID, "/1", "a turn [action, index, index] expected at /1, but the input ends there"),
        # Form before facts: the state contradicts itself.
        (
            '[[[34,0],"red","G",0,6]]',
            "/1",
            "a turn [action, index, index] expected at /1, but the input ends there",
        ),
    ],
)
def test_a_value_that_is_missing_is_named(text: str, at: str, message: str) -> None:
    refused = _refusal(text)
    assert (refused.kind, refused.at, refused.message) == (Kind.INCOMPLETE_INPUT, at, message)


@pytest.mark.parametrize(
    ("text", "at", "message"),
    [
        (
            AMID + '["red",[2,0]]',
            "/1",
            'a turn [action, index, index] expected at /1, found ["red",[2,0]]',
        ),
        (
            AMID + '[["red",[2,0]],2,35]',
            "/1/2",
            "an integer from 0 to 34 (the index of a tile) expected at /1/2, found 35",
        ),
        (
            AMID + '[["red",[2,0]],null,35]',
            "/1/1",
            "an integer from 0 to 34 (the index of a tile) expected at /1/1, found null",
        ),
        (
            AMID + '[["red",[2,0]],2,34][["red",[2,0]],2,34]',
            "/2",
            'the end of the input expected at /2, found [["red",[2,0]],2,34]',
        ),
        # A fault of the turn comes before what is too much, and before what the state contradicts.
        (
            '[[[34,0],"red","G",0,6]][["red",2],2,34]7',
            "/1/0/1",
            "a tile-pat [index, degrees] expected at /1/0/1, found 2",
        ),
        (
            '[[[34,0],"red","G",0,6]][["red",[2,0]],2,34]7',
            "/2",
            "the end of the input expected at /2, found 7",
        ),
        # Facts of the state, though the turn is cheating anyway.
        (
            '[[[34,0],"red","G",0,6]][["blue",[2,0]],1,34]',
            "/0/0",
            "the red avatar at /0/0 is not at rest: an empty square expected before port G of "
            "(0, 6), found the outside of the board",
        ),
    ],
)
def test_a_bad_spec_is_refused_at_its_first_fault(text: str, at: str, message: str) -> None:
    refused = _refusal(text)
    assert (refused.kind, refused.at, refused.message) == (Kind.INVALID_SPEC, at, message)


def test_a_word_is_printed_for_the_whole_input(run: Run) -> None:
    ran = run("xrules", f'{AMID}\n[["red",[2,0]],2,34]\n'.encode())
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, b'"legal"\n', b"")


def test_a_refusal_is_printed_in_place_of_the_answer(run: Run) -> None:
    ran = run("xrules", f"{AMID}\n".encode())
    assert ran.stdout == (
        b'{"error":{"kind":"incomplete-input","at":"/1","message":"a turn [action, index, index] '
        b'expected at /1, but the input ends there"}}\n'
    )
    assert (ran.returncode, ran.stderr) == (1, b"")

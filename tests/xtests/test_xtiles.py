"""xtiles: where the wire at a port of a turned tile leads."""

from __future__ import annotations

from collections.abc import Callable
from subprocess import CompletedProcess

import pytest

from harness.jsontext import PROGRAM_DEPTH, Decoder, encode
from xtests import xtiles
from xtests.refusal import Kind, Pointer, Refused

Run = Callable[[str, bytes], CompletedProcess[bytes]]


def _answer(query: str) -> str:
    decoder = Decoder(PROGRAM_DEPTH)
    (value,) = decoder.feed(query.encode()) + decoder.close()
    return encode(xtiles.answer(value, Pointer("/4")))


@pytest.mark.parametrize(
    ("query", "leaves_at"),
    [
        # 6 is AE BC DG FH. A quarter turn makes it AF BH CG DE, half a turn AE BD CH FG,
        # three quarters AH BE CG DF.
        ('[6,0,"D"]', "G"),
        ('[6,90,"D"]', "E"),
        ('[6,180,"D"]', "B"),
        ('[6,270,"D"]', "F"),
        # The wires of index 0 and port A, which are no false ones.
        ('[0,0,"A"]', "E"),
        ('[0,90,"H"]', "D"),
        ('[34,270,"A"]', "B"),
    ],
)
def test_the_exit_is_the_other_end_of_the_wire(query: str, leaves_at: str) -> None:
    port = query[-3]
    expected = f'["if ","{port}"," is the entrance, ","{leaves_at}"," is the exit."]'
    assert _answer(query) == expected


@pytest.mark.parametrize(
    ("query", "at", "message"),
    [
        ("7", "/4", "a query [index, degrees, port] expected at /4, found 7"),
        ('["A",0]', "/4", 'a query [index, degrees, port] expected at /4, found ["A",0]'),
        (
            '[0,0,"A","B"]',
            "/4",
            'a query [index, degrees, port] expected at /4, found [0,0,"A","B"]',
        ),
        (
            '[-1,45,"I"]',
            "/4/0",
            "an integer from 0 to 34 (the index of a tile) expected at /4/0, found -1",
        ),
        (
            '[false,0,"A"]',
            "/4/0",
            "an integer from 0 to 34 (the index of a tile) expected at /4/0, found false",
        ),
        ('[0,45,"I"]', "/4/1", "0, 90, 180 or 270 (degrees, clockwise) expected at /4/1, found 45"),
        (
            '[0,9e1,"I"]',
            "/4/1",
            "0, 90, 180 or 270 (degrees, clockwise), written without fraction or exponent, "
            "expected at /4/1, found 9e1",
        ),
        ('[0,0,"I"]', "/4/2", 'a port ("A" to "H") expected at /4/2, found "I"'),
        ("[0,0,0]", "/4/2", 'a port ("A" to "H") expected at /4/2, found 0'),
    ],
)
def test_the_first_fault_of_form_in_a_query_is_refused(query: str, at: str, message: str) -> None:
    with pytest.raises(Refused) as caught:
        _answer(query)
    assert caught.value.kind is Kind.INVALID_SPEC
    assert (caught.value.at, caught.value.message) == (at, message)


def test_every_query_is_answered_in_order(run: Run) -> None:
    ran = run("xtiles", b'[6,0,"D"][6,90,"D"]\r\n\t[6,\n180 ,"\\u0044"]')
    assert ran.stdout == (
        b'["if ","D"," is the entrance, ","G"," is the exit."]\n'
        b'["if ","D"," is the entrance, ","E"," is the exit."]\n'
        b'["if ","D"," is the entrance, ","B"," is the exit."]\n'
    )
    assert (ran.returncode, ran.stderr) == (0, b"")


def test_the_answers_before_a_refused_query_are_kept_and_none_follows(run: Run) -> None:
    ran = run("xtiles", b'[6,0,"D"] [6,0,"d"] [6,0,"D"]')
    assert ran.stdout == (
        b'["if ","D"," is the entrance, ","G"," is the exit."]\n'
        b'{"error":{"kind":"invalid-spec","at":"/1/2","message":'
        b'"a port (\\"A\\" to \\"H\\") expected at /1/2, found \\"d\\""}}\n'
    )
    assert (ran.returncode, ran.stderr) == (1, b"")


def test_a_refused_query_comes_before_a_fault_of_the_text_after_it(run: Run) -> None:
    ran = run("xtiles", b'[6,0,"d"] }')
    assert b'"kind":"invalid-spec","at":"/0/2"' in ran.stdout
    assert ran.stdout.count(b"\n") == 1
    assert ran.returncode == 1


def test_the_answers_before_a_fault_of_the_text_are_kept(run: Run) -> None:
    ran = run("xtiles", b'[6,0,"D"] }')
    assert ran.stdout == (
        b'["if ","D"," is the entrance, ","G"," is the exit."]\n'
        b'{"error":{"kind":"malformed-json","at":{"byte":10},"message":'
        b"\"a value expected, found '}', at byte 10 of the input\"}}\n"
    )
    assert (ran.returncode, ran.stderr) == (1, b"")


@pytest.mark.parametrize("sent", [b"", b" \r\n\t"])
def test_no_query_at_all_is_incomplete_input(run: Run, sent: bytes) -> None:
    ran = run("xtiles", sent)
    assert ran.stdout == (
        b'{"error":{"kind":"incomplete-input","at":"/0","message":'
        b'"a query [index, degrees, port] expected at /0, but the input ends there"}}\n'
    )
    assert (ran.returncode, ran.stderr) == (1, b"")

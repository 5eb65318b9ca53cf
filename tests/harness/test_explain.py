"""What the author of a program is told of bytes that are not JSON, and of values that differ."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.jsonfast import decode
from harness.judging.equality import differences
from harness.judging.explain import difference_text, fault_text
from harness.records import Comparison
from harness.words import visible

MESSAGE = "a message for people? print those on standard error"
OPEN = "a bracket or quote left open, or output that was never flushed?"


def explained(text: bytes, *, printed: bool = True) -> str:
    """What is said of a text that is not JSON."""
    values, fault = decode(text)
    assert fault is not None
    return fault_text(text, fault, values=len(values), printed=printed)


def hint(text: bytes) -> str:
    """The hint in what is said: what stands in brackets before the excerpt."""
    said, _, _ = explained(text).partition("; here: ")
    reason, found, bracketed = said.partition(": ")[2].rpartition(" (")
    return bracketed.removesuffix(")") if found and reason else ""


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            b"{\"a\": 'b'}\n",
            "not JSON at byte 6 (line 1, column 7): a value expected, found '''"
            " (JSON has double quotes only); here: {\"a\": -->'b'}\\n",
        ),
        (
            b'"one"\n[1,\n 2,]\n',
            "not JSON at byte 13 (line 3, column 4), after 1 whole value: a value expected,"
            " found ']' (a comma is left over before the closing bracket);"
            ' here: "one"\\n[1,\\n 2,-->]\\n',
        ),
        (
            '["é棋", nul]'.encode(),
            "not JSON at byte 13 (line 1, column 11): the word null expected, found ']';"
            ' here: ["é棋", nul-->]',
        ),
        (
            b"[1, [2, 3",
            "cut short at byte 9 (line 1, column 10): the text ends inside an array"
            f" ({OPEN}); here: [1, [2, 3-->",
        ),
        (
            b'1 2\n"caf\xe9 noir"',
            "not UTF-8 at byte 9 (line 2, column 6), after 2 whole values: invalid UTF-8:"
            " a space does not continue a character"
            " (this looks like Latin-1; JSON travels as UTF-8);"
            ' here: 1 2\\n"caf\\xe9--> noir"',
        ),
    ],
)
def test_a_fault_is_told_in_full(text: bytes, said: str) -> None:
    assert explained(text) == said


def test_the_text_around_a_fault_is_short_and_not_cut_inside_a_character() -> None:
    long = b'["' + "棋".encode() * 20 + b'" x "' + "棋".encode() * 20 + b'"]'
    assert explained(long).endswith('; here: …棋棋棋棋棋棋棋棋棋棋" -->x "棋棋棋棋棋棋棋…')
    assert explained(("[" + "棋" * 30 + "]").encode()).endswith("; here: [-->棋棋棋棋棋棋棋棋…")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (b"\xef\xbb\xbf[1]", "a byte order mark; print UTF-8 without one"),
        (b"\xff\xfe[\x001\x00]\x00", "this looks like UTF-16; JSON travels as UTF-8"),
        ("[1]".encode("utf-16-le"), "this looks like UTF-16; JSON travels as UTF-8"),
        ("[1]".encode("utf-16-be"), "this looks like UTF-16; JSON travels as UTF-8"),
        ('"naïve"'.encode("latin-1"), "this looks like Latin-1; JSON travels as UTF-8"),
        (b"[1]\x00\n", "a zero byte: was the end of a C string printed, too?"),
        (b"\x1b[32m[1]", "a terminal's escape sequence; print no colours into a pipe"),
        (b"['a']", "JSON has double quotes only"),
        (b"[1, // one\n]", "JSON has no comments"),
        (b"[1 /* one */]", "JSON has no comments"),
        (b"# one\n[1]", "JSON has no comments"),
        (b"{a: 1}", "keys stand in double quotes"),
        (b'{"a": 1, 2: 3}', "keys stand in double quotes"),
        (b"[1, 2, ]", "a comma is left over before the closing bracket"),
        (b'{"a": 1,\n}', "a comma is left over before the closing bracket"),
        (b"1, 2", "the values of a stream stand without commas between them"),
        (b"[1]]", "this bracket closes nothing"),
        (b"}", "this bracket closes nothing"),
        (b"007", "a number has no zeros in front"),
        (b"[-01]", "a number has no zeros in front"),
        (b"[0x1F]", "numbers are decimal"),
        (b"[+1]", "a number has no plus sign in front"),
        (b"[.5]", "a digit stands before the decimal point"),
        (b'["a" "b"]', "is a comma missing?"),
        (b'{"a": 1 "b": 2}', "is a comma missing?"),
        (b"[[1] [2]]", "is a comma missing?"),
        (b"[None]", "JSON has null for None"),
        (b'{"a": True}', "JSON has true for True"),
        (b"[1, False]", "JSON has false for False"),
        (b"[nil]", "JSON has null for nil"),
        (b"undefined\n", "JSON has null for undefined"),
        (b"[NaN]", "JSON has no number for NaN"),
        (b"[nan]", "JSON has no number for nan"),
        (b"-Infinity", "JSON has no number for Infinity"),
        (b"[-inf]", "JSON has no number for inf"),
        (b"Reading the board\n[1]", MESSAGE),
        (b"[1]\nDone.\n", MESSAGE),
        (b"[1] done\n", MESSAGE),
        (b"[INFO] reading\n[1]", MESSAGE),
        (b"[12:00:01] reading\n[1]", MESSAGE),
        (b"2026-01-31 reading\n[1]", MESSAGE),
        (b"--- start\n", MESSAGE),
        (b"> [1]\n", MESSAGE),
        (b"3 tiles placed\n", MESSAGE),
        (b"total: 3\n", MESSAGE),
        (b"[1, [2", OPEN),
        (b'{"a": "b', OPEN),
    ],
)
def test_a_common_mistake_gets_its_hint(text: bytes, told: str) -> None:
    assert hint(text) == told


@pytest.mark.parametrize(
    "text",
    [
        *(
            b"[1,,2]",
            b"[1 : 2]",
            b'{"a" 1}',
            b'{"a":}',
            b'"\\q"',
            b"[tree]",
            b"1true",
            b'{"a":1,"a":2}',
        ),
        b'"a\tb"',
        b"[5.]",
        b'{"a": 1,\n "b": yes}',
        b"[\n  one\n]",
        b'["' + b"x" * 300 + b'" y]',
    ],
)
def test_a_mistake_whose_reason_says_it_all_gets_no_hint(text: bytes) -> None:
    assert hint(text) == ""


def test_what_concerns_a_program_is_not_told_of_a_file() -> None:
    assert explained(b"Hello", printed=False) == (
        "not JSON at byte 0 (line 1, column 1): a value expected, found 'H'; here: -->Hello"
    )
    assert explained(b"[1", printed=False) == (
        "cut short at byte 2 (line 1, column 3): the text ends inside an array; here: [1-->"
    )
    assert "(JSON has no comments)" in explained(b"# one", printed=False)


@given(
    st.one_of(
        st.binary(max_size=80),
        st.text('[]{}",:\\ \n-+0.1eEtrufalsnNo\x1b\u202eé', max_size=60).map(str.encode),
        st.integers(1, 3_000).map(lambda number: b'{"' + b"k\xc3\xa9" * number + b'": 1, ' * 2),
    )
)
@settings(deadline=None)
def test_whatever_was_printed_a_fault_is_told_in_one_short_harmless_line(text: bytes) -> None:
    """No text of a subject makes a message long, or puts anything unprintable into it."""
    values, fault = decode(text)
    if fault is not None:
        said = fault_text(text, fault, values=len(values), printed=True)
        assert len(said) <= 600
        assert visible(said) == said


@pytest.mark.parametrize(
    ("expected", "actual", "said"),
    [
        ("1", "2", "at /0: 1 expected, 2 printed"),
        ("1", '"1"', 'at /0: 1 expected, "1" printed (a number, not a string)'),
        ("null", "false", "at /0: null expected, false printed (null, not a boolean)"),
        ("{}", "[]", "at /0: {} expected, [] printed (an object, not an array)"),
        ("true", "false", "at /0: true expected, false printed"),
        (
            "1",
            "1.0",
            "at /0: 1 expected, 1.0 printed (the same value, but one of them is no integer)",
        ),
        ("-0", "0", "at /0: -0 expected, 0 printed (minus zero is not zero)"),
        ("0.0", "-0e5", "at /0: 0.0 expected, -0e5 printed (minus zero is not zero)"),
        (
            "0.3",
            "0.30000000000000004",
            "at /0: 0.3 expected, 0.30000000000000004 printed (they are nearly equal)",
        ),
        ("1e400", "1e401", "at /0: 1e400 expected, 1e401 printed"),
        ('"red"', '"blue"', 'at /0: "red" expected, "blue" printed'),
        ('"red"', '"Red"', 'at /0: "red" expected, "Red" printed (they differ in case only)'),
        (
            '"a b"',
            '"ab\\n"',
            'at /0: "a b" expected, "ab\\n" printed (they differ in white space only)',
        ),
        (
            '"\\u00e9"',
            '"e\\u0301"',
            'at /0: "é" expected, "e\u0301" printed'
            " (they look alike: the same characters by other Unicode code points)",
        ),
        (
            f'"{"x" * 60}a{"y" * 60}"',
            f'"{"x" * 60}b{"y" * 60}"',
            f'at /0: "{"x" * 38}… expected, "{"x" * 38}… printed (they part at character 61)',
        ),
        (
            '{"a":[1]}',
            '"{\\"a\\": [1]}"',
            'at /0: {"a":[1]} expected, "{\\"a\\": [1]}" printed'
            " (it is printed inside a string: encoded twice)",
        ),
        ('{"a":1}', '"a"', 'at /0: {"a":1} expected, "a" printed (an object, not a string)'),
        ('[{"a\\n":1}]', "[{}]", "at /0/0/a\\n: 1 expected, nothing printed"),
        ("[]", "[[2]]", "at /0/0: nothing expected, [2] printed"),
    ],
)
def test_a_difference_is_told_with_what_is_easily_overlooked(
    expected: str, actual: str, said: str
) -> None:
    left, right = decode(expected.encode()).values, decode(actual.encode()).values
    found = next(differences(left, right, Comparison()))
    assert difference_text(found) == said


def test_the_place_of_a_difference_is_cut_too() -> None:
    (found,) = differences(
        decode(b'{"%s":1}' % (b"k" * 500)).values, decode(b"{}").values, Comparison()
    )
    assert difference_text(found) == (
        f"at /0/{'k' * 60} … 503 characters: 1 expected, nothing printed"
    )

"""The decoder and the printer: which texts are accepted, which are refused, where, and in which
words; what comes when; and that every byte is seen once."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple, SupportsIndex

import pytest

from harness.jsonfast import Decoded, decode
from harness.jsontext import (
    JUDGE_DEPTH,
    PROGRAM_DEPTH,
    Decoder,
    Fault,
    Json,
    Number,
    Printable,
    encode,
)

N = Number


def fed(chunks: Iterable[bytes], max_depth: int = JUDGE_DEPTH) -> Decoded:
    """What a decoder makes of a text that comes in these chunks."""
    decoder = Decoder(max_depth)
    values = [value for chunk in chunks for value in decoder.feed(chunk)]
    return Decoded(values + decoder.close(), decoder.fault)


def whole(text: bytes) -> Decoded:
    """Fed at once."""
    return fed([text])


def byte_by_byte(text: bytes) -> Decoded:
    """Fed one byte at a time."""
    return fed(text[index : index + 1] for index in range(len(text)))


each_way = pytest.mark.parametrize("read", [whole, byte_by_byte, decode])
Read = Callable[[bytes], Decoded]


# --- accepted: a text, and the values in it


class Good(NamedTuple):
    """A text that is accepted."""

    text: bytes
    values: list[Json]


def good(text: str, *values: Json) -> Good:
    """A text that is accepted, and its values."""
    return Good(text.encode(), list(values))


WHITE_SPACE = [
    good(""),
    good(" "),
    good("\t"),
    good("\n"),
    good("\r"),
    good("\r\n \t\n"),
    good(" 1 ", N("1")),
    good("\n\n1\n\n", N("1")),
    good("\t[\r]\n", []),
    good("[\t1\r\n,\n2 ]", [N("1"), N("2")]),
    good("{ }", {}),
    good('\r{\n"a"\t: 1 ,\r\n"b"\t\t:\n\n2 }\r', {"a": N("1"), "b": N("2")}),
]

WORDS = [
    good("true", True),
    good("false", False),
    good("null", None),
    good("[true,false,null]", [True, False, None]),
    good('{"null":null,"true":false}', {"null": None, "true": False}),
]

OBJECTS = [
    good("{}", {}),
    good('{"":0}', {"": N("0")}),
    good('{"a":{"a":{"a":1}}}', {"a": {"a": {"a": N("1")}}}),
    good('{"a":1,"A":2," a":3,"a ":4}', {"a": N("1"), "A": N("2"), " a": N("3"), "a ": N("4")}),
    good('[{"a":1},{"a":2}]', [{"a": N("1")}, {"a": N("2")}]),
    good('{"a":{"b":1},"b":{"a":1}}', {"a": {"b": N("1")}, "b": {"a": N("1")}}),
    good('{"a":1}{"a":2}', {"a": N("1")}, {"a": N("2")}),
    good('{"\\u0000":1,"\\u0001":2}', {"\0": N("1"), "\1": N("2")}),
    good('{"1":1,"1.0":2,"true":3}', {"1": N("1"), "1.0": N("2"), "true": N("3")}),
    # The same to the eye, and not normalised: two keys.
    good('{"\u00e9":1,"e\u0301":2}', {"\u00e9": N("1"), "e\u0301": N("2")}),
]

ARRAYS = [
    good("[]", []),
    good("[[]]", [[]]),
    good("[[],[[]],[[[]]]]", [[], [[]], [[[]]]]),
    good('[1,"a",null,true,{},[]]', [N("1"), "a", None, True, {}, []]),
    good("[[1,2],[3]]", [[N("1"), N("2")], [N("3")]]),
    good("[0,0,0]", [N("0"), N("0"), N("0")]),
]

STRINGS = [
    good('""', ""),
    good('" "', " "),
    good('"a"', "a"),
    good(r'"\"\\\/\b\f\n\r\t"', '"\\/\b\f\n\r\t'),
    good(r'"\u0000\u001F\u001f"', "\x00\x1f\x1f"),
    good(r'"\u0041\u00e9\u20AC\uffff"', "A\u00e9\u20ac\uffff"),
    good(r'"\uABCD\uabcd\uAbCd"', "\uabcd\uabcd\uabcd"),
    good(r'"\uD83D\uDE00"', "\U0001f600"),
    good(r'"\ud83d\ude00\uD83D\uDE01x"', "\U0001f600\U0001f601x"),
    good(r'"\uD800\uDC00\uDBFF\uDFFF"', "\U00010000\U0010ffff"),
    good(r'"\uD7FF\uE000"', "\ud7ff\ue000"),
    good(r'"\\u0041"', r"\u0041"),
    good(r'"\\\u0041\\"', "\\A\\"),
    good(r'"\\uD800"', r"\uD800"),
    good(r'"\"\""', '""'),
    good('"\x7f"', "\x7f"),
    good('"\u0080\u07ff"', "\u0080\u07ff"),
    good('"\u0800\ud7ff\ue000\uffff"', "\u0800\ud7ff\ue000\uffff"),
    good('"\U00010000\U0010ffff"', "\U00010000\U0010ffff"),
    good('"\u2028\u2029"', "\u2028\u2029"),
    good('"\ufeff"', "\ufeff"),
    good('"\ufdd0\U0001ffff"', "\ufdd0\U0001ffff"),
    good('"[{,:}]//#"', "[{,:}]//#"),
    good('"null"', "null"),
    good('"\u00e9\\n\u00e9"', "\u00e9\n\u00e9"),
]

STREAMS = [
    good("1 2", N("1"), N("2")),
    good("1\n2\r\n3\t4", N("1"), N("2"), N("3"), N("4")),
    good('[1]["a"]', [N("1")], ["a"]),
    good('[1]{"a":2}"b"3', [N("1")], {"a": N("2")}, "b", N("3")),
    good('"a""b"', "a", "b"),
    good('1"a"2', N("1"), "a", N("2")),
    good("1[]2{}3", N("1"), [], N("2"), {}, N("3")),
    good('true[]false{}null"a"true', True, [], False, {}, None, "a", True),
    good("[]1", [], N("1")),
    good('"a"-1', "a", N("-1")),
    good("{}true", {}, True),
    good("1 true 2 null", N("1"), True, N("2"), None),
]

# Each is one number; that it is kept as it is spelled is part of the row.
NUMBERS = [
    *("0", "-0", "1", "-1", "9", "10", "-10", "1234567890", "9007199254740993"),
    *("123456789012345678901234567890", "-" + "9" * 5000, "1" + "0" * 400),
    *("0.0", "-0.0", "0.10", "1.5", "-1.50", "0.00001", "10.01", "3." + "14159" * 1000),
    *("1e5", "1E5", "1e+5", "1E-5", "-1e5", "0e0", "0E+00", "-0e-0", "1e05", "1e-000"),
    *("1.5e3", "1.0E+2", "0.1e-1", "1e400", "-1e-400", "123.456E789", "1e" + "9" * 5000),
]

ACCEPTED = [
    *(WHITE_SPACE + WORDS + OBJECTS + ARRAYS + STRINGS + STREAMS),
    *(good(text, N(text)) for text in NUMBERS),
    *(good(f'[{text},{{"a":{text}}}]', [N(text), {"a": N(text)}]) for text in NUMBERS),
]


@each_way
@pytest.mark.parametrize("row", ACCEPTED, ids=lambda row: ascii(row.text[:40]))
def test_what_rfc_8259_allows_is_read_as_it_is_spelled(row: Good, read: Read) -> None:
    assert read(row.text) == Decoded(row.values, None)


# --- refused: a text, the byte at fault, why, and the values before


class Bad(NamedTuple):
    """A text that is refused."""

    text: bytes
    offset: int
    reason: str
    before: list[Json]
    cut_short: bool = False


def bad(text: str | bytes, offset: int, reason: str, *before: Json) -> Bad:
    """A text that is refused, the offset of the byte at fault, why, and the values before it."""
    return Bad(text if isinstance(text, bytes) else text.encode(), offset, reason, list(before))


def end(text: str | bytes, where: str, *before: Json) -> Bad:
    """A text that is cut short: at its end, inside of what."""
    text = text if isinstance(text, bytes) else text.encode()
    return Bad(text, len(text), f"the text ends inside {where}", list(before), cut_short=True)


A_VALUE = "a value expected, found"
VALUE_OR_END = "a value or ']' expected, found"
AFTER_ELEMENT = "',' or ']' expected, found"
AFTER_MEMBER = "',' or '}' expected, found"
A_KEY = "a key in quotes expected, found"
KEY_OR_END = "a key in quotes or '}' expected, found"
A_COLON = "':' after a key expected, found"
APART = "white space expected between two values, found"
A_DIGIT = "a digit expected in a number, found"
LEADING = "no digit may follow a leading 0, found"
TRUE, FALSE, NULL = (f"the word {word} expected, found" for word in ("true", "false", "null"))
CONTROL = "a control character in a string must be escaped:"
ESCAPE = "no such escape in a string: a backslash and"
HEX = "four hexadecimal digits expected after \\u, found"
LONE = "a lone surrogate: \\uD800 to \\uDFFF come in pairs only"
UTF_8 = "invalid UTF-8:"

NOT_BETWEEN_TOKENS = [
    bad("\v1", 0, f"{A_VALUE} the byte 0x0B"),
    bad("\f[]", 0, f"{A_VALUE} the byte 0x0C"),
    bad("\0", 0, f"{A_VALUE} the byte 0x00"),
    bad("[]\0", 2, f"{A_VALUE} the byte 0x00", []),
    bad("[1\v]", 2, f"{AFTER_ELEMENT} the byte 0x0B"),
    bad('{"a"\f:1}', 4, f"{A_COLON} the byte 0x0C"),
    bad("\u00a01", 0, f"{A_VALUE} the byte 0xC2"),
    bad("[1,\u20282]", 3, f"{A_VALUE} the byte 0xE2"),
    bad("[\u3000]", 1, f"{VALUE_OR_END} the byte 0xE3"),
    bad("[\x7f]", 1, f"{VALUE_OR_END} the byte 0x7F"),
    bad("/* a */ 1", 0, f"{A_VALUE} '/'"),
    bad("1 // one", 2, f"{A_VALUE} '/'", N("1")),
    bad("[1 # one\n]", 3, f"{AFTER_ELEMENT} '#'"),
    bad("\x1e[]", 0, f"{A_VALUE} the byte 0x1E"),
    bad("'a'", 0, f"{A_VALUE} '''"),
    bad("`a`", 0, f"{A_VALUE} '`'"),
    bad("(1)", 0, f"{A_VALUE} '('"),
    bad("<a/>", 0, f"{A_VALUE} '<'"),
    bad("a", 0, f"{A_VALUE} 'a'"),
    bad("\\u0022a\\u0022", 0, f"{A_VALUE} '\\'"),
    bad("]", 0, f"{A_VALUE} ']'"),
    bad("}", 0, f"{A_VALUE} '}}'"),
    bad(",", 0, f"{A_VALUE} ','"),
    bad(":", 0, f"{A_VALUE} ':'"),
    bad("[1],[2]", 3, f"{A_VALUE} ','", [N("1")]),
    bad('"a":1', 3, f"{A_VALUE} ':'", "a"),
    bad("1;", 1, f"{A_VALUE} ';'", N("1")),
]

NOT_WORDS = [
    bad("True", 0, f"{A_VALUE} 'T'"),
    bad("NULL", 0, f"{A_VALUE} 'N'"),
    bad("None", 0, f"{A_VALUE} 'N'"),
    bad("NaN", 0, f"{A_VALUE} 'N'"),
    bad("Infinity", 0, f"{A_VALUE} 'I'"),
    bad("undefined", 0, f"{A_VALUE} 'u'"),
    bad("yes", 0, f"{A_VALUE} 'y'"),
    bad("nan", 1, f"{NULL} 'a'"),
    bad("nil", 1, f"{NULL} 'i'"),
    bad("nulL", 3, f"{NULL} 'L'"),
    bad("nul ", 3, f"{NULL} a space"),
    bad("[tru]", 4, f"{TRUE} ']'"),
    bad("tRUE", 1, f"{TRUE} 'R'"),
    bad("t\n", 1, f"{TRUE} the end of the line"),
    bad("f\0", 1, f"{FALSE} the byte 0x00"),
    bad("fals\u00e9", 4, f"{FALSE} the byte 0xC3"),
    bad('{"a":fail}', 7, f"{FALSE} 'i'"),
    bad("[truefalse]", 5, f"{AFTER_ELEMENT} 'f'"),
    bad("truely", 4, f"{A_VALUE} 'l'", True),
]

NOT_OBJECTS = [
    bad("{a:1}", 1, f"{KEY_OR_END} 'a'"),
    bad("{'a':1}", 1, f"{KEY_OR_END} '''"),
    bad("{1:1}", 1, f"{KEY_OR_END} '1'"),
    bad("{null:1}", 1, f"{KEY_OR_END} 'n'"),
    bad("{[]:1}", 1, f"{KEY_OR_END} '['"),
    bad("{{}:1}", 1, f"{KEY_OR_END} '{{'"),
    bad('{,"a":1}', 1, f"{KEY_OR_END} ','"),
    bad("{:1}", 1, f"{KEY_OR_END} ':'"),
    bad("{]", 1, f"{KEY_OR_END} ']'"),
    bad('{"a"}', 4, f"{A_COLON} '}}'"),
    bad('{"a",1}', 4, f"{A_COLON} ','"),
    bad('{"a" 1}', 5, f"{A_COLON} '1'"),
    bad('{"a""b"}', 4, f"{A_COLON} '\"'"),
    bad('{"a"=1}', 4, f"{A_COLON} '='"),
    bad('{"a":}', 5, f"{A_VALUE} '}}'"),
    bad('{"a":,}', 5, f"{A_VALUE} ','"),
    bad('{"a"::1}', 5, f"{A_VALUE} ':'"),
    bad('{"a":]', 5, f"{A_VALUE} ']'"),
    bad('{"a":1,}', 7, f"{A_KEY} '}}'"),
    bad('{"a":1,,"b":2}', 7, f"{A_KEY} ','"),
    bad('{"a":1,b:2}', 7, f"{A_KEY} 'b'"),
    bad('{"a":1 "b":2}', 7, f"{AFTER_MEMBER} '\"'"),
    bad('{"a":1;"b":2}', 6, f"{AFTER_MEMBER} ';'"),
    bad('{"a":1:2}', 6, f"{AFTER_MEMBER} ':'"),
    bad('{"a":1]', 6, f"{AFTER_MEMBER} ']'"),
    bad('{"a":"b" 1}', 9, f"{AFTER_MEMBER} '1'"),
    bad("{}}", 2, f"{A_VALUE} '}}'", {}),
    bad('{"a":1}]', 7, f"{A_VALUE} ']'", {"a": N("1")}),
]

EQUAL_KEYS = [
    bad('{"a":1,"a":1}', 7, 'the key "a" stands twice in one object'),
    bad('{"a":1,"b":2, "a":3}', 14, 'the key "a" stands twice in one object'),
    bad('{"":1,"":2}', 6, 'the key "" stands twice in one object'),
    bad('{"a":1,"\\u0061":2}', 7, 'the key "a" stands twice in one object'),
    bad('{"\\"":1,"\\u0022":2}', 8, 'the key "\\"" stands twice in one object'),
    bad('{"/":1,"\\/":2}', 7, 'the key "/" stands twice in one object'),
    bad(
        '{"\U0001f600":1,"\\uD83D\\uDE00":2}', 10, 'the key "\U0001f600" stands twice in one object'
    ),
    bad('[{"a":{"b":1,"b":2}}]', 13, 'the key "b" stands twice in one object'),
    bad('{"a":{"b":1},"b":2,"a":3}', 19, 'the key "a" stands twice in one object'),
    bad('[]{"a":1,"a"', 9, 'the key "a" stands twice in one object', []),
    bad(
        f'{{"{"k" * 41}":1,"{"k" * 41}":2}}',
        47,
        f'the key "{"k" * 40}"... stands twice in one object',
    ),
    bad(
        f'{{"{"k" * 40}":1,"{"k" * 40}":2}}', 46, f'the key "{"k" * 40}" stands twice in one object'
    ),
]

NOT_ARRAYS = [
    bad("[,1]", 1, f"{VALUE_OR_END} ','"),
    bad("[,]", 1, f"{VALUE_OR_END} ','"),
    bad("[:1]", 1, f"{VALUE_OR_END} ':'"),
    bad("[}", 1, f"{VALUE_OR_END} '}}'"),
    bad("[1,]", 3, f"{A_VALUE} ']'"),
    bad("[1,,2]", 3, f"{A_VALUE} ','"),
    bad("[1 2]", 3, f"{AFTER_ELEMENT} '2'"),
    bad('[1"a"]', 2, f"{AFTER_ELEMENT} '\"'"),
    bad("[[]1]", 3, f"{AFTER_ELEMENT} '1'"),
    bad("[[][]]", 3, f"{AFTER_ELEMENT} '['"),
    bad("[{}{}]", 3, f"{AFTER_ELEMENT} '{{'"),
    bad("[1;2]", 2, f"{AFTER_ELEMENT} ';'"),
    bad('["a":1]', 4, f"{AFTER_ELEMENT} ':'"),
    bad("[1}", 2, f"{AFTER_ELEMENT} '}}'"),
    bad("[1,2,...]", 5, f"{A_VALUE} '.'"),
    bad("[]]", 2, f"{A_VALUE} ']'", []),
    bad("[1\t\r,\n]", 6, f"{A_VALUE} ']'"),
]

NOT_NUMBERS = [
    bad("+1", 0, f"{A_VALUE} '+'"),
    bad(".5", 0, f"{A_VALUE} '.'"),
    bad("-.5", 1, f"{A_DIGIT} '.'"),
    bad("--1", 1, f"{A_DIGIT} '-'"),
    bad("-+1", 1, f"{A_DIGIT} '+'"),
    bad("- 1", 1, f"{A_DIGIT} a space"),
    bad("-\t", 1, f"{A_DIGIT} a tab"),
    bad("[-]", 2, f"{A_DIGIT} ']'"),
    bad("-a", 1, f"{A_DIGIT} 'a'"),
    bad("-Infinity", 1, f"{A_DIGIT} 'I'"),
    bad("-NaN", 1, f"{A_DIGIT} 'N'"),
    bad("01", 1, f"{LEADING} '1'"),
    bad("-01", 2, f"{LEADING} '1'"),
    bad("[00]", 2, f"{LEADING} '0'"),
    bad("-00.5", 2, f"{LEADING} '0'"),
    bad("1. ", 2, f"{A_DIGIT} a space"),
    bad("[1.]", 3, f"{A_DIGIT} ']'"),
    bad("1.e5", 2, f"{A_DIGIT} 'e'"),
    bad("1.-5", 2, f"{A_DIGIT} '-'"),
    bad("1..5", 2, f"{A_DIGIT} '.'"),
    bad("0.x", 2, f"{A_DIGIT} 'x'"),
    bad("[1e]", 3, f"{A_DIGIT} ']'"),
    bad("1e 5", 2, f"{A_DIGIT} a space"),
    bad("1e+\r5", 3, f"{A_DIGIT} a carriage return"),
    bad("1E--5", 3, f"{A_DIGIT} '-'"),
    bad("1e.5", 2, f"{A_DIGIT} '.'"),
    bad("1ee5", 2, f"{A_DIGIT} 'e'"),
    bad("1.\u0663", 2, f"{A_DIGIT} the byte 0xD9"),
    bad("1.5.5", 3, f"{A_VALUE} '.'", N("1.5")),
    bad("1e5.5", 3, f"{A_VALUE} '.'", N("1e5")),
    bad("1e5e5", 3, f"{A_VALUE} 'e'", N("1e5")),
    bad("0x1F", 1, f"{A_VALUE} 'x'", N("0")),
    bad("0b1", 1, f"{A_VALUE} 'b'", N("0")),
    bad("1_000", 1, f"{A_VALUE} '_'", N("1")),
    bad("1,000", 1, f"{A_VALUE} ','", N("1")),
    bad("1n", 1, f"{APART} 'n'", N("1")),
    bad("1L", 1, f"{A_VALUE} 'L'", N("1")),
    bad("1f", 1, f"{APART} 'f'", N("1")),
    bad("1/2", 1, f"{A_VALUE} '/'", N("1")),
    bad("1+2", 1, f"{A_VALUE} '+'", N("1")),
    bad("[1-2]", 2, f"{AFTER_ELEMENT} '-'"),
    bad("[1+2]", 2, f"{AFTER_ELEMENT} '+'"),
    bad("[0.1.2]", 4, f"{AFTER_ELEMENT} '.'"),
    bad("\uff11", 0, f"{A_VALUE} the byte 0xEF"),
    bad("[\uff11]", 1, f"{VALUE_OR_END} the byte 0xEF"),
    bad("1\u00bd", 1, f"{A_VALUE} the byte 0xC2", N("1")),
    bad("$1", 0, f"{A_VALUE} '$'"),
]

TOUCHING = [
    bad("1-2", 1, f"{APART} '-'", N("1")),
    bad("1true", 1, f"{APART} 't'", N("1")),
    bad("true1", 4, f"{APART} '1'", True),
    bad("truefalse", 4, f"{APART} 'f'", True),
    bad("nullnull", 4, f"{APART} 'n'", None),
    bad("null-", 4, f"{APART} '-'", None),
    bad("1.5-0", 3, f"{APART} '-'", N("1.5")),
    bad("[]1[]2null", 6, f"{APART} 'n'", [], N("1"), [], N("2")),
    bad('"a"1"b"true2', 11, f"{APART} '2'", "a", N("1"), "b", True),
]

NOT_STRINGS = [
    bad('"\n"', 1, f"{CONTROL} the end of the line"),
    bad('"\t"', 1, f"{CONTROL} a tab"),
    bad('"a\r"', 2, f"{CONTROL} a carriage return"),
    *(
        bad(f'["a{chr(code)}"]', 3, f"{CONTROL} the byte 0x{code:02X}")
        for code in range(0x20)
        if code not in (0x09, 0x0A, 0x0D)
    ),
    bad('{"\n":1}', 2, f"{CONTROL} the end of the line"),
    bad(r'"\a"', 2, f"{ESCAPE} 'a'"),
    bad(r'"\x41"', 2, f"{ESCAPE} 'x'"),
    bad(r'"\0"', 2, f"{ESCAPE} '0'"),
    bad(r'"\v"', 2, f"{ESCAPE} 'v'"),
    bad(r'"\N"', 2, f"{ESCAPE} 'N'"),
    bad(r'"\U00000041"', 2, f"{ESCAPE} 'U'"),
    bad('"\\\'"', 2, f"{ESCAPE} '''"),
    bad(r'"\ "', 2, f"{ESCAPE} a space"),
    bad('"a\\\n"', 3, f"{ESCAPE} the end of the line"),
    bad('"\\\u00e9"', 2, f"{ESCAPE} the byte 0xC3"),
    bad('"\\\0"', 2, f"{ESCAPE} the byte 0x00"),
    bad(r'{"\q":1}', 3, f"{ESCAPE} 'q'"),
    bad(r'"\u"', 3, f"{HEX} '\"'"),
    bad(r'"\u004"', 6, f"{HEX} '\"'"),
    bad(r'"\u004g"', 6, f"{HEX} 'g'"),
    bad(r'"\u00 41"', 5, f"{HEX} a space"),
    bad(r'"\u{41}"', 3, f"{HEX} '{{'"),
    bad(r'"\u+041"', 3, f"{HEX} '+'"),
    bad(r'"\u0x41"', 4, f"{HEX} 'x'"),
    bad('"\\u00\uff11"', 5, f"{HEX} the byte 0xEF"),
    bad(r'"\u\u0041"', 3, f"{HEX} '\\'"),
    bad(r'"\uD8"', 5, f"{HEX} '\"'"),
    bad(r'"\uD83g"', 6, f"{HEX} 'g'"),
    bad(r'"\uDz00"', 4, f"{HEX} 'z'"),
]

LONE_SURROGATES = [
    bad(r'"\uD800"', 1, LONE),
    bad(r'"\uDBFF"', 1, LONE),
    bad(r'"ab\ud800"', 3, LONE),
    bad(r'"\uD800x"', 1, LONE),
    bad(r'"\uD800 \uDC00"', 1, LONE),
    bad('"\\uD800\u00e9"', 1, LONE),
    bad(b'"\\uD800\xff"', 1, LONE),
    bad(b'"\\uD800\x00"', 1, LONE),
    bad(r'"\uD800\n"', 1, LONE),
    bad(r'"\uD800\q"', 1, LONE),
    bad(r'"\uD800\\uDC00"', 1, LONE),
    bad(r'"\uD800\u0041"', 1, LONE),
    bad(r'"\uD800\uD800\uDC00"', 1, LONE),
    bad(r'"\uD83D\uD83D"', 1, LONE),
    bad(r'"\uD800\uE000"', 1, LONE),
    bad(r'"\uD800\uDBFF"', 1, LONE),
    bad(r'"\ud800\udbff"', 1, LONE),
    bad(r'"\uD800\u"', 1, LONE),
    bad(r'"\uD800\ud"', 1, LONE),
    bad(r'"\uD800\udc0"', 1, LONE),
    bad(r'"\uD800\udcxy"', 1, LONE),
    bad(r'"\uDC00"', 1, LONE),
    bad(r'"\uDFFF"', 1, LONE),
    bad(r'"\udc"', 1, LONE),
    bad(r'"\uDexy"', 1, LONE),
    bad(r'"\uDE00\uD83D"', 1, LONE),
    bad(r'"\uD83D\uDE00\uDE00"', 13, LONE),
    bad(r'"\n\uD83D\uDE00\n\uD83D"', 17, LONE),
    bad(r'{"\uD800":1}', 2, LONE),
    bad(r'[] "a" "\uDC00"', 8, LONE, [], "a"),
]

NO_START = "begins no character"
NO_GOING_ON = "does not continue a character"
NOT_UTF_8 = [
    bad(b'"\x80"', 1, f"{UTF_8} the byte 0x80 {NO_START}"),
    bad(b'"\xbf"', 1, f"{UTF_8} the byte 0xBF {NO_START}"),
    bad(b'"\xc0\x80"', 1, f"{UTF_8} the byte 0xC0 {NO_START}"),
    bad(b'"\xc1\xbf"', 1, f"{UTF_8} the byte 0xC1 {NO_START}"),
    bad(b'"\xf5\x80\x80\x80"', 1, f"{UTF_8} the byte 0xF5 {NO_START}"),
    bad(b'"\xfe"', 1, f"{UTF_8} the byte 0xFE {NO_START}"),
    bad(b'"\xff"', 1, f"{UTF_8} the byte 0xFF {NO_START}"),
    bad(b'"caf\xe9"', 5, f"{UTF_8} '\"' {NO_GOING_ON}"),
    bad(b'"\xe9t\xe9"', 2, f"{UTF_8} 't' {NO_GOING_ON}"),
    bad(b'"a\xc3"', 3, f"{UTF_8} '\"' {NO_GOING_ON}"),
    bad(b'"\xc3\n"', 2, f"{UTF_8} the end of the line {NO_GOING_ON}"),
    bad(b'"\xc3\\n"', 2, f"{UTF_8} '\\' {NO_GOING_ON}"),
    bad(b'"\xc3\xc3\xa9"', 2, f"{UTF_8} the byte 0xC3 {NO_GOING_ON}"),
    bad(b'"\xe0\x9f\xbf"', 2, f"{UTF_8} the byte 0x9F {NO_GOING_ON}"),
    bad(b'"\xed\xa0\x80"', 2, f"{UTF_8} the byte 0xA0 {NO_GOING_ON}"),
    bad(b'"\xed\xbf\xbf"', 2, f"{UTF_8} the byte 0xBF {NO_GOING_ON}"),
    bad(b'"\xed\xa0"', 2, f"{UTF_8} the byte 0xA0 {NO_GOING_ON}"),
    bad(b'["\xed\xbf', 3, f"{UTF_8} the byte 0xBF {NO_GOING_ON}"),
    bad(b'"\xed\xa0\xa0x', 2, f"{UTF_8} the byte 0xA0 {NO_GOING_ON}"),
    bad(b'"\xf0\x8f\xbf\xbf"', 2, f"{UTF_8} the byte 0x8F {NO_GOING_ON}"),
    bad(b'"\xf4\x90\x80\x80"', 2, f"{UTF_8} the byte 0x90 {NO_GOING_ON}"),
    bad(b'"\xe2\x82"', 3, f"{UTF_8} '\"' {NO_GOING_ON}"),
    bad(b'"\xe2\x82x"', 3, f"{UTF_8} 'x' {NO_GOING_ON}"),
    bad(b'"\xf0\x9f\x98"', 4, f"{UTF_8} '\"' {NO_GOING_ON}"),
    bad(b'"\xf0\x9f\x98\xff"', 4, f"{UTF_8} the byte 0xFF {NO_GOING_ON}"),
    bad(b'"\xc3\xa9\xc3\xa9\x80"', 5, f"{UTF_8} the byte 0x80 {NO_START}"),
    bad(b'{"\xff":1}', 2, f"{UTF_8} the byte 0xFF {NO_START}"),
    bad(b'[1]["\xff"]', 5, f"{UTF_8} the byte 0xFF {NO_START}", [N("1")]),
]

FOREIGN = [
    bad("\ufeff", 0, f"{A_VALUE} the byte 0xEF"),
    bad("\ufeff[]", 0, f"{A_VALUE} the byte 0xEF"),
    bad("[]\n\ufeff[]", 3, f"{A_VALUE} the byte 0xEF", []),
    bad("[]".encode("utf-16-le"), 1, f"{VALUE_OR_END} the byte 0x00"),
    bad("[]".encode("utf-16-be"), 0, f"{A_VALUE} the byte 0x00"),
    bad(b"\xff\xfe[\0]\0", 0, f"{A_VALUE} the byte 0xFF"),
    bad(b"\xfe\xff\0[\0]", 0, f"{A_VALUE} the byte 0xFE"),
    bad(b"\x1f\x8b\x08", 0, f"{A_VALUE} the byte 0x1F"),
    bad(b"[\xe9]", 1, f"{VALUE_OR_END} the byte 0xE9"),
]

CUT_SHORT = [
    end("[", "an array"),
    end("[[]", "an array"),
    end("[1", "an array"),
    end("[1,", "an array"),
    end("[1, ", "an array"),
    end('["a"', "an array"),
    end('[{"a":1}\n', "an array"),
    end("{", "an object"),
    end('{"a"', "an object"),
    end('{"a":', "an object"),
    end('{"a": 1', "an object"),
    end('{"a":1,', "an object"),
    end('[{"a":[]', "an object"),
    end('{"a":[{}', "an array"),
    end('{"', "a key"),
    end('{"a":1,"a', "a key"),
    end('{"\\u00', "a key"),
    end('"', "a string"),
    end('"a', "a string"),
    end("\"a'", "a string"),
    end('["a', "a string"),
    end('"\\', "a string"),
    end('"\\u', "a string"),
    end('"\\u004', "a string"),
    end('"\\uD83D', "a string"),
    end('"\\uD83D\\', "a string"),
    end('"\\uD83D\\uDE0', "a string"),
    end(b'"\xc3', "a string"),
    end(b'"\xf0\x9f\x98', "a string"),
    end('"a\\"', "a string"),
    end("t", "the word true"),
    end("[fals", "the word false"),
    end("1 nul", "the word null", N("1")),
    end("-", "a number"),
    end("1.", "a number"),
    end("1e", "a number"),
    end("[1E+", "a number"),
    end("[] 0.", "a number", []),
]

REFUSED = [
    *(NOT_BETWEEN_TOKENS + NOT_WORDS + NOT_OBJECTS + EQUAL_KEYS + NOT_ARRAYS + NOT_NUMBERS),
    *(TOUCHING + NOT_STRINGS + LONE_SURROGATES + NOT_UTF_8 + FOREIGN + CUT_SHORT),
]


@each_way
@pytest.mark.parametrize("row", REFUSED, ids=lambda row: ascii(row.text[:40]))
def test_what_is_refused_says_at_which_byte_and_why_and_keeps_what_came_before(
    row: Bad, read: Read
) -> None:
    fault = Fault(row.offset, row.reason, row.cut_short)
    assert read(row.text) == Decoded(row.before, fault)


def test_no_text_stands_twice_in_the_tables() -> None:
    texts = [row.text for row in ACCEPTED] + [row.text for row in REFUSED]
    assert sorted(texts) == sorted(set(texts))


def test_a_byte_that_cannot_continue_a_character_is_at_fault_at_once_bug() -> None:
    """Python's incremental decoder takes 0xED 0xA0 for the beginning of a character, though none of
    a surrogate's three bytes may stand in UTF-8: the fault came a byte late, or not at all."""
    characters = [*range(0x80, 0xD800), *range(0xE000, 0x10000), *range(0x10000, 0x110000, 0x1000)]
    beginnings = {chr(code).encode()[:2] for code in characters}
    for first in range(0x80, 0x100):
        begun = any(pair[0] == first for pair in beginnings)
        for second in range(0x80, 0x100):
            decoder = Decoder(PROGRAM_DEPTH)
            decoder.feed(bytes([0x22, first, second]))
            offset = None if decoder.fault is None else decoder.fault.offset
            expected = None if bytes([first, second]) in beginnings else 2 if begun else 1
            assert (first, second, offset) == (first, second, expected)


PAGE = (Path(__file__).parents[2] / "docs" / "json.md").read_text()


def test_the_reasons_on_the_page_are_those_that_are_given() -> None:
    rows = re.findall(r"^\| `(.+)` \| ([0-9]+) \| (.+) \|$", PAGE, re.M)
    assert len(rows) == 29
    for text, offset, reason in rows:
        fault = decode(text.encode()).fault
        assert fault is not None
        assert (text, fault.offset, fault.reason) == (text, int(offset), reason)


def test_what_the_page_says_that_others_take_is_refused() -> None:
    section = PAGE.partition("## Refused")[2].partition("## Which byte")[0]
    texts = [
        text
        for row in re.findall(r"^\|.*\|(.*)\|$", section, re.M)
        for text in row.split("`")[1::2]
    ]
    assert len(texts) == 16
    assert [text for text in texts if decode(text.encode()).fault is None] == []


# --- depth


@each_way
def test_the_judge_reads_brackets_10_000_deep_and_no_deeper(read: Read) -> None:
    deepest = b"[" * JUDGE_DEPTH + b"]" * JUDGE_DEPTH
    assert read(deepest).fault is None
    reason = "brackets nested more than 10000 deep"
    assert read(b"[1]" + b"[" + deepest) == Decoded([[N("1")]], Fault(JUDGE_DEPTH + 3, reason))


def test_the_programs_read_brackets_512_deep_and_no_deeper() -> None:
    assert fed([b"[" * 512], PROGRAM_DEPTH).fault == Fault(
        512, "the text ends inside an array", True
    )
    reason = "brackets nested more than 512 deep"
    assert fed([b"[" * 513], PROGRAM_DEPTH).fault == Fault(512, reason)


@pytest.mark.parametrize(
    ("text", "offset"),
    [
        ("[[[]]]", 2),
        ("[{}, [], [[]]]", 10),
        ('{"a":{"b":{', 10),
        ('{"a":[],"b":[{', 13),
        ('["[[[", [] ,"]]]", [[', 20),
        ('["\\"[[", [[', 10),
        ("[[1], [[2]]]", 7),
        ("[[]][{}][[]{", 11),
        ("[1,2[", 4),
    ],
)
@pytest.mark.parametrize("cut", [1, 1000])
def test_brackets_of_both_kinds_count_and_those_in_strings_do_not(
    text: str, offset: int, cut: int
) -> None:
    data = text.encode()
    chunks = [data[at : at + cut] for at in range(0, len(data), cut)]
    fault = fed(chunks, max_depth=2).fault
    assert fault is not None and fault.offset == offset
    assert fault == decode(data, max_depth=2).fault


def test_where_no_bracket_is_allowed_only_scalars_are_read() -> None:
    assert fed([b'1 "a"true'], max_depth=0) == Decoded([N("1"), "a", True], None)
    assert fed([b"1{"], max_depth=0).fault == Fault(1, "brackets nested more than 0 deep")


# --- what comes when


def step_by_step(*steps: tuple[bytes, list[Json]]) -> Decoder:
    """A decoder that has been fed these chunks, and gave these values for each."""
    decoder = Decoder(PROGRAM_DEPTH)
    assert [(chunk, decoder.feed(chunk)) for chunk, _ in steps] == list(steps)
    return decoder


def test_a_value_comes_with_the_byte_that_completes_it() -> None:
    decoder = step_by_step(
        (b"[1", []),
        (b"]", [[N("1")]]),
        (b'"a', []),
        (b'"', ["a"]),
        (b"tru", []),
        (b"e", [True]),
        (b' {"a"', []),
        (b':2}[]"', [{"a": N("2")}, []]),
        (b'"', [""]),
    )
    assert (decoder.close(), decoder.fault) == ([], None)


def test_a_number_at_top_level_comes_with_what_follows_it_or_with_the_end() -> None:
    decoder = step_by_step(
        (b"1", []),
        (b"2", []),
        (b"\n3", [N("12")]),
        (b"[", [N("3")]),
        (b"4]5", [[N("4")]]),
    )
    assert (decoder.close(), decoder.close(), decoder.fault) == ([N("5")], [], None)


def test_an_empty_chunk_changes_nothing() -> None:
    pieces = [b'["', b"\xc3", b"\xa9\\", b"u00", b"e9", b'",1', b"5,tr", b"ue]"]
    chunks = [chunk for piece in pieces for chunk in (b"", piece, b"")]
    assert fed(chunks) == Decoded([["\u00e9\u00e9", N("15"), True]], None)


def test_a_fault_is_known_as_soon_as_its_byte_is_read() -> None:
    decoder = step_by_step((b"1 [2,", [N("1")]))
    assert decoder.fault is None
    decoder.feed(b"]")
    assert decoder.fault == Fault(5, "a value expected, found ']'")


def test_after_a_fault_nothing_comes_and_the_fault_stays() -> None:
    decoder = step_by_step((b"[1]]", [[N("1")]]), (b"[2] ?", []))
    fault = Fault(3, "a value expected, found ']'")
    assert (decoder.fault, decoder.close(), decoder.fault) == (fault, [], fault)


def test_it_is_known_whether_a_value_has_begun() -> None:
    decoder = Decoder(PROGRAM_DEPTH)
    seen = ""
    for byte in b' [1] "a" 2 t':
        decoder.feed(bytes([byte]))
        seen += "#" if decoder.inside_value else "."
    assert seen == ".##..##..#.#"


def test_members_keep_the_order_of_the_text() -> None:
    (value,) = fed([b'{"b":1,"a":2,"c":3}']).values
    assert isinstance(value, dict) and list(value) == ["b", "a", "c"]


# --- every byte is seen once


class Watched(bytes):
    """Bytes that count how many of them were looked at one by one, or copied."""

    taken = 0

    def __getitem__(self, at: SupportsIndex | slice) -> Any:  # bytes say int or bytes, by overload
        got = super().__getitem__(at)
        if isinstance(got, int):
            Watched.taken += 1
            return got
        Watched.taken += len(got)
        return Watched(got)

    def __radd__(self, before: bytes) -> bytes:
        Watched.taken += len(before) + len(self)
        return Watched(bytes(before) + bytes(self))


def work(chunks: Sequence[bytes]) -> int:
    """Calls that the decoder makes (of Python's and of C's functions; a regular expression's match
    is one) and bytes that it takes, in reading these chunks: the same in every run."""
    calls = 0

    def count(frame: FrameType, event: str, _about: object) -> None:
        nonlocal calls
        # Only the decoder's own: the collector of garbage may call others at any time.
        if frame.f_globals["__name__"] == "harness.jsontext":
            calls += event in ("call", "c_call")

    watched = [Watched(chunk) for chunk in chunks]
    Watched.taken = 0
    decoder = Decoder(PROGRAM_DEPTH)
    before = sys.getprofile()
    sys.setprofile(count)
    try:
        for chunk in watched:
            decoder.feed(chunk)
    finally:
        sys.setprofile(before)
    assert decoder.fault is None
    return calls + Watched.taken


LONG = {
    "white space": (b"", b" \t\n\r"),
    "white space in an object": (b'{"a"', b"  "),
    "a string": (b'"', b"abc"),
    "a string, cut in its characters": (b'"\xf0\x9f\x98', b"\x80\xf0\x9f\x98"),
    "a string of escapes": (b'["', b"\\n"),
    "a string of surrogate pairs, cut in them": (b'"\\uD83D\\u', b"DE00\\uD83D\\u"),
    "a key": (b'{"', b"ab"),
    "an integer": (b"1", b"23"),
    "a fraction": (b"1.0", b"000"),
    "an exponent": (b"1e5", b"5"),
    "an array": (b"[1", b",2"),
    "values": (b"", b"1 "),
}


@pytest.mark.parametrize("kind", LONG)
def test_what_comes_in_many_chunks_is_never_looked_at_again(kind: str) -> None:
    begin, more = LONG[kind]
    short, longer, longest = (work([begin] + [more] * count) for count in (500, 1000, 1500))
    assert longest - longer == longer - short


@pytest.mark.parametrize(
    ("kind", "copies"), [("white space", 0), ("a string", 2), ("a key", 2), ("a fraction", 1)]
)
def test_a_run_in_one_chunk_is_one_step_however_long(kind: str, copies: int) -> None:
    begin, more = LONG[kind]
    short, long = work([begin + more * 1000]), work([begin + more * 2000])
    assert long - short == copies * len(more) * 1000


# --- the printer


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "null"),
        (True, "true"),
        (False, "false"),
        (0, "0"),
        (-12, "-12"),
        (2**64, "18446744073709551616"),
        (N("1.50e+07"), "1.50e+07"),
        ("", '""'),
        ([], "[]"),
        ((), "[]"),
        ({}, "{}"),
        ([[], {}, [[]]], "[[],{},[[]]]"),
        ([1, "a", None, [True]], '[1,"a",null,[true]]'),
        ((1, (2, [3])), "[1,[2,[3]]]"),
        ({"b": 1, "a": [2], "": {"c": {}}}, '{"b":1,"a":[2],"":{"c":{}}}'),
        ({'"': '"'}, r'{"\"":"\""}'),
        ('"\\/\b\f\n\r\t', r'"\"\\/\b\f\n\r\t"'),
        ("\0\x1f\x7f", r'"\u0000\u001f\u007f"'),
        ("\x80\u00e9\u2028\U0001f600", '"\x80\u00e9\u2028\U0001f600"'),
    ],
    ids=ascii,
)
def test_a_value_is_printed_on_one_line_without_white_space(value: Printable, text: str) -> None:
    assert encode(value) == text


def test_a_value_of_any_depth_is_printed() -> None:
    value: Json = "x"
    for level in range(100_000):
        value = [value] if level % 2 else {"k": value}
    assert encode(value) == '[{"k":' * 50_000 + '"x"' + "}]" * 50_000


# --- numbers as values


def test_numbers_are_compared_as_they_are_spelled() -> None:
    assert N("1") == N("1")
    assert hash(N("1")) == hash(N("1"))
    assert N("1") != N("1.0")
    assert N("1") != "1"
    assert repr(N("1e5")) == "Number('1e5')"

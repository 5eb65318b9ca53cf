"""The fast reading of whole texts: that it is used, and where it gives way. The tables of texts in
test_jsontext.py are read by it too."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType

import pytest

from harness.jsonfast import Decoded, decode
from harness.jsontext import JUDGE_DEPTH, LAXITIES, Decoder, Fault, Json, Number, encode

N = Number


def slow(text: bytes, max_depth: int = JUDGE_DEPTH) -> Decoded:
    """What the decoder makes of a text."""
    decoder = Decoder(max_depth)
    values = decoder.feed(text) + decoder.close()
    return Decoded(values, decoder.fault)


def is_read_slowly(text: bytes, max_depth: int = JUDGE_DEPTH) -> bool:
    """Whether the decoder is called to read a text."""
    called = set()

    def note(frame: FrameType, _event: str, _about: object) -> None:
        called.add(frame.f_code)

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        decode(text, max_depth)
    finally:
        sys.setprofile(before)
    return Decoder.feed.__code__ in called


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b" \r\n\t",
        b'[1,2.5e3,"a"]{"b":null}"c"true false\n-0',
        b'"\\u00e9\\n\\"" "\xc3\xa9"',
        b"[[[[[[]]]]]]",
        b'1"a"true[]null{}-0"b"',
        b"[" * 100 + b"]" * 100,
        b"9" * 10_000,
        b"1e" + b"9" * 10_000,
    ],
)
def test_what_needs_no_second_look_is_read_by_the_scanner_alone(text: bytes) -> None:
    assert not is_read_slowly(text)
    assert decode(text) == slow(text)


@pytest.mark.parametrize(
    "text",
    [
        b"[1,]",
        b"1true",
        b"NaN",
        b"-Infinity",
        b'{"a":1,"a":1}',
        b'"\xff"',
        b'"\\ud83d\\ude00"',
        b'"\\uDE00"',
        b"\xef\xbb\xbf1",
        b"[" * 5000 + b"?",
    ],
)
def test_what_the_scanner_refuses_or_would_be_lax_with_is_read_by_the_decoder(text: bytes) -> None:
    assert is_read_slowly(text)
    assert decode(text) == slow(text)


def test_numbers_keep_their_spelling() -> None:
    assert decode(b"[-0,1E+05,0.10]") == Decoded([[N("-0"), N("1E+05"), N("0.10")]], None)


def test_values_before_a_fault_are_kept() -> None:
    fault = Fault(8, "the word true expected, found 'u'")
    assert decode(b'[1] "a"tuu') == Decoded([[N("1")], "a"], fault)


@pytest.mark.parametrize(
    ("text", "slowly"),
    [
        (b"[[]]" * 3, False),
        (b'{"a":[]}[][][]', False),
        (b"[[[]]]", True),
        (b"[] [{}] [[{}]]", True),
        (b'["[[[[","]]",[]]', False),
        (b'["\\"[[[",[]]', False),
        (b'["\\\\",[],"[","\\\\\\"]"]', False),
        (b'["\\\\",[[]],"["]', True),
        (b'["]]]]",[[]]]', True),
        (b'{"[":{"{":"}"},"]":[]}', False),
        (b'{"}":{"{":{}}}', True),
    ],
)
def test_depth_is_counted_outside_of_strings(text: bytes, slowly: bool) -> None:
    assert is_read_slowly(text, 2) is slowly
    assert decode(text, 2) == slow(text, 2)
    assert (decode(text, 2).fault is not None) is slowly


def test_a_text_that_closes_more_brackets_than_it_opens_is_the_decoders_matter() -> None:
    text = b"]]]][[[["
    assert decode(text, 2) == Decoded([], Fault(0, "a value expected, found ']'"))


@pytest.mark.parametrize(
    "deep",
    [
        lambda depth: b"[" * depth + b"]" * depth,
        lambda depth: b'{"k":' * depth + b"1" + b"}" * depth,
        lambda depth: b'[{"":' * (depth // 2) + b"[]" * (depth % 2) + b"}]" * (depth // 2),
    ],
)
def test_values_nested_as_deep_as_may_be_are_read_and_printed(
    deep: Callable[[int], bytes],
) -> None:
    for depth in (900, 1100, 9_999, 10_000):
        text = deep(depth).replace(b":}", b":1}")
        decoded = decode(text)
        assert decoded.fault is None
        assert [encode(value).encode() for value in decoded.values] == [text]


def test_a_text_of_brackets_and_then_of_quotes_is_read_in_one_pass_bug() -> None:
    """Each quote of a string that was never closed was looked at as the beginning of another, so
    that 16 MB of a hostile program's output would have kept the harness busy for weeks. Had it come
    back, this test would not end."""
    text = b"[" * (JUDGE_DEPTH + 1) + b'"' + b'\\"' * 1_000_000
    assert decode(text).fault == Fault(JUDGE_DEPTH, "brackets nested more than 10000 deep")


@pytest.mark.parametrize(
    ("allow", "text", "values"),
    [
        ("duplicate-keys", b'{"a":1,"b":2,"a":3}', [{"a": N("3"), "b": N("2")}]),
        ("nan", b"[NaN,Infinity] -Infinity", [[N("NaN"), N("Infinity")], N("-Infinity")]),
        ("lone-surrogates", b'"\\uDE00\\ud83d" "\\ud83d\\u0041"', ["\ude00\ud83d", "\ud83dA"]),
    ],
)
def test_what_is_allowed_is_read_and_nothing_else(
    allow: str, text: bytes, values: list[Json]
) -> None:
    assert decode(text, allow=[allow]) == Decoded(values, None)
    decoder = Decoder(JUDGE_DEPTH, [allow])
    assert Decoded(decoder.feed(text) + decoder.close(), decoder.fault) == Decoded(values, None)
    others = [name for name in LAXITIES if name != allow]
    assert decode(text, allow=others).fault == decode(text).fault
    assert decode(text).fault is not None


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (b"1NaN", Fault(1, "white space expected between two values, found 'N'")),
        (b"NaM", Fault(2, "the word NaN expected, found 'M'")),
        (b"-Inf", Fault(4, "the text ends inside the word Infinity", cut_short=True)),
        (b"-NaN", Fault(1, "a digit expected in a number, found 'N'")),
        (b"-1Infinity", Fault(2, "white space expected between two values, found 'I'")),
        (b"{NaN:1}", Fault(1, "a key in quotes or '}' expected, found 'N'")),
        (b'"\xed\xa0\x80"', Fault(2, "invalid UTF-8: the byte 0xA0 does not continue a character")),
    ],
)
def test_what_is_allowed_has_its_limits(text: bytes, fault: Fault) -> None:
    assert decode(text, allow=LAXITIES).fault == fault


def test_half_a_pair_is_printed_as_an_escape() -> None:
    assert encode({"\ud800": "\u00e9\udfff"}) == '{"\\ud800":"\u00e9\\udfff"}'

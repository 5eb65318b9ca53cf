"""Laws of JSON texts: chunks do not matter, what is printed is read back, the fast reader and the
decoder are one, and a fault stands where it is first certain.

A second judge lives here, made of Python's own json and the few rules in which ours are stricter.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from random import Random
from typing import Any, Final

from hypothesis import example, given, settings
from hypothesis import strategies as st
from support.json_texts import SEEDS, STREAMS, VALUES, stream_text

from harness.jsonio.decoder import EXTENSIONS, JUDGE_DEPTH, Decoder, Json, JsonError, Number, encode
from harness.jsonio.fast import Decoded, decode
from harness.jsonio.positions import position_of_value

_law = settings(max_examples=100)

# --- texts that may be broken

_PIECES: Final = [
    *(b'"', b"\\", b"[", b"]", b"{", b"}", b",", b":", b" ", b"\n", b"\x00", b"\x7f", b"'"),
    *(b"0", b"7", b"-", b"+", b".", b"e", b"E", b"1.5e3", b"01", b"true", b"fals", b"null", b"NaN"),
    *(b"Infinity", b"\\u", b"\\n", b"\\q", b"\\u0041", b"\\uD83D", b"\\uDE00", b"\\ud83d\\ude00"),
    *(b"dc", b"D8", b"\xc3", b"\xa9", b"\xe2\x82", b"\xf0\x9f\x98\x80", b"\xed\xa0", b"\x80"),
    *(b"\xff", b"\xef\xbb\xbf", b'"a"', b'"a":1,', b'{"a":1,"a":', b'{"":', b"[[[", b"]]]", b'""'),
]
_SOUP: Final = st.lists(st.sampled_from(_PIECES), max_size=12).map(b"".join)


@st.composite
def _mutated(draw: st.DrawFn) -> bytes:
    """A text that was valid, with up to three bytes taken out and pieces put in."""
    text = stream_text(draw(STREAMS), Random(draw(SEEDS)))
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(text)))
        gone = draw(st.integers(0, 1))
        text = text[:at] + draw(st.sampled_from([b"", *_PIECES])) + text[at + gone :]
    return text


_ANY_BYTES: Final = st.one_of(_mutated(), _SOUP, st.binary(max_size=30))


def whole(text: bytes, max_depth: int = JUDGE_DEPTH) -> Decoded:
    return in_chunks([text], max_depth)


def in_chunks(
    chunks: list[bytes], max_depth: int = JUDGE_DEPTH, allow: frozenset[str] = frozenset()
) -> Decoded:
    decoder = Decoder(max_depth, allow)
    values = [value for chunk in chunks for value in decoder.feed(chunk)]
    return Decoded(values + decoder.close(), decoder.fault)


def cut(text: bytes, random: Random) -> list[bytes]:
    """A text in chunks, some of them empty."""
    places = sorted(random.randint(0, len(text)) for _ in range(random.randrange(8)))
    return [
        text[left:right] for left, right in zip([0, *places], [*places, len(text)], strict=True)
    ]


# --- the second judge


class _Stricter(ValueError):
    """Python's json takes it, and we do not."""


def judged(text: bytes) -> list[Json] | None:
    """The values of a text by Python's own json, held to the rules of docs/json.md; None: refused.
    For texts that are not deep."""
    try:
        source = text.decode()
        values = []
        end = _past_white(source, 0)
        while end < len(source):
            value, stopped = _PYTHONS.raw_decode(source, end)
            if _LONE_HALF.search(encode(value)):
                raise _Stricter
            end = _past_white(source, stopped)
            if end == stopped and _is_unquoted(value) and source[end : end + 1] in _UNQUOTED:
                raise _Stricter
            values.append(value)
        return values
    except ValueError:
        return None


# An escape, and not what follows a backslash that is itself escaped.
_LONE_HALF: Final = re.compile(r"(?<!\\)(?:\\\\)*\\ud[89a-f]")


def _past_white(source: str, at: int) -> int:
    return len(source) - len(source[at:].lstrip(" \t\r\n"))


def _is_unquoted(value: Json) -> bool:
    return not isinstance(value, (str, list, dict))


def _no_constant(_name: str) -> Any:
    raise _Stricter


def _distinct(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    if len(dict(pairs)) < len(pairs):
        raise _Stricter
    return dict(pairs)


_UNQUOTED: Final = tuple("tfn-0123456789")
_PYTHONS: Final = json.JSONDecoder(
    object_pairs_hook=_distinct, parse_int=Number, parse_float=Number, parse_constant=_no_constant
)


# --- reading


@_law
@given(STREAMS, SEEDS)
def test_however_a_stream_is_spelled_its_values_are_read(values: list[Json], seed: int) -> None:
    text = stream_text(values, Random(seed))
    assert whole(text) == Decoded(values, None)
    assert decode(text) == Decoded(values, None)


@_law
@given(_ANY_BYTES)
@example(b"1true")
@example(b'"\\ud83d\\ude00"')
@example(b'"\\ud83d\\u0041"')
def test_what_is_accepted_is_what_pythons_json_accepts_but_for_our_stricter_rules(
    text: bytes,
) -> None:
    decoded = whole(text)
    assert (decoded.values if decoded.fault is None else None) == judged(text)


def parts(value: Json) -> Iterator[tuple[tuple[int | str, ...], Json]]:
    """Yield the steps to each value in a value."""
    yield (), value
    members = enumerate(value) if isinstance(value, list) else ()
    for step, inner in value.items() if isinstance(value, dict) else members:
        yield from (((step, *steps), found) for steps, found in parts(inner))


@settings(max_examples=60)
@given(STREAMS, SEEDS)
def test_the_position_of_a_value_is_where_its_text_begins(values: list[Json], seed: int) -> None:
    text = stream_text(values, Random(seed))
    lines = text.decode().split("\n")
    for steps, value in parts(values):
        if steps:
            line, column = position_of_value(text, steps)
            rest = "\n".join([lines[line - 1][column - 1 :], *lines[line:]])
            assert _PYTHONS.raw_decode(rest)[0] == value


# --- printing


@_law
@given(VALUES)
def test_what_is_printed_is_read_back(value: Json) -> None:
    """decode(encode(value)) = value, and members keep their order; json.loads agrees."""
    line = encode(value)
    (read,) = whole(line.encode()).values
    assert read == value
    assert encode(read) == line
    assert _PYTHONS.decode(line) == value


# --- where a fault stands


_RETROSPECTIVE: Final = {"a lone surrogate": b"\\", "the key": b'"'}


def certain_after(text: bytes) -> int:
    """The length of the shortest prefix that is refused without being closed."""
    decoder = Decoder(JUDGE_DEPTH)
    for at in range(len(text)):
        decoder.feed(text[at : at + 1])
        if decoder.fault is not None:
            return at + 1
    raise AssertionError("the text is not refused before its end")


@_law
@given(_ANY_BYTES)
@example(b'{"a":1,"b":2,"a" :3}')
@example(b'"\\ud800\\udc0x"')
@example(b'["\\udc')
@example(b'"\xe0\x80\x80"')
@example(b'"\xed\xa0\x80"')
@example(b"-01")
def test_a_fault_stands_at_the_first_byte_at_which_it_is_certain(text: bytes) -> None:
    """Up to that byte the text can be completed to a stream, and with it to none. The fault names
    that byte, save that a lone surrogate's backslash and a second equal key's quote stand before
    it. The values before are those of the prefix."""
    values, fault = whole(text)
    if fault is None or fault.cut_short:
        assert fault is None or fault.offset == len(text)
        return
    length = certain_after(text)
    begun = completed(text[: length - 1])
    expected = judged(begun)
    assert expected is not None and expected[: len(values)] == values
    for more in (b"", b'"', b"0", b'a"', b"]", b'"]}', b"\x80", b'\\uDC00"', text[length:]):
        assert judged(text[:length] + more) is None
    kind = next((kind for kind in _RETROSPECTIVE if fault.reason.startswith(kind)), None)
    if kind is None:
        assert fault.offset == length - 1
    else:
        assert fault.offset < length
        assert text[fault.offset : fault.offset + 1] == _RETROSPECTIVE[kind]


# Tried in this order, each leads nearer to the end of a value: a member where a key is due, the end
# of what is open (or, in a key that must not end yet, a letter more), what a token lacks.
_NEXT: Final = (
    *(b'"~":0', b'"', b"]", b"}", b":", b"0", b"\\", b"u", b"D", b"C", b"r", b"e", b"a", b"l"),
    *(b"s", b"\x80", b"\x90", b"\xa0"),
)


def completed(begun: bytes) -> bytes:
    """A whole stream that begins so."""
    fault: JsonError | None = whole(begun).fault
    while fault is not None:
        assert fault.cut_short, (begun, fault)
        begun += next(more for more in _NEXT if _can_begin(begun + more))
        fault = whole(begun).fault
    return begun


def _can_begin(text: bytes) -> bool:
    decoder = Decoder(JUDGE_DEPTH)
    decoder.feed(text)
    return decoder.fault is None


# --- what may be allowed

_ALLOWED: Final = st.sets(st.sampled_from(EXTENSIONS)).map(frozenset)


_DEPTHS: Final = st.sampled_from([0, 1, 2, 3, 512, 10_000])
_NAN: Final = frozenset(["nan"])
_LONE: Final = frozenset(["lone-surrogates"])


@settings(max_examples=400)
@given(_ANY_BYTES | st.text('[]{}"\\,:1 ').map(str.encode), _DEPTHS, _ALLOWED, SEEDS)
@example(b"[[],[]]", 1, frozenset(), 0)
@example(b'["[[[",[]]', 2, frozenset(), 0)
@example(b"[NaN,-Infinity]Infinity", 512, _NAN, 0)
@example(b"1NaN", 512, _NAN, 0)
@example(b"-Infinit", 512, _NAN, 0)
@example(b'{"a":1,"b":2,"a":3}', 512, frozenset(["duplicate-keys"]), 0)
@example(b'"\\ud83d\\ud83d\\ude00"', 512, _LONE, 0)
@example(b'"\\ud83d\\u0041\\ude00\\ud83d\\n\\ud83d"', 512, _LONE, 0)
@example(b'"\\ud83d\\x"', 512, _LONE, 0)
def test_the_fast_reader_and_the_decoder_are_one_and_chunks_do_not_matter(
    text: bytes, max_depth: int, allow: frozenset[str], seed: int
) -> None:
    """Whatever is allowed; and what strict readers take means the same."""
    found = decode(text, max_depth, allow)
    assert in_chunks(cut(text, Random(seed)), max_depth, allow) == found
    assert in_chunks([text], max_depth, allow) == found
    strict = decode(text, max_depth)
    assert strict.fault is not None or strict == found


@_law
@given(_ANY_BYTES)
@example(b'"\\ud83d"')
def test_what_is_allowed_is_what_pythons_json_takes(text: bytes) -> None:
    """With all of it allowed, Python's json and the decoder take the same strings and numbers; and
    what was read can be printed, and is read again."""
    values, fault = decode(text, allow=EXTENSIONS)
    try:
        loaded = [_LAX.decode(text.decode())]
    except ValueError:
        loaded = []
    if loaded:
        assert fault is None
        assert values == loaded
    for value in values:
        assert decode(encode(value).encode(), allow=EXTENSIONS).values == [value]


_LAX: Final = json.JSONDecoder(parse_int=Number, parse_float=Number, parse_constant=Number)

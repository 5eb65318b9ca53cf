"""Laws of JSON texts: chunks do not matter, what is printed is read back, the fast reader and the
decoder are one, and the reference reads the same values and finds the same faults.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from random import Random
from typing import Final

from hypothesis import example, given, settings
from hypothesis import strategies as st
from support.json_texts import SEEDS, STREAMS, VALUES, stream_text
from support.references.json_stream import Malformed, Numeral, Value, values_of

from harness.jsonio.decoder import EXTENSIONS, JUDGE_DEPTH, Decoder, Json, Number, encode
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


# --- the reference


def by_reference(text: bytes) -> tuple[list[Json], int | None]:
    """Return the values of a text and the byte of its fault, or None if it has none."""
    values: list[Json] = []
    try:
        for value in values_of(text):
            values.append(_with_numbers(value))
    except Malformed as fault:
        return values, fault.byte
    return values, None


def _with_numbers(value: Value) -> Json:
    if isinstance(value, list):
        return [_with_numbers(element) for element in value]
    if isinstance(value, dict):
        return {key: _with_numbers(member) for key, member in value.items()}
    return Number(value.text) if isinstance(value, Numeral) else value


# Takes NaN, equal keys and lone surrogates.
_PYTHONS: Final = json.JSONDecoder(parse_int=Number, parse_float=Number, parse_constant=Number)


# --- reading


@_law
@given(STREAMS, SEEDS)
def test_however_a_stream_is_spelled_its_values_are_read(values: list[Json], seed: int) -> None:
    text = stream_text(values, Random(seed))
    assert whole(text) == Decoded(values, None)
    assert decode(text) == Decoded(values, None)


@settings(max_examples=200)
@given(_ANY_BYTES)
@example(b"1true")
@example(b'"\\ud83d\\ude00"')
@example(b'"\\ud83d\\u0041"')
@example(b'{"a":1,"b":2,"a" :3}')
@example(b'"\\ud800\\udc0x"')
@example(b'["\\udc')
@example(b'"\xe0\x80\x80"')
@example(b'"\xed\xa0\x80"')
@example(b"-01")
@example(b"1.")
def test_values_and_faults_are_those_of_the_reference_and_come_at_once(text: bytes) -> None:
    values, fault = whole(text)
    assert (values, fault and fault.offset) == by_reference(text)
    assert fault is None or fault.cut_short == (fault.offset == len(text))
    decoder = Decoder(JUDGE_DEPTH)
    for end in range(1, len(text) + 1):
        decoder.feed(text[end - 1 : end])
        can_go_on = by_reference(text[:end])[1] in (None, end)
        assert (decoder.fault is None) == can_go_on


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
def test_the_fast_reader_and_the_decoder_agree_and_chunks_do_not_matter(
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
def test_the_extensions_are_those_that_pythons_json_accepts(text: bytes) -> None:
    """With all of it allowed, Python's json and the decoder take the same texts of one value; and
    what was read can be printed, and is read again."""
    values, fault = decode(text, allow=EXTENSIONS)
    try:
        loaded = [_PYTHONS.decode(text.decode())]
    except ValueError:
        loaded = []
    if loaded or fault is None and len(values) == 1:
        assert fault is None
        assert values == loaded
    for value in values:
        assert decode(encode(value).encode(), allow=EXTENSIONS).values == [value]

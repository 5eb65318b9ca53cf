"""Laws of JSON texts: chunks do not matter, what is printed is read back, the fast reader and the
decoder are one, and a fault stands where it is first certain.

A second judge lives here, made of Python's own json and the few rules in which ours are stricter.
"""

from __future__ import annotations

import json
import re
from random import Random
from typing import Any, Final

from hypothesis import example, given, settings
from hypothesis import strategies as st

from harness.jsonfast import Decoded, decode
from harness.jsontext import JUDGE_DEPTH, LAXITIES, Decoder, Fault, Json, Number, encode

_law = settings(deadline=None, max_examples=100)

# --- values, and texts that spell them

_NUMBERS: Final = st.from_regex(
    r"-?(0|[1-9][0-9]{0,25})(\.[0-9]{1,12})?([eE][+-]?[0-9]{1,8})?", fullmatch=True
).map(Number)
_SCALARS: Final[st.SearchStrategy[Json]] = st.one_of(
    st.none(), st.booleans(), _NUMBERS, st.text(max_size=12)
)


def _inner(values: st.SearchStrategy[Json]) -> st.SearchStrategy[Json]:
    arrays = st.lists(values, max_size=4)
    objects = st.dictionaries(st.text(max_size=4), values, max_size=4)
    return st.one_of(arrays, objects)


_VALUES: Final[st.SearchStrategy[Json]] = st.recursive(_SCALARS, _inner, max_leaves=12)
_STREAMS: Final = st.lists(_VALUES, max_size=4)
_SEEDS: Final = st.integers(0, 2**32 - 1)

_SHORT: Final = {
    '"': '"',
    "\\": "\\",
    "/": "/",
    "\b": "b",
    "\f": "f",
    "\n": "n",
    "\r": "r",
    "\t": "t",
}


def spelled(value: Json, random: Random) -> str:
    """One of the many texts of a value."""
    if isinstance(value, list):
        return f"[{_joined([spelled(element, random) for element in value], random)}]"
    if isinstance(value, dict):
        members = [
            f"{_quoted(key, random)}{_white(random)}:{_white(random)}{spelled(member, random)}"
            for key, member in value.items()
        ]
        return f"{{{_joined(members, random)}}}"
    if isinstance(value, str):
        return _quoted(value, random)
    if isinstance(value, Number):
        return value.text
    return "null" if value is None else "true" if value else "false"


def stream_text(values: list[Json], random: Random) -> bytes:
    """One of the many texts of a stream."""
    text = _white(random)
    for value in values:
        apart = not text.endswith(("]", "}", '"')) and not isinstance(value, (str, list, dict))
        text += (" " if apart else "") + spelled(value, random) + _white(random)
    return text.encode()


def _joined(parts: list[str], random: Random) -> str:
    return ",".join(f"{_white(random)}{part}{_white(random)}" for part in parts) or _white(random)


def _white(random: Random) -> str:
    return random.choice(["", "", "", " ", "\n", "\t\r\n  "])


def _quoted(text: str, random: Random) -> str:
    return f'"{"".join(_character(each, random) for each in text)}"'


def _character(each: str, random: Random) -> str:
    kind = random.randrange(4)
    if kind == 0 and each in _SHORT:
        return f"\\{_SHORT[each]}"
    if kind > 1 and each not in '"\\' and each >= " ":
        return each
    units = each.encode("utf-16-be")
    codes = (f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))
    return "".join(code if random.randrange(2) else f"\\u{code[2:].upper()}" for code in codes)


# --- texts that may be broken

_PIECES: Final = [
    *(b'"', b"\\", b"[", b"]", b"{", b"}", b",", b":", b" ", b"\n", b"\x00", b"\x7f", b"'"),
    *(b"0", b"7", b"-", b"+", b".", b"e", b"E", b"1.5e3", b"01", b"true", b"fals", b"null", b"NaN"),
    *(b"Infinity", b"\\u", b"\\n", b"\\q", b"\\u0041", b"\\uD83D", b"\\uDE00", b"\\ud83d\\ude00"),
    *(
        b"dc",
        b"D8",
        b"\xc3",
        b"\xa9",
        b"\xe2\x82",
        b"\xf0\x9f\x98\x80",
        b"\xed\xa0",
        b"\x80",
        b"\xff",
    ),
    *(b"\xef\xbb\xbf", b'"a"', b'"a":1,', b'{"a":1,"a":', b'{"":', b"[[[", b"]]]", b'""'),
]
_SOUP: Final = st.lists(st.sampled_from(_PIECES), max_size=12).map(b"".join)


@st.composite
def _mutated(draw: st.DrawFn) -> bytes:
    """A text that was valid, with up to three bytes taken out and pieces put in."""
    text = stream_text(draw(_STREAMS), Random(draw(_SEEDS)))
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(text)))
        gone = draw(st.integers(0, 1))
        text = text[:at] + draw(st.sampled_from([b"", *_PIECES])) + text[at + gone :]
    return text


_ANY_BYTES: Final = st.one_of(_mutated(), _SOUP, st.binary(max_size=30))


def whole(text: bytes, max_depth: int = JUDGE_DEPTH) -> Decoded:
    """What the decoder makes of a text."""
    return chunked([text], max_depth)


def chunked(chunks: list[bytes], max_depth: int = JUDGE_DEPTH) -> Decoded:
    """What the decoder makes of a text in chunks."""
    decoder = Decoder(max_depth)
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
@given(_STREAMS, _SEEDS)
def test_however_a_stream_is_spelled_its_values_are_read(values: list[Json], seed: int) -> None:
    """decode(spelled(values)) = values, whatever white space and escapes the spelling has."""
    text = stream_text(values, Random(seed))
    assert whole(text) == Decoded(values, None)
    assert decode(text) == Decoded(values, None)


@_law
@given(_ANY_BYTES, _SEEDS)
@example(b'"\xed\xa0\x80"', 3)
@example(b'{"a":1,"a":2}', 5)
def test_how_a_text_is_cut_into_chunks_does_not_matter(text: bytes, seed: int) -> None:
    """Any chunks give the values and the fault of the whole text; so do single bytes."""
    expected = whole(text)
    assert chunked(cut(text, Random(seed))) == expected
    assert chunked([text[at : at + 1] for at in range(len(text))]) == expected


@_law
@given(_ANY_BYTES)
@example(b"1true")
@example(b'"\\ud83d\\ude00"')
@example(b'"\\ud83d\\u0041"')
def test_what_is_accepted_is_what_pythons_json_accepts_but_for_our_stricter_rules(
    text: bytes,
) -> None:
    """The decoder accepts exactly what the second judge accepts, and reads the same values."""
    decoded = whole(text)
    assert (decoded.values if decoded.fault is None else None) == judged(text)


@_law
@given(
    st.one_of(_ANY_BYTES, st.text('[]{}"\\,:1 ').map(str.encode)),
    st.sampled_from([0, 1, 2, 3, 512, 10_000]),
)
@example(b"[[],[]]", 1)
@example(b'["[[[",[]]', 2)
def test_the_fast_reader_and_the_decoder_are_one(text: bytes, max_depth: int) -> None:
    """Valid texts, broken texts, any bytes, any depth limit: the same values, the same fault."""
    assert decode(text, max_depth) == whole(text, max_depth)


# --- printing


@_law
@given(_VALUES)
def test_what_is_printed_is_read_back(value: Json) -> None:
    """decode(encode(value)) = value, and members keep their order; json.loads agrees."""
    line = encode(value)
    (read,) = whole(line.encode()).values
    assert read == value
    assert encode(read) == line
    assert _PYTHONS.decode(line) == value


@_law
@given(_VALUES)
def test_what_is_printed_is_one_line_that_hides_nothing(value: Json) -> None:
    """No control character, no white space outside of strings."""
    line = encode(value)
    assert not re.search("[\x00-\x1f\x7f]", line)
    assert " " not in re.sub(r'"(?:[^"\\]|\\.)*"', "", line)


@settings(deadline=None, max_examples=8)
@given(st.integers(1, 9_999), _SEEDS, _SCALARS)
@example(9_999, 1, None)
def test_depth_needs_no_stack(depth: int, seed: int, core: Json) -> None:
    """Up to the judge's limit, any nest of arrays and objects is printed and read back."""
    value, random = core, Random(seed)
    for _ in range(depth):
        around: list[Json] = [[value], [True, value], {"k": value}, {"a": [], "k": value}]
        value = random.choice(around)
    line = encode(value)
    for decoded in (whole(line.encode()), decode(line.encode())):
        assert decoded.fault is None
        assert [encode(read) for read in decoded.values] == [line]


# --- where a fault stands


@settings(deadline=None, max_examples=40)
@given(_STREAMS, _SEEDS)
def test_no_beginning_of_a_stream_is_refused(values: list[Json], seed: int) -> None:
    """A prefix of a valid text has no fault, and gives a prefix of its values; where the text ends
    there, a fault can only be that it is cut short, and it stands at the end."""
    text = stream_text(values, Random(seed))
    for at in range(len(text)):
        decoder = Decoder(JUDGE_DEPTH)
        read = decoder.feed(text[:at])
        assert decoder.fault is None
        assert read == values[: len(read)]
        fault = whole(text[:at]).fault
        assert fault is None or (fault.cut_short and fault.offset == at)


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


@_law
@given(_ANY_BYTES, _ANY_BYTES)
def test_what_comes_after_a_fault_changes_nothing(text: bytes, more: bytes) -> None:
    """Once refused, always refused, for the same reason, at the same byte."""
    decoder = Decoder(JUDGE_DEPTH)
    values = decoder.feed(text)
    if decoder.fault is not None:
        assert whole(text + more) == Decoded(values, decoder.fault)


# Tried in this order, each leads nearer to the end of a value: a member where a key is due, the end
# of what is open (or, in a key that must not end yet, a letter more), what a token lacks.
_NEXT: Final = (
    *(
        b'"~":0',
        b'"',
        b"]",
        b"}",
        b":",
        b"0",
        b"\\",
        b"u",
        b"D",
        b"C",
        b"r",
        b"e",
        b"a",
        b"l",
        b"s",
    ),
    *(b"\x80", b"\x90", b"\xa0"),
)


def completed(begun: bytes) -> bytes:
    """A whole stream that begins so."""
    fault: Fault | None = whole(begun).fault
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

_ALLOWED: Final = st.sets(st.sampled_from(LAXITIES)).map(frozenset)


@settings(deadline=None, max_examples=300)
@given(_ANY_BYTES, _ALLOWED, _SEEDS)
@example(b"[NaN,-Infinity]Infinity", frozenset(["nan"]), 0)
@example(b"1NaN", frozenset(["nan"]), 0)
@example(b"-Infinit", frozenset(["nan"]), 0)
@example(b'{"a":1,"b":2,"a":3}', frozenset(["duplicate-keys"]), 0)
@example(b'"\\ud83d\\ud83d\\ude00"', frozenset(["lone-surrogates"]), 0)
@example(b'"\\ud83d\\u0041\\ude00\\ud83d\\n\\ud83d"', frozenset(["lone-surrogates"]), 0)
@example(b'"\\ud83d\\x"', frozenset(["lone-surrogates"]), 0)
def test_with_what_is_allowed_both_readers_are_one_and_chunks_do_not_matter(
    text: bytes, allow: frozenset[str], seed: int
) -> None:
    """The fast reader, the decoder, and the decoder in chunks say the same; and what strict readers
    take means the same."""
    decoder = Decoder(JUDGE_DEPTH, allow)
    values = [value for chunk in cut(text, Random(seed)) for value in decoder.feed(chunk)]
    in_chunks = Decoded(values + decoder.close(), decoder.fault)
    assert in_chunks == decode(text, allow=allow)
    one = Decoder(JUDGE_DEPTH, allow)
    assert in_chunks == Decoded(one.feed(text) + one.close(), one.fault)
    strict = decode(text)
    assert strict.fault is not None or strict == in_chunks


@_law
@given(_ANY_BYTES)
@example(b'"\\ud83d"')
def test_what_is_allowed_is_what_pythons_json_takes(text: bytes) -> None:
    """With all of it allowed, Python's json and the decoder take the same strings and numbers; and
    what was read can be printed, and is read again."""
    values, fault = decode(text, allow=LAXITIES)
    try:
        loaded = [_LAX.decode(text.decode())]
    except ValueError:
        loaded = []
    if loaded:
        assert fault is None
        assert values == loaded
    for value in values:
        assert decode(encode(value).encode(), allow=LAXITIES).values == [value]


_LAX: Final = json.JSONDecoder(parse_int=Number, parse_float=Number, parse_constant=Number)

"""The JSON decoder, its fast path, and the encoder.

The texts of golden/decoder.txt are read by each; to add one, add a line with it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, SupportsIndex

import pytest
from support.calls import count_calls
from support.golden import Golden
from support.xtest import TOP

from harness.jsonio.decoder import (
    EXTENSIONS,
    JUDGE_DEPTH,
    PROGRAM_DEPTH,
    Decoder,
    JsonError,
    Number,
    encode,
)
from harness.jsonio.fast import Decoded, decode

N = Number


def fed(chunks: Iterable[bytes], max_depth: int = JUDGE_DEPTH) -> Decoded:
    decoder = Decoder(max_depth)
    values = [value for chunk in chunks for value in decoder.feed(chunk)]
    return Decoded(values + decoder.close(), decoder.fault)


def whole(text: bytes) -> Decoded:
    return fed([text])


def byte_by_byte(text: bytes) -> Decoded:
    return fed(text[index : index + 1] for index in range(len(text)))


each_way = pytest.mark.parametrize("read", [whole, byte_by_byte, decode])
Read = Callable[[bytes], Decoded]


# Texts and their values or errors.


def result(text: bytes, decoded: Decoded) -> str:
    values = " ".join(map(encode, decoded.values))
    if decoded.fault is None:
        return values
    offset, reason, cut_short = decoded.fault
    assert cut_short == (offset == len(text))
    return f"error at {offset}: {reason}" + (f" (after {values})" if values else "")


@each_way
def test_texts_are_decoded_or_refused_with_their_reasons(read: Read, golden: Golden) -> None:
    golden.table("decoder.txt", lambda text: result(text, read(text)))


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


PAGE = (TOP / "docs" / "json.md").read_text(encoding="utf-8")


def test_the_reasons_on_the_page_are_those_that_are_given() -> None:
    rows = re.findall(r"^\| `(.+)` \| ([0-9]+) \| (.+) \|$", PAGE, re.M)
    assert len(rows) == 5
    for text, offset, reason in rows:
        fault = decode(text.encode()).fault
        assert fault is not None
        assert (text, fault.offset, fault.reason) == (text, int(offset), reason)


def test_texts_that_others_accept_according_to_the_page_are_refused() -> None:
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
    assert read(b"[1]" + b"[" + deepest) == Decoded([[N("1")]], JsonError(JUDGE_DEPTH + 3, reason))


def test_the_programs_read_brackets_512_deep_and_no_deeper() -> None:
    assert fed([b"[" * 512], PROGRAM_DEPTH).fault == JsonError(
        512, "the text ends inside an array", True
    )
    reason = "brackets nested more than 512 deep"
    assert fed([b"[" * 513], PROGRAM_DEPTH).fault == JsonError(512, reason)


def test_depth_counts_after_any_number_of_brackets() -> None:
    # Python's scanner itself reads them 513 deep.
    text = b"[]" * 40_000 + b"[" * 513 + b"]" * 513
    fault = decode(text, PROGRAM_DEPTH).fault
    assert fault == JsonError(80_512, "brackets nested more than 512 deep")


def test_brackets_of_both_kinds_count_and_those_in_strings_do_not(golden: Golden) -> None:
    def at_most_two(text: bytes) -> str:
        return result(text, decode(text, max_depth=2))

    golden.table("depth.txt", at_most_two)


# --- what comes when


def test_a_value_comes_with_the_byte_that_completes_it(golden: Golden) -> None:
    """A number at top level comes with what follows it; after a fault, nothing comes."""

    def steps(chunks: list[bytes]) -> str:
        decoder = Decoder(PROGRAM_DEPTH)
        shown = []
        for chunk in chunks:
            values = [encode(value) for value in decoder.feed(chunk)]
            shown.append(" ".join([*values, *["..."] * decoder.inside_value]))
        ending = Decoded(decoder.close(), decoder.fault)
        assert (decoder.close(), decoder.fault) == ([], ending.fault)
        return " | ".join([*shown, result(b"".join(chunks), ending)])

    golden.table("chunks.txt", steps)


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
    """Calls that are made (a regular expression's match is one) and bytes that are taken in reading
    these chunks."""
    watched = [Watched(chunk) for chunk in chunks]

    def feed() -> None:
        Watched.taken = 0
        decoder = Decoder(PROGRAM_DEPTH)
        for chunk in watched:
            decoder.feed(chunk)
        assert decoder.fault is None

    return count_calls(feed) + Watched.taken


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
def test_a_text_in_many_chunks_is_read_once(kind: str) -> None:
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


def test_a_value_is_printed_on_one_line_without_white_space(golden: Golden) -> None:
    golden.table("printed.txt", encode)
    assert encode(N("1.50e+07")) == "1.50e+07"


def test_numbers_of_different_spelling_are_not_equal() -> None:
    assert N("1") == N("1") and hash(N("1")) == hash(N("1"))
    assert N("1") != N("1.0") and N("1") != "1"


# The fast path, and extensions.


@pytest.mark.parametrize(
    "deep",
    [
        lambda depth: b"[" * depth + b"]" * depth,
        lambda depth: b'{"k":' * depth + b"1" + b"}" * depth,
        lambda depth: b'[{"":' * (depth // 2) + b"[]" * (depth % 2) + b"}]" * (depth // 2),
    ],
)
def test_values_nested_as_deeply_as_allowed_are_read_and_printed(
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
    assert decode(text).fault == JsonError(JUDGE_DEPTH, "brackets nested more than 10000 deep")


def test_only_allowed_extensions_are_read(golden: Golden) -> None:
    def values(example: tuple[str, bytes]) -> str:
        allow, text = example
        decoded = decode(text, allow=[allow])
        others = [name for name in EXTENSIONS if name != allow]
        assert decode(text, allow=others).fault == decode(text).fault
        assert decode(text).fault is not None
        return result(text, decoded)

    golden.table("allowed.txt", values)


def test_extensions_have_limits(golden: Golden) -> None:
    def with_all(text: bytes) -> str:
        return result(text, decode(text, allow=EXTENSIONS))

    golden.table("extensions.txt", with_all)

"""Messages, wherever the output is cut, and faults of frames."""

from __future__ import annotations

import time

from hypothesis import given
from hypothesis import strategies as st
from support.golden import Golden

from harness.dialogue.framing import Message, Splitter, framed, splitter
from harness.model.dialogue import Framing

TEXTS = st.lists(
    st.sampled_from(['{"a":"}"}', "[1,[2]]", '"\\\\\\""', "7", "null", '{"b":{"c":[]}}', '"é"'])
)


def feed(reader: Splitter, chunks: list[bytes]) -> list[Message]:
    found = [message for chunk in chunks for message in reader.feed(chunk)]
    return found + reader.close()


@given(TEXTS, st.sampled_from(Framing), st.lists(st.integers(0, 200), max_size=8))
def test_the_same_messages_come_out_of_any_chunks(
    texts: list[str], framing: Framing, cuts: list[int]
) -> None:
    output = b"".join(framed(text.encode(), framing) for text in texts)
    places = sorted({min(cut, len(output)) for cut in cuts} | {0, len(output)})
    chunks = [output[one:two] for one, two in zip(places, places[1:], strict=False)]
    reader = splitter(framing)
    found = feed(reader, chunks)
    assert [message.text.decode() for message in found] == texts
    assert all(output[begin:end] == text for begin, end, text in found)
    assert (reader.fault, reader.partial) == (None, 0)


def test_output_without_the_right_frames(golden: Golden) -> None:
    """As bytes in one piece: the messages, the fault and the bytes that are left."""

    def split(example: tuple[str, bytes]) -> str:
        one, many = (splitter(Framing(example[0])) for _ in range(2))
        found = one.feed(example[1])
        by_byte = [each for at in example[1] for each in many.feed(bytes([at]))]
        assert (found, one.fault, one.partial) == (by_byte, many.fault, many.partial)
        texts = " ".join(message.text.decode() for message in found)
        fault = f"; at {one.fault.offset}: {one.fault.reason}" if one.fault else ""
        return f"[{texts}], {one.partial} left{fault}"

    golden.table("frames.txt", split)


def test_a_header_without_an_end_is_refused_within_bounds() -> None:
    reader = splitter(Framing.CONTENT_LENGTH)
    for _ in range(200):
        reader.feed(b"X-Filler: " + b"y" * 90 + b"\r\n")
    assert reader.fault is not None and "8,192" in reader.fault.reason


def test_a_value_without_an_end_is_read_once() -> None:
    for begin in (b"1", b'"', b"[", b"{", b" "):
        reader = splitter(Framing.VALUES)
        reader.feed(begin)
        before = time.process_time()
        for _ in range(4_096):
            assert not reader.feed(b"1" * 1_024)
        # Reading it all again with each part takes half a minute.
        assert time.process_time() - before < 5
        assert reader.partial >= 4 << 20


def test_a_body_of_a_gigabyte_is_only_awaited() -> None:
    reader = splitter(Framing.CONTENT_LENGTH)
    assert not reader.feed(b"Content-Length: 1000000000\r\n\r\n{}")
    assert (reader.fault, reader.partial) == (None, 2)

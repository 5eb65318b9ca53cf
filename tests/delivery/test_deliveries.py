"""Every delivery byte for byte, the choice of deliveries for a case, and the summary line."""

from __future__ import annotations

import re
import tracemalloc

import pytest
from support.golden import Golden
from support.xtest import TOP

from harness.delivery.registry import (
    Delivery,
    describe_differences,
    distinct_deliveries,
    feed,
    parse_deliveries,
)
from harness.model.case import InputKind
from harness.model.transcript import Chunk
from harness.model.verdict import Verdict

# Objects, numbers, words, escapes, UTF-8; two values on the first line and one on the next.
SAMPLE = '{"naïve": [-12.5, true], "x":"\\u00e9\\n😀"} 10\n\t[ ]\n'.encode()


def chunks(delivery: Delivery, text: bytes) -> list[Chunk]:
    return list(feed(delivery, text, InputKind.JSON))


def data(delivery: Delivery, text: bytes) -> list[bytes]:
    return [chunk.data for chunk in chunks(delivery, text)]


def chunks_text(example: tuple[str, bytes]) -> str:
    """Return the chunks of an example in golden/deliveries.txt."""
    delivery, text = example
    parts = []
    for chunk in chunks(Delivery(delivery), text):
        pause = f"{chunk.pause_s} s: " if chunk.pause_s else ""
        answers = f"after {chunk.answers}: " if chunk.answers else ""
        parts.append(f"{pause}{answers}{chunk.data!r}")
    return ", ".join(parts)


def test_a_delivery_sends_these_chunks(golden: Golden) -> None:
    golden.table("deliveries.txt", chunks_text)


def test_the_page_describes_every_delivery_in_the_words_of_the_program() -> None:
    page = (TOP / "docs" / "deliveries.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([a-z-]+)` \| ([^|]+) \|", page, re.MULTILINE)
    assert rows == [(delivery.value, delivery.description) for delivery in Delivery]


def test_an_option_names_deliveries_in_any_order() -> None:
    assert parse_deliveries("slow, plain,slow") == (Delivery.PLAIN, Delivery.SLOW)
    assert parse_deliveries("all") == parse_deliveries("cut,all") == tuple(Delivery)


def test_white_space_is_more_than_a_pipe_holds() -> None:
    before, after = Delivery.WHITE_SPACE.transform(b"12").split(b"12")
    for margin in (before, after):
        assert len(margin) > 65_536
        assert set(margin) == set(b" \t\r\n")


@pytest.mark.parametrize("delivery", Delivery)
def test_only_paced_deliveries_wait(delivery: Delivery) -> None:
    waits = any(chunk.pause_s or chunk.answers for chunk in chunks(delivery, SAMPLE))
    assert waits == delivery.is_paced
    empty = data(delivery, b"")
    assert empty == [] if delivery is not Delivery.WHITE_SPACE else not empty[0].strip()


def test_only_the_ends_of_a_long_input_go_byte_by_byte() -> None:
    assert set(map(len, data(Delivery.BYTE_BY_BYTE, b"[" + b" " * 399 + b"]"))) == {1}
    assert len(data(Delivery.BYTE_BY_BYTE, b"[" + b" " * 400 + b"]")) == 301
    text = b"[" + b" " * 150_000 + '12,"é",null'.encode() + b" " * 150_000 + b"]"
    sent = data(Delivery.BYTE_BY_BYTE, text)
    assert [len(chunk) for chunk in sent[:150]] == [1] * 150
    assert [chunk.strip() for chunk in sent[150:154]] == [b"1", b'2,"\xc3', b'\xa9",nu', b"ll"]
    assert [len(chunk) for chunk in sent[154:]] == [1] * 150


@pytest.mark.parametrize("delivery", [Delivery.COMPACT, Delivery.PRETTY, Delivery.ESCAPED])
@pytest.mark.parametrize("text", [b"1 " * 20_000, b"[" + b'"a", ' * 10_000 + b"[]]"])
def test_laying_out_takes_little_more_memory_than_both_texts(
    delivery: Delivery, text: bytes
) -> None:
    tracemalloc.start()
    try:
        laid_out = delivery.transform(text)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    # The new text is there twice for a moment, and its buffer grows by an eighth.
    assert peak < len(text) + 3 * len(laid_out)


def test_a_large_value_comes_in_parts_that_wait_for_the_same_answers() -> None:
    large = b"[" + b"1," * 100_000 + b"1]"
    first, *parts = chunks(Delivery.VALUE_BY_VALUE, b"0 " + large)
    assert first == Chunk(b"0 \n")
    assert b"".join(chunk.data for chunk in parts) == large
    assert {chunk.answers for chunk in parts} == {1} and len(parts) > 2


def test_chunks_are_made_on_demand() -> None:
    made = feed(Delivery.VALUE_BY_VALUE, b"[1]\n" + b'["', InputKind.JSON)
    assert next(made) == Chunk(b"[1]\n")


def test_raw_input_is_only_delivered_plain() -> None:
    assert list(feed(Delivery.PLAIN, b"\xff{", InputKind.RAW)) == [Chunk(b"\xff{")]
    distinct = distinct_deliveries(tuple(Delivery), b"\xff{", InputKind.RAW, conversation=True)
    assert distinct == (Delivery.PLAIN,)
    with pytest.raises(ValueError, match='^raw input can only be delivered plain, not "slow"$'):
        feed(Delivery.SLOW, SAMPLE, InputKind.RAW)


@pytest.mark.parametrize("kind", [InputKind.JSON, InputKind.OFF_SCHEMA])
@pytest.mark.parametrize("text", [SAMPLE, b"[" + b"1," * 50_000 + b"1]"])
def test_an_input_with_everything_gets_every_delivery(kind: InputKind, text: bytes) -> None:
    *others, last = Delivery
    assert last is Delivery.VALUE_BY_VALUE
    distinct = distinct_deliveries(tuple(Delivery), text, kind, conversation=False)
    assert distinct == tuple(others)
    assert distinct_deliveries(tuple(Delivery), SAMPLE, kind, conversation=True) == tuple(Delivery)


def test_only_the_first_of_several_deliveries_with_the_same_chunks_is_run(golden: Golden) -> None:
    def left_out(given: tuple[str, bytes]) -> str:
        among = parse_deliveries(given[0])
        distinct = distinct_deliveries(among, given[1], InputKind.JSON, conversation=True)
        return " ".join(each.value for each in among if each not in distinct)

    golden.table("same_chunks.txt", left_out)


def summary_text(verdicts: dict[str, str]) -> str:
    """Return the summary of an example; "others" is the verdict of all other deliveries."""
    others = verdicts.pop("others", "")
    outcomes = {Delivery(name): Verdict(verdict) for name, verdict in verdicts.items()}
    if others:
        outcomes = {each: outcomes.get(each, Verdict(others)) for each in Delivery}
    return describe_differences(outcomes) or "none"


def test_a_summary_says_which_deliveries_pass_and_fail(golden: Golden) -> None:
    golden.table("summaries.txt", summary_text)

"""Laws of the deliveries, for any stream of values in any layout."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from support.json_texts import TEXTS

from harness.delivery.messages import message_format, script_deliveries
from harness.delivery.registry import Delivery, distinct_deliveries, feed
from harness.delivery.transforms import MOST_PAUSE_S, MOST_PAUSED
from harness.dialogue.framing import splitter
from harness.jsonio.decoder import JUDGE_DEPTH, Decoder, encode
from harness.jsonio.fast import decode
from harness.model.case import InputKind
from harness.model.dialogue import Framing, Script, TalkRules
from harness.model.transcript import Chunk

KEEP_THE_BYTES = (Delivery.PLAIN, Delivery.BYTE_BY_BYTE, Delivery.SLOW, Delivery.CUT)

# Long ones repeat a stream, so that the bounds on pieces are reached.
LONG_TEXTS = st.builds(lambda text, times: b"\n".join([text] * times), TEXTS, st.integers(1, 60))


def values_of(text: bytes) -> list[str]:
    """Return the values of a text, with the spelling of numbers and the order of members."""
    decoded = decode(text)
    assert decoded.fault is None, (decoded.fault, text)
    return [encode(value) for value in decoded.values]


def fed(delivery: Delivery, text: bytes) -> list[Chunk]:
    return list(feed(delivery, text, InputKind.JSON))


def joined(pieces: list[Chunk]) -> bytes:
    return b"".join(piece.data for piece in pieces)


@given(TEXTS)
def test_every_delivery_carries_the_same_values(text: bytes) -> None:
    expected = values_of(text)
    for delivery in Delivery:
        assert values_of(joined(fed(delivery, text))) == expected, delivery


@given(TEXTS)
def test_no_value_waits_for_an_answer_to_one_that_is_not_complete(text: bytes) -> None:
    """When a piece waits for n answers, exactly n values are complete by the pieces before it."""
    decoder = Decoder(JUDGE_DEPTH)
    complete = 0
    for piece in fed(Delivery.VALUE_BY_VALUE, text):
        assert piece.answers == complete
        complete += len(decoder.feed(piece.data))
    assert complete + len(decoder.close()) == len(values_of(text))


@given(LONG_TEXTS)
def test_chunks_joined_are_the_transformed_text(text: bytes) -> None:
    for delivery in list(Delivery)[:-1]:
        assert joined(fed(delivery, text)) == delivery.transform(text), delivery
    for delivery in KEEP_THE_BYTES:
        assert delivery.transform(text) == text


@given(LONG_TEXTS)
def test_pieces_and_pauses_are_bounded(text: bytes) -> None:
    for delivery in Delivery:
        pieces = fed(delivery, text)
        assert all(piece.data for piece in pieces)
        assert sum(piece.pause_s > 0 for piece in pieces) <= MOST_PAUSED + 1
        # Sums of binary fractions.
        assert sum(piece.pause_s for piece in pieces) <= MOST_PAUSE_S + 1e-9


@given(TEXTS)
def test_each_transform_does_what_its_name_says(text: bytes) -> None:
    """Escaped is ASCII, CRLF has no bare line end, no final newline ends with a value."""
    assert Delivery.ESCAPED.transform(text).isascii()
    assert b"\n" not in Delivery.CRLF.transform(text).replace(b"\r\n", b"")
    assert Delivery.NO_FINAL_NEWLINE.transform(text)[-1:] not in (b" ", b"\t", b"\r", b"\n")


@given(TEXTS, st.sets(st.sampled_from(Delivery), min_size=1))
def test_all_selected_deliveries_run_and_none_twice(text: bytes, selected: set[Delivery]) -> None:
    run = distinct_deliveries(selected, text, InputKind.JSON, conversation=True)
    feeds = [fed(delivery, text) for delivery in run]
    assert all(pieces not in feeds[:index] for index, pieces in enumerate(feeds))
    assert set(run) <= selected
    assert all(fed(delivery, text) in feeds for delivery in selected)


SENT = st.lists(
    st.lists(st.sampled_from(["7", '"é"', "null", '{"a":["x",1.50]}', f'["{"y" * 900}"]'])),
    max_size=12,
)


@given(SENT, st.sampled_from(Framing))
def test_messages_arrive_whole_in_every_delivery(sent: list[list[str]], framing: Framing) -> None:
    """Each inner list is sent without waiting. Pauses are bounded for all of a run together."""
    expected = [text for batch in sent for text in batch]
    for delivery in script_deliveries(list(Delivery), Script((), TalkRules(framing))):
        messages, reader = message_format(delivery, framing), splitter(framing)
        batches = [b"".join(messages.frame(each.encode()) for each in batch) for batch in sent]
        pace = messages.pace or (lambda data: [Chunk(data)])
        pieces = [piece for batch in batches if batch for piece in pace(batch)]
        assert joined(pieces) == b"".join(batches)
        found = [*reader.feed(joined(pieces)), *reader.close()]
        assert [values_of(each.text) for each in found] == [
            values_of(each.encode()) for each in expected
        ], delivery
        assert (delivery.is_paced and bool(pieces)) == any(piece.pause_s for piece in pieces)
        assert sum(piece.pause_s for piece in pieces) <= MOST_PAUSE_S + 1e-9

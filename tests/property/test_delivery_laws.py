"""Laws of the deliveries, for any stream of values in any layout."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from harness.jsonfast import decode
from harness.jsontext import JUDGE_DEPTH, Decoder, encode
from harness.records import InputKind, Piece, Verdict
from harness.runs.deliveries import DELIVERIES, Delivery, parse_deliveries, summary
from harness.runs.dressing import MOST_PAUSE_S, MOST_PAUSED, distinct, dressed, feed

LAWS = settings(deadline=None)
KEEP_THE_BYTES = (Delivery.PLAIN, Delivery.BYTE_BY_BYTE, Delivery.SLOW, Delivery.CUT)

NUMBERS = st.sampled_from(
    ["0", "-0", "7", "-12", "1e5", "1E+05", "0.10", "-1.50e-007", "9" * 40, "1e400"]
)
WHITE = st.text(" \t\r\n", max_size=4)
LETTERS = st.characters(exclude_categories=["Cs"])


def quoted(text: str, *, escaped: bool) -> str:
    """A string's token: with what is beyond ASCII as it is, or escaped."""
    plain = encode(text)
    if not escaped:
        return plain
    return "".join(letter if letter < "\x80" else escape(letter) for letter in plain)


def escape(letter: str) -> str:
    """A character as the escapes of its UTF-16 units, in capitals."""
    units = letter.encode("utf-16-be")
    return "".join(f"\\u{high:02X}{low:02X}" for high, low in zip(units[::2], units[1::2]))


STRINGS = st.builds(quoted, st.text(LETTERS, max_size=6), escaped=st.booleans())


def arrays(elements: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Texts of arrays, in any layout."""
    padded = st.builds("".join, st.tuples(WHITE, elements, WHITE))
    return st.builds(
        lambda parts, white: f"[{','.join(parts) or white}]", st.lists(padded, max_size=4), WHITE
    )


def objects(members: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Texts of objects, in any layout, without equal keys."""
    padded = st.builds("".join, st.tuples(WHITE, st.just(":"), WHITE, members, WHITE))
    return st.builds(
        lambda parts, white: (
            "{" + (",".join(white + encode(key) + part for key, part in parts.items())) + "}"
        ),
        st.dictionaries(st.text(LETTERS, max_size=4), padded, max_size=4),
        WHITE,
    )


VALUES = st.recursive(
    NUMBERS | STRINGS | st.sampled_from(["true", "false", "null"]),
    lambda inner: arrays(inner) | objects(inner),
    max_leaves=12,
)


def stream(values: list[tuple[str, str]], before: str) -> bytes:
    """A text of these values, each with the white space after it; where two scalars would touch,
    there is some."""
    text = before
    for value, after in values:
        needs = text[-1:].isalnum() and value[0] in "-0123456789tfn"
        text += (" " if needs else "") + value + after
    return text.encode()


STREAMS = st.builds(stream, st.lists(st.tuples(VALUES, WHITE), max_size=5), WHITE)
# Long ones repeat a stream, so that the bounds on pieces are reached.
LONG_STREAMS = st.builds(
    lambda text, times: b"\n".join([text] * times), STREAMS, st.integers(1, 60)
)


def values_of(text: bytes) -> list[str]:
    """What a text says: spelling of numbers and order of members included."""
    decoded = decode(text)
    assert decoded.fault is None, (decoded.fault, text)
    return [encode(value) for value in decoded.values]


def fed(delivery: Delivery, text: bytes) -> list[Piece]:
    """All pieces of a delivery."""
    return list(feed(delivery, text, InputKind.JSON))


def joined(pieces: list[Piece]) -> bytes:
    """What the program has read in the end."""
    return b"".join(piece.data for piece in pieces)


@LAWS
@given(STREAMS)
def test_every_delivery_carries_the_same_values(text: bytes) -> None:
    """Decoding what is fed gives what the file says, to the spelling of each number."""
    expected = values_of(text)
    for delivery in DELIVERIES:
        assert values_of(joined(fed(delivery, text))) == expected, delivery


@LAWS
@given(STREAMS)
def test_a_reader_of_pieces_reads_the_same(text: bytes) -> None:
    """A decoder that gets piece after piece finds the same values."""
    expected = values_of(text)
    for delivery in DELIVERIES:
        decoder = Decoder(JUDGE_DEPTH)
        found = [value for piece in fed(delivery, text) for value in decoder.feed(piece.data)]
        assert [encode(value) for value in found + decoder.close()] == expected, delivery


@LAWS
@given(STREAMS)
def test_no_value_waits_for_an_answer_to_one_that_is_not_complete(text: bytes) -> None:
    """When a piece waits for n answers, exactly n values are complete by the pieces before it."""
    decoder = Decoder(JUDGE_DEPTH)
    complete = 0
    for piece in fed(Delivery.VALUE_BY_VALUE, text):
        assert piece.answers == complete
        complete += len(decoder.feed(piece.data))
    assert complete + len(decoder.close()) == len(values_of(text))


@LAWS
@given(LONG_STREAMS)
def test_pieces_joined_are_the_dressed_text(text: bytes) -> None:
    """Pacing loses no byte and adds none; those that only pace keep the file's own."""
    for delivery in DELIVERIES[:-1]:
        assert joined(fed(delivery, text)) == dressed(delivery, text), delivery
    for delivery in KEEP_THE_BYTES:
        assert dressed(delivery, text) == text


@LAWS
@given(LONG_STREAMS)
def test_pieces_and_pauses_are_bounded(text: bytes) -> None:
    """However long the input: no empty piece, few that wait, and less than a second in all."""
    for delivery in DELIVERIES:
        pieces = fed(delivery, text)
        assert all(piece.data for piece in pieces)
        assert sum(piece.pause_s > 0 for piece in pieces) <= MOST_PAUSED + 1
        assert (
            sum(piece.pause_s for piece in pieces) <= MOST_PAUSE_S + 1e-9
        )  # sums of binary fractions


@LAWS
@given(STREAMS)
def test_a_layout_is_forgotten_by_the_next_one(text: bytes) -> None:
    """Compact and pretty texts depend on the tokens alone, and on whether the end has white
    space."""
    layouts = (Delivery.COMPACT, Delivery.PRETTY)
    for first in (*layouts, Delivery.CRLF):
        for second in layouts:
            assert dressed(second, dressed(first, text)) == dressed(second, text)


@LAWS
@given(STREAMS)
def test_compact_is_the_shortest_layout(text: bytes) -> None:
    """No delivery with the same tokens is shorter, but for a final line end."""
    shortest = dressed(Delivery.NO_FINAL_NEWLINE, dressed(Delivery.COMPACT, text))
    for delivery in (Delivery.PLAIN, Delivery.PRETTY, Delivery.CRLF, Delivery.NO_FINAL_NEWLINE):
        assert len(shortest) <= len(dressed(delivery, text))


@LAWS
@given(STREAMS)
def test_each_dress_has_what_its_name_says(text: bytes) -> None:
    """Escaped is ASCII, CRLF has no bare line end, no final newline ends with a value."""
    assert dressed(Delivery.ESCAPED, text).isascii()
    assert b"\n" not in dressed(Delivery.CRLF, text).replace(b"\r\n", b"")
    assert dressed(Delivery.NO_FINAL_NEWLINE, text)[-1:] not in (b" ", b"\t", b"\r", b"\n")


@LAWS
@given(STREAMS, st.sets(st.sampled_from(DELIVERIES), min_size=1))
def test_what_is_run_is_all_that_was_selected_and_nothing_twice(
    text: bytes, selected: set[Delivery]
) -> None:
    """Of the selected deliveries no two that are run feed the same, and one that is not run feeds
    what another one does."""
    run = distinct(selected, text, InputKind.JSON, conversation=True)
    feeds = [fed(delivery, text) for delivery in run]
    assert all(pieces not in feeds[:index] for index, pieces in enumerate(feeds))
    assert set(run) <= selected
    assert all(fed(delivery, text) in feeds for delivery in selected)


@LAWS
@given(st.sets(st.sampled_from(DELIVERIES), min_size=1))
def test_an_option_says_what_it_was_made_of(selected: set[Delivery]) -> None:
    """Names joined with commas are read back."""
    assert set(parse_deliveries(",".join(each.value for each in selected))) == selected


@LAWS
@given(st.dictionaries(st.sampled_from(DELIVERIES), st.sampled_from(Verdict)))
def test_a_line_is_there_where_verdicts_differ(outcomes: dict[Delivery, Verdict]) -> None:
    """One line where the subject's verdicts differ, none where they agree; and the smaller side is
    named in full."""
    line = summary(outcomes)
    judged = {k: v for k, v in outcomes.items() if v is not Verdict.HARNESS_FAULT}
    assert (line is None) == (len(set(judged.values())) < 2)
    if line is not None:
        passed = {k.value for k, v in judged.items() if v is Verdict.PASSED}
        failed = {k.value for k in judged} - passed
        smaller = min(failed, passed or failed, key=len)
        assert "\n" not in line
        assert all(name in line for name in smaller)

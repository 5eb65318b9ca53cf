"""Each delivery, byte for byte; which apply to a case; and the line that says how they differ."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from harness.jsonfast import decode
from harness.jsontext import JUDGE_DEPTH, encode
from harness.records import InputKind, Piece, Verdict
from harness.runs.deliveries import DELIVERIES, Delivery, parse_deliveries, summary
from harness.runs.dressing import MOST_PAUSE_S, MOST_PAUSED, applicable, distinct, dressed, feed
from harness.suites import policy

PAGE = Path(__file__).resolve().parent.parent.parent / "docs" / "deliveries.md"

# Objects, numbers, words, escapes, UTF-8; two values on the first line and one on the next.
SAMPLE = '{"naïve": [-12.5, true], "x":"\\u00e9\\n😀"} 10\n\t[ ]\n'.encode()

PACED = (Delivery.BYTE_BY_BYTE, Delivery.SLOW, Delivery.CUT, Delivery.AT_ONCE)


def fed(delivery: Delivery, text: bytes) -> list[Piece]:
    """All pieces of a delivery of a stream of values."""
    return list(feed(delivery, text, InputKind.JSON))


def sent(delivery: Delivery, text: bytes) -> list[bytes]:
    """Their bytes alone."""
    return [piece.data for piece in fed(delivery, text)]


def pauses(delivery: Delivery, text: bytes) -> list[float]:
    """Their pauses alone."""
    return [piece.pause_s for piece in fed(delivery, text)]


def told(
    fallen: dict[Delivery, Verdict], *, among: tuple[Delivery, ...] = DELIVERIES
) -> str | None:
    """The summary when all of these deliveries passed, except those that have a verdict here."""
    return summary({delivery: fallen.get(delivery, Verdict.PASSED) for delivery in among})


# Names.


def test_the_deliveries_are_those_that_a_suite_may_name() -> None:
    assert tuple(delivery.value for delivery in DELIVERIES) == policy.DELIVERIES


def test_the_page_describes_every_delivery_in_the_words_of_the_program() -> None:
    rows = re.findall(r"^\| `([a-z-]+)` \| ([^|]+) \|", PAGE.read_text(encoding="utf-8"), re.M)
    assert rows == [(delivery.value, delivery.description) for delivery in DELIVERIES]


def test_an_option_names_deliveries_in_any_order_and_gets_them_once_in_their_own() -> None:
    assert parse_deliveries("slow, plain,slow") == (Delivery.PLAIN, Delivery.SLOW)


def test_all_means_every_delivery_also_beside_a_name() -> None:
    assert parse_deliveries("all") == DELIVERIES
    assert parse_deliveries("cut,all") == DELIVERIES


def test_an_unknown_name_is_answered_with_the_nearest_known_one() -> None:
    with pytest.raises(ValueError, match=r'^unknown delivery "slwo"; did you mean "slow"\?$'):
        parse_deliveries("plain,slwo")


def test_a_name_that_is_near_to_none_is_answered_with_all_of_them() -> None:
    known = ", ".join(["all", *policy.DELIVERIES])
    with pytest.raises(ValueError, match=f'^unknown delivery "x"; known: {known}$'):
        parse_deliveries("x")


def test_an_empty_name_is_no_delivery() -> None:
    with pytest.raises(ValueError, match='^unknown delivery ""; known: '):
        parse_deliveries("plain,")


# Dressing.


def test_plain_is_the_files_own_bytes_in_one_piece_that_waits_for_nothing() -> None:
    assert fed(Delivery.PLAIN, SAMPLE) == [Piece(SAMPLE)]


def test_compact_keeps_only_the_space_that_parts_two_values_and_the_final_line_end() -> None:
    text = '{ "a b" : [ 1 , null ] }\r\n[ ]  -0\n\ttrue -1E2 "x" 5 \n\n'.encode()
    assert sent(Delivery.COMPACT, text) == [b'{"a b":[1,null]}[]-0 true -1E2"x"5\n']


def test_compact_adds_no_final_line_end() -> None:
    assert sent(Delivery.COMPACT, b" 1 2") == [b"1 2"]


def test_compact_leaves_alone_what_looks_like_white_space_between_numbers_in_a_string() -> None:
    assert sent(Delivery.COMPACT, b'["1  2\\"  3" ]') == [b'["1  2\\"  3"]']


def test_pretty_puts_every_member_on_a_line_of_its_own() -> None:
    assert sent(Delivery.PRETTY, SAMPLE)[0].decode().splitlines() == [
        *("{", '  "naïve": [', "    -12.5,", "    true", "  ],"),
        *('  "x": "\\u00e9\\n😀"', "}", "10", "[]"),
    ]


def test_pretty_keeps_a_final_line_end_and_adds_none() -> None:
    assert sent(Delivery.PRETTY, b"[1,{}] 2\t") == [b"[\n  1,\n  {}\n]\n2\n"]
    assert sent(Delivery.PRETTY, b"[1,{}]") == [b"[\n  1,\n  {}\n]"]


def test_pretty_indents_at_most_sixteen_levels_so_that_depth_does_not_square_its_length() -> None:
    lines = sent(Delivery.PRETTY, b"[" * 20 + b"7" + b"]" * 20)[0].split(b"\n")
    assert lines[15:18] == [b"  " * 15 + b"[", b"  " * 16 + b"[", b"  " * 16 + b"["]
    assert lines[20] == b"  " * 16 + b"7"
    assert lines[-17:-14] == [b"  " * 16 + b"]", b"  " * 15 + b"]", b"  " * 14 + b"]"]
    depth = JUDGE_DEPTH
    deepest = sent(Delivery.PRETTY, b"[" * depth + b"7" + b"]" * depth)[0]
    assert len(deepest) < 2 * depth * 35
    assert decode(deepest).fault is None


def test_escaped_writes_what_is_beyond_ascii_and_the_first_of_each_string_as_escapes() -> None:
    text = '["é😀z", "zé", "", "\\n", "\\\\", {"Key":"\\"q"}]\n'.encode()
    assert sent(Delivery.ESCAPED, text) == [
        b'["\\u00e9\\ud83d\\ude00z", "\\u007a\\u00e9", "", "\\n", "\\\\", {"\\u004bey":"\\"q"}]\n'
    ]


def test_crlf_ends_every_line_so_and_leaves_those_that_are() -> None:
    assert sent(Delivery.CRLF, b'[1,\n2]\r\n\n"\\n"\n') == [b'[1,\r\n2]\r\n\r\n"\\n"\r\n']


def test_no_final_newline_ends_the_input_with_its_last_value() -> None:
    assert sent(Delivery.NO_FINAL_NEWLINE, b"\n[1]\n2\r\n\t \n") == [b"\n[1]\n2"]


def test_white_space_surrounds_the_text_with_more_than_a_pipe_holds_of_all_four_kinds() -> None:
    (text,) = sent(Delivery.WHITE_SPACE, b"12")
    before, after = text.split(b"12")
    for margin in (before, after):
        assert len(margin) > 65_536
        assert set(margin) == set(b" \t\r\n")


def test_what_is_dressed_is_what_is_fed() -> None:
    assert dressed(Delivery.CRLF, b"1\n") == b"1\r\n"


# Pacing.


@pytest.mark.parametrize("delivery", DELIVERIES)
def test_the_deliveries_that_wait_are_those_that_say_so(delivery: Delivery) -> None:
    waits = any(piece.pause_s or piece.answers for piece in fed(delivery, SAMPLE))
    assert waits == delivery.is_paced


def test_byte_by_byte_sends_the_first_byte_when_the_program_is_up_and_each_other_after_2_ms() -> (
    None
):
    assert fed(Delivery.BYTE_BY_BYTE, b'"\xc3\xa9"') == [
        *(Piece(b'"', 0.1), Piece(b"\xc3", 0.002), Piece(b"\xa9", 0.002), Piece(b'"', 0.002)),
    ]


def test_an_input_of_401_bytes_still_goes_byte_by_byte() -> None:
    assert set(map(len, sent(Delivery.BYTE_BY_BYTE, b"[" + b" " * 399 + b"]"))) == {1}


def test_a_longer_input_goes_byte_by_byte_at_its_ends_and_is_cut_between_them() -> None:
    text = b"[" + b" " * 150_000 + '12,"é",null'.encode() + b" " * 150_000 + b"]"
    pieces = sent(Delivery.BYTE_BY_BYTE, text)
    assert [len(piece) for piece in pieces[:150]] == [1] * 150
    assert [piece.strip() for piece in pieces[150:154]] == [b"1", b'2,"\xc3', b'\xa9",nu', b"ll"]
    assert [len(piece) for piece in pieces[154:]] == [1] * 150


def test_slow_waits_a_tenth_of_a_second_before_each_of_its_eight_pieces() -> None:
    text = b"[11,22,33,44,55,66,77,88,99]"
    assert sent(Delivery.SLOW, text) == [
        *(b"[11,", b"22,", b"33,", b"44,55,", b"66,", b"77,", b"88,", b"99]"),
    ]
    assert pauses(Delivery.SLOW, text) == [0.1] * 8


def test_slow_cuts_no_token_and_so_a_long_one_is_one_piece() -> None:
    assert fed(Delivery.SLOW, b'"' + b"a" * 99 + b'"') == [Piece(b'"' + b"a" * 99 + b'"', 0.1)]


def test_slow_makes_no_empty_piece_of_the_end() -> None:
    assert fed(Delivery.SLOW, b"[1]") == [Piece(b"[", 0.1), Piece(b"1]", 0.1)]


def test_cut_cuts_characters_escapes_numbers_words_and_strings_in_their_middle() -> None:
    assert sent(Delivery.CUT, SAMPLE) == [
        *(b'{"', b"na\xc3", b'\xafve": [-1', b"2.5, tr", b'ue], "', b'x":"\\u0', b"0e9\\"),
        *(b"n\xf0\x9f", b'\x98\x80"} 1', b"0\n\t[ ]\n"),
    ]
    assert pauses(Delivery.CUT, SAMPLE) == [0.1] + [0.002] * 9


def test_cut_cuts_a_pair_of_escapes_between_its_halves() -> None:
    assert sent(Delivery.CUT, b'["\\ud83d\\ude00"]') == [b'["\\ud83d', b'\\ude00"]']


def test_cut_cuts_every_kind_of_an_input_that_is_too_long_to_cut_everywhere() -> None:
    text = b"[" + b'123,"abc",' * 50_000 + '"€",false,"\\t"'.encode() + b"]"
    pieces = sent(Delivery.CUT, text)
    assert pieces[-3:] == [b'\x82\xac",fa', b'lse,"\\', b't"]']
    ends = Counter(piece[-1:] for piece in pieces[:-3])
    assert ends == {b"1": 80, b"a": 80, b"\xe2": 1}


def test_cut_cuts_at_most_eighty_of_a_kind() -> None:
    assert 40 < len(sent(Delivery.CUT, b"12 " * 100)) <= 81


def test_at_once_is_one_piece_that_comes_when_the_program_is_up() -> None:
    assert fed(Delivery.AT_ONCE, SAMPLE) == [Piece(SAMPLE, 0.1)]


def test_value_by_value_sends_each_value_when_those_before_it_are_answered() -> None:
    assert fed(Delivery.VALUE_BY_VALUE, b' {"a":[1]}\n\n 2\r\n"x"') == [
        *(Piece(b' {"a":[1]}\n\n '), Piece(b"2\r\n", answers=1), Piece(b'"x"', answers=2)),
    ]


def test_value_by_value_ends_the_line_after_a_value_that_another_one_follows_on_it() -> None:
    assert fed(Delivery.VALUE_BY_VALUE, b"1 [2][3]4 ") == [
        *(Piece(b"1 \n"), Piece(b"[2]\n", answers=1), Piece(b"[3]\n", answers=2)),
        Piece(b"4 ", answers=3),
    ]


def test_value_by_value_sends_white_space_without_values() -> None:
    assert fed(Delivery.VALUE_BY_VALUE, b" \n") == [Piece(b" \n")]


@pytest.mark.parametrize("delivery", [each for each in DELIVERIES if each.value != "white-space"])
def test_an_empty_input_has_no_pieces(delivery: Delivery) -> None:
    assert not fed(delivery, b"")


def test_an_empty_input_can_have_white_space_around_it() -> None:
    assert b"".join(sent(Delivery.WHITE_SPACE, b"")).strip() == b""


@pytest.mark.parametrize("delivery", PACED)
def test_three_megabytes_wait_less_than_a_second_in_at_most_401_pieces(delivery: Delivery) -> None:
    record = encode({"id": 17, "name": "Łódź\n", "ok": True}).encode()
    text = b"[" + b",".join([record] * 80_000) + b"]\n"
    pieces = fed(delivery, text)
    assert len(text) > 3_000_000
    assert len(pieces) <= MOST_PAUSED + 1
    assert round(sum(piece.pause_s for piece in pieces), 9) <= MOST_PAUSE_S < 1
    assert b"".join(piece.data for piece in pieces) == text


def test_pieces_are_made_when_they_are_asked_for() -> None:
    pieces = feed(Delivery.VALUE_BY_VALUE, b"[1]\n" + b'["', InputKind.JSON)
    assert next(pieces) == Piece(b"[1]\n")


# Which deliveries a case gets.


@pytest.mark.parametrize("delivery", DELIVERIES[1:])
def test_raw_input_is_fed_plain_only(delivery: Delivery) -> None:
    assert not applicable(delivery, SAMPLE, InputKind.RAW, conversation=True)
    with pytest.raises(ValueError, match=f'^raw input is fed plain only, not "{delivery.value}"$'):
        feed(delivery, SAMPLE, InputKind.RAW)


def test_raw_input_is_fed_as_it_is() -> None:
    assert list(feed(Delivery.PLAIN, b"\xff{", InputKind.RAW)) == [Piece(b"\xff{")]
    assert distinct(DELIVERIES, b"\xff{", InputKind.RAW, conversation=True) == (Delivery.PLAIN,)


@pytest.mark.parametrize("kind", [InputKind.JSON, InputKind.OFF_SCHEMA])
def test_an_input_with_something_of_everything_gets_every_delivery(kind: InputKind) -> None:
    assert distinct(DELIVERIES, SAMPLE, kind, conversation=True) == DELIVERIES


def test_only_a_conversation_can_go_value_by_value() -> None:
    chosen = distinct(DELIVERIES, SAMPLE, InputKind.JSON, conversation=False)
    assert chosen == DELIVERIES[:-1]
    assert DELIVERIES[-1] is Delivery.VALUE_BY_VALUE


@pytest.mark.parametrize(
    ("text", "alike"),
    [
        (b"[1,2]\n", "compact escaped cut value-by-value"),
        (b'[\n  "C",\n  {}\n]', "pretty no-final-newline value-by-value"),
        (b"7", "compact pretty escaped crlf no-final-newline byte-by-byte cut value-by-value"),
    ],
)
def test_what_changes_nothing_is_not_run_beside_plain(text: bytes, alike: str) -> None:
    left_out = [
        delivery.value
        for delivery in DELIVERIES
        if not applicable(delivery, text, InputKind.JSON, conversation=True)
    ]
    assert left_out == alike.split()


def test_plain_is_run_whatever_stands_beside_it() -> None:
    assert applicable(Delivery.PLAIN, b"7", InputKind.JSON, conversation=False, beside=DELIVERIES)


def test_of_two_that_feed_the_same_the_first_is_run() -> None:
    pair = (Delivery.NO_FINAL_NEWLINE, Delivery.COMPACT)
    assert distinct(pair, b"[1]", InputKind.JSON, conversation=False) == (Delivery.COMPACT,)
    assert not applicable(
        Delivery.NO_FINAL_NEWLINE, b"[1]", InputKind.JSON, conversation=False, beside=pair
    )


def test_two_that_feed_only_the_first_piece_alike_are_both_run() -> None:
    pair = (Delivery.BYTE_BY_BYTE, Delivery.CUT)
    assert sent(pair[0], b'"a"')[0] == sent(pair[1], b'"a"')[0]
    assert distinct(pair, b'"a"', InputKind.JSON, conversation=False) == pair


def test_a_delivery_that_stands_alone_is_run_even_if_plain_would_feed_the_same() -> None:
    alone = (Delivery.COMPACT,)
    assert distinct(alone, b"[1]", InputKind.JSON, conversation=False) == alone


# The line that says how they differ.


def test_deliveries_that_agree_need_no_line() -> None:
    assert told({}) is None
    assert told(dict.fromkeys(DELIVERIES, Verdict.SILENT)) is None
    assert summary({}) is None


def test_the_line_names_what_passes_and_what_alone_fails() -> None:
    assert told({Delivery.SLOW: Verdict.SILENT}) == (
        "passes plain, compact and 9 more; fails only when the input comes slowly (slow)"
    )


def test_a_delivery_in_pieces_that_has_no_other_beside_it_has_its_own_reason() -> None:
    assert told({Delivery.CUT: Verdict.MALFORMED}, among=(Delivery.PLAIN, Delivery.CUT)) == (
        "passes plain; fails only when the input is cut inside a token (cut)"
    )


def test_few_deliveries_are_all_named() -> None:
    among = (Delivery.CRLF, Delivery.PLAIN, Delivery.SLOW, Delivery.ESCAPED)
    assert told({Delivery.CRLF: Verdict.MALFORMED}, among=among) == (
        "passes plain, escaped and slow; fails only when the input has CRLF line ends (crlf)"
    )


def test_several_reasons_are_joined() -> None:
    fallen = dict.fromkeys(
        (Delivery.SLOW, Delivery.BYTE_BY_BYTE, Delivery.WHITE_SPACE), Verdict.SILENT
    )
    assert told(fallen) == (
        "passes plain, compact and 7 more; fails only when the input has white space around it,"
        " comes byte by byte or comes slowly (white-space, byte-by-byte, slow)"
    )


def test_what_fails_in_all_kinds_of_pieces_fails_in_pieces() -> None:
    among = (Delivery.PLAIN, Delivery.BYTE_BY_BYTE, Delivery.SLOW, Delivery.AT_ONCE)
    fallen = {Delivery.SLOW: Verdict.DIFFERS, Delivery.BYTE_BY_BYTE: Verdict.MALFORMED}
    assert told(fallen, among=among) == (
        "passes plain and at-once; fails only when the input comes in pieces (byte-by-byte, slow)"
    )


def test_more_than_three_reasons_are_only_named() -> None:
    fallen = dict.fromkeys(DELIVERIES[1:5], Verdict.CRASHED)
    assert told(fallen) == (
        "passes plain, no-final-newline and 6 more; fails only compact, pretty, escaped, crlf"
    )


def test_where_most_fail_the_line_says_what_alone_passes() -> None:
    among = (Delivery.PLAIN, Delivery.PRETTY, Delivery.SLOW)
    fallen = {Delivery.PRETTY: Verdict.DIFFERS, Delivery.SLOW: Verdict.SILENT}
    assert told(fallen, among=among) == (
        "passes only when the input comes as it stands in its file (plain); fails pretty and slow"
    )


def test_deliveries_that_fail_in_different_ways_are_told_apart() -> None:
    outcomes = {Delivery.SLOW: Verdict.SILENT, Delivery.CUT: Verdict.SILENT}
    assert summary({Delivery.PLAIN: Verdict.DIFFERS, **outcomes}) == (
        "fails every delivery, but not alike: differs (plain), silent (slow, cut)"
    )


def test_a_fault_of_our_own_is_no_failure_of_the_program() -> None:
    assert told({Delivery.SLOW: Verdict.HARNESS_FAULT}) is None

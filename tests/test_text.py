"""Amounts, counts and signals in words; texts made visible, and cut to size."""

from __future__ import annotations

import shutil
import signal
import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.text import (
    escape_ci_commands,
    escape_nonprintable,
    first_bytes,
    format_number,
    last_bytes,
    pluralize,
    quote,
    ranges,
    shell_line,
    signal_name,
    truncate,
    truncate_to_width,
    wrap,
)


@pytest.mark.parametrize(
    ("value", "text"),
    [(10.0, "10"), (0.5, "0.5"), (16, "16"), (0.001, "0.001"), (86400.0, "86,400"), (0, "0")],
)
def test_an_amount_has_no_tail_of_zeros(value: float, text: str) -> None:
    assert format_number(value) == text


def test_one_thing_stands_in_the_singular_and_thousands_are_set_apart() -> None:
    counted = [pluralize(number, "value") for number in (0, 1, 2, 12_345)]
    assert counted == ["0 values", "1 value", "2 values", "12,345 values"]


def test_a_signal_without_a_name_is_told_by_its_number() -> None:
    nameless = signal.SIGRTMIN + 1
    assert [signal_name(11), signal_name(nameless)] == ["SIGSEGV", f"signal {int(nameless)}"]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain ink, é, 棋 and 🎲", "plain ink, é, 棋 and 🎲"),
        ("a\tb\r\nc", "a\\tb\\r\\nc"),
        ("\x1b[31mred\x1b[0m \x07", "\\x1b[31mred\\x1b[0m \\x07"),
        ("\x00\x7f\x80\x9b", "\\x00\\x7f\\x80\\x9b"),
        ("\u202eevil\u2066\u2069\u061c\u200f", "\\u202eevil\\u2066\\u2069\\u061c\\u200f"),
        ("a\u200bb\ufeffc\u00add\u00a0e\u3000f", "a\\u200bb\\ufeffc\\xadd\\xa0e\\u3000f"),
        ("line\u2028paragraph\u2029", "line\\u2028paragraph\\u2029"),
        ("heart\ufe0f, filler\u3164, \U000e0101", "heart\\ufe0f, filler\\u3164, \\U000e0101"),
        ("tag\U000e0041, lone \ud800 \udcff", "tag\\U000e0041, lone \\ud800 \\udcff"),
    ],
)
def test_what_acts_on_a_terminal_or_hides_is_made_visible(text: str, shown: str) -> None:
    assert escape_nonprintable(text) == shown


@given(st.text())
@settings(deadline=None)
def test_a_visible_text_is_one_printable_line_and_stays_so(text: str) -> None:
    """`visible` leaves nothing unprintable, can be written as UTF-8, and is idempotent."""
    shown = escape_nonprintable(text)
    assert shown.isprintable()
    assert shown.encode().decode() == shown
    assert escape_nonprintable(shown) == shown


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("::error::x", ":\\x3aerror::x"),
        ("  ::error::x", "  :\\x3aerror::x"),
        ("a ::error::x", "a ::error::x"),
        (":error::x", ":error::x"),
        ("a ##[error]x ##[", "a #\\x23[error]x #\\x23["),
        ("###[x] ##vso[task.x] ##teamcity[y]", "##\\x23[x] #\\x23vso[task.x] #\\x23teamcity[y]"),
        ("## heading [1]", "## heading [1]"),
    ],
)
def test_a_harmless_line_has_no_command_of_a_ci_server(line: str, shown: str) -> None:
    assert escape_ci_commands(line) == shown


def test_a_quoted_text_is_visible_and_cut() -> None:
    assert quote("a\nb", 10) == '"a\\nb"'
    assert quote("x" * 50, 10) == f'"{"x" * 9}…"'


@pytest.mark.parametrize(
    ("width", "shown"),
    [
        (50, "x" * 50),
        (49, "x" * 33 + " … 50 characters"),
        (24, "x" * 8 + " … 50 characters"),
        (23, "x" * 22 + "…"),
        (1, "…"),
        (0, ""),
    ],
)
def test_a_cut_text_says_how_long_it_was_where_there_is_room(width: int, shown: str) -> None:
    assert truncate("x" * 50, width) == shown


@given(st.text(), st.integers(0, 80))
@settings(deadline=None)
def test_a_cut_text_is_never_longer_than_its_width(text: str, width: int) -> None:
    """At most `width` characters, and all of the text where it has no more."""
    assert len(truncate(text, width)) == min(len(text), width)
    assert len(truncate_to_width(text, width)) == min(len(text), width)
    assert len(truncate(text, width, "3 bytes")) <= width


def test_a_clipped_text_says_only_that_it_goes_on() -> None:
    assert [
        truncate_to_width("x" * 50, 50),
        truncate_to_width("x" * 50, 4),
        truncate_to_width("x", 0),
    ] == ["x" * 50, "xxx…", ""]


def test_a_shortened_text_always_says_that_it_goes_on() -> None:
    assert truncate("abc", 20, "9 bytes") == "abc … 9 bytes"
    assert truncate("abc", 14, "9 bytes") == "abc…"
    assert truncate("", 20, "9 bytes") == " … 9 bytes"


@pytest.mark.parametrize(
    ("most", "kept"),
    [
        (0, ""),
        (1, "a"),
        (2, "a"),
        (3, "aé"),
        (4, "aé"),
        (5, "aé"),
        (6, "aé棋"),
        (7, "aé棋"),
        (9, "aé棋"),
        (10, "aé棋🎲"),
        (11, "aé棋🎲z"),
        (99, "aé棋🎲z"),
    ],
)
def test_the_first_bytes_do_not_end_inside_a_character(most: int, kept: str) -> None:
    assert first_bytes("aé棋🎲z".encode(), most) == kept.encode()


def test_the_first_bytes_may_have_been_cut_before() -> None:
    cut_before = "aé棋".encode()[:5]
    assert first_bytes(cut_before, 99) == cut_before
    assert first_bytes(cut_before, 99, goes_on=True) == "aé".encode()


@pytest.mark.parametrize(
    ("most", "kept"),
    [
        (1, "z"),
        (2, "z"),
        (4, "z"),
        (5, "🎲z"),
        (6, "🎲z"),
        (8, "棋🎲z"),
        (10, "é棋🎲z"),
        (11, None),
    ],
)
def test_the_last_bytes_do_not_begin_inside_a_character(most: int, kept: str | None) -> None:
    whole = "aé棋🎲z"
    assert last_bytes(whole.encode(), most) == (kept if kept is not None else whole).encode()


def test_no_bytes_at_the_end_are_none() -> None:
    assert last_bytes(b"abc", 0) == b""


@given(st.binary(max_size=12), st.integers(0, 12))
@settings(deadline=None)
def test_bytes_that_are_not_utf_8_lose_at_most_three(data: bytes, most: int) -> None:
    """A beginning or an end is kept, of at most `most` bytes and at most three fewer."""
    for kept, whole in ((first_bytes(data, most), data[:most]), (last_bytes(data, most), data)):
        assert kept in whole
        assert min(len(data), most) - 3 <= len(kept) <= most
    assert data.startswith(first_bytes(data, most))
    assert data.endswith(last_bytes(data, most))


@given(st.text(max_size=12), st.integers(0, 40))
@settings(deadline=None)
def test_bytes_that_are_utf_8_stay_so_when_cut(text: str, most: int) -> None:
    """Both ends of a UTF-8 text are UTF-8 texts."""
    data = text.encode("utf-8", "replace")
    first_bytes(data, most).decode()
    last_bytes(data, most).decode()


def test_a_shell_line_quotes_only_what_has_to_be_quoted() -> None:
    assert shell_line(("xtest", "run", "a b", "", "it's")) == """xtest run 'a b' '' 'it'"'"'s'"""


def test_a_shell_line_is_visible_as_a_whole() -> None:
    assert shell_line(("a\nb\x1b'\\", "\udcff")) == r"$'a\nb\033\'\\' $'\377'"
    # Of results that somebody else wrote: no system has such a name.
    assert shell_line(("\ud800",)) == r"$'\355\240\200'"


@pytest.mark.system
@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is the judge here")
@given(st.lists(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]))))
@settings(deadline=None, max_examples=20)
def test_bash_reads_a_shell_line_as_the_words_that_it_came_from(words: list[str]) -> None:
    """`printf` in bash gives back every word, byte for byte."""
    line = shell_line(("printf", "%s\\0", *words))
    done = subprocess.run(["bash", "-c", line], capture_output=True, check=True)
    expected = "".join(f"{word}\0" for word in words or [""])
    assert done.stdout == expected.encode()


def test_a_text_is_wrapped_at_spaces_and_only_there() -> None:
    said = "one two  three"
    assert list(wrap(said, None)) == [said]
    assert list(wrap(said, 7)) == ["one two", " three"]
    assert list(wrap(said, 2)) == ["one", "two", "", "three"]
    assert list(wrap("", 5)) == [""]
    assert list(wrap("\x1b[1mone two\x1b[0m three", 7)) == ["\x1b[1mone two\x1b[0m", "three"]


def test_ranges_join_neighbours() -> None:
    assert [ranges([]), ranges([4]), ranges([1, 2, 3, 7, 9, 10])] == ["", "4", "1-3, 7, 9-10"]

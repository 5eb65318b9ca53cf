"""Two texts beside each other: where they differ is in sight."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.report.emphasis import beginning_of, cells, end_of, fitted, parts_of


def shown(left: str, right: str, room: int) -> tuple[str, str]:
    """Both texts as far as there is room, the differing parts in braces."""
    both = fitted(*parts_of(left, right), room)
    one, other = (parts.painted(lambda part: f"{{{part}}}") for parts in both)
    return one, other


@pytest.mark.parametrize(
    ("left", "right", "room", "told"),
    [
        ("abc", "abc", 9, ("abc", "abc")),
        ("abcd", "abxd", 9, ("ab{c}d", "ab{x}d")),
        ("abcd", "abd", 9, ("ab{c}d", "abd")),
        ("aa", "aaa", 9, ("aa", "aa{a}")),
        ("", "x", 9, ("", "{x}")),
        ("a b", "a  b", 9, ("a b", "a {·}b")),
        ('"x"', '"x "', 9, ('"x"', '"x{·}"')),
        ("a b", "ac", 9, ("a{ b}", "a{c}")),
        ("e\u0301", "\u00e9", 9, ("{e\\u0301}", "{é}")),
        ("0123456789abcdef", "0123456789xbcdef", 9, ("…89{a}bcdef", "…89{x}bcdef")),
        ("0123456789abcdefghi", "0123456789xbcdefghi", 9, ("…89{a}bcde…", "…89{x}bcde…")),
        ("0123456789abcdef", "0123456789abcdeX", 9, ("…89abcde{f}", "…89abcde{X}")),
        ("abcdefghijkl", "Xbcdefghijkl", 9, ("{a}bcdefgh…", "{X}bcdefgh…")),
        ("abcdefghijkl", "XYZUVWRSTABC", 9, ("{abcdefgh…}", "{XYZUVWRS…}")),
        ("棋盤棋盤棋盤", "棋盤棋盤棋子", 9, ("…棋盤棋{盤}", "…棋盤棋{子}")),
        ("abc", "abd", 0, ("", "")),
    ],
)
def test_where_two_texts_differ_is_in_sight(
    left: str, right: str, room: int, told: tuple[str, str]
) -> None:
    assert shown(left, right, room) == told


@pytest.mark.parametrize(
    ("text", "width"), [("", 0), ("abc", 3), ("棋盤", 4), ("e\u0301", 1), ("ｘ", 2), ("…", 1)]
)
def test_widths_are_cells_of_a_terminal(text: str, width: int) -> None:
    assert cells(text) == width


@given(st.text(max_size=30), st.text(max_size=30), st.integers(0, 40))
@settings(deadline=None)
def test_nothing_is_wider_than_it_may_be_and_all_of_it_is_visible(
    left: str, right: str, room: int
) -> None:
    """Whatever the texts are."""
    for parts in fitted(*parts_of(left, right), room):
        assert parts.cells <= room
        assert "".join(parts).isprintable()
    assert cells(beginning_of(left, room)) <= room
    assert cells(end_of(left, room)) <= room


def test_a_text_that_fits_is_whole() -> None:
    assert beginning_of("abc", 3) == end_of("abc", 3) == "abc"
    assert (beginning_of("abcd", 3), end_of("abcd", 3)) == ("ab…", "…cd")

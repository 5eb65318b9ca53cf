"""Two texts side by side: the difference is visible at every width."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.reports.emphasis import beginning_of, cells, end_of, fit_parts, parts_of


def shown(left: str, right: str, room: int) -> tuple[str, str]:
    """Return both texts cut to the room, with the differing parts in braces."""
    both = fit_parts(*parts_of(left, right), room)
    one, other = (parts.painted(lambda part: f"{{{part}}}") for parts in both)
    return one, other


@pytest.mark.parametrize(
    ("left", "right", "room", "fitted"),
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
def test_the_difference_of_two_texts_is_visible(
    left: str, right: str, room: int, fitted: tuple[str, str]
) -> None:
    assert shown(left, right, room) == fitted


@pytest.mark.parametrize(
    ("text", "width"), [("", 0), ("abc", 3), ("棋盤", 4), ("e\u0301", 1), ("ｘ", 2), ("…", 1)]
)
def test_widths_are_terminal_cells(text: str, width: int) -> None:
    assert cells(text) == width


@given(st.text(max_size=30), st.text(max_size=30), st.integers(0, 40))
@settings(deadline=None)
def test_texts_are_printable_and_fit_the_room(left: str, right: str, room: int) -> None:
    for parts in fit_parts(*parts_of(left, right), room):
        assert parts.cells <= room
        assert "".join(parts).isprintable()
    assert cells(beginning_of(left, room)) <= room
    assert cells(end_of(left, room)) <= room


def test_a_text_that_fits_is_not_cut() -> None:
    assert beginning_of("abc", 3) == end_of("abc", 3) == "abc"
    assert (beginning_of("abcd", 3), end_of("abcd", 3)) == ("ab…", "…cd")

"""Two texts side by side: the difference is visible at every width."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from support.golden import Golden
from support.tables import check_table

from harness.reports.emphasis import beginning_of, cells, end_of, fit_parts, parts_of


def test_the_difference_of_two_texts_is_visible(golden: Golden) -> None:
    def shown(example: tuple[str, str, int]) -> str:
        left, right, room = example
        both = fit_parts(*parts_of(left, right), room)
        texts = (parts.painted(str, lambda part: f"{{{part}}}") for parts in both)
        # With doubled backslashes, so that a missing escape shows.
        return ascii(" | ".join(texts))[1:-1]

    check_table(golden, __file__, "emphasis.txt", shown)


def test_widths_are_terminal_cells() -> None:
    widths = {"": 0, "abc": 3, "棋盤": 4, "e\u0301": 1, "ｘ": 2, "…": 1}
    assert {text: cells(text) for text in widths} == widths


@given(st.text(max_size=30), st.text(max_size=30), st.integers(0, 40))
def test_texts_are_printable_and_fit_the_room(left: str, right: str, room: int) -> None:
    for parts in fit_parts(*parts_of(left, right), room):
        assert parts.cells <= room
        assert "".join(parts).isprintable()
    assert cells(beginning_of(left, room)) <= room
    assert cells(end_of(left, room)) <= room


def test_a_text_that_fits_is_not_cut() -> None:
    assert beginning_of("abc", 3) == end_of("abc", 3) == "abc"
    assert (beginning_of("abcd", 3), end_of("abcd", 3)) == ("ab…", "…cd")

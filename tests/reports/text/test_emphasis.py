"""Two texts side by side: the difference is visible at every width."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from support.golden import Golden

from harness.reports.text.emphasis import beginning_of, end_of, fit_parts, parts_of
from harness.text import cells


def test_the_difference_of_two_texts_is_visible(golden: Golden) -> None:
    def shown(example: tuple[str, str, int]) -> str:
        left, right, room = example
        both = fit_parts(*parts_of(left, right), room)
        texts = (parts.painted(str, lambda part: f"{{{part}}}") for parts in both)
        # With doubled backslashes, so that a missing escape shows.
        return ascii(" | ".join(texts))[1:-1]

    golden.table("emphasis.txt", shown)


def test_widths_are_terminal_cells() -> None:
    widths = {"": 0, "abc": 3, "棋盤": 4, "e\u0301": 1, "ｘ": 2, "…": 1}
    assert {text: cells(text) for text in widths} == widths


@given(st.text(max_size=30), st.text(max_size=30), st.integers(0, 40))
def test_texts_are_printable_and_fit_the_room(left: str, right: str, room: int) -> None:
    for parts in fit_parts(*parts_of(left, right), room):
        assert parts.cells <= room
        assert "".join(parts).isprintable()
    for cut in (beginning_of, end_of):
        shown = cut(left, room)
        assert (shown == left) if cells(left) <= room else cells(shown) <= room

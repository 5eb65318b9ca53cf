"""The lines and the two tables, compared with boards drawn as text."""

from __future__ import annotations

from engines.tictactoe.masks import FREE, FULL, LINES, WON

DRAWN_LINES = """
###  ...  ...  #..  .#.  ..#  #..  ..#
...  ###  ...  #..  .#.  ..#  .#.  .#.
...  ...  ###  #..  .#.  ..#  ..#  #..
"""


def drawn(mask: int) -> list[str]:
    """The three rows of a mask, cell 0 at the top left."""
    text = "".join("#" if mask & 2**cell else "." for cell in range(9))
    return [text[0:3], text[3:6], text[6:9]]


def test_the_lines_are_the_rows_the_columns_and_the_diagonals_in_the_order_of_the_notebook() -> (
    None
):
    rows = [row.split() for row in DRAWN_LINES.split("\n") if row]
    assert [drawn(line) for line in LINES] == [list(column) for column in zip(*rows, strict=True)]


def test_a_mask_is_won_when_all_cells_of_some_drawn_line_are_in_it() -> None:
    lines = [{cell for cell in range(9) if line >> cell & 1} for line in LINES]
    for mask in range(512):
        marked = {cell for cell in range(9) if mask >> cell & 1}
        assert WON[mask] == any(line <= marked for line in lines), drawn(mask)


def test_the_free_cells_beside_a_mask_come_one_by_one_and_ascending() -> None:
    for mask in range(512):
        assert list(FREE[mask]) == [2**cell for cell in range(9) if not mask & 2**cell], drawn(mask)


def test_the_tables_have_an_entry_for_each_mask_and_no_more() -> None:
    assert (len(WON), len(FREE), FULL) == (512, 512, 511)

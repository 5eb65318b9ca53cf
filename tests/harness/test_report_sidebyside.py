"""Differences in two columns, in whole lines."""

from __future__ import annotations

from harness.report.rows import Mark, Row
from harness.report.sidebyside import Columns, columns_for, heading, row_line
from harness.report.text import PLAIN

ROWS = [
    Row(Mark.SAME, "{", "{"),
    Row(Mark.FOLDED, "… 7 equal values …", "", 1),
    Row(Mark.SAME, '"id": 1', '"id": 1.0', 1),
    Row(Mark.CHANGED, '"name": "Ann"', '"name": "Anne"', 1, "/0/name", "/0/name"),
    Row(Mark.CHANGED, '"a": 1', '"a": 2', 1, "/3/a", "/2/a"),
    Row(Mark.MISSING, '"棋盤"', "", 2, "/0/list/3", "/0/list/3"),
    Row(Mark.EXTRA, "", '"x\x1b"', 1, "/0/new", "/0/new"),
    Row(Mark.SAME, "}", "}"),
]


def marked(text: str, role: str) -> str:
    """A style that shows itself."""
    return f"<{role}>{text}</{role}>"


def test_what_was_expected_stands_on_the_left_and_what_was_printed_on_the_right() -> None:
    columns = columns_for(ROWS, 120)
    assert columns == Columns(20, 9)
    lines = [heading(columns), *(row_line(row, columns, PLAIN) for row in ROWS)]
    assert "\n".join(lines) == (
        "expected               printed\n"
        "{                      {\n"
        "  … 7 equal values …\n"
        '  "id": 1                "id": 1.0\n'
        '  "name": "Ann"      |   "name": "Anne"      /0/name\n'
        '  "a": 1             |   "a": 2              /3→2/a\n'
        '    "棋盤"           <                       /0/list/3\n'
        '                     >   "x\\x1b"             /0/new\n'
        "}                      }"
    )


def test_the_part_that_differs_is_coloured() -> None:
    assert [row_line(row, Columns(18, 7), marked) for row in (ROWS[1], ROWS[3])] == [
        "  <dim>… 7 equal values …</dim>",
        '  "name": "Ann"    <strong>|</strong>   "name": "Ann<bad>e</bad>"    <dim>/0/name</dim>',
    ]


def test_columns_are_as_wide_as_the_screen_lets_them_be() -> None:
    long = Row(Mark.CHANGED, "x" * 500 + "A", "x" * 500 + "B", 0, "/" + "k" * 99, "/" + "k" * 99)
    assert columns_for([long], 102) is None
    assert columns_for([long], 103) == Columns(34, 30)
    assert columns_for([long], 160) == Columns(62, 30)
    assert columns_for([long], 999) == Columns(100, 30)
    assert row_line(long, Columns(34, 10), PLAIN) == (f"…{'x' * 32}A | …{'x' * 32}B  …kkkkkkkkk")


def test_half_of_a_column_may_be_indentation() -> None:
    deep = Row(Mark.MISSING, "[]", "", 16, "/0", "/0")
    assert columns_for([deep], 160) == Columns(64, 2)
    assert (
        row_line(deep, Columns(34, 2), PLAIN)
        == " " * 17 + "[]" + " " * 15 + " < " + " " * 36 + "/0"
    )


def test_without_rows_there_is_nothing_to_be_wide_for() -> None:
    assert columns_for([], 80) == Columns(20, 0)

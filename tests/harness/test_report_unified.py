"""Differences one below the other, in whole lines."""

from __future__ import annotations

from harness.report.rows import Mark, Row
from harness.report.text import PLAIN
from harness.report.unified import unified_lines

ROWS = [
    Row(Mark.SAME, "{", "{"),
    Row(Mark.FOLDED, "… 7 equal values …", "", 1),
    Row(Mark.SAME, '"id": 1', '"id": 1.0', 1),
    Row(Mark.SAME, "", '"ignored": 2', 1),
    Row(Mark.CHANGED, '"name": "Ann"', '"name": "Anne"', 1, "/0/name", "/0/name"),
    Row(Mark.CHANGED, '"a": 1', '"a": 2', 1, "/3/a", "/2/a"),
    Row(Mark.MISSING, "[1,2,3]", "", 2, "/0/list/3", "/0/list/3"),
    Row(Mark.EXTRA, "", '"x\x1b"', 1, "/0/new", "/0/new"),
    Row(Mark.SAME, "}", "}"),
]


def marked(text: str, role: str) -> str:
    """A style that shows itself."""
    return f"<{role}>{text}</{role}>"


def lines_of(row: Row, width: int) -> list[str]:
    """The lines of a row without any style."""
    return list(unified_lines(row, PLAIN, width))


def test_what_was_expected_and_what_was_printed_stand_below_each_other() -> None:
    assert "\n".join(line for row in ROWS for line in lines_of(row, 60)) == (
        "  {\n"
        "    … 7 equal values …\n"
        '    "id": 1\n'
        '    "ignored": 2\n'
        '-   "name": "Ann"  at /0/name\n'
        '+   "name": "Anne"\n'
        '-   "a": 1  at /3/a\n'
        '+   "a": 2  at /2/a\n'
        "-     [1,2,3]  at /0/list/3\n"
        '+   "x\\x1b"  at /0/new\n'
        "  }"
    )


def test_the_part_that_differs_is_coloured() -> None:
    assert [line for row in ROWS[4:8:2] for line in unified_lines(row, marked, 60)] == [
        '<good>-</good>   "name": "Ann"<dim>  at /0/name</dim>',
        '<bad>+</bad>   "name": "Ann<bad>e</bad>"',
        "<good>-</good>     <good>[1,2,3]</good><dim>  at /0/list/3</dim>",
    ]
    assert list(unified_lines(ROWS[1], marked, 60)) == ["    <dim>… 7 equal values …</dim>"]


def test_lines_keep_to_the_width_and_the_difference_stays_in_sight() -> None:
    long = Row(Mark.CHANGED, "x" * 50 + "A" + "y" * 50, "x" * 50 + "B", 3, "/" + "k" * 50, "/1")
    assert lines_of(long, 40) == [
        "-       …xxAyyyyyy…  at …kkkkkkkkkkkkkkk",
        "+       …xxB  at /1",
    ]
    deep = Row(Mark.SAME, "y" * 50, "y" * 50, 1_000)
    assert lines_of(deep, 40) == [" " * 22 + "y" * 17 + "…"]

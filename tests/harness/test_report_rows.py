"""Differences as rows, in the JSON around them."""

from __future__ import annotations

import pytest

from harness.events import Bytes, Evidence, ShownDifference
from harness.jsonfast import decode
from harness.jsontext import Json, encode
from harness.judging.aligned import aligned_differences
from harness.records import MISSING, Comparison, Missing
from harness.report.rows import Mark, Row, rows_of


def carried(text: str) -> Bytes:
    """A text as an event carries it."""
    return Bytes(text.encode(), len(text.encode()))


def shown(value: Json | Missing) -> str | None:
    """A value as an event shows it."""
    return None if value is MISSING else encode(value)


def evidence_of(
    expected: str, actual: str, most: int = 200, comparison: Comparison = Comparison()
) -> Evidence:
    """What an event carries of two streams that differ."""
    left, right = decode(expected.encode()).values, decode(actual.encode()).values
    found = [
        ShownDifference(one.pointer, shown(one.expected), shown(one.actual), one.actual_pointer)
        for one in aligned_differences(left, right, comparison)
    ]
    nothing = carried("")
    streams = (nothing, carried(expected), carried(actual), nothing)
    return Evidence(*streams, tuple(found[:most]), len(found))


def drawn(rows: list[Row]) -> str:
    """Rows as lines: indented, the mark between both sides, and the places."""
    lines = []
    for row in rows:
        places = f"  {row.place} {row.beside}" if row.place or row.beside else ""
        lines.append(f"{'  ' * row.depth}{row.left} {row.mark.value} {row.right}{places}".rstrip())
    return "\n".join(lines)


@pytest.mark.parametrize(
    ("expected", "actual", "lines"),
    [
        ("1", "2", ["1 | 2  /0 /0"]),
        ("1 2 3 4", "2 3 4", ["1 <   /0 /0", "2   2", "… 2 equal values … …"]),
        (
            "[0, 1, 2, 3, 4, 5, 6]",
            "[0, 1, 2, 9, 4, 5]",
            [
                *("[   [", "  … 2 equal values … …", "  2   2", "  3 | 9  /0/3 /0/3"),
                *("  4   4", "  5   5", "  6 <   /0/6 /0/6", "]   ]"),
            ],
        ),
        (
            '{"a": {"b": [1, {"c": null}]}, "d": 7, "e~/": 8}',
            '{"d": 7, "e~/": "8", "a": {"b": [1, {"c": true, "x\\n": []}]}}',
            [
                *("{   {", '  "a": {   "a": {', '    "b": [   "b": [', "      1   1"),
                *("      {   {", '        "c": null | "c": true  /0/a/b/1/c /0/a/b/1/c'),
                '         > "x\\n": []  /0/a/b/1/x\n /0/a/b/1/x',
                *("      }   }", "    ]   ]", "  }   }", '  "d": 7   "d": 7'),
                '  "e~/": 8 | "e~/": "8"  /0/e~0~1 /0/e~0~1',
                "}   }",
            ],
        ),
        (
            '["abcd", [1, [2]], 5]',
            '[0, "abcd", "x", [1, [3]], 5]',
            [
                *("[   [", "   > 0  /0/0 /0/0", '  "abcd"   "abcd"', '   > "x"  /0/2 /0/2'),
                *("  [   [", "    1   1", "    [   [", "      2 | 3  /0/1/1/0 /0/3/1/0"),
                *("    ]   ]", "  ]   ]", "  5   5", "]   ]"),
            ],
        ),
        ("[1]", '{"0": 1}', ['[1] | {"0":1}  /0 /0']),
        ("[1, 2]", "", ["[1,2] <   /0 /0"]),
        ("", "[1] 2", [" > [1]  /0 /0", " > 2  /1 /1"]),
    ],
)
def test_differences_stand_in_the_json_around_them(
    expected: str, actual: str, lines: list[str]
) -> None:
    assert drawn(rows_of(evidence_of(expected, actual))) == "\n".join(lines)


def test_what_is_ignored_is_no_difference_and_is_shown_as_it_is() -> None:
    comparison = Comparison(ignore=("/*/t", "/2"))
    evidence = evidence_of('{"t": 1, "a": 2} 3', '{"t": 9, "a": 5} 3 "more"', 200, comparison)
    assert drawn(rows_of(evidence)) == "\n".join(
        [
            *("{   {", '  "t": 1   "t": 9', '  "a": 2 | "a": 5  /0/a /0/a', "}   }"),
            *("3   3", '   "more"'),
        ]
    )
    evidence = evidence_of('{"t": 1, "a": 2} 3 "more"', '{"a": 5} 3', 200, comparison)
    assert drawn(rows_of(evidence)) == "\n".join(
        [
            *("{   {", '  "t": 1', '  "a": 2 | "a": 5  /0/a /0/a', "}   }"),
            *("3   3", '"more"'),
        ]
    )


def test_an_array_without_order_shows_what_found_no_partner() -> None:
    comparison = Comparison(unordered=("/0",))
    evidence = evidence_of("[1, 2, 3, 4]", "[9, 4, 1, 2]", 200, comparison)
    assert drawn(rows_of(evidence)) == "\n".join(
        [
            *("[   [", "   > 9  /0/0 /0/0", "  1   4", "  2   1", "  3 <   /0/2 /0/2"),
            *("  4   2", "]   ]"),
        ]
    )


def test_after_the_last_known_difference_nothing_is_called_equal() -> None:
    evidence = evidence_of("[1, 2, 3, 4, 5]", "[1, 9, 3, 9, 9]", 2)
    assert evidence.differences_total == 3
    assert (
        drawn(rows_of(evidence))
        == "[   [\n  1   1\n  2 | 9  /0/1 /0/1\n  3   3\n  4 | 9  /0/3 /0/3"
    )


@pytest.mark.parametrize(
    ("expected", "stdout", "differences"),
    [
        (Bytes(b"[1, 2", 70_000), carried("[2]"), (ShownDifference("/0/0", "1", "2"),)),
        (carried("[1]"), Bytes(b"[2", 70_000), (ShownDifference("/0/0", "1", "2"),)),
        # Texts that an event can carry, and that no judge would have compared.
        (carried("[1"), carried("[2]"), (ShownDifference("/0/0", "1", "2"),)),
        # A pointer that was cut leads nowhere.
        (carried("[1]"), carried("[2]"), (ShownDifference("/0/0 … 9 characters", "1", "2"),)),
    ],
)
def test_without_both_streams_the_differences_stand_alone(
    expected: Bytes, stdout: Bytes, differences: tuple[ShownDifference, ...]
) -> None:
    nothing = carried("")
    rows = rows_of(Evidence(nothing, expected, stdout, nothing, differences, 1))
    place = differences[0].pointer
    assert rows == [Row(Mark.CHANGED, "1", "2", 0, place, place)]


def test_alone_each_difference_has_its_sides_and_places() -> None:
    nothing, cut = carried(""), Bytes(b"", 70_000)
    found = (
        ShownDifference("/0", "1", None),
        ShownDifference("/1", "2", "3", "/0"),
        ShownDifference("/2", None, "4"),
    )
    assert drawn(rows_of(Evidence(nothing, cut, cut, nothing, found, 3))) == (
        "1 <   /0 /0\n2 | 3  /1 /0\n > 4  /2 /2"
    )


def test_long_equal_values_are_clipped_and_deep_ones_are_walked() -> None:
    rows = rows_of(evidence_of(f'["{"x" * 5_000}", 1]', f'["{"x" * 5_000}", 2]'))
    assert rows[1].left == f'"{"x" * 398}…'
    deep = rows_of(evidence_of("[" * 4_000 + "1" + "]" * 4_000, "[" * 4_000 + "2" + "]" * 4_000))
    assert len(deep) == 8_001
    assert deep[4_000] == Row(Mark.CHANGED, "1", "2", 4_000, "/0" * 4_001, "/0" * 4_001)

"""Differences as rows, in the JSON around them."""

from __future__ import annotations

from typing import Any

import pytest
from support.events import bytes_of, evidence_of
from support.golden import Golden

from harness.model.comparison import Comparison, Matching, PlaceRule, Schema
from harness.model.events import Evidence, Excerpt
from harness.model.judgement import ShownDifference
from harness.reports.text.diff_rows import DiffMark, DiffRow, rows_of


def drawn(rows: list[DiffRow]) -> str:
    """Return rows as lines: indentation, both sides around the mark, and the places."""
    lines = (
        f"{'  ' * row.depth}{row.left} {row.mark.value} {row.right}  {row.pointer}"
        f" {row.actual_pointer}"
        for row in rows
    )
    return "\n".join(map(str.rstrip, lines))


IGNORING, UNORDERED = Comparison(ignore=("/*/t", "/2")), Comparison(unordered=("/0",))
# Where a schema or a pattern decides, what it asks for stands in place of the example.
RULED = Comparison(
    at=(
        PlaceRule(("/0/m",), strings=Matching("[0-9]+")),
        PlaceRule(("/0/s",), schema=Schema('{"items": {"properties": {"k": {"minimum": 3.50}}}}')),
        PlaceRule(("/0/u",), schema=Schema('{"required": ["k"], "minProperties": 1}', file="u")),
    )
)
# Expected and printed values, the number of listed differences, and the comparison.
EXAMPLES: list[tuple[Any, ...]] = [
    ("1", "2"),
    ("1 2 3 4", "2 3 4"),
    ("[0, 1, 2, 3, 4, 5, 6]", "[0, 1, 2, 9, 4, 5]"),
    (
        '{"a": {"b": [1, {"c": null}]}, "d": 7, "e~/": 8}',
        '{"d": 7, "e~/": "8", "a": {"b": [1, {"c": true, "x\\n": []}]}}',
    ),
    ('["abcd", [1, [2]], 5]', '[0, "abcd", "x", [1, [3]], 5]'),
    ("[5, 1]", "[5, 2]"),
    ("[5, 1]", "[5]"),
    ("[1, 2, 3, 4]", "[3, 2, 1, 4]"),
    ("[[1], 2]", "[[1], 3]"),
    ("[1]", '{"0": 1}'),
    ("[1, 2]", ""),
    ("", "[1] 2"),
    # Ignored values are shown but not marked.
    ('{"t": 1, "a": 2} 3', '{"t": 9, "a": 5} 3 "more"', 200, IGNORING),
    ('{"t": 1, "a": 2} 3 "more"', '{"a": 5} 3', 200, IGNORING),
    ("[1, 2, 3, 4]", "[9, 4, 1, 2]", 200, UNORDERED),
    # Each element of an unordered array stands beside its partner.
    (
        '[{"i": 1, "v": 1}, {"i": 2, "v": 2}, {"i": 3, "v": 3}]',
        '[{"i": 3, "v": 3}, {"i": 2, "v": 9}, {"i": 1, "v": 8, "w": 0}]',
        200,
        UNORDERED,
    ),
    ('{"m": "1", "n": 1}', '{"m": "x", "n": 2}', 200, RULED),
    ('{"m": "1"}', "{}", 200, RULED),
    (
        '{"s": [{"k": 4}], "u": {"k": 1}}',
        '{"s": [{"k": 5}, {"k": 2, "l": 0}, {"k": 3}, {"k": 1}], "u": {}}',
        200,
        RULED,
    ),
    # Nothing after the last listed difference is called equal.
    ("[1, 2, 3, 4, 5]", "[1, 9, 3, 9, 9]", 2),
]


def test_differences_are_shown_in_the_json_around_them(golden: Golden) -> None:
    blocks = [
        f"{example[0]} => {example[1]}\n{drawn(rows_of(evidence_of(*example)))}\n"
        for example in EXAMPLES
    ]
    golden("diff_rows.txt", "\n".join(blocks))


@pytest.mark.parametrize(
    ("expected", "stdout", "place"),
    [
        (Excerpt(b"[1, 2", 70_000), bytes_of("[2]"), "/0/0"),
        (bytes_of("[1]"), Excerpt(b"[2", 70_000), "/0/0"),
        (bytes_of("[1"), bytes_of("[2]"), "/0/0"),  # malformed
        (bytes_of("[1]"), bytes_of("[2]"), "/0/0 … 9 characters"),  # a truncated pointer
    ],
)
def test_without_complete_streams_the_differences_are_listed(
    expected: Excerpt, stdout: Excerpt, place: str
) -> None:
    nothing, difference = bytes_of(""), ShownDifference(place, "1", "2")
    rows = rows_of(Evidence(nothing, expected, stdout, nothing, (difference,), 1))
    shown = place.removeprefix("/0")
    assert rows == [DiffRow(DiffMark.CHANGED, "1", "2", 0, shown, shown)]


def test_long_values_are_cut_and_deep_ones_walked() -> None:
    rows = rows_of(evidence_of(f'["{"x" * 5_000}", 1]', f'["{"x" * 5_000}", 2]'))
    assert rows[1].left == f'"{"x" * 398}…'
    # As deep as the pointer of an event can be.
    deep = rows_of(evidence_of("[" * 2_000 + "1" + "]" * 2_000, "[" * 2_000 + "2" + "]" * 2_000))
    assert len(deep) == 3_999
    assert deep[1_999] == DiffRow(DiffMark.CHANGED, "[1]", "[2]", 1_999, "/0" * 2_000, "/0" * 2_000)

"""Lines and columns of bytes, and of values by their steps."""

from __future__ import annotations

import pytest

from harness.jsonio.positions import Position, position_at, position_of_value

STREAM = """{"a": [10, "x]\\"", {"é\\n": -1.5e3}],
 "b/~": {}}
[[], [ ], [true,
  null]] 7 "last"
""".encode()


def test_lines_and_columns_count_from_one() -> None:
    assert position_at(b"ab\ncd", 0) == Position(1, 1)
    assert position_at(b"ab\ncd", 2) == Position(1, 3)
    assert position_at(b"ab\ncd", 3) == Position(2, 1)
    assert position_at(b"ab\ncd", 5) == Position(2, 3)


def test_columns_are_characters_and_not_bytes() -> None:
    assert position_at("né!".encode(), 3) == Position(1, 3)


@pytest.mark.parametrize(
    ("steps", "line", "column"),
    [
        ((), 1, 1),
        ((0,), 1, 1),
        ((0, "a"), 1, 7),
        ((0, "a", 1), 1, 12),
        ((0, "a", 2), 1, 20),
        ((0, "a", 2, "é\n"), 1, 28),
        ((0, "b/~"), 2, 9),
        ((1,), 3, 1),
        ((1, 0), 3, 2),
        ((1, 2, 0), 3, 12),
        ((1, 2, 1), 4, 3),
        ((2,), 4, 10),
        ((3,), 4, 12),
    ],
)
def test_a_value_is_found_by_its_steps(
    steps: tuple[int | str, ...], line: int, column: int
) -> None:
    assert position_of_value(STREAM, steps) == Position(line, column)


@pytest.mark.parametrize(
    ("steps", "line", "column"),
    [
        ((0, "missing"), 1, 1),  # what is missing is missing from the object
        ((0, "a", 9), 1, 7),
        ((0, "a", 0, "x"), 1, 8),
        ((1, "key"), 3, 1),
        ((0, 0), 1, 1),
        ((9,), 5, 1),  # the end of the text
    ],
)
def test_a_value_that_is_not_there_stands_where_the_way_to_it_ends(
    steps: tuple[int | str, ...], line: int, column: int
) -> None:
    assert position_of_value(STREAM, steps) == Position(line, column)


def test_values_that_touch_are_told_apart() -> None:
    assert position_of_value(b'[1][2]"a"{}', (1, 0)) == Position(1, 5)
    assert position_of_value(b'[1][2]"a"{}', (3,)) == Position(1, 10)


def test_any_depth_is_walked_without_recursion() -> None:
    deep = b"[" * 9_000 + b"]" * 9_000 + b" 1"
    assert position_of_value(deep, (1,)) == Position(1, 18_002)


def test_a_stream_of_no_values_has_only_its_end() -> None:
    assert position_of_value(b"", ()) == Position(1, 1)
    assert position_of_value(b" \n", (0,)) == Position(2, 1)

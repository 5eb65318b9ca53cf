"""Lines and columns of bytes, and of values by their steps."""

from __future__ import annotations

from support.golden import Golden

from harness.jsonio.positions import Position, position_at, position_of_value

STREAM = """{"a": [10, "x]\\"", {"é\\n": -1.5e3}],
 "b/~": {}}
[[], [ ], [true,
  null]] 7 "last"
""".encode()


def test_lines_and_columns_count_characters_from_one() -> None:
    assert [position_at(b"ab\ncd", at) for at in (0, 2, 3, 5)] == [(1, 1), (1, 3), (2, 1), (2, 3)]
    assert position_at("né!".encode(), 3) == Position(1, 3)


def test_a_value_is_found_by_its_steps_as_far_as_they_lead(golden: Golden) -> None:
    def position(steps: tuple[int | str, ...]) -> str:
        line, column = position_of_value(STREAM, steps)
        return f"line {line}, column {column}"

    golden.table("positions.txt", position)


def test_any_depth_is_walked_without_recursion() -> None:
    deep = b"[" * 9_000 + b"]" * 9_000 + b" 1"
    assert position_of_value(deep, (1,)) == Position(1, 18_002)


def test_a_stream_of_no_values_has_only_its_end() -> None:
    assert position_of_value(b"", ()) == Position(1, 1)
    assert position_of_value(b" \n", (0,)) == Position(2, 1)

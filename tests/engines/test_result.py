"""Results: one side or the other, never both, never changed."""

from __future__ import annotations

import pytest

from engines.bits import bit, cells, mask_of
from engines.result import Result, ResultError, error, ok


def test_a_value_is_read_from_its_own_side_only() -> None:
    result: Result[int] = ok(0)
    assert (result.is_ok(), result.is_error(), result.value()) == (True, False, 0)
    with pytest.raises(ResultError, match=r"^error\(\) of a Result that has a value: 0$"):
        result.error()


def test_an_error_is_read_from_its_own_side_only() -> None:
    result: Result[int] = error("too far")
    assert (result.is_ok(), result.is_error(), result.error()) == (False, True, "too far")
    with pytest.raises(ResultError, match=r"^value\(\) of a Result that is an error: too far$"):
        result.value()


def test_nothing_is_a_value_like_any_other() -> None:
    result: Result[None] = ok(None)
    assert result.is_ok()
    assert result.value() is None


def test_a_result_shows_its_side() -> None:
    shown: list[Result[str]] = [ok("a"), error("b")]
    assert [repr(result) for result in shown] == ["ok('a')", "error('b')"]


def test_a_result_cannot_be_changed() -> None:
    result: Result[int] = ok(1)
    with pytest.raises(AttributeError, match="a Result is immutable: _value cannot be set"):
        setattr(result, "_value", 2)
    with pytest.raises(AttributeError, match="a Result is immutable: _value cannot be deleted"):
        delattr(result, "_value")
    assert result.value() == 1


def test_cell_0_is_a_bit_like_any_other() -> None:
    assert (bit(0), bit(5)) == (1, 32)
    assert mask_of([5, 0, 5]) == 33
    assert list(cells(33)) == [0, 5]
    assert not list(cells(0))

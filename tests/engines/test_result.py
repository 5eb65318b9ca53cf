"""Results hold a value or an error; masks are sets of cells."""

from __future__ import annotations

import pytest

from engines.bits import bit, cells, mask_of
from engines.result import Result, ResultError, error, ok


def test_reading_the_error_of_a_value_raises() -> None:
    result: Result[int] = ok(0)
    assert (result.is_ok(), result.is_error(), result.value()) == (True, False, 0)
    with pytest.raises(ResultError, match=r"^error\(\) of a Result that has a value: 0$"):
        result.error()


def test_reading_the_value_of_an_error_raises() -> None:
    result: Result[int] = error("too far")
    assert (result.is_ok(), result.is_error(), result.error()) == (False, True, "too far")
    with pytest.raises(ResultError, match=r"^value\(\) of a Result that is an error: too far$"):
        result.value()


def test_none_is_a_value() -> None:
    result: Result[None] = ok(None)
    assert result.is_ok()
    assert result.value() is None


def test_a_result_prints_as_the_call_that_made_it() -> None:
    results: list[Result[str]] = [ok("a"), error("b")]
    assert [repr(result) for result in results] == ["ok('a')", "error('b')"]


def test_a_result_is_immutable() -> None:
    result: Result[int] = ok(1)
    with pytest.raises(AttributeError, match="^a Result is immutable: _value cannot be set$"):
        setattr(result, "_value", 2)
    with pytest.raises(AttributeError, match="^a Result is immutable: _value cannot be deleted$"):
        delattr(result, "_value")


def test_a_mask_is_a_set_of_cells() -> None:
    assert (bit(0), bit(5)) == (1, 32)
    assert mask_of([5, 0, 5]) == 33
    assert list(cells(33)) == [0, 5]
    assert not list(cells(0))

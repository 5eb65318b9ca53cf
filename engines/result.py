"""A value or an error, as a value.

For what an engine refuses as an answer rather than by an exception. Reading the wrong side is the
caller's bug, and raises. Source: `Result` as the Tsuro board uses it (docs/tsuro-board.md).
"""

from __future__ import annotations

from typing import Generic, TypeVar, cast

__all__ = ["Result", "ResultError", "error", "ok"]

T = TypeVar("T")


class ResultError(Exception):
    """The wrong side of a Result was read: its value where it is an error, or the reverse."""


class Result(Generic[T]):
    """Either a value of type T or the text of an error; immutable. Build one with `ok` or `error`.

    A value may be None (`Result[None]` is the outcome of an operation that answers nothing), so
    ask `is_ok()`, never the truth of `value()`.
    """

    __slots__ = ("_error", "_value")

    _value: T | None
    _error: str | None

    def __init__(self, value: T | None, error_text: str | None) -> None:
        object.__setattr__(self, "_value", value)
        object.__setattr__(self, "_error", error_text)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a Result is immutable: {name} cannot be set")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a Result is immutable: {name} cannot be deleted")

    def is_ok(self) -> bool:
        """Whether there is a value."""
        return self._error is None

    def is_error(self) -> bool:
        """Whether there is an error."""
        return self._error is not None

    def value(self) -> T:
        """The value. Raises ResultError where there is an error instead."""
        if self._error is not None:
            raise ResultError(f"value() of a Result that is an error: {self._error}")
        return cast(T, self._value)

    def error(self) -> str:
        """The text of the error. Raises ResultError where there is a value instead."""
        if self._error is None:
            raise ResultError(f"error() of a Result that has a value: {self._value!r}")
        return self._error

    def __repr__(self) -> str:
        return f"ok({self._value!r})" if self._error is None else f"error({self._error!r})"


def ok(value: T) -> Result[T]:
    """The Result that holds this value."""
    return Result(value, None)


def error(text: str) -> Result[T]:
    """The Result that holds this error: one sentence that says what was refused, and why."""
    return Result(None, text)

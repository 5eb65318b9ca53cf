"""Immutable values, and a value or an error that is returned instead of raising an exception.

The interface of Result is that of the Tsuro board specification (docs/games/tsuro.md).
"""

from __future__ import annotations

from typing import Generic, NoReturn, TypeVar, cast

__all__ = ["Frozen", "Result", "ResultError", "error", "ok"]

T = TypeVar("T")


class Frozen:
    """Base class of immutable values: a subclass sets its slots by `object.__setattr__`."""

    __slots__ = ()

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a {type(self).__name__} is immutable: {name} cannot be set")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a {type(self).__name__} is immutable: {name} cannot be deleted")


class ResultError(Exception):
    """Raised when the value of an error, or the error of a value, is read."""


class Result(Frozen, Generic[T]):
    """An immutable value of type T, or the text of an error. Created by `ok` and `error`.

    A value may be None: `Result[None]` is the outcome of an operation that returns nothing. Test
    `is_ok()`, never the truth of `value()`. A Result itself has no truth value: `bool(result)`
    raises TypeError, as errors would count as true.
    """

    __slots__ = ("_error", "_value")

    _value: T | None
    _error: str | None

    def __init__(self, value: T | None, error_text: str | None) -> None:
        object.__setattr__(self, "_value", value)
        object.__setattr__(self, "_error", error_text)

    def is_ok(self) -> bool:
        """Return whether this is a value."""
        return self._error is None

    def is_error(self) -> bool:
        """Return whether this is an error."""
        return self._error is not None

    def value(self) -> T:
        """Return the value. Raises ResultError if this is an error."""
        if self._error is not None:
            raise ResultError(f"value() of a Result that is an error: {self._error}")
        return cast(T, self._value)

    def error(self) -> str:
        """Return the text of the error. Raises ResultError if this is a value."""
        if self._error is None:
            raise ResultError(f"error() of a Result that has a value: {self._value!r}")
        return self._error

    def __bool__(self) -> NoReturn:
        raise TypeError("a Result has no truth value: use is_ok() or is_error()")

    def __repr__(self) -> str:
        return f"ok({self._value!r})" if self._error is None else f"error({self._error!r})"


def ok(value: T) -> Result[T]:
    """Return a Result that holds a value."""
    return Result(value, None)


def error(text: str) -> Result[T]:
    """Return a Result that holds an error: one sentence that says what was refused and why."""
    return Result(None, text)

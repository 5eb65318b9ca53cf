"""JSON objects that are to be records, read strictly: each member by name and type, none left over.

Pure: values that Python's json made go in, typed values come out. What does not fit is a
ValueError that says where; what a member means is the business of whoever reads it.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Any, TypeVar

from harness.words import quoted

__all__ = ["Members", "count", "elements", "seconds", "text", "texts", "truth"]

T = TypeVar("T")


class Members:
    """The members of an object in an event, taken one by one; what is missing, of another type or
    left over is a ValueError that says where."""

    def __init__(self, value: Any, where: str) -> None:
        if not isinstance(value, dict):
            raise ValueError(f"{where} is no object")
        self._left = dict(value)
        self._where = where

    def take(self, name: str, read: Callable[[Any], T]) -> T:
        """The value of a member, as `read` makes it."""
        if name not in self._left:
            raise ValueError(f'{self._where} has no member "{name}"')
        try:
            return read(self._left.pop(name))
        except ValueError as problem:
            raise ValueError(f"{self._where}, {name}: {problem}") from None

    def take_or_none(self, name: str, read: Callable[[Any], T]) -> T | None:
        """The same for a member that need not be there."""
        return self.take(name, read) if name in self._left else None

    def end(self) -> None:
        """Nothing may be left."""
        for name in self._left:
            raise ValueError(f"{self._where} has an unknown member {quoted(name, 60)}")


# Readers of one value, to be handed to `take`.


def texts(value: Any) -> tuple[str, ...]:
    """A list of texts."""
    return tuple(text(entry) for entry in elements(value))


def elements(value: Any) -> list[Any]:
    """A list of anything."""
    if not isinstance(value, list):
        raise ValueError("a list is expected")
    return value


def text(value: Any) -> str:
    """A text that can be written as UTF-8."""
    if not isinstance(value, str):
        raise ValueError("a text is expected")
    value.encode()  # raises ValueError for a lone surrogate
    return value


def count(value: Any) -> int:
    """A whole number from 0 on."""
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise ValueError("a whole number from 0 on is expected")
    return value


def seconds(value: Any) -> float:
    """A finite number from 0 on."""
    # Not infinite, and not NaN, which Python's json reads: no comparison is true of it.
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < inf:
        raise ValueError("a number from 0 on is expected")
    return value


def truth(value: Any) -> bool:
    """True or false."""
    if not isinstance(value, bool):
        raise ValueError("true or false is expected")
    return value

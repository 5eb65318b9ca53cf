"""Declare the members of JSON objects, and read them strictly: each by name and type, no others.

The values come from Python's json module. Errors are ValueErrors that say where.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, NamedTuple, TypeVar

from harness.text import quote

T = TypeVar("T")


class JsonMember(NamedTuple):
    """An annotation of a field's type that says how the field becomes a member of an object.

    Without it, the member has the name of the field, and may be missing if the field has a default;
    a field that has its default is left out. Lines written before the field was added remain
    readable.
    """

    name: str = ""  # if it is not that of the field
    is_required: bool = False  # although the field has a default


ALWAYS: Final = JsonMember(is_required=True)


class ObjectReader:
    """A JSON object whose members are taken one by one. Raises ValueError."""

    def __init__(self, value: Any, where: str) -> None:
        if not isinstance(value, dict):
            raise ValueError(f"{where} is not an object")
        self._left = dict(value)
        self._where = where

    def __contains__(self, name: str) -> bool:
        return name in self._left

    def take(self, name: str, read: Callable[[Any], T]) -> T:
        """Return what `read` makes of a member, and remove it."""
        if name not in self._left:
            raise ValueError(f'{self._where} has no member "{name}"')
        try:
            return read(self._left.pop(name))
        except ValueError as problem:
            raise ValueError(f"{self._where}, {name}: {problem}") from None

    def take_all(
        self, readers: Mapping[str, tuple[str, Callable[[Any], Any]]], required: Iterable[str] = ()
    ) -> dict[str, Any]:
        """Return what readers make of the members that are left, and remove these.

        `readers` has, by the name of a member, the key of the result and the reader.
        """
        values: dict[str, Any] = {}
        for name, value in self._left.items():
            if name not in readers:
                raise self._unknown(name)
            key, read = readers[name]
            try:
                values[key] = read(value)
            except ValueError as problem:
                raise ValueError(f"{self._where}, {name}: {problem}") from None
        for name in required:
            if name not in self._left:
                raise ValueError(f'{self._where} has no member "{name}"')
        self._left = {}
        return values

    def reject_unknown(self) -> None:
        for name in self._left:
            raise self._unknown(name)

    def _unknown(self, name: str) -> ValueError:
        return ValueError(f"{self._where} has an unknown member {quote(name)}")


# Readers of one value, for `take`.


def elements(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise ValueError("an array is expected")
    return value


def text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError("a string is expected")
    value.encode()  # raises ValueError for a lone surrogate
    return value


def count(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 2**53:
        raise ValueError("an integer from 0 to 2^53 - 1 is expected")
    return value


def seconds(value: Any) -> float:
    # NaN, which Python's json module reads, fails every comparison.
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < 1e12:
        raise ValueError("a number from 0 to 1e12 is expected")
    return value


def boolean(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError("true or false is expected")
    return value

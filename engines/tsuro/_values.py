"""Helpers for immutable values and strict integer checks."""

from __future__ import annotations

__all__ = ["Frozen", "is_integer_in_range"]


class Frozen:
    """Base class of immutable values: a subclass sets its slots by `object.__setattr__`."""

    __slots__ = ()

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a {type(self).__name__} is immutable: {name} cannot be set")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a {type(self).__name__} is immutable: {name} cannot be deleted")


def is_integer_in_range(value: object, least: int, most: int) -> bool:
    """Return whether a value is an int from `least` to `most`; True, False and 1.0 are not."""
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most

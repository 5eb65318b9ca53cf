"""What this engine's values have in common: they cannot be changed, and their numbers are whole.

Knows nothing of the game. Source: CONTRIBUTING.md, "values immutable".
"""

from __future__ import annotations

__all__ = ["Frozen", "whole"]


class Frozen:
    """A value without setters: a subclass names its slots, and fills them by way of `object`."""

    __slots__ = ()

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a {type(self).__name__} is immutable: {name} cannot be set")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a {type(self).__name__} is immutable: {name} cannot be deleted")


def whole(value: object, least: int, most: int) -> bool:
    """Whether this is an integer from `least` to `most`; True, False and 1.0 are none, though
    Python holds them equal to one."""
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most

"""Places in JSON values, and patterns of places.

A place is a chain of steps, built cheaply on the way down and spelled as a JSON Pointer only where
somebody reads it. In a pattern `*` stands for one step, `**` for any number. Source: RFC 6901.
"""

from __future__ import annotations

from typing import Union

__all__ = ["PathError", "Paths", "Place", "parse_pattern", "pointer"]

# The root is None; below it, (the place above, the index or key).
Place = Union[None, tuple["Place", int | str]]


class PathError(ValueError):
    """A text is no pattern of places; the message says why."""


class Paths:
    """A set of patterns, asked whether a place fits one of them. Raises PathError when made."""

    __slots__ = ("_patterns",)

    def __init__(self, patterns: tuple[str, ...]) -> None:
        self._patterns = tuple(parse_pattern(pattern) for pattern in patterns)

    def match(self, place: Place) -> bool:
        """Whether one of the patterns stands for this place."""
        if not self._patterns:
            return False
        steps = [str(step) for step in _steps(place)]
        return any(_fits(pattern, steps) for pattern in self._patterns)


def parse_pattern(pattern: str) -> tuple[str, ...]:
    """The steps of a pattern: "" is the root, "/a/*/b" has three steps. Raises PathError."""
    if pattern and not pattern.startswith("/"):
        raise PathError(f'a path begins with "/" (or is "", the whole stream), not {pattern!r}')
    return tuple(_unescaped(step) for step in pattern.split("/")[1:])


def pointer(place: Place) -> str:
    """The place as a JSON Pointer; the root is the empty text."""
    return "".join(f"/{_escaped(str(step))}" for step in _steps(place))


def _steps(place: Place) -> list[int | str]:
    steps = []
    while place is not None:
        place, step = place
        steps.append(step)
    return steps[::-1]


def _fits(pattern: tuple[str, ...], steps: list[str]) -> bool:
    # The lengths of the beginnings of `steps` that the pattern so far stands for.
    reached = {0}
    for part in pattern:
        if part == "**":
            reached = set(range(min(reached), len(steps) + 1))
        else:
            reached = {
                length + 1
                for length in reached
                if length < len(steps) and part in ("*", steps[length])
            }
        if not reached:
            return False
    return len(steps) in reached


def _escaped(step: str) -> str:
    return step.replace("~", "~0").replace("/", "~1")


def _unescaped(step: str) -> str:
    return step.replace("~1", "/").replace("~0", "~")

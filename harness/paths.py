"""Places in JSON values, and patterns of places.

A place is a chain of steps, built cheaply on the way down and spelled as a JSON Pointer only where
somebody reads it. In a pattern `*` stands for one step, `**` for any number. Source: RFC 6901.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final, Union

__all__ = ["PathError", "Paths", "Pattern", "Place", "meet", "parse_pattern", "pointer", "spelled"]

# The root is None; below it, (the place above, the index or key).
Place = Union[None, tuple["Place", int | str]]
# The steps of a pattern, from the root down.
Pattern = tuple[str, ...]

_BAD_TILDE: Final = re.compile("~(?![01])")


class PathError(ValueError):
    """A text is no pattern of places; the message says why."""


class Paths:
    """A set of patterns as they are seen from a place: from the root when made, from further down
    by `below`. Immutable, and equal where the same is left to be matched.

    A walk carries it along, so that every step is matched once: to match the whole place at each
    value would cost the square of the depth of a value.
    """

    __slots__ = ("_patterns",)

    def __init__(self, patterns: Iterable[Pattern]) -> None:
        self._patterns: Final = _opened(patterns)

    @property
    def here(self) -> bool:
        """Whether one of the patterns stands for this very place."""
        return () in self._patterns

    @property
    def is_left(self) -> bool:
        """Whether one of the patterns stands for this place or for one below it."""
        return bool(self._patterns)

    @property
    def first_steps(self) -> frozenset[str]:
        """The steps down that the patterns name; all others are alike to them."""
        first = (pattern[0] for pattern in self._patterns if pattern)
        return frozenset(first) - {"*", "**"}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Paths) and self._patterns == other._patterns

    def __hash__(self) -> int:
        return hash(self._patterns)

    def below(self, step: int | str) -> Paths:
        """The patterns as they are seen from one step down. The index 0 and the key "0" are one
        and the same step, as in a JSON Pointer."""
        return Paths(_after(self._patterns, str(step))) if self._patterns else self


def parse_pattern(pattern: str) -> Pattern:
    """The steps of a pattern: "" is the root, "/a/*/b" has three steps. Raises PathError."""
    if pattern and not pattern.startswith("/"):
        raise PathError(f'a path begins with "/" (or is "", the whole stream), not {pattern!r}')
    if _BAD_TILDE.search(pattern):
        raise PathError(f'in a path "~" is written "~0", and "/" in a key "~1", not {pattern!r}')
    return tuple(_unescaped(step) for step in pattern.split("/")[1:])


def spelled(pattern: Pattern) -> str:
    """A pattern as it is written."""
    return "".join(f"/{_escaped(step)}" for step in pattern)


def meet(one: Pattern, other: Pattern) -> bool:
    """Whether there is a place that both patterns stand for."""
    todo, seen = [(one, other)], set()
    while todo:
        pair = left, right = todo.pop()
        if not left and not right:
            return True
        if pair not in seen:
            seen.add(pair)
            todo += _both_after(left, right)
    return False


def pointer(place: Place) -> str:
    """The place as a JSON Pointer; the root is the empty text."""
    steps = []
    while place is not None:
        place, step = place
        steps.append(f"/{_escaped(str(step))}")
    return "".join(reversed(steps))


def _after(patterns: Iterable[Pattern], step: str) -> Iterator[Pattern]:
    """What is left of the patterns that can begin with this step."""
    for pattern in patterns:
        if pattern[:1] == ("**",):
            yield pattern
        elif pattern[:1] in (("*",), (step,)):
            yield pattern[1:]


def _both_after(left: Pattern, right: Pattern) -> Iterator[tuple[Pattern, Pattern]]:
    """What is left of two patterns after a step that both can take, or after no step."""
    for one, other in ((left, right), (right, left)):
        if one[:1] == ("**",):
            yield one[1:], other
            if other:
                yield one, other[1:]
    if left and right and (left[0] == right[0] or "*" in (left[0], right[0])):
        yield left[1:], right[1:]


def _opened(patterns: Iterable[Pattern]) -> frozenset[Pattern]:
    """The patterns, and for each that begins with `**`, which may stand for no step at all, also
    what follows there."""
    found = set()
    for pattern in patterns:
        found.add(pattern)
        while pattern[:1] == ("**",):
            pattern = pattern[1:]
            found.add(pattern)
    return frozenset(found)


def _escaped(step: str) -> str:
    return step.replace("~", "~0").replace("/", "~1")


def _unescaped(step: str) -> str:
    return step.replace("~1", "/").replace("~0", "~")

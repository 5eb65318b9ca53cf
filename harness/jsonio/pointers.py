"""Represent places in JSON values, and match them with patterns.

A place is a chain of steps, cheap to extend on the way down, and formatted as a JSON Pointer only
when needed. In a pattern `*` matches one step, `**` any number of steps. The first step is the
number of a value of the stream. Sources: RFC 6901, docs/equality.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final, Self, Union

from harness.jsonio.decoder import Json

# The root is None; below it, (the place above, the index or key).
Place = Union[None, tuple["Place", int | str]]
# The steps of a pattern, from the root down.
Pattern = tuple[str, ...]

_BAD_TILDE: Final = re.compile("~(?![01])")
_INDEX: Final = re.compile("0|[1-9][0-9]{0,17}")  # RFC 6901; int() limits the digits of a text


class PathError(ValueError):
    """A text that is not a valid pattern; the message says why."""


class PatternSet(frozenset[Pattern]):
    """The unmatched parts of patterns at a place: first the root, and one step further down after
    each `below`. Empty if no pattern matches the place or one below it.

    A walk through a value matches every step once. Matching whole places at each value would take
    time quadratic in the depth.
    """

    __slots__ = ()

    def __new__(cls, patterns: Iterable[Pattern]) -> Self:
        return super().__new__(cls, _with_empty_matches(patterns))

    @property
    def matches_here(self) -> bool:
        """Return whether a pattern matches this place."""
        return () in self

    @property
    def first_steps(self) -> frozenset[str]:
        """Return the steps that the patterns name; they treat all others alike."""
        return frozenset(pattern[0] for pattern in self if pattern) - {"*", "**"}

    def below(self, step: int | str) -> PatternSet:
        """Return the patterns as seen from one step down.

        The index 0 and the key "0" are the same step, as in a JSON Pointer.
        """
        return PatternSet(_after(self, str(step))) if self else self


def parse_pattern(pattern: str) -> Pattern:
    """Return the steps of a pattern: "" has none, "/a/*/b" has three. Raises PathError."""
    if pattern and not pattern.startswith("/"):
        raise PathError(
            f'a path must begin with "/", or be "" for the whole stream, not {pattern!r}'
        )
    if _BAD_TILDE.search(pattern):
        raise PathError(f'in a path, write "~0" for "~" and "~1" for "/" in a key, not {pattern!r}')
    return tuple(step.replace("~1", "/").replace("~0", "~") for step in pattern.split("/")[1:])


def parse_path(path: str) -> Pattern:
    """Return the steps of the path of a rule. Raises PathError.

    A path that begins with neither a number nor `*` or `**` leads into every value.
    """
    steps = parse_pattern(path)
    return steps if not steps or _is_first_step(steps[0]) else ("*", *steps)


def _is_first_step(step: str) -> bool:
    return step in ("*", "**") or _INDEX.fullmatch(step) is not None


def path_matches(path: str, place: str) -> bool:
    """Return whether the path of a rule matches a place, given as a JSON Pointer."""
    patterns = PatternSet([parse_path(path)])
    for step in parse_pattern(place):
        patterns = patterns.below(step)
    return patterns.matches_here


def path_like(place: Pattern) -> str:
    """Return the path of a rule for places like this one: in every value, at every index."""
    inside = tuple("*" if _INDEX.fullmatch(step) else step for step in place[1:])
    is_short = inside and not _is_first_step(inside[0])
    return format_pattern(inside if is_short else ("*", *inside)) if place else ""


def describe_place(place: str, *, alone: bool) -> str:
    """Return a JSON Pointer as messages show it: "/total" if it is into the value that is `alone`,
    otherwise "value 2: /total"; without steps into the value "" or "value 2"."""
    number, slash, inside = place[1:].partition("/")
    inside = f"/{inside}" if slash else ""
    if alone:
        return inside
    if not number.isdecimal():
        return place  # the whole stream, or in each of its values
    return f"value {int(number) + 1}{': ' if slash else ''}{inside}"


def format_pattern(pattern: Pattern) -> str:
    return "".join(f"/{_escaped(step)}" for step in pattern)


def patterns_overlap(one: Pattern, other: Pattern) -> bool:
    """Return whether some place matches both patterns."""
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
    """Return a place as a JSON Pointer; the root is ""."""
    steps = []
    while place is not None:
        place, step = place
        steps.append(f"/{_escaped(str(step))}")
    return "".join(reversed(steps))


def value_at(value: Json, steps: Pattern) -> Json:
    """Return the value that steps lead to, or null if there is none."""
    for step in steps:
        if isinstance(value, dict):
            value = value.get(step)
        elif isinstance(value, list) and _INDEX.fullmatch(step) and int(step) < len(value):
            value = value[int(step)]
        else:
            return None
    return value


def has_place(value: Json, patterns: PatternSet, *, of_array: bool = False) -> bool:
    """Return whether a pattern matches a place in a value; with `of_array`, that of an array."""
    return find_place(value, patterns, of_array=of_array) is not None


def find_place(value: Json, patterns: PatternSet, *, of_array: bool = False) -> str | None:
    """Return a place in a value that a pattern matches, or None; with `of_array`, of an array."""
    waiting: list[tuple[Json, PatternSet, Place]] = [(value, patterns, None)]
    while waiting:
        value, left, place = waiting.pop()
        if left.matches_here and (isinstance(value, list) or not of_array):
            return pointer(place)
        if not left:
            continue
        if isinstance(value, list):
            waiting += [(one, left.below(at), (place, at)) for at, one in enumerate(value)]
        elif isinstance(value, dict):
            waiting += [(one, left.below(key), (place, key)) for key, one in value.items()]
    return None


def _after(patterns: Iterable[Pattern], step: str) -> Iterator[Pattern]:
    """Yield what remains of the patterns that match this step first."""
    for pattern in patterns:
        if pattern[:1] == ("**",):
            yield pattern
        elif pattern[:1] in (("*",), (step,)):
            yield pattern[1:]


def _both_after(left: Pattern, right: Pattern) -> Iterator[tuple[Pattern, Pattern]]:
    """Yield what remains of two patterns after a step that both match, or after no step."""
    for one, other in ((left, right), (right, left)):
        if one[:1] == ("**",):
            yield one[1:], other
            if other:
                yield one, other[1:]
    if left and right and (left[0] == right[0] or "*" in (left[0], right[0])):
        yield left[1:], right[1:]


def _with_empty_matches(patterns: Iterable[Pattern]) -> Iterator[Pattern]:
    """Yield the patterns and, since `**` also matches no step, what follows a leading `**`."""
    for pattern in patterns:
        yield pattern
        while pattern[:1] == ("**",):
            pattern = pattern[1:]
            yield pattern


def _escaped(step: str) -> str:
    return step.replace("~", "~0").replace("/", "~1")

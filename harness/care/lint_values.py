"""What shows only in the values of all cases: an input that comes twice, a path where nothing is.

Pure: cases in, one by one, and nothing of them is kept but a few numbers; what may be the same is
asked for again. What equal means is equality's business. Source: docs/care.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from harness.care.lint import Rule
from harness.jsontext import Json, Number, encode
from harness.judging.equality import canonical, differences
from harness.paths import Paths, parse_pattern
from harness.records import MISSING, Case, Comparison, InputKind, Missing
from harness.words import clip, visible

__all__ = ["OF_ARRAYS", "IdlePaths", "Inputs", "has_place", "input_key", "same_input"]

# How much of an input a sketch looks at: so many values, of each array or object so many.
_MOST_LOOKED_AT: Final = 64
_MOST_OF_ONE: Final = 6
# More keys than this are counted, and not put in order.
_MOST_KEYS: Final = 64
_SHOWN: Final = 60  # characters of a value in a message


class Inputs:
    """The inputs of a suite's cases, so that equal ones are found. Of each case a sketch is kept;
    those whose sketches agree are to be compared when all were seen."""

    __slots__ = ("_by_sketch",)

    def __init__(self) -> None:
        self._by_sketch: Final[dict[int, list[int]]] = {}

    def add(self, at: int, case: Case, given: list[Json]) -> None:
        """One more case: its place among the suite's names, and the values of its input."""
        sketch = hash(case.stdin) if case.kind is InputKind.RAW else _sketch(given)
        self._by_sketch.setdefault(sketch, []).append(at)

    def candidates(self) -> Iterator[list[int]]:
        """Places of cases, two or more at a time, whose inputs may be the same; no others are."""
        return (places for places in self._by_sketch.values() if len(places) > 1)


def input_key(case: Case, given: list[Json]) -> str:
    """A text that two cases share exactly where their inputs are the same: equal as JSON; where
    nobody parses them, byte for byte."""
    return case.stdin.hex() if case.kind is InputKind.RAW else canonical(given, Comparison())


def same_input(first: Case, later: Case) -> tuple[Rule, str]:
    """What two cases with the same input come to: a slip, a choice of spelling, or an error."""
    is_copy = first.stdin == later.stdin
    how = "byte for byte" if is_copy else "the same values in other bytes"
    said = f"the same input as case {visible(first.name)}, {how}"
    why = _contradiction(first, later)
    if why:
        return Rule.CONTRADICTION, f"{said}, and no program can pass both: {why}"
    return (Rule.SAME_INPUT if is_copy else Rule.SAME_VALUES), said


def _contradiction(first: Case, later: Case) -> str:
    """Why no program can pass two cases with the same input; the empty text: one may."""
    found = next(differences(first.expected, later.expected, later.policy.comparison), None)
    if found is not None:
        where = visible(found.pointer) or "the top"
        there, here = _shown(found.expected), _shown(found.actual)
        return f"at {clip(where, _SHOWN)}, {there} there and {here} here"
    one, other = first.policy.exit, later.policy.exit
    if one.most < other.least or other.most < one.least:
        return f"exit status {one} there and {other} here"
    return ""


def _sketch(values: list[Json]) -> int:
    """A number that equal streams share, and others seldom. It holds in this process only."""
    waiting: list[Json] = [values]
    seen: list[object] = []
    while waiting and len(seen) < _MOST_LOOKED_AT:
        seen.append(_glimpse(waiting.pop(), waiting))
    return hash(tuple(seen))


def _glimpse(value: Json, waiting: list[Json]) -> object:
    """What is seen of a value without going into it; what is inside is to be looked at, too."""
    if isinstance(value, list):
        waiting += value[:_MOST_OF_ONE]
        return ("array", len(value))
    if isinstance(value, dict):
        keys = sorted(value) if len(value) <= _MOST_KEYS else []
        waiting += (value[key] for key in keys[:_MOST_OF_ONE])
        return ("object", len(value), *keys)
    # Numbers that are equal, however spelled, have one value as a float.
    return float(value.text) if isinstance(value, Number) else value


def _shown(value: Json | Missing) -> str:
    return "nothing" if value is MISSING else clip(visible(encode(value)), _SHOWN)


# The keys under which only arrays are meant.
OF_ARRAYS: Final = ("unordered", "path with order")


class IdlePaths:
    """Paths of a suite's policy at which nothing was seen yet, by the key that they stand under."""

    __slots__ = ("_left",)

    def __init__(self, paths: Iterable[tuple[str, str]]) -> None:
        self._left: Final = {path: Paths([parse_pattern(path[1])]) for path in paths}

    def see(self, values: list[Json]) -> None:
        """The values of one more expected output."""
        for path, patterns in list(self._left.items()):
            if has_place(values, patterns, of_array=path[0] in OF_ARRAYS):
                del self._left[path]

    @property
    def left(self) -> Sequence[tuple[str, str]]:
        """Those at which nothing was seen."""
        return tuple(self._left)


def has_place(value: Json, patterns: Paths, *, of_array: bool = False) -> bool:
    """Whether a pattern stands for a place that is there (and is that of an array)."""
    waiting = [(value, patterns)]
    while waiting:
        value, here = waiting.pop()
        if here.here and (isinstance(value, list) or not of_array):
            return True
        if not here.is_left:
            continue
        if isinstance(value, list):
            waiting += [(each, here.below(index)) for index, each in enumerate(value)]
        elif isinstance(value, dict):
            waiting += [(each, here.below(key)) for key, each in value.items()]
    return False

"""Find cases with the same input, and paths that no expected output has.

Only a sketch of each input is kept; the caller reads likely duplicates again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product
from typing import Final, NamedTuple

from harness.authoring.lint_rules import LintRule
from harness.jsonio.decoder import Json, Number
from harness.jsonio.pointers import (
    PatternSet,
    Place,
    find_place,
    has_place,
    parse_path,
    parse_pattern,
    path_like,
    pointer,
)
from harness.judging.equality import canonical, differences
from harness.judging.explanation import format_value
from harness.judging.hints import other_paths
from harness.judging.numbers import equal_numbers
from harness.judging.rules import Rules, rules_of
from harness.model.case import Case, InputKind, right_outputs
from harness.model.case_names import CaseName, Match, selects
from harness.model.comparison import Comparison, Tolerance
from harness.text import escape_nonprintable, truncate_to_width

# Bounds of a sketch: values in all, and values of each array or object.
_MOST_VALUES: Final = 64
_MOST_CHILDREN: Final = 6
# An object with more keys is only counted, to avoid sorting them.
_MOST_KEYS: Final = 64
_MOST_DIGITS: Final = 20  # of an integer in a message
_SHOWN: Final = 60  # characters of a value in a message


def input_sketch(case: Case, input_values: list[Json]) -> int:
    """Return a hash of an input, valid in this process; different inputs may have the same."""
    return hash(case.stdin) if case.kind is InputKind.RAW else _sketch(input_values)


def input_key(case: Case, input_values: list[Json]) -> str:
    """Return a text that is the same for equal inputs only; raw ones are equal byte for byte."""
    return case.stdin.hex() if case.kind is InputKind.RAW else canonical(input_values, Comparison())


def compare_same_input(first: Case, later: Case, *, has_other_files: bool) -> tuple[LintRule, str]:
    """Return the rule and message for two cases with equal inputs.

    With `has_other_files`, there are files beside the cases, on which an output may depend.
    """
    is_copy = first.stdin == later.stdin
    how = "byte for byte" if is_copy else "written differently"
    message = f"the same input as case {escape_nonprintable(first.name)}, {how}"
    reason = _contradiction(first, later)
    # Such as versions of a specification, of which an implementation claims one.
    has_other_tags = first.tags and later.tags and not set(first.tags) & set(later.tags)
    if reason and not has_other_files and not has_other_tags:
        return LintRule.CONTRADICTION, f"{message}, and no program can pass both: {reason}"
    if reason and has_other_tags:
        message += f", but other tags and a different result: {reason}"
    elif reason:
        message += f", but a different result, which must depend on another file: {reason}"
    return (LintRule.SAME_INPUT if is_copy else LintRule.SAME_VALUES), message


def tolerated_integer(case: Case) -> str:
    """Return a message on the first expected integer whose tolerance accepts another one, or ""."""
    comparison = case.policy.comparison
    if not comparison.has_tolerance:
        return ""
    rules = rules_of(comparison)
    todo: list[tuple[Place, Json, Rules]] = [
        (None, one.expected, rules) for one in right_outputs(case)
    ]
    while todo:
        place, value, rules = todo.pop()
        if rules.here.ignore:
            continue
        if isinstance(value, list):
            last_first = reversed([*enumerate(value)])
            todo += (((place, at), each, rules.below(at)) for at, each in last_first)
        elif isinstance(value, dict):
            todo += (((place, key), each, rules.below(key)) for key, each in value.items())
        elif isinstance(value, Number) and isinstance(rules.here.numbers, Tolerance):
            other = _next_integer(value.text)
            if other and equal_numbers(value.text, other, rules.here.numbers):
                shown = escape_nonprintable(truncate_to_width(pointer(place), _SHOWN))
                return f"the tolerance of the integer {value.text} at {shown} accepts {other}, too"
    return ""


def _next_integer(text: str) -> str:
    """Return the integer above one as JSON writes it, or "" for others and very long ones."""
    digits = text.removeprefix("-")
    return str(int(text) + 1) if digits.isdecimal() and len(digits) <= _MOST_DIGITS else ""


def _contradiction(first: Case, later: Case) -> str:
    """Return why no program that reads only its input can pass both cases, or ""."""
    pairs = product(right_outputs(first), right_outputs(later))
    reasons = [_incompatibility(one, other) for one, other in pairs]
    return reasons[0] if all(reasons) else ""


def _incompatibility(first: Case, later: Case) -> str:
    """Return the same for two cases with one right output each."""
    difference = next(differences(first.expected, later.expected, later.policy.comparison), None)
    if difference is not None:
        where = escape_nonprintable(difference.pointer) or "the top"
        there, here = (format_value(each, _SHOWN) for each in difference[1:3])
        return f"at {truncate_to_width(where, _SHOWN)}, {there} there and {here} here"
    one, other = first.policy.exit, later.policy.exit
    if one.most < other.least or other.most < one.least:
        return f"exit status {one} there and {other} here"
    return ""


def _sketch(values: list[Json]) -> int:
    waiting: list[Json] = [values]
    summaries: list[object] = []
    while waiting and len(summaries) < _MOST_VALUES:
        summaries.append(_summarize(waiting.pop(), waiting))
    return hash(tuple(summaries))


def _summarize(value: Json, waiting: list[Json]) -> object:
    """Return a hashable summary of a value without its children, which `waiting` gets."""
    if isinstance(value, list):
        waiting += value[:_MOST_CHILDREN]
        return ("array", len(value))
    if isinstance(value, dict):
        keys = sorted(value) if len(value) <= _MOST_KEYS else []
        waiting += (value[key] for key in keys[:_MOST_CHILDREN])
        return ("object", len(value), *keys)
    # Equal numbers are equal floats, however they are written.
    return float(value.text) if isinstance(value, Number) else value


ORDERED_PATH: Final = "path with order"
# The keys whose paths name arrays only.
ARRAY_KEYS: Final = ("unordered", ORDERED_PATH)


class ComparedPath(NamedTuple):
    """A path of an equality rule, and the key that has it."""

    key: str
    path: str
    match: Match | None = None  # of its [[cases]] table, None for the suite's [compare]
    table: int = 0  # the index of that table


class UnusedPaths:
    """The paths that no expected output has so far, with the rule's path that each may mean."""

    def __init__(self, paths: Iterable[ComparedPath]) -> None:
        self._unused = {path: _pattern(path.path) for path in paths}
        self._others = {
            path: [_pattern(other) for other in other_paths(path.path)] for path in self._unused
        }
        self._meant: dict[ComparedPath, str] = {}

    def __bool__(self) -> bool:
        return bool(self._unused)

    def __iter__(self) -> Iterator[tuple[ComparedPath, str]]:
        """Yield each path, and one that would lead to a place of an output, or ""."""
        return ((path, self._meant.get(path, "")) for path in self._unused)

    def remove_used(self, values: list[Json], name: CaseName) -> None:
        """Remove the paths that an expected output of a case has."""
        for path, patterns in list(self._unused.items()):
            if path.match is not None and not selects(path.match, name):
                continue
            of_array = path.key in ARRAY_KEYS
            if has_place(values, patterns, of_array=of_array):
                del self._unused[path]
            elif path not in self._meant:
                places = (
                    find_place(values, other, of_array=of_array) for other in self._others[path]
                )
                if place := next(filter(None, places), None):
                    self._meant[path] = path_like(parse_pattern(place))


def _pattern(path: str) -> PatternSet:
    return PatternSet([parse_path(path)])

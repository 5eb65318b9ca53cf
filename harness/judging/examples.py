"""Explain differences from examples, the expected values where a schema or a pattern decides. Pure.

Source: docs/equality.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from harness.jsonio.decoder import Json
from harness.jsonio.pointers import describe_place, parse_pattern, pointer
from harness.judging.equality import DifferenceLocation
from harness.judging.explanation import difference_text, format_value
from harness.judging.rules import rules_of
from harness.judging.strings import matches_whole
from harness.model.comparison import Comparison, Matching, Schema
from harness.model.judgement import MISSING, Difference, Missing
from harness.text import pluralize, quote, shorten

_MOST_COUNTED: Final = 1_000  # differences
_NAME: Final = 80  # characters of the name of a schema, or of a pattern
_PLACE: Final = 80


class ExampleValue(NamedTuple):
    """A place where the expected value obeys the rule that decides, and the actual one does not."""

    pointer: str
    actual_pointer: str
    rule: Schema | Matching
    actual: Json | Missing


def first_difference_text(
    expected: list[Json],
    actual: list[Json],
    comparison: Comparison,
    found: Sequence[Difference],
    *,
    alone: bool,
    more: bool = False,
) -> str:
    """Return a message about the first of the differences between two streams.

    `alone`: neither stream has several values. `more`: there are more differences than those found.
    """
    example = find_example(expected, actual, comparison, found[0])
    number = len(found)
    if example is not None:
        number -= sum(_is_below(each, example) for each in found[1:_MOST_COUNTED])
    many = ""
    if number > 1 or more:
        many = pluralize(number, "difference") + (" or more" if more else "")
    if example is None:
        return difference_text(found[0], alone=alone, many=many)
    place, reason = _explain(example, alone=alone)
    if many:
        place = f"{many}, the first{' at ' if place else ''}{place}"
    return f"{place}: {reason}" if place else reason


def find_example(
    expected: list[Json], actual: list[Json], comparison: Comparison, difference: Difference
) -> ExampleValue | None:
    """Return the outermost example that holds a difference, or None if there is none."""
    steps = parse_pattern(difference.pointer)
    others = parse_pattern(difference.actual_pointer or difference.pointer)
    location = DifferenceLocation(None, None, rules_of(comparison))
    left: Json | Missing = expected
    right: Json | Missing = actual
    for step, other in zip(steps, others, strict=True):
        location = location.below(step, other)
        if isinstance(left, dict) and isinstance(right, dict):
            location = location.among(left, right)
        left, right = _member(left, step), _member(right, other)
        rule = location.rules.here.schema or location.rules.here.strings
        if left is MISSING:
            return None
        if isinstance(rule, (Schema, Matching)) and _fits(rule, left) and not _fits(rule, right):
            return ExampleValue(
                pointer(location.place), pointer(location.actual_place), rule, right
            )
        if right is MISSING:
            return None
    return None


def _member(value: Json | Missing, step: str) -> Json | Missing:
    if isinstance(value, dict):
        return value.get(step, MISSING)
    if isinstance(value, list) and step.isdecimal() and int(step) < len(value):
        return value[int(step)]
    return MISSING


def _fits(rule: Schema | Matching, value: Json | Missing) -> bool:
    if isinstance(rule, Matching):
        return isinstance(value, str) and matches_whole(rule.pattern, value)
    # jsonschema takes 90 ms to import, and few suites have schemas in their comparison.
    from harness.judging.schema_match import matches_schema  # pylint: disable=import-outside-toplevel

    return value is not MISSING and matches_schema(rule.text, value)


def _is_below(difference: Difference, example: ExampleValue) -> bool:
    above = example.pointer if difference.actual is MISSING else example.actual_pointer
    place = difference.actual_pointer or difference.pointer
    return f"{place}/".startswith(f"{above}/")


def _explain(example: ExampleValue, *, alone: bool) -> tuple[str, str]:
    """Return the place where an actual value breaks the rule of an example, and why."""
    where = _described(example.actual_pointer, alone=alone)
    if isinstance(example.rule, Matching):
        rule = f"the pattern {quote(example.rule.pattern, _NAME)}"
    else:
        name = example.rule.file
        rule = f"the schema {shorten(name, _NAME)}" if name else "the schema of suite.toml"
    if example.actual is MISSING:
        return where, f"a value that matches {rule} expected, nothing printed"
    if isinstance(example.rule, Matching):
        return where, f"{format_value(example.actual)} printed, which does not match {rule}"
    # Imported by `_fits`, which has found the example.
    from harness.judging.schema_match import value_fault  # pylint: disable=import-outside-toplevel

    inside, reason = value_fault(example.rule.text, example.actual)
    at = f" at {where}" if inside and where else ""
    place = _described(f"{example.actual_pointer}{inside}", alone=alone)
    return place, f"{reason}, by {rule}{at}"


def _described(place: str, *, alone: bool) -> str:
    return shorten(describe_place(place, alone=alone), _PLACE)

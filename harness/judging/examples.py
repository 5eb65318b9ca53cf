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
from harness.model.judgement import MISSING, BrokenRule, Difference, Missing
from harness.text import pluralize, quote, shorten

_MOST_EXPLAINED: Final = 1_000  # differences
_NAME: Final = 80  # characters of the name of a schema, or of a pattern
_PLACE: Final = 80


class _RuledExample(NamedTuple):
    """A place where the expected value obeys the rule that decides, and the actual one does not."""

    pointer: str
    actual_pointer: str
    rule: Schema | Matching
    expected: Json
    actual: Json | Missing


def with_rules(
    expected: list[Json],
    actual: list[Json],
    comparison: Comparison,
    differences: Sequence[Difference],
) -> tuple[Difference, ...]:
    """Return differences, those in each example as one, which says what its rule asks for."""
    explained: list[Difference] = []
    above: _RuledExample | None = None
    for difference in differences[:_MOST_EXPLAINED]:
        if above is not None and _is_below(difference, above):
            continue
        example = _find_example(expected, actual, comparison, difference)
        explained += [difference] if example is None else _broken(example)
        above = example or above
    return (*explained, *differences[_MOST_EXPLAINED:])


def first_difference_text(
    differences: Sequence[Difference], *, alone: bool, more: bool = False
) -> str:
    """Return a message about the first of the differences between two streams.

    `alone`: neither stream has several values. `more`: there are more differences than those found.
    """
    first, number = differences[0], len(differences)
    many = ""
    if number > 1 or more:
        many = pluralize(number, "difference") + (" or more" if more else "")
    if first.rule is None:
        return difference_text(first, alone=alone, many=many)
    place = _described(first.actual_pointer or first.pointer, alone=alone)
    if many:
        place = f"{many}, the first{' at ' if place else ''}{place}"
    at = _described(first.rule.at, alone=alone)
    reason = f"{first.rule.reason}{f' at {at}' if at else ''}"
    return f"{place}: {reason}" if place else reason


def _find_example(
    expected: list[Json], actual: list[Json], comparison: Comparison, difference: Difference
) -> _RuledExample | None:
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
            return _RuledExample(
                pointer(location.place), pointer(location.actual_place), rule, left, right
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


def _is_below(difference: Difference, example: _RuledExample) -> bool:
    above = example.pointer if difference.actual is MISSING else example.actual_pointer
    place = difference.actual_pointer or difference.pointer
    return f"{place}/".startswith(f"{above}/")


def _broken(example: _RuledExample) -> list[Difference]:
    """Return the differences of a value that breaks the rule of an example: the parts that do."""
    place, actual_place = example.pointer, example.actual_pointer
    name = _rule_name(example.rule)
    if example.actual is MISSING:
        asked = f"a value that matches {name}"
        rule = BrokenRule(asked, f"{asked} expected, nothing printed")
        return [_difference(place, actual_place, example.expected, MISSING, rule)]
    if isinstance(example.rule, Matching):
        printed = format_value(example.actual)
        rule = BrokenRule(f"a match of {name}", f"{printed} printed, which does not match {name}")
        return [_difference(place, actual_place, example.expected, example.actual, rule)]
    # Imported by `_fits`, which has found the example.
    from harness.judging.schema_match import value_faults  # pylint: disable=import-outside-toplevel

    differences = []
    for fault in value_faults(example.rule.text, example.actual):
        rule = BrokenRule(
            f"{fault.asked or 'a match'}, by {name}",
            f"{fault.reason}, by {name}",
            actual_place if fault.place else "",
        )
        left: Json | Missing = example.expected
        right: Json | Missing = example.actual
        for step in parse_pattern(fault.place):
            left, right = _member(left, step), _member(right, step)
        places = f"{place}{fault.place}", f"{actual_place}{fault.place}"
        differences.append(_difference(*places, left, right, rule))
    return differences


def _difference(
    place: str,
    actual_place: str,
    expected: Json | Missing,
    actual: Json | Missing,
    rule: BrokenRule,
) -> Difference:
    if expected is MISSING:
        return Difference(actual_place, expected, actual, None, rule)
    return Difference(
        place, expected, actual, None if actual_place == place else actual_place, rule
    )


def _rule_name(rule: Schema | Matching) -> str:
    if isinstance(rule, Matching):
        return f"the pattern {quote(rule.pattern, _NAME)}"
    return f"the schema {shorten(rule.file, _NAME)}" if rule.file else "the schema of suite.toml"


def _described(place: str, *, alone: bool) -> str:
    return shorten(describe_place(place, alone=alone), _PLACE)

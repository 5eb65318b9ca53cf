"""Read the equality rules in an output schema: x-order, x-key, x-tolerance and x-ignore.

The schema is that of the array of all values. `conflicts` finds where suite.toml disagrees. Source:
docs/equality.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import count, product
from typing import Any, Final, NamedTuple

from harness.jsonio.decoder import Json, encode
from harness.jsonio.fast import decode
from harness.jsonio.pointers import (
    PathError,
    Pattern,
    format_pattern,
    parse_path,
    parse_pattern,
    patterns_overlap,
    value_at,
)
from harness.judging.comparison_parser import (
    MEMBER_NAME,
    ORDER,
    TOLERANCE,
    ComparisonError,
)
from harness.judging.rules import tolerance_conflict
from harness.model.comparison import ArrayOrder, Comparison, Numbers, PlaceRule, Tolerance
from harness.text import quote, shorten, shorten_to_width
from harness.tomlio.tables import BOOLEAN, ValueType

_MOST: Final = 10_000  # visited parts of a schema: references can multiply them
_SHOWN: Final = 60  # characters of a value in a message
_ANYWHERE: Final = "**"

_Placed = tuple[Pattern, PlaceRule]

# For all members or elements without a schema of their own.
_OTHERS: Final = ("items", "additionalProperties", "unevaluatedItems", "unevaluatedProperties")
# Keywords whose value is a schema, and the steps to the places that it is for.
_SCHEMA: Final = {**dict.fromkeys(("if", "then", "else"), ()), **dict.fromkeys(_OTHERS, ("*",))}
# Keywords whose value has several schemas.
_SCHEMAS: Final = {
    **dict.fromkeys(("allOf", "anyOf", "oneOf", "dependentSchemas"), ()),
    "patternProperties": ("*",),
}
_ONE_STEP: Final = ("properties", "prefixItems")


def with_schema_rules(comparison: Comparison, schema: bytes, name: str) -> Comparison:
    """Return a comparison with the rules of the output schema `name`. Raises ComparisonError."""
    where = f"the output schema {quote(name)}"
    values, fault = decode(schema)
    if fault is not None or len(values) != 1:
        reason = fault.reason if fault is not None else "it must be a single value"
        raise ComparisonError(f"{where} is not JSON: {shorten(reason, _SHOWN)}")
    try:
        both = comparison._replace(from_schema=schema_rules(values[0]))
    except ComparisonError as problem:
        raise ComparisonError(f"{where}: {problem}") from None
    if reason := tolerance_conflict(both):
        raise ComparisonError(f"with {where}: {shorten(reason, 400)}")
    return both


def schema_rules(schema: Json) -> tuple[PlaceRule, ...]:
    """Return the rules in a schema, outer ones before inner ones. Raises ComparisonError.

    Follows properties, items, prefixItems, additionalProperties and the like, keywords that combine
    schemas for one place, and references within the document. In a schema that contains itself,
    `**` in a path stands for the repetitions.
    """
    placed_rules: list[_Placed] = []
    loops: list[_SchemaLoop] = []
    todo, visited = [_Subschema(schema, (), "", ())], 0
    while todo:
        part = todo.pop()
        visited += 1
        if visited > _MOST:
            raise ComparisonError("its references lead to too many places")
        start = next((start for known, start in part.around if known is part.schema), None)
        if start is not None:
            loop = _SchemaLoop(start, part.pattern[len(start) :])
            # A loop without a step adds nothing.
            loops += [loop] if loop.round else []
        elif isinstance(part.schema, dict):
            placed_rules += _rules_in(part, part.schema, placed_rules)
            todo += reversed(list(_parts(part, part.schema, schema)))
    # Innermost first, so that outer loops repeat the rules of inner ones.
    for loop in sorted(loops, key=lambda loop: -len(loop.start)):
        placed_rules += list(loop.again(placed_rules))
    # A rule may be found in several ways: keep the first.
    placed = (rule._replace(paths=(format_pattern(pattern),)) for pattern, rule in placed_rules)
    return tuple(dict.fromkeys(placed))


class _Subschema(NamedTuple):
    """A schema inside the schema: the places it applies to, its own place (a JSON Pointer), and the
    schemas around it, each with its pattern. `is_special`: it applies to one member or element, and
    overrides the schema for all others."""

    schema: Json
    pattern: Pattern
    where: str
    around: tuple[tuple[Json, Pattern], ...]
    is_special: bool = False


class _SchemaLoop(NamedTuple):
    """A schema that contains itself: from `start`, the steps of `round` lead to it again."""

    start: Pattern
    round: Pattern

    def again(self, placed_rules: list[_Placed]) -> Iterator[_Placed]:
        """Yield the rules found inside, for the places after any number of rounds."""
        size = len(self.start)
        for pattern, rule in placed_rules:
            if pattern[:size] == self.start:
                yield (*self.start, _ANYWHERE, *self.round, *pattern[size:]), rule


def _parts(part: _Subschema, schema: dict[str, Json], document: Json) -> Iterator[_Subschema]:
    around = (*part.around, (schema, part.pattern))

    def inner(inside: Json, where: str, *steps: str, is_special: bool = False) -> _Subschema:
        return _Subschema(inside, (*part.pattern, *steps), where, around, is_special)

    reference = schema.get("$ref")
    if isinstance(reference, str) and reference.startswith("#"):
        yield inner(_at_pointer(document, reference[1:]), reference[1:])
    for keyword, value in schema.items():
        where = f"{part.where}/{keyword}"
        if keyword in _SCHEMA:
            yield inner(value, where, *_SCHEMA[keyword])
        elif keyword in _SCHEMAS:
            for key, each in _members(value):
                yield inner(each, f"{where}/{key}", *_SCHEMAS[keyword])
    has_others = any(keyword in schema for keyword in _OTHERS)
    for keyword in _ONE_STEP:
        for key, each in _members(schema.get(keyword)):
            where = f"{part.where}/{keyword}/{key}"
            yield inner(each, where, key, is_special=has_others)


def _members(value: Json) -> Iterable[tuple[str, Json]]:
    if isinstance(value, dict):
        return value.items()
    return zip(map(str, count()), value if isinstance(value, list) else ())


def _at_pointer(document: Json, reference: str) -> Json:
    """Return the target of a reference, or null if there is none, which `--check` reports."""
    try:
        return value_at(document, parse_pattern(reference))
    except PathError:  # the name of an anchor
        return None


# The rules in one schema.


def _rules_in(
    part: _Subschema, schema: dict[str, Json], placed_rules: list[_Placed]
) -> Iterator[_Placed]:
    others = (*part.pattern[:-1], "*")
    if part.is_special and any(pattern[: len(others)] == others for pattern, _ in placed_rules):
        yield (*part.pattern, "**"), PlaceRule((), resets=True)
    rule = _rule(schema, part.where)
    if rule != PlaceRule(()):
        yield part.pattern, rule


def _rule(schema: dict[str, Json], where: str) -> PlaceRule:
    order, key = _read(schema, "x-order", ORDER, where), _read(schema, "x-key", MEMBER_NAME, where)
    if order is ArrayOrder.LIST and key is not None:
        place = f"{shorten(where, _SHOWN)}/x-key"
        raise ComparisonError(f'{place} needs a set or multiset, but x-order is "list"')
    return PlaceRule(
        (),
        numbers=_read(schema, "x-tolerance", TOLERANCE, where),
        order=order,
        key=key,
        ignore=_read(schema, "x-ignore", BOOLEAN, where),
    )


def _read(schema: dict[str, Json], name: str, kind: ValueType, where: str) -> Any:
    if name not in schema:
        return None
    place = f"{shorten(where, _SHOWN)}/{name}"
    try:
        value = kind.read(schema[name])
    except ComparisonError as problem:
        raise ComparisonError(f"{place}: {problem}") from None
    if value is None:
        shown = shorten_to_width(encode(schema[name]), _SHOWN)
        raise ComparisonError(f"{place} must be {kind.expected}, not {shown}")
    return value


# Conflicts with suite.toml.


def conflicts(comparison: Comparison) -> Iterator[tuple[str, str]]:
    """Yield the paths in suite.toml whose rules override others of the output schema, each with a
    message. `comparison` is from `with_schema_rules`."""
    of_suite = comparison._replace(from_schema=()).rules
    for there, here in product(comparison.from_schema, of_suite):
        for path in here.paths:
            steps = parse_path(path)
            if any(patterns_overlap(steps, parse_path(other)) for other in there.paths):
                for ours, theirs in _disagreements(here, there):
                    yield (
                        path,
                        f'suite.toml sets {ours} for "{path}", overriding {theirs} for'
                        f' "{there.paths[0]}" in the output schema',
                    )


def _disagreements(here: PlaceRule, there: PlaceRule) -> Iterator[tuple[str, str]]:
    """Yield the differing rules of a kind that both set, as text."""
    if _array_way(here) != _array_way(there):
        ours = _format_order(here, "order = {}", "key = {}")
        theirs = _format_order(there, "x-order {}", "x-key {}")
        if ours and theirs:
            yield ours, theirs
    if here.numbers is not None and there.numbers is not None and here.numbers != there.numbers:
        yield (
            f"numbers = {_format_numbers(here.numbers)}",
            f"x-tolerance {_format_numbers(there.numbers)}",
        )
    if here.ignore is not None and there.ignore not in (None, here.ignore):
        yield f"ignore = {str(here.ignore).lower()}", f"x-ignore {str(there.ignore).lower()}"


def _array_way(rule: PlaceRule) -> tuple[ArrayOrder, str | None]:
    return rule.order or ArrayOrder.MULTISET, rule.key


def _format_order(rule: PlaceRule, order: str, key: str) -> str:
    order_and_key = ((order, rule.order and rule.order.value), (key, rule.key))
    return " and ".join(
        form.format(quote(word)) for form, word in order_and_key if word is not None
    )


def _format_numbers(numbers: Numbers | Tolerance) -> str:
    if isinstance(numbers, Tolerance):
        return f"{{ absolute = {numbers.absolute}, relative = {numbers.relative} }}"
    return f'"{numbers.value}"'

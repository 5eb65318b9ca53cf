"""What an output schema says of comparing (x-order, x-key, x-tolerance, x-ignore), as path rules.

Pure: a schema's bytes go in, rules come out; where suite.toml says otherwise is found here, too.
The schema is the one of the array of all values. Source: docs/equality.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import product
from typing import Final, NamedTuple, TypeVar

from harness.jsonfast import decode
from harness.jsontext import Json, encode
from harness.judging.comparison import Comparison, Numbers, Order, PlaceRule, Tolerance
from harness.judging.comparison_words import (
    ORDER_WANTED,
    TOLERANCE_WANTED,
    WordError,
    order_way,
    tolerance,
)
from harness.judging.rules import unsound
from harness.paths import PathError, Pattern, meet, parse_pattern, spelled
from harness.words import clip, cut, quoted, visible

__all__ = ["AnnotationError", "Conflict", "conflicts", "contract_rules", "with_contract"]

_MOST: Final = 10_000  # parts of a schema that are visited: references can multiply them
_SHOWN: Final = 60  # characters of a value in a message
_ANYWHERE: Final = "**"

T = TypeVar("T")

# Keywords whose value is a schema, or an array of them, for the same place.
_SAME_PLACE: Final = ("if", "then", "else")
_SAME_PLACE_EACH: Final = ("allOf", "anyOf", "oneOf", "dependentSchemas")
# ... for what is inside, unless something more special is said of it.
_INSIDE: Final = ("items", "additionalProperties", "unevaluatedItems", "unevaluatedProperties")
_INSIDE_EACH: Final = ("patternProperties",)
_ONE_STEP: Final = ("properties", "prefixItems")


class AnnotationError(WordError):
    """What a schema says of comparing cannot be accepted; the message says where and why."""


class Conflict(NamedTuple):
    """Where suite.toml and the output schema both speak of one thing, and not alike. suite.toml
    holds."""

    path: str
    said: str  # a sentence for a person


def with_contract(comparison: Comparison, schema: bytes, name: str) -> Comparison:
    """A comparison together with what the output schema says, whose file is `name`. Raises
    AnnotationError."""
    where = f"the output schema {quoted(name, _SHOWN)}"
    values, fault = decode(schema)
    if fault is not None or len(values) != 1:
        reason = fault.reason if fault is not None else "not one value"
        raise AnnotationError(f"{where} is not JSON: {cut(visible(reason), _SHOWN)}")
    try:
        both = comparison._replace(contract=contract_rules(values[0]))
    except AnnotationError as problem:
        raise AnnotationError(f"{where}: {problem}") from None
    fault_of_both = unsound(both)
    if fault_of_both:
        raise AnnotationError(f"with {where}: {cut(visible(fault_of_both), 400)}")
    return both


def contract_rules(schema: Json) -> tuple[PlaceRule, ...]:
    """The rules in a schema, outer ones before those inside them. Raises AnnotationError.

    Followed are properties, items, prefixItems, additionalProperties and their like, what joins
    schemas for one place, and references within the document. In a schema that contains itself, a
    path has `**` for the rounds between.
    """
    found: list[tuple[Pattern, PlaceRule]] = []
    loops: list[_Loop] = []
    todo, visited = [_Part(schema, (), "", ())], 0
    while todo:
        part = todo.pop()
        visited += 1
        if visited > _MOST:
            raise AnnotationError("its references make too many places to be followed")
        loop = _loop(part)
        if loop is not None:
            # Without a step, the schema only stands for itself.
            loops += [loop] if loop.round else []
        elif isinstance(part.schema, dict):
            found += _said_of(part, part.schema, found)
            todo += reversed(list(_parts(part, part.schema, schema)))
    # The innermost first, so that the rounds of the outer ones hold those of the inner ones.
    for loop in sorted(loops, key=lambda loop: -len(loop.start)):
        found += list(loop.again(found))
    # One rule may be found in several ways; a dictionary keeps the first.
    placed = (rule._replace(paths=(spelled(pattern),)) for pattern, rule in found)
    return tuple(dict.fromkeys(placed))


class _Part(NamedTuple):
    """A schema inside the schema: the places it is for, where it stands (a JSON Pointer), the
    schemas around it, each with its pattern. `is_special`: it is for one member or element, and
    what is said of all others beside it does not hold there."""

    schema: Json
    pattern: Pattern
    where: str
    around: tuple[tuple[Json, Pattern], ...]
    is_special: bool = False


class _Loop(NamedTuple):
    """A schema that contains itself: from `start`, the steps of `round` lead to it again."""

    start: Pattern
    round: Pattern

    def again(self, found: list[tuple[Pattern, PlaceRule]]) -> Iterator[tuple[Pattern, PlaceRule]]:
        """What was found inside, at the places after any number of rounds."""
        size = len(self.start)
        for pattern, rule in found:
            if pattern[:size] == self.start:
                yield (*self.start, _ANYWHERE, *self.round, *pattern[size:]), rule


def _loop(part: _Part) -> _Loop | None:
    for known, start in part.around:
        if known is part.schema:
            return _Loop(start, part.pattern[len(start) :])
    return None


def _parts(part: _Part, schema: dict[str, Json], document: Json) -> Iterator[_Part]:
    """The schemas inside a schema: for the same place, for all that is inside, for one step."""
    around = (*part.around, (schema, part.pattern))

    def inner(inside: Json, where: str, *steps: str, is_special: bool = False) -> _Part:
        return _Part(inside, (*part.pattern, *steps), where, around, is_special)

    reference = schema.get("$ref")
    if isinstance(reference, str) and reference.startswith("#"):
        yield inner(_at_pointer(document, reference[1:]), reference[1:])
    for keyword, value in schema.items():
        where = f"{part.where}/{keyword}"
        if keyword in _SAME_PLACE:
            yield inner(value, where)
        elif keyword in _SAME_PLACE_EACH:
            yield from (inner(each, f"{where}/{key}") for key, each in _members(value))
        elif keyword in _INSIDE:
            yield inner(value, where, "*")
        elif keyword in _INSIDE_EACH:
            yield from (inner(each, f"{where}/{key}", "*") for key, each in _members(value))
    has_others = any(keyword in schema for keyword in _INSIDE)
    for keyword in _ONE_STEP:
        for key, each in _members(schema.get(keyword)):
            where = f"{part.where}/{keyword}/{key}"
            yield inner(each, where, key, is_special=has_others)


def _members(value: Json) -> Iterable[tuple[str, Json]]:
    if isinstance(value, dict):
        return value.items()
    return (
        (str(index), each) for index, each in enumerate(value if isinstance(value, list) else ())
    )


def _at_pointer(document: Json, reference: str) -> Json:
    """What a reference leads to; null where that is nothing: `--check` tells of it."""
    try:
        steps = parse_pattern(reference)
    except PathError:  # the name of an anchor
        return None
    for step in steps:
        document = dict(_members(document)).get(step)
    return document


# What one schema says.


def _said_of(
    part: _Part, schema: dict[str, Json], found: list[tuple[Pattern, PlaceRule]]
) -> Iterator[tuple[Pattern, PlaceRule]]:
    others = (*part.pattern[:-1], "*")
    if part.is_special and any(pattern[: len(others)] == others for pattern, _ in found):
        yield (*part.pattern, "**"), PlaceRule((), forget=True)
    rule = _rule(schema, part.where)
    if rule != PlaceRule(()):
        yield part.pattern, rule


def _rule(schema: dict[str, Json], where: str) -> PlaceRule:
    order = _word(schema, "x-order", where, ORDER_WANTED, order_way)
    key = _word(schema, "x-key", where, "the name of a member", _text)
    if order is Order.LIST and key is not None:
        said = 'pairs the elements of a set or multiset, and x-order is "list"'
        raise AnnotationError(f"{_place(where)}/x-key {said}")
    return PlaceRule(
        (),
        numbers=_word(schema, "x-tolerance", where, TOLERANCE_WANTED, tolerance),
        order=order,
        key=key,
        ignore=_word(schema, "x-ignore", where, "true or false", _truth),
    )


def _word(
    schema: dict[str, Json], name: str, where: str, wanted: str, read: Callable[[Json], T | None]
) -> T | None:
    if name not in schema:
        return None
    place = f"{_place(where)}/{name}"
    try:
        value = read(schema[name])
    except WordError as problem:
        raise AnnotationError(f"{place}: {problem}") from None
    if value is None:
        found = clip(visible(encode(schema[name])), _SHOWN)
        raise AnnotationError(f"{place} is to be {wanted}, found {found}")
    return value


def _place(where: str) -> str:
    return cut(visible(where), _SHOWN)


def _text(value: Json) -> str | None:
    return value if isinstance(value, str) else None


def _truth(value: Json) -> bool | None:
    return value if isinstance(value, bool) else None


# Where both speak.


def conflicts(comparison: Comparison) -> Iterator[Conflict]:
    """Where suite.toml and the output schema both speak of one thing at one place, and say
    different things; the comparison has been made by `with_contract`."""
    of_suite = comparison._replace(contract=()).rules
    for there, here in product(comparison.contract, of_suite):
        for path in here.paths:
            if any(meet(parse_pattern(path), parse_pattern(other)) for other in there.paths):
                for ours, theirs in _disagreements(here, there):
                    yield Conflict(
                        path,
                        f'suite.toml says {ours} for "{path}", the output schema'
                        f' {theirs} for "{there.paths[0]}"; suite.toml holds',
                    )


def _disagreements(here: PlaceRule, there: PlaceRule) -> Iterator[tuple[str, str]]:
    """What the two rules say of the things that both speak of, where it is not the same."""
    pairs = (
        (_order_said(here, "order = {}", "key = {}"), _order_said(there, "x-order {}", "x-key {}")),
        (_numbers_said(here.numbers, "numbers = "), _numbers_said(there.numbers, "x-tolerance ")),
        (_ignore_said(here.ignore, "ignore = "), _ignore_said(there.ignore, "x-ignore ")),
    )
    same = (
        _array_way(here) == _array_way(there),
        here.numbers == there.numbers,
        here.ignore == there.ignore,
    )
    for (ours, theirs), alike in zip(pairs, same, strict=True):
        if ours and theirs and not alike:
            yield ours, theirs


def _array_way(rule: PlaceRule) -> tuple[Order, str | None]:
    return rule.order or Order.MULTISET, rule.key


def _order_said(rule: PlaceRule, order: str, key: str) -> str:
    said = [order.format(quoted(rule.order.value, _SHOWN))] if rule.order is not None else []
    said += [key.format(quoted(rule.key, _SHOWN))] if rule.key is not None else []
    return " and ".join(said)


def _numbers_said(numbers: Numbers | Tolerance | None, head: str) -> str:
    if isinstance(numbers, Tolerance):
        return f"{head}{{ absolute = {numbers.absolute}, relative = {numbers.relative} }}"
    return "" if numbers is None else f'{head}"{numbers.value}"'


def _ignore_said(ignore: bool | None, head: str) -> str:
    return "" if ignore is None else f"{head}{str(ignore).lower()}"

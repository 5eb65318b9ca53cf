"""Look up the equality rules at each place of a value, on the way down.

Patterns are followed step by step, and each distinct set of remaining patterns is built once for a
comparison. Of several rules for a place, the last one wins.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import product
from typing import Final, NamedTuple

from harness.jsonio.decoder import Json, encode
from harness.jsonio.pointers import PatternSet, parse_path, patterns_overlap
from harness.model.comparison import (
    ArrayOrder,
    Comparison,
    Matching,
    Numbers,
    PlaceRule,
    RuleCondition,
    Schema,
    Strings,
    Tolerance,
)


class RulesHere(NamedTuple):
    numbers: Numbers | Tolerance = Numbers.EXACT
    strings: Strings | Matching = Strings.EXACT
    order: ArrayOrder = ArrayOrder.LIST
    key: str | None = None
    schema: Schema | None = None
    ignore: bool = False
    extra: bool = False
    keys: Matching | None = None

    def after(self, rule: PlaceRule, default: RulesHere) -> RulesHere:
        if rule.resets:
            return default
        order, key = self.order, self.key
        if rule.order is not None or rule.key is not None:
            order, key = rule.order or ArrayOrder.MULTISET, rule.key
        return RulesHere(
            self.numbers if rule.numbers is None else rule.numbers,
            self.strings if rule.strings is None else rule.strings,
            order,
            key,
            self.schema if rule.schema is None else rule.schema,
            self.ignore if rule.ignore is None else rule.ignore,
            self.extra if rule.extra is None else rule.extra,
            self.keys if rule.keys is None else rule.keys,
        )


class Rules:
    """The rules as seen from a place: those `here`, and those `below` a step.

    Rules with conditions are in effect only in the rules that `among` returns.
    """

    __slots__ = (
        "_all",
        "_below",
        "_conditional",
        "_default",
        "_known",
        "_named",
        "_paths",
        "_with_conditions",
        "has_tolerance",
        "here",
        "is_uniform",
    )

    def __init__(
        self,
        default: RulesHere,
        listed: tuple[PlaceRule, ...],
        paths: tuple[PatternSet, ...],
        known: dict[tuple[PatternSet, ...], Rules],
        holding: tuple[int, ...] = (),
    ) -> None:
        """Create the rules from those listed, each with its path from here; `known` is a cache.

        `holding` are the numbers of the rules whose conditions hold here.
        """
        here = default
        conditional = []
        for number, (rule, path) in enumerate(zip(listed, paths, strict=True)):
            if path.matches_here:
                if rule.when:
                    conditional.append(number)
                if not rule.when or number in holding:
                    here = here.after(rule, default)
        self.here: Final = here
        self._conditional: Final = tuple(conditional)
        self._with_conditions: Final[dict[tuple[int, ...], Rules]] = {}
        # No path matches this place or one below it.
        self.is_uniform: Final = not any(paths)
        # Some numbers here or below this place may have a tolerance.
        self.has_tolerance: Final = isinstance(here.numbers, Tolerance) or any(
            path and isinstance(rule.numbers, Tolerance)
            for rule, path in zip(listed, paths, strict=True)
        )
        self._default: Final = default
        self._all: Final = listed
        self._paths: Final = paths
        self._named: Final = {name for path in paths for name in path.first_steps}
        self._known: Final = known
        self._below: Final[dict[str | None, Rules]] = {}
        if not holding:
            known[paths] = self

    @property
    def name_an_index(self) -> bool:
        """Return whether a pattern names one element of an array here."""
        return any(name.isdecimal() for name in self._named)

    def below(self, step: int | str) -> Rules:
        """Return the rules as seen from one step down; steps that no pattern names share theirs."""
        if self.is_uniform:
            return self
        name = str(step)
        named = name if name in self._named else None
        rules = self._below.get(named)
        if rules is None:
            paths = tuple(path.below(name) for path in self._paths)
            rules = self._known.get(paths) or Rules(self._default, self._all, paths, self._known)
            self._below[named] = rules
        return rules

    def among(self, *objects: dict[str, Json]) -> Rules:
        """Return the rules here if the value is a member of these objects."""
        holding = tuple(
            number
            for number in self._conditional
            if all(_holds(each, parent) for each in self._all[number].when for parent in objects)
        )
        if not holding:
            return self
        rules = self._with_conditions.get(holding)
        if rules is None:
            rules = Rules(self._default, self._all, self._paths, self._known, holding)
            self._with_conditions[holding] = rules
        return rules


def _holds(condition: RuleCondition, parent: dict[str, Json]) -> bool:
    value: Json = parent
    for step in condition.steps:
        if not isinstance(value, dict) or step not in value:
            return False
        value = value[step]
    return not isinstance(value, (dict, list)) and encode(value) in condition.values


@lru_cache(maxsize=16)
def rules_of(comparison: Comparison) -> Rules:
    """Return the rules of a comparison as seen from the whole stream."""
    default = RulesHere(comparison.numbers, comparison.strings)
    paths = tuple(PatternSet(map(parse_path, rule.paths)) for rule in comparison.rules)
    return Rules(default, comparison.rules, paths, {})


def tolerance_conflict(comparison: Comparison) -> str:
    """Return a message if a tolerance applies where unordered elements cannot be paired, or "".

    Sets have no pairs (closeness is not transitive), and in nested unordered arrays, each
    comparison of two elements would pair elements in turn. A key pairs them in linear time.
    Members that are allowed besides the expected ones are such a tolerance, too.
    """
    listed = (PlaceRule(("/**",), numbers=comparison.numbers), *comparison.rules)
    arrays = dict(_unkeyed_arrays(listed))
    kinds = _kinds_without_pairs(arrays)
    for number, rule in enumerate(listed):
        if isinstance(rule.numbers, Tolerance):
            for path, (array, kind) in product(rule.paths, kinds.items()):
                inside = (*parse_path(array), "*", "**")
                reaches = patterns_overlap(parse_path(path), inside)
                if reaches and not _is_exempt(array, listed[number + 1 :]):
                    return _TOLERANCE_CONFLICT.format(path=path, array=array, kind=kind)
        if rule.extra:
            for path, array in product(rule.paths, arrays):
                if patterns_overlap(parse_path(path), (*parse_path(array), "*", "**")):
                    return _EXTRA_CONFLICT.format(path=path, array=array)
    return ""


_EXTRA_CONFLICT: Final = (
    'objects at "{path}" may have extra members, and may be inside "{array}", an unordered array,'
    " so its elements cannot be paired; give that array a key"
)


def _kinds_without_pairs(arrays: dict[str, ArrayOrder]) -> dict[str, str]:
    """Return the arrays that are sets or lie inside other ones, and a name for their kind."""
    kinds = {array: "a set" for array, order in arrays.items() if order is ArrayOrder.SET}
    for outer, inner in product(arrays, arrays):
        below = (*parse_path(outer), "*", "**")
        if inner not in kinds and patterns_overlap(below, parse_path(inner)):
            kinds[inner] = f"an unordered array inside another one ({outer})"
    return kinds


_TOLERANCE_CONFLICT: Final = (
    'numbers at "{path}" have a tolerance, and may be inside "{array}", {kind}, so its'
    " elements cannot be paired; give that array a key, or set"
    ' numbers = "value" for path = "{array}/**" in a [[compare.at]] at the end'
)


def _unkeyed_arrays(listed: tuple[PlaceRule, ...]) -> Iterator[tuple[str, ArrayOrder]]:
    for number, rule in enumerate(listed):
        if rule.order in (ArrayOrder.SET, ArrayOrder.MULTISET) and rule.key is None:
            for path in rule.paths:
                later = (other for other in listed[number + 1 :] if path in other.paths)
                if not any(
                    other.order is ArrayOrder.LIST or other.key is not None for other in later
                ):
                    yield path, rule.order


def _is_exempt(array: str, later: tuple[PlaceRule, ...]) -> bool:
    """Return whether a later rule removes the tolerance everywhere inside an array."""
    without = (rule.paths for rule in later if isinstance(rule.numbers, Numbers))
    return any("/**" in paths or f"{array}/**" in paths for paths in without)

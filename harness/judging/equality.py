"""Decide which JSON values are equal, and find where two streams differ.

This is the only module that does. Pure, without recursion, and each value is walked once.
judging/rules.py says which rules apply where, judging/numbers.py compares numbers. Sources:
docs/equality.md, docs/suites.md.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Container, Iterable, Iterator
from hashlib import sha256
from itertools import count, zip_longest
from typing import NamedTuple, TypeVar

from harness.jsonio.decoder import Json, Number, encode
from harness.jsonio.pointers import Pattern, Place, format_pattern, parse_path, pointer
from harness.judging.numbers import (
    compare_numbers,
    equal_numbers,
    is_finite,
    normalize_number,
)
from harness.judging.partners import Unpaired, pair_all, pair_numbers
from harness.judging.rules import Rules, RulesHere, rules_of
from harness.judging.strings import equal_strings, key_form, matches_whole, string_form
from harness.model.comparison import (
    ArrayOrder,
    Comparison,
    Matching,
    Numbers,
    Schema,
    Strings,
    Tolerance,
)
from harness.model.judgement import MISSING, Difference, Missing


class DifferenceLocation(NamedTuple):
    """A place and its rules. `actual_place` is that of the actual value: the same one, unless
    elements before it were inserted or removed."""

    place: Place
    actual_place: Place
    rules: Rules

    def below(self, step: int | str, actual_step: int | str | None = None) -> DifferenceLocation:
        place: Place = (self.place, step)
        actual = place
        if self.actual_place is not self.place or actual_step not in (None, step):
            actual = (self.actual_place, step if actual_step is None else actual_step)
        return DifferenceLocation(place, actual, self.rules.below(step))

    def among(self, *objects: dict[str, Json]) -> DifferenceLocation:
        """Return the location of a member of these objects, whose values rules may depend on."""
        rules = self.rules.among(*objects)
        return DifferenceLocation(self.place, self.actual_place, rules)


class Pair(NamedTuple):
    """Two values at one location that are not equal simple values."""

    location: DifferenceLocation
    expected: Json | Missing
    actual: Json | Missing


_Step = TypeVar("_Step", int, str)

# The pairs inside a pair of containers.
Pairs = Iterator[Pair]
Inside = Callable[[Pair], Pairs | None]


def differences(
    expected: list[Json], actual: list[Json], comparison: Comparison, inner: Inside | None = None
) -> Iterator[Difference]:
    """Yield every difference between two streams, in document order of the expected one.

    Work stops with the caller. A value that only one side has is one difference, whatever its size.
    In an unordered array, each element without a partner is reported under its own index.
    `inner` replaces `inner_pairs`.
    """
    streams = Pair(DifferenceLocation(None, None, rules_of(comparison)), expected, actual)
    return map(_to_difference, find_unequal(streams, inner or inner_pairs))


def are_equal(expected: list[Json], actual: list[Json], comparison: Comparison) -> bool:
    """Return whether two streams are equal, stopping at the first difference."""
    try:
        # Values with the same texts are equal by every rule. Number does not equal Python's
        # numbers, so == cannot mistake True for 1.
        if expected == actual:
            return True
    except RecursionError:
        pass  # too deep for Python's comparison
    return next(differences(expected, actual, comparison), None) is None


def are_equal_at(
    steps: Iterable[int | str], expected: Json, actual: Json, comparison: Comparison
) -> bool:
    """Return whether two values are equal by the rules for the place to which these steps lead."""
    location = DifferenceLocation(None, None, rules_of(comparison))
    for step in steps:
        location = location.below(step)
    return next(find_unequal(Pair(location, expected, actual), inner_pairs), None) is None


def _to_difference(pair: Pair) -> Difference:
    location, expected, actual = pair
    place = location.actual_place if expected is MISSING else location.place
    moved = location.actual_place is not location.place and MISSING not in (expected, actual)
    return Difference(
        pointer(place), expected, actual, pointer(location.actual_place) if moved else None
    )


def find_unequal(pair: Pair, inner: Inside) -> Pairs:
    """Yield the innermost unequal pairs within a pair."""
    # The pairs left to compare at each level of nesting, innermost last.
    levels = [iter([pair])]
    # Pairs of which only one value matches the schema, by the level of the pairs inside them. They
    # are unequal even if nothing inside them is.
    unlike: dict[int, Pair] = {}
    while levels:
        here = next(levels[-1], None)
        if here is None:
            levels.pop()
            if len(levels) in unlike:
                yield unlike[len(levels)]
                unlike.clear()
        elif not _is_equal(here.expected, here.actual, here.location.rules.here):
            pairs = inner(here)
            if pairs is None:
                yield here
                unlike.clear()
            else:
                if _one_matches(here):
                    unlike[len(levels)] = here
                levels.append(pairs)


def _is_equal(expected: Json | Missing, actual: Json | Missing, here: RulesHere) -> bool:
    """Return whether two values are equal by the rules at their place, without looking inside."""
    if here.ignore:
        return True
    if expected is MISSING or actual is MISSING:
        return False
    if here.schema is not None:
        matching = _matching(here.schema, expected, actual)
        if any(matching):
            return all(matching)
    if isinstance(expected, Number) and isinstance(actual, Number):
        return equal_numbers(expected.text, actual.text, here.numbers)
    if isinstance(expected, str) and isinstance(actual, str):
        return equal_strings(expected, actual, here.strings, here.numbers)
    return False


def inner_pairs(pair: Pair) -> Pairs | None:
    """Return the possibly unequal pairs inside two containers of one kind, or None for others."""
    location, expected, actual = pair
    if isinstance(expected, list) and isinstance(actual, list):
        pairs = _by_index if location.rules.here.order is ArrayOrder.LIST else _by_partner
        return pairs(location, expected, actual)
    if isinstance(expected, dict) and isinstance(actual, dict):
        return _by_key(location, expected, actual)
    return None


def _by_index(location: DifferenceLocation, expected: list[Json], actual: list[Json]) -> Pairs:
    numbers = _numbers_below(location)
    both = zip_longest(expected, actual, fillvalue=MISSING)
    for index, (left, right) in enumerate(both):
        if not _equal_leaves(left, right, numbers):
            yield Pair(location.below(index), left, right)


def _by_key(
    location: DifferenceLocation, expected: dict[str, Json], actual: dict[str, Json]
) -> Pairs:
    numbers = _numbers_below(location)
    here = location.rules.here
    if here.strings is not Strings.EXACT and expected.keys() != actual.keys():
        actual = _with_keys_of(expected, actual, here.strings)
    if here.keys is not None:
        yield from _by_any_key(location, here.keys.pattern, expected, actual)
    for key, left in expected.items():
        right = actual.get(key, MISSING)
        if not _equal_leaves(left, right, numbers) and not _is_any_key(key, here):
            yield Pair(location.below(key).among(expected, actual), left, right)
    for key, right in actual.items() if not here.extra else ():
        if key not in expected and not _is_any_key(key, here):
            yield Pair(location.below(key).among(expected, actual), MISSING, right)


def _is_any_key(key: str, here: RulesHere) -> bool:
    """Return whether a key of an object does not count."""
    return here.keys is not None and matches_whole(here.keys.pattern, key)


def _by_any_key(
    location: DifferenceLocation, pattern: str, expected: dict[str, Json], actual: dict[str, Json]
) -> Pairs:
    """Yield the members whose keys match a pattern, but for those that have an equal value.

    The others are paired by their keys, and the rest in order.
    """
    table = form_table()
    forms, others = (
        {
            key: comparison_form(value, location.rules.below(key).among(item), table)
            for key, value in item.items()
            if matches_whole(pattern, key)
        }
        for item in (expected, actual)
    )
    common = Counter(forms.values()) & Counter(others.values())
    left, right = _unmatched(common, forms), _unmatched(common, others)
    same = [key for key in left if key in right]
    rest = [key for key in left if key not in same], [key for key in right if key not in same]
    for key, other in (*zip(same, same, strict=True), *zip_longest(*rest)):
        if key is None:
            if not location.rules.here.extra:
                yield Pair(location.below(other).among(actual), MISSING, actual[other])
        elif other is None:
            yield Pair(location.below(key).among(expected), expected[key], MISSING)
        else:
            place = location.below(key, other).among(expected, actual)
            yield Pair(place, expected[key], actual[other])


def _with_keys_of(
    expected: dict[str, Json], actual: dict[str, Json], strings: Strings | Matching
) -> dict[str, Json]:
    """Return an object with the keys that equal expected ones spelled as those are.

    Several keys of an object may be equal: then they are paired in sorted order, and if too many
    are printed, those left over must not have the name of an expected one.
    """
    spelled: dict[str, list[str]] = {}
    for key in sorted(expected, reverse=True):
        spelled.setdefault(key_form(key, strings), []).append(key)
    names = {}
    for key in sorted(actual):
        waiting = spelled.get(key_form(key, strings))
        names[key] = waiting.pop() if waiting else _unlike(key, expected)
    return {names[key]: value for key, value in actual.items()}


def _unlike(key: str, keys: Container[str]) -> str:
    """Return the key, or if it is among others, with as many primes as tell it from them."""
    while key in keys:
        key += "\N{PRIME}"
    return key


def equal_leaves(left: Json, right: Json, location: DifferenceLocation) -> bool:
    return _equal_leaves(left, right, Numbers.EXACT) or _is_equal(left, right, location.rules.here)


def is_uniform(location: DifferenceLocation) -> bool:
    """Return whether an array is ordered and all of its elements have the same rules."""
    if location.rules.here.order is not ArrayOrder.LIST or location.rules.name_an_index:
        return False
    return not location.rules.below(0).here.ignore


def _numbers_below(location: DifferenceLocation) -> Numbers | Tolerance:
    """Return the rule by which numbers can be compared before their own rules are looked up.

    Exact equality implies equality by every other rule.
    """
    return location.rules.here.numbers if location.rules.is_uniform else Numbers.EXACT


def _equal_leaves(
    left: Json | Missing, right: Json | Missing, numbers: Numbers | Tolerance
) -> bool:
    if isinstance(left, Number):
        return isinstance(right, Number) and equal_numbers(left.text, right.text, numbers)
    # Number does not equal Python's numbers, so == cannot mistake True for 1.
    return not isinstance(left, (list, dict)) and left == right


def _one_matches(pair: Pair) -> bool:
    """Return whether only one of two values matches the schema at their place."""
    schema = pair.location.rules.here.schema
    return schema is not None and any(_matching(schema, pair.expected, pair.actual))


def _matching(schema: Schema, *values: Json | Missing) -> list[bool]:
    # jsonschema takes 90 ms to import, and few suites have schemas in their comparison.
    from harness.judging.schema_match import matches_schema  # pylint: disable=import-outside-toplevel

    return [value is not MISSING and matches_schema(schema.text, value) for value in values]


# Unordered arrays.


def _by_partner(location: DifferenceLocation, expected: list[Json], actual: list[Json]) -> Pairs:
    """Yield the elements without an equal on the other side, paired by key if there is one."""
    table = form_table()
    forms, others = (_forms(location.rules, elements, table) for elements in (expected, actual))
    if location.rules.below(0).has_tolerance and location.rules.here.key is None:
        left, right = _not_close(location, (expected, forms), (actual, others))
    else:
        common = Counter(forms.values()) & Counter(others.values())
        left, right = _unmatched(common, forms), _unmatched(common, others)
    partners: dict[int, int] = {}
    if location.rules.here.key is not None:
        keys = (
            _keys(location.rules, expected, left, table),
            _keys(location.rules, actual, right, table),
        )
        partners = _partners(*keys)
    for index in left:
        partner = partners.get(index)
        other = MISSING if partner is None else actual[partner]
        yield Pair(location.below(index, partner), expected[index], other)
    taken = set(partners.values())
    for index in right:
        if index not in taken:
            yield Pair(location.below(index), MISSING, actual[index])


def _forms(rules: Rules, elements: list[Json], table: FormTable) -> dict[int, int]:
    """Return the forms of the elements that count, by index; of a set, the first of each form."""
    forms: dict[int, int] = {}
    for index, element in enumerate(elements):
        below = rules.below(index)
        if not below.here.ignore:
            forms[index] = comparison_form(element, below, table)
    if rules.here.order is not ArrayOrder.SET:
        return forms
    # Backwards, so that the first one is kept.
    first = {forms[index]: index for index in reversed(forms)}
    return {index: forms[index] for index in sorted(first.values())}


_Formed = tuple[list[Json], dict[int, int]]  # the elements of an array, and their forms by index


def _not_close(location: DifferenceLocation, expected: _Formed, actual: _Formed) -> Unpaired:
    """Return the elements without a partner in an array whose numbers may have a tolerance."""
    numbers = location.rules.below(0).here.numbers
    lefts: dict[int, str] = {}
    rights: dict[int, str] = {}
    close = Unpaired([], [])
    if isinstance(numbers, Tolerance) and not location.rules.name_an_index:
        if compare_numbers(numbers.relative, "1") <= 0:
            lefts, rights = _finite_numbers(*expected), _finite_numbers(*actual)
            close = pair_numbers(lefts, rights, numbers)
    left = {index: form for index, form in expected[1].items() if index not in lefts}
    right = {index: form for index, form in actual[1].items() if index not in rights}
    waiting: dict[int, list[int]] = {}
    for index in reversed(right):
        waiting.setdefault(right[index], []).append(index)
    same = ((index, waiting.get(form)) for index, form in left.items())
    first = {index: others.pop() for index, others in same if others}

    def are_close(i: int, j: int) -> bool:
        pair = Pair(location.below(i), expected[0][i], actual[0][j])
        return next(find_unequal(pair, inner_pairs), None) is None

    rest = pair_all(list(left), list(right), first, are_close)
    return Unpaired(
        sorted([*close.expected, *rest.expected]), sorted([*close.actual, *rest.actual])
    )


def _finite_numbers(elements: list[Json], forms: dict[int, int]) -> dict[int, str]:
    numbers = ((index, elements[index]) for index in forms)
    return {
        index: number.text
        for index, number in numbers
        if isinstance(number, Number) and is_finite(number.text)
    }


def _unmatched(common: Counter[int], forms: dict[_Step, int]) -> list[_Step]:
    """Return the indices or keys that remain after the common forms are taken, first come first
    served."""
    to_take = Counter(common)
    left = []
    for index, form in forms.items():
        if to_take[form]:
            to_take[form] -= 1
        else:
            left.append(index)
    return left


def _keys(
    rules: Rules, elements: list[Json], indices: list[int], table: FormTable
) -> dict[int, int]:
    """Return the forms of the keys of some elements, by index, if they have one."""
    key = rules.here.key
    keys = {}
    for index in indices:
        element = elements[index]
        if isinstance(element, dict) and key in element:
            below = rules.below(index).below(key).among(element)
            keys[index] = comparison_form(element[key], below, table)
    return keys


def _partners(expected: dict[int, int], actual: dict[int, int]) -> dict[int, int]:
    """Return pairs of indices with the same key; of several, the first with the first."""
    waiting: dict[int, list[int]] = {}
    for index in reversed(actual):
        waiting.setdefault(actual[index], []).append(index)
    pairs = ((index, waiting.get(key)) for index, key in expected.items())
    return {index: others.pop() for index, others in pairs if others}


# Forms: one number or text for all equal values.

_Parts = tuple[str | int, ...]
# Returns one number for the same parts, and never for others.
FormTable = Callable[[_Parts], int]


def form_table() -> FormTable:
    return defaultdict[_Parts, int](count().__next__).__getitem__


def canonical(value: Json, comparison: Comparison) -> str:
    """Return a digest that two values share if and only if they are equal.

    Paths apply as if the value were the array of all values. Numbers with a tolerance share a
    digest if they have the same value, as closeness is not transitive.
    """
    return f"{comparison_form(value, rules_of(comparison), _sha256):064x}"


def _sha256(parts: _Parts) -> int:
    return int.from_bytes(sha256(ascii(parts).encode()).digest())


class _Visit(NamedTuple):
    """A value whose form is needed. With `steps`, a container whose inner forms, at these steps,
    are done."""

    value: Json
    rules: Rules
    steps: list[int | str] | None = None


def comparison_form(value: Json, rules: Rules, number_of: FormTable) -> int:
    """Return a number that two values with these rules share if and only if they are equal.

    Numbers with a tolerance share it if they have the same value.
    """
    # Not a text made of the texts of its members: copying them at every level would take time
    # quadratic in the depth.
    if rules.here.ignore:
        return number_of(("ignored",))
    todo = [_Visit(value, rules)]
    done: list[int] = []
    while todo:
        visit = todo.pop()
        item, rules, steps = visit
        if steps is not None:
            first = len(done) - len(steps)
            done[first:] = [number_of(_parts(visit, done[first:]))]
        elif rules.here.schema is not None and all(_matching(rules.here.schema, item)):
            done.append(number_of(("fits",)))
        elif isinstance(item, (list, dict)):
            visits = _visits(item, rules)
            todo.append(_Visit(item, rules, [step for step, _ in visits]))
            todo.extend(visit for _, visit in reversed(visits))
        else:
            done.append(number_of((_leaf(item, rules.here),)))
    return done[0]


def _visits(item: list[Json] | dict[str, Json], rules: Rules) -> list[tuple[int | str, _Visit]]:
    """Return the members or elements that count; those of an object in sorted order."""
    visits: Iterable[tuple[int | str, _Visit]]
    if isinstance(item, list):
        visits = ((index, _Visit(value, rules.below(index))) for index, value in enumerate(item))
    else:
        strings = rules.here.strings
        keys = sorted(item, key=lambda key: (key_form(key, strings), key))
        visits = ((key, _Visit(item[key], rules.below(key).among(item))) for key in keys)
    return [(step, visit) for step, visit in visits if not visit.rules.here.ignore]


def _leaf(item: None | bool | str | Number, here: RulesHere) -> str:
    numbers = Numbers.VALUE if isinstance(here.numbers, Tolerance) else here.numbers
    if isinstance(item, Number):
        return normalize_number(item.text, numbers)
    return string_form(item, here.strings, numbers) if isinstance(item, str) else encode(item)


def _parts(visit: _Visit, forms: list[int]) -> _Parts:
    """Return the parts of a container's form. No leaf has a bracket as its text."""
    if isinstance(visit.value, dict):
        here = visit.rules.here
        members = list(zip(map(str, visit.steps or ()), forms, strict=True))
        of_any = sorted(form for key, form in members if _is_any_key(key, here))
        rest = (
            part
            for key, form in members
            if not _is_any_key(key, here)
            for part in (key_form(key, here.strings), form)
        )
        return ("{", *rest) if here.keys is None else ("{*", *of_any, "{", *rest)
    order = visit.rules.here.order
    if order is ArrayOrder.LIST:
        return "[", *forms
    return "[", *sorted(set(forms) if order is ArrayOrder.SET else forms)


# Values of an expected output that count as a test each.

_Steps = tuple[int | str, ...]


def count_tests(expected: list[Json], each: str) -> int:
    """Return the number of values that a pattern matches, or 1 if it matches none."""
    return max(1, len(_places(expected, parse_path(each))))


def split_tests(
    expected: list[Json], actual: list[Json], each: str, rules: Comparison
) -> tuple[int, list[str]]:
    """Return how many of the expected values that a pattern matches are equal to the actual ones,
    and the places of the others.

    An element of an unordered array is equal if it has a partner anywhere in the array.
    """
    pattern = parse_path(each)
    unequal = set(_unequal_places(expected, actual, rules, len(pattern)))
    places = _places(expected, pattern)
    failed = [
        format_pattern(tuple(map(str, place)))
        for place in places
        if any(place[:length] in unequal for length in range(len(pattern) + 1))
    ]
    return len(places) - len(failed), failed


def _places(expected: list[Json], pattern: Pattern) -> list[_Steps]:
    placed: list[tuple[_Steps, Json]] = [((), expected)]
    for step in pattern:
        placed = [
            ((*place, name), inside)
            for place, value in placed
            for name, inside in _inside(value)
            if step in ("*", str(name))
        ]
    return [place for place, _ in placed]


def _inside(value: Json) -> Iterator[tuple[int | str, Json]]:
    if isinstance(value, list):
        yield from enumerate(value)
    elif isinstance(value, dict):
        yield from value.items()


def _unequal_places(
    expected: list[Json], actual: list[Json], rules: Comparison, most: int
) -> Iterator[_Steps]:
    """Yield the places of unequal values, cut to `most` steps, without surplus values there."""
    streams = Pair(DifferenceLocation(None, None, rules_of(rules)), expected, actual)
    for pair in find_unequal(streams, inner_pairs):
        steps = _steps(pair.location.place)
        if pair.expected is not MISSING or len(steps) > most:
            yield steps[:most]


def _steps(place: Place) -> _Steps:
    steps: list[int | str] = []
    while place is not None:
        place, step = place
        steps.append(step)
    return tuple(reversed(steps))

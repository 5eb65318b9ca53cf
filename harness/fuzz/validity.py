"""Compile parts of a schema into checks, which say fast whether a value is valid.

jsonschema takes milliseconds for an input: it checks only what is reported (campaign.py).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Final

from harness.fuzz.parts import TYPE_NAMES, Check, Part, canonical, kinds_of
from harness.fuzz.patterns import compiled
from harness.jsonio.decoder import Json, Number
from harness.judging.numbers import compare_numbers, is_multiple

_SHORT: Final = 15  # digits of an integer that is compared as one
_HUGE: Final = 10**_SHORT
_DEEPEST: Final = 8  # references that are followed
_HEAVY: Final = 4  # a check that uses so many parts remembers its results
_REMEMBERED: Final = 500  # valid arrays or objects of a part


def seal(part: Part) -> None:
    """Compile the checks of a part, whose keywords do not change afterwards."""
    if part.is_never:
        return
    options = {"anyOf": part.any_of, "oneOf": part.one_of, "if": part.condition}
    part.choices = tuple(word for word, value in options.items() if value)
    for kind, name in TYPE_NAMES.items():
        if name in kinds_of(part, 0):
            check = _joined(list(_checks_for(part, kind, 0)))
            is_remembered = kind in (list, dict) and _weight(part, _DEEPEST) >= _HEAVY
            part.checks[kind] = _Remembering(check).check if is_remembered else check


def _weight(part: Part, depth: int) -> int:
    """Return how many parts a check may use, counted up to `_HEAVY`."""
    weight = 1
    for inner in part.inner() if depth else ():
        weight += _weight(inner, depth - 1)
        if weight >= _HEAVY:
            break
    return weight


def _joined(checks: Sequence[Check]) -> Check:
    if not checks:
        return lambda _: True
    if len(checks) == 1:
        return checks[0]

    def check(value: Json) -> bool:
        for one in checks:
            if not one(value):
                return False
        return True

    return check


class _Remembering:
    """A check that remembers the values that passed it, by identity: none is changed in place.

    A changed input shares all its other values with the input that it was made from.
    """

    def __init__(self, check: Check) -> None:
        self._check = check
        self._valid: dict[int, Json] = {}  # holds the values, so that no identity is used twice

    def check(self, value: Json) -> bool:
        if id(value) in self._valid:
            return True
        if not self._check(value):
            return False
        if len(self._valid) >= _REMEMBERED:
            self._valid.clear()
        self._valid[id(value)] = value
        return True


def _checks_for(part: Part, kind: type, depth: int) -> Iterator[Check]:
    """Yield the checks of values of one type, with those of the parts that are referred to."""
    if kind in _OWN_CHECKS:
        yield from _OWN_CHECKS[kind](part)
    for inner in part.all_of:
        yield from _alternatives([inner], kind, depth, allows_several=True)
    if part.enum is not None:
        forms = part.enum_forms
        yield (forms.__contains__ if kind is str else lambda value: canonical(value) in forms)
    if part.any_of:
        yield from _alternatives(part.any_of, kind, depth, allows_several=True)
    if part.one_of:  # of exclusive ones, the first that accepts a value is the only one
        yield from _alternatives(part.one_of, kind, depth, allows_several=part.is_exclusive)
    if part.excluded is not None:
        excluded = part.excluded
        yield lambda value: not excluded.accepts(value)
    if part.condition is not None:
        yield _condition_check(part, part.condition)


def _alternatives(
    options: Sequence[Part], kind: type, depth: int, *, allows_several: bool
) -> Iterator[Check]:
    """Yield checks that one part accepts a value, or with `allows_several` at least one."""
    fitting = [part for part in options if TYPE_NAMES[kind] in kinds_of(part, 0)]

    def check(value: Json) -> bool:
        found = False
        for part in fitting:
            if part.accepts(value):
                if allows_several:
                    return True
                if found:
                    return False
                found = True
        return found

    if len(fitting) == 1 and depth < _DEEPEST:
        yield from _checks_for(fitting[0], kind, depth + 1)
    else:
        yield check


def _condition_check(part: Part, condition: Part) -> Check:
    def check(value: Json) -> bool:
        side = part.then if condition.accepts(value) else part.otherwise
        return side is None or side.accepts(value)

    return check


def _number_checks(part: Part) -> Iterator[Check]:
    """Yield a check that compares short integers as such, and others by their digits."""
    is_any = part.types is None or "number" in part.types
    bounds = [*part.least, *part.most]
    if not bounds and not part.units and is_any:
        return
    are_short = not part.units and all(is_short_integer(bound.text) for bound in bounds)
    low = high = 0
    if are_short:
        low = max((int(each.text) + each.is_open for each in part.least), default=-_HUGE)
        high = min((int(each.text) - each.is_open for each in part.most), default=_HUGE)

    def check(value: Number) -> bool:
        text = value.text
        if are_short and (len(text) <= _SHORT and text.isdecimal() or is_short_integer(text)):
            return low <= int(text) <= high
        return (is_any or is_whole(value)) and _is_number_within(part, text)

    yield check


def _is_number_within(part: Part, text: str) -> bool:
    for bound in part.least:
        if compare_numbers(text, bound.text) < (1 if bound.is_open else 0):
            return False
    for bound in part.most:
        if compare_numbers(text, bound.text) > (-1 if bound.is_open else 0):
            return False
    return all(is_multiple(text, unit) for unit in part.units)


def _size_check(bounds: tuple[int, int | None]) -> Iterator[Check]:
    least, most = bounds
    if most is not None:
        yield lambda value: least <= len(value) <= most
    elif least:
        yield lambda value: len(value) >= least


def _text_checks(part: Part) -> Iterator[Check]:
    yield from _size_check(part.lengths)
    for pattern in part.patterns:
        yield partial(_has_match, compiled(pattern))


def _has_match(pattern: re.Pattern[str], text: str) -> bool:
    return pattern.search(text) is not None


def _array_checks(part: Part) -> Iterator[Check]:
    yield from _size_check(part.sizes)
    if part.is_unique:
        yield _are_unlike
    if part.contains is not None:
        yield _contains_check(part.contains, *part.contained)
    if part.prefix or part.items is not None:
        yield _elements_check(part.prefix, part.items)


def _are_unlike(value: list[Json]) -> bool:
    return len(value) < 2 or len(set(map(canonical, value))) == len(value)


def _contains_check(part: Part, least: int, most: int | None) -> Check:
    def check(value: list[Json]) -> bool:
        found = part.count(value)
        return found >= least and (most is None or found <= most)

    return check


def _elements_check(prefix: Sequence[Part], items: Part | None) -> Check:
    size = len(prefix)

    def check(value: list[Json]) -> bool:
        for element, part in zip(value, prefix, strict=False):
            if not part.accepts(element):
                return False
        if items is None or len(value) <= size:
            return True
        return items.accepts_all(value[size:] if size else value)

    return check


def _object_checks(part: Part) -> Iterator[Check]:
    yield from _size_check(part.counts)
    for key in part.required:
        yield partial(_has_member, key)
    if part.dependent_required:
        dependent = part.dependent_required
        yield (
            lambda value: (
                not any(
                    key in value and not value.keys() >= set(others)
                    for key, others in dependent.items()
                )
            )
        )
    if part.property_names is not None:
        yield part.property_names.accepts_all
    if part.pattern_properties:
        yield lambda value: all(
            each.accepts(inner) for key, inner in value.items() for each in part.member(key)
        )
    elif part.properties or part.additional is not None:
        yield _members_check(part.properties, part.additional)
    for key, inner in part.dependent_schemas.items():
        yield partial(_accepts_dependent, key, inner)


def _has_member(key: str, value: dict[str, Json]) -> bool:
    return key in value


def _accepts_dependent(key: str, part: Part, value: dict[str, Json]) -> bool:
    return key not in value or part.accepts(value)


def _members_check(properties: dict[str, Part], additional: Part | None) -> Check:
    get = properties.get

    def check(value: dict[str, Json]) -> bool:
        for key, inner in value.items():
            part = get(key, additional)
            if part is not None:
                one = part.checks.get(type(inner))
                if one is None or not one(inner):
                    return False
        return True

    return check


_OWN_CHECKS: Final[dict[type, Callable[[Part], Iterator[Check]]]] = {
    Number: _number_checks,
    str: _text_checks,
    list: _array_checks,
    dict: _object_checks,
}


def is_whole(value: Json) -> bool:
    if not isinstance(value, Number):
        return False
    text = value.text
    return text.lstrip("-").isdecimal() or is_multiple(text, "1")


def is_short_integer(text: str) -> bool:
    return len(text) <= _SHORT and (text.isdecimal() or text[:1] == "-" and text[1:].isdecimal())

"""Find the single change that would make the printed values right.

Each hint has been tried on the values before it is given. Source: docs/output.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from os.path import commonprefix
from typing import Any, Final

from harness.jsonio.decoder import Json, Number, encode
from harness.jsonio.pointers import (
    Pattern,
    PatternSet,
    describe_place,
    has_place,
    parse_path,
    parse_pattern,
    path_like,
    value_at,
)
from harness.judging.equality import are_equal, canonical
from harness.judging.numbers import equal_numbers, rounded_alike
from harness.judging.rules import rules_of
from harness.judging.strings import normal_form
from harness.model.comparison import ArrayOrder, Comparison, Numbers, PlaceRule, Tolerance
from harness.model.judgement import MISSING, Difference
from harness.text import quote, shorten

_PLACES: Final = 3  # places in a hint
_MOST_TRIED: Final = 200  # places that a path is tried on
_LEVELS: Final = 4  # levels above a difference at which an array may be in the wrong order
_PLACE: Final = 60  # characters of a place


def stream_hint(
    expected: list[Json],
    actual: list[Json],
    comparison: Comparison,
    differences: Sequence[Difference],
) -> str:
    """Return a hint that explains all `differences`, or "" if there is none."""
    return (
        _form_hint(expected, actual, comparison)
        or _common_hint(differences)
        or _keys_hint(differences, comparison)
        or _order_hint(expected, actual, comparison, differences)
        or _key_hint(expected, actual, comparison, differences)
    )


def path_hint(
    expected: list[Json],
    actual: list[Json],
    comparison: Comparison,
    differences: Sequence[Difference],
) -> str:
    """Return a hint naming a path in suite.toml that matches nothing, but with another beginning
    would match the place of a difference, or one above it; "" if there is none."""
    rules = comparison._replace(from_schema=()).rules
    for path in (path for rule in rules for path in rule.paths):
        patterns = PatternSet(parse_path(other) for other in other_paths(path))
        places = (_matched_place(patterns, one.pointer) for one in differences[:_MOST_TRIED])
        if place := next(filter(None, places), ()):
            own = PatternSet([parse_path(path)])
            if not has_place(expected, own) and not has_place(actual, own):
                other = quote(path_like(place))
                return f"{quote(path)} in suite.toml matches nothing, but {other} would"
    return ""


def other_paths(path: str) -> tuple[str, ...]:
    """Return paths that lead to the same steps inside every value, or inside its elements."""
    return (f"/*{path}", f"/*/*{path}") if path else ()


def _matched_place(patterns: PatternSet, place: str) -> Pattern:
    """Return the steps of a place, or of one above it, that a pattern matches; () if none does."""
    steps = parse_pattern(place)
    for depth, step in enumerate(steps, 1):
        patterns = patterns.below(step)
        if patterns.matches_here:
            return steps[:depth]
    return ()


def says_reversed(message: str) -> bool:
    return f", {_ORDERS[1]}" in message


def _form_hint(expected: list[Json], actual: list[Json], comparison: Comparison) -> str:
    by_value = Comparison(numbers=comparison.numbers)
    if len(actual) == 1 and isinstance(actual[0], list):
        if are_equal(expected, actual[0], by_value):
            return "the values are printed inside one array"
    if len(expected) == 1 and isinstance(expected[0], list):
        if are_equal(expected[0], actual, by_value):
            return "the elements of an array are printed, but not the array"
    return ""


# Transformations that make all differences disappear.


def _common_hint(differences: Sequence[Difference]) -> str:
    """Return the transformation under which both values of every difference are the same.

    For a single difference its own note is enough, except for changes of suite.toml.
    """
    checks = _TRANSFORMATIONS if len(differences) > 1 else _NUMBER_RULES
    return next((hint for hint, same in checks.items() if all(map(same, differences))), "")


def _for_kinds(
    left: type, right: type, same: Callable[[Any, Any], bool]
) -> Callable[[Difference], bool]:
    """Return a check that a difference is between values of two kinds which are the same."""
    return lambda difference: (
        isinstance(difference.expected, left)
        and isinstance(difference.actual, right)
        and same(difference.expected, difference.actual)
    )


def _same_number(numbers: Numbers | Tolerance) -> Callable[[Difference], bool]:
    return _for_kinds(Number, Number, lambda x, y: equal_numbers(x.text, y.text, numbers))


def _same_text(look: Callable[[str], str]) -> Callable[[Difference], bool]:
    return _for_kinds(str, str, lambda x, y: look(x) == look(y))


_NUMBER_RULES: Final = {
    'equal if numbers are compared by value (numbers = "value" in suite.toml)': _same_number(
        Numbers.VALUE
    ),
    "equal as doubles: the program does not keep all digits of a number": _for_kinds(
        Number, Number, lambda x, y: rounded_alike(x.text, y.text)
    ),
    "equal within a tolerance (numbers = { relative = 1e-9 } in suite.toml)": _same_number(
        Tolerance(relative="1e-9")
    ),
}
_TRANSFORMATIONS: Final = {
    **_NUMBER_RULES,
    "equal except for numbers printed as strings": _for_kinds(
        Number, str, lambda x, y: x.text == y.strip()
    ),
    "equal except for strings printed as numbers": _for_kinds(
        str, Number, lambda x, y: x == y.text
    ),
    "equal after Unicode normalization": _same_text(lambda text: normal_form("NFC", text)),
    "equal except for the case of letters": _same_text(str.casefold),
    "equal except for white space in strings": _same_text(lambda text: "".join(text.split())),
}


# Keys.


def _keys_hint(differences: Sequence[Difference], comparison: Comparison) -> str:
    """Return a hint if each missing member has an equal one beside it with nearly the same key."""
    if any((one.expected is MISSING) == (one.actual is MISSING) for one in differences):
        return ""
    plain = Comparison(numbers=comparison.numbers)
    for hint, look in _KEY_FORMS.items():
        # Missing members count up, unexpected ones down.
        surplus: Counter[tuple[str, str, str]] = Counter()
        for one in differences:
            above, _, key = one.pointer.rpartition("/")
            for value, sign in ((one.expected, 1), (one.actual, -1)):
                if value is not MISSING:
                    surplus[above, look(key), canonical(value, plain)] += sign
        if not any(surplus.values()):
            return hint
    return ""


_KEY_FORMS: Final[dict[str, Callable[[str], str]]] = {
    "the keys differ only in case": str.casefold,
    "the keys are equal after Unicode normalization": lambda key: normal_form("NFC", key),
    "the keys differ only in case and punctuation": lambda key: "".join(
        filter(str.isalnum, key)
    ).casefold(),
}


def _key_hint(
    expected: list[Json],
    actual: list[Json],
    comparison: Comparison,
    differences: Sequence[Difference],
) -> str:
    """Return a hint naming a member that could pair the elements of an unordered array, if some
    were paired only because they are alike."""
    for one in differences:
        if one.actual_pointer is None:
            continue
        place, other = (parse_pattern(each) for each in (one.pointer, one.actual_pointer))
        depth = next(at for at, (x, y) in enumerate(zip(place, other, strict=False)) if x != y)
        rules = rules_of(comparison)
        for step in place[:depth]:
            rules = rules.below(step)
        if rules.here.order is ArrayOrder.LIST or rules.here.key is not None:
            continue
        array = path_like(place[:depth])
        sides = value_at(expected, place[:depth]), value_at(actual, other[:depth])
        keys = [_identifying_members(side) for side in sides]
        if key := next((key for key in keys[0] if key in keys[1]), ""):
            return (
                f"key = {quote(key)} for path = {quote(array)} would pair elements by that member"
            )
    return ""


def _identifying_members(array: Json) -> list[str]:
    """Return the members that all elements of an array have, each with a value of its own."""
    elements = array if isinstance(array, list) else []
    objects = [each for each in elements if isinstance(each, dict)]
    if not objects or len(objects) < len(elements):
        return []
    return [
        key
        for key, value in objects[0].items()
        if not isinstance(value, (dict, list))
        and len({encode(each[key]) for each in objects if key in each}) == len(objects)
    ]


# Order.

_ORDERS: Final = ("in another order", "reversed")


def _order_hint(
    expected: list[Json],
    actual: list[Json],
    comparison: Comparison,
    differences: Sequence[Difference],
) -> str:
    """Return a hint naming the arrays whose order alone is wrong, at or above the differences."""
    above = [
        [one.pointer.rsplit("/", up)[0] for one in differences] for up in range(1, _LEVELS + 1)
    ]
    above.append(["/".join(commonprefix([one.pointer.split("/")[:-1] for one in differences]))])
    for pointers in above:
        places = list(dict.fromkeys(pointers))
        if len(places) <= _PLACES and "" not in places:
            if are_equal(expected, actual, _without_order(comparison, *places)):
                how = _ORDERS[all(_are_reversed(expected, actual, place) for place in places)]
                alone = len(expected) <= 1 and len(actual) <= 1
                return f"the same elements{_join_places(places, alone=alone)}, {how}"
    if are_equal(expected, actual, _without_order(comparison, "")):
        return f"the same values, {_ORDERS[_are_reversed(expected, actual, '')]}"
    if are_equal(expected, actual, _without_order(comparison, "/**")):
        return "every value is there, but in another order"
    return ""


def _are_reversed(expected: list[Json], actual: list[Json], place: str) -> bool:
    """Return whether the array at a place is that of the other side, back to front."""
    left, right = (value_at(values, parse_pattern(place)) for values in (expected, actual))
    return (
        isinstance(left, list)
        and isinstance(right, list)
        and are_equal(left[::-1], right, Comparison())
    )


def _without_order(comparison: Comparison, *paths: str) -> Comparison:
    """Return a comparison in which arrays have no order; without tolerances, which take long."""
    by_value = comparison._replace(
        numbers=_without_tolerance(comparison.numbers) or Numbers.EXACT,
        at=tuple(map(_rule_without_tolerance, comparison.at)),
        from_schema=tuple(map(_rule_without_tolerance, comparison.from_schema)),
    )
    return by_value._replace(unordered=(*comparison.unordered, *paths))


def _rule_without_tolerance(rule: PlaceRule) -> PlaceRule:
    return rule._replace(numbers=_without_tolerance(rule.numbers))


def _without_tolerance(numbers: Numbers | Tolerance | None) -> Numbers | None:
    return Numbers.VALUE if isinstance(numbers, Tolerance) else numbers


def _join_places(places: list[str], *, alone: bool) -> str:
    shown = [shorten(describe_place(place, alone=alone), _PLACE) for place in places]
    if shown == [""]:
        return ""  # the whole value
    return f" at {' and '.join(filter(None, [', '.join(shown[:-1]), shown[-1]]))}"

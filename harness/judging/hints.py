"""Find the single change that would make the printed values right.

Each hint has been tried on the values before it is given. Source: docs/output.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from os.path import commonprefix
from typing import Any, Final

from harness.jsonio.decoder import Json, Number
from harness.jsonio.pointers import parse_pattern, value_at
from harness.judging.equality import are_equal, canonical
from harness.judging.numbers import equal_numbers, rounded_alike
from harness.judging.strings import normal_form
from harness.model.comparison import Comparison, Numbers, PlaceRule, Tolerance
from harness.model.judgement import MISSING, Difference
from harness.text import shorten

_PLACES: Final = 3  # places in a hint
_LEVELS: Final = 4  # levels above a difference at which an array may be in the wrong order
_PLACE: Final = 60  # characters of a place


def stream_hint(
    expected: list[Json], actual: list[Json], comparison: Comparison, found: Sequence[Difference]
) -> str:
    """Return a hint that explains all differences `found`, or "" if there is none."""
    return (
        _form_hint(expected, actual, comparison)
        or _common_hint(found)
        or _keys_hint(found, comparison)
        or _order_hint(expected, actual, comparison, found)
    )


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


def _common_hint(found: Sequence[Difference]) -> str:
    """Return the transformation under which both values of every difference are the same.

    For a single difference its own note is enough, except for changes of suite.toml.
    """
    checks = _TRANSFORMATIONS if len(found) > 1 else _NUMBER_RULES
    return next((hint for hint, same in checks.items() if all(map(same, found))), "")


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


def _keys_hint(found: Sequence[Difference], comparison: Comparison) -> str:
    """Return a hint if each missing member has an equal one beside it with nearly the same key."""
    if any((one.expected is MISSING) == (one.actual is MISSING) for one in found):
        return ""
    plain = Comparison(numbers=comparison.numbers)
    for hint, look in _KEY_FORMS.items():
        # Missing members count up, unexpected ones down.
        surplus: Counter[tuple[str, str, str]] = Counter()
        for one in found:
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


# Order.

_ORDERS: Final = ("in another order", "reversed")


def _order_hint(
    expected: list[Json], actual: list[Json], comparison: Comparison, found: Sequence[Difference]
) -> str:
    """Return a hint naming the arrays whose order alone is wrong, at or above the differences."""
    above = [[one.pointer.rsplit("/", up)[0] for one in found] for up in range(1, _LEVELS + 1)]
    above.append(["/".join(commonprefix([one.pointer.split("/")[:-1] for one in found]))])
    for pointers in above:
        places = list(dict.fromkeys(pointers))
        if len(places) <= _PLACES and "" not in places:
            if are_equal(expected, actual, _without_order(comparison, *places)):
                how = _ORDERS[all(_are_reversed(expected, actual, place) for place in places)]
                return f"the same elements at {_join_places(places)}, {how}"
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


def _join_places(places: list[str]) -> str:
    shown = [shorten(place, _PLACE) for place in places]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"

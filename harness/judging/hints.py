"""What is wrong with printed values as a whole: the one change of mind that would make them right.

Pure: the differences that `equality` found go in, a few words come out, or none. Nothing is decided
here; each hint was tried on these values before it is given. Source: docs/differences.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Final
from unicodedata import normalize

from harness.jsontext import Json, Number
from harness.judging.comparison import Tolerance
from harness.judging.equality import canonical, differences, equal_numbers
from harness.records import MISSING, Comparison, Difference, Numbers
from harness.words import cut, visible

__all__ = ["stream_hint"]

_PLACES: Final = 3  # that a hint names
_LEVELS: Final = 4  # how far above a difference the array may be whose order is wrong
_PLACE: Final = 60  # characters of a place


def stream_hint(
    expected: list[Json],
    actual: list[Json],
    comparison: Comparison,
    found: Sequence[Difference],
) -> str:
    """What would make all of these differences go away; the empty text: nothing that is known
    here. `found`: all of them."""
    return (
        _form_hint(expected, actual, comparison)
        or _common_hint(found)
        or _keys_hint(found, comparison)
        or _order_hint(expected, actual, comparison, found)
    )


def _form_hint(expected: list[Json], actual: list[Json], comparison: Comparison) -> str:
    by_value = Comparison(numbers=comparison.numbers)
    if len(actual) == 1 and isinstance(actual[0], list) and _agree(expected, actual[0], by_value):
        return "the values are printed inside one array"
    if len(expected) == 1 and isinstance(expected[0], list):
        if _agree(expected[0], actual, by_value):
            return "the elements of one array are printed, and not the array"
    return ""


# What all differences have in common.


def _common_hint(found: Sequence[Difference]) -> str:
    """A way of looking by which both values of each are the same. Of a single one its own note
    tells as much, but for what could be written into suite.toml."""
    looks = _LOOKS if len(found) > 1 else _OF_NUMBERS
    return next((hint for hint, same in looks.items() if all(map(same, found))), "")


def _same_number(numbers: Numbers | Tolerance) -> Callable[[Difference], bool]:
    def same(difference: Difference) -> bool:
        left, right = difference.expected, difference.actual
        if not isinstance(left, Number) or not isinstance(right, Number):
            return False
        return equal_numbers(left.text, right.text, numbers)

    return same


def _quoted_number(difference: Difference) -> bool:
    left, right = difference.expected, difference.actual
    return isinstance(left, Number) and isinstance(right, str) and left.text == right.strip()


def _unquoted_number(difference: Difference) -> bool:
    left, right = difference.expected, difference.actual
    return isinstance(left, str) and isinstance(right, Number) and left == right.text


def _same_text(look: Callable[[str], str]) -> Callable[[Difference], bool]:
    def same(difference: Difference) -> bool:
        left, right = difference.expected, difference.actual
        return isinstance(left, str) and isinstance(right, str) and look(left) == look(right)

    return same


_OF_NUMBERS: Final[dict[str, Callable[[Difference], bool]]] = {
    'equal if numbers are compared by value (numbers = "value" in suite.toml)': _same_number(
        Numbers.VALUE
    ),
    "equal within a tolerance (numbers = { relative = 1e-9 } in suite.toml)": _same_number(
        Tolerance(relative="1e-9")
    ),
}
_LOOKS: Final[dict[str, Callable[[Difference], bool]]] = {
    **_OF_NUMBERS,
    "equal but for numbers that are printed as strings": _quoted_number,
    "equal but for strings that are printed as numbers": _unquoted_number,
    "equal after Unicode normalisation": _same_text(lambda text: normalize("NFC", text)),
    "equal but for the case of letters": _same_text(str.casefold),
    "equal but for white space in strings": _same_text(lambda text: "".join(text.split())),
}


# Keys.


def _keys_hint(found: Sequence[Difference], comparison: Comparison) -> str:
    """Each missing member has a surplus one beside it that is equal and has nearly its key."""
    if any((one.expected is MISSING) == (one.actual is MISSING) for one in found):
        return ""
    for hint, look in _KEY_LOOKS.items():
        if _members(found, look, comparison, missing=True) == _members(
            found, look, comparison, missing=False
        ):
            return hint
    return ""


def _members(
    found: Sequence[Difference],
    look: Callable[[str], str],
    comparison: Comparison,
    *,
    missing: bool,
) -> Counter[tuple[str, str, str]]:
    members: Counter[tuple[str, str, str]] = Counter()
    plain = Comparison(numbers=comparison.numbers)
    for one in found:
        value = one.expected if missing else one.actual
        if value is not MISSING:
            above, _, key = one.pointer.rpartition("/")
            members[above, look(key), canonical(value, plain)] += 1
    return members


def _letters(key: str) -> str:
    return "".join(filter(str.isalnum, key)).casefold()


_KEY_LOOKS: Final[dict[str, Callable[[str], str]]] = {
    "the keys differ only in case": str.casefold,
    "the keys differ only after Unicode normalisation": lambda key: normalize("NFC", key),
    "the keys differ only in case and punctuation": _letters,
}


# Order.


def _order_hint(
    expected: list[Json], actual: list[Json], comparison: Comparison, found: Sequence[Difference]
) -> str:
    """The arrays whose order alone is wrong: those right above the differences, or further up."""
    for up in range(1, _LEVELS + 1):
        places = list(dict.fromkeys(_above(one.pointer, up) for one in found))
        if len(places) <= _PLACES and "" not in places:
            if _agree(expected, actual, _without_order(comparison, *places)):
                return f"equal but for the order of {_listed(places)}"
    if _agree(expected, actual, _without_order(comparison, "/**")):
        return "all is there, but in another order"
    return ""


def _above(pointer: str, up: int) -> str:
    return pointer.rsplit("/", up)[0]


def _without_order(comparison: Comparison, *paths: str) -> Comparison:
    return comparison._replace(unordered=(*comparison.unordered, *paths))


def _listed(places: list[str]) -> str:
    shown = [cut(visible(place), _PLACE) for place in places]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def _agree(expected: list[Json], actual: list[Json], comparison: Comparison) -> bool:
    return next(differences(expected, actual, comparison), None) is None

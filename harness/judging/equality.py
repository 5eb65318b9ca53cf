"""The one place in the project that decides what equal JSON means, and where two streams differ.

Pure, and without recursion: values may be nested as deep as the judge reads them, and each is
walked once. What holds where is followed by harness/judging/rules.py, numbers are compared by
harness/judging/numbers.py. Source: docs/equality.md.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from itertools import zip_longest
from typing import NamedTuple

from harness.jsontext import Json, Number, encode
from harness.judging.comparison import Comparison, Matching, Numbers, Order, Strings, Tolerance
from harness.judging.numbers import equal_numbers, normal
from harness.judging.rules import Here, Rules, rules_of
from harness.paths import Place, pointer
from harness.records import MISSING, Difference, Missing

__all__ = [
    "Inside",
    "Pair",
    "Pairs",
    "Spot",
    "Table",
    "canonical",
    "differences",
    "equal_leaves",
    "equal_numbers",
    "equal_strings",
    "form_of",
    "inner_pairs",
    "is_uniform",
    "stream_pair",
    "told",
    "unequal",
]


class Spot(NamedTuple):
    """A place, and what the comparison says there. `beside`: the place of the actual value, which
    is the same one, unless elements before it were put in or left out."""

    place: Place
    beside: Place
    rules: Rules

    def below(self, step: int | str, beside: int | None = None) -> Spot:
        """The spot one step down."""
        place: Place = (self.place, step)
        actual = place
        if self.beside is not self.place or beside not in (None, step):
            actual = (self.beside, step if beside is None else beside)
        return Spot(place, actual, self.rules.below(step))


class Pair(NamedTuple):
    """Two values that stand at the same spot, and are not two equal leaves."""

    spot: Spot
    expected: Json | Missing
    actual: Json | Missing


# The pairs inside of a pair of containers.
Pairs = Iterator[Pair]
Inside = Callable[[Pair], Pairs | None]


def differences(
    expected: list[Json], actual: list[Json], comparison: Comparison
) -> Iterator[Difference]:
    """Every place where two streams of values differ, in document order of the expected stream;
    looked for only as far as the caller asks.

    A value that only one side has is one difference, however large it is. In an array whose order
    does not count, the elements that find no partner are reported, each under its own index.
    """
    return map(told, unequal(stream_pair(expected, actual, comparison), inner_pairs))


def stream_pair(expected: list[Json], actual: list[Json], comparison: Comparison) -> Pair:
    """Two streams of values, as a pair to be compared."""
    return Pair(Spot(None, None, rules_of(comparison)), expected, actual)


def told(pair: Pair) -> Difference:
    """The difference that two values make."""
    spot, expected, actual = pair
    place = spot.beside if expected is MISSING else spot.place
    moved = spot.beside is not spot.place and MISSING not in (expected, actual)
    return Difference(pointer(place), expected, actual, pointer(spot.beside) if moved else None)


def unequal(pair: Pair, inner: Inside) -> Pairs:
    """The pairs within a pair that are not equal, and have nothing more inside them. `inner` gives
    what is inside."""
    # What is left to compare at each level of nesting, the innermost last.
    levels = [iter([pair])]
    while levels:
        here = next(levels[-1], None)
        if here is None:
            levels.pop()
        elif not _agree(here.expected, here.actual, here.spot.rules.here):
            pairs = inner(here)
            if pairs is not None:
                levels.append(pairs)
            else:
                yield here


def _agree(expected: Json | Missing, actual: Json | Missing, here: Here) -> bool:
    """Whether two values need no further look: what is said of their place makes them equal."""
    if here.ignore:
        return True
    if expected is MISSING or actual is MISSING:
        return False
    if isinstance(expected, Number) and isinstance(actual, Number):
        if equal_numbers(expected.text, actual.text, here.numbers):
            return True
    elif isinstance(expected, str) and isinstance(actual, str):
        if equal_strings(expected, actual, here.strings):
            return True
    return here.schema is not None and _fit(here.schema.text, expected, actual)


def inner_pairs(pair: Pair) -> Pairs | None:
    """The pairs inside two containers of one kind that may not be equal; None where these are not
    two such."""
    spot, expected, actual = pair
    if isinstance(expected, list) and isinstance(actual, list):
        pairs = _by_index if spot.rules.here.order is Order.LIST else _by_partner
        return pairs(spot, expected, actual)
    if isinstance(expected, dict) and isinstance(actual, dict):
        return _by_key(spot, expected, actual)
    return None


def _by_index(spot: Spot, expected: list[Json], actual: list[Json]) -> Pairs:
    numbers = _numbers_below(spot)
    both = zip_longest(expected, actual, fillvalue=MISSING)
    for index, (left, right) in enumerate(both):
        if not _equal_leaves(left, right, numbers):
            yield Pair(spot.below(index), left, right)


def _by_key(spot: Spot, expected: dict[str, Json], actual: dict[str, Json]) -> Pairs:
    numbers = _numbers_below(spot)
    for key, left in expected.items():
        right = actual.get(key, MISSING)
        if not _equal_leaves(left, right, numbers):
            yield Pair(spot.below(key), left, right)
    for key, right in actual.items():
        if key not in expected:
            yield Pair(spot.below(key), MISSING, right)


def equal_leaves(left: Json, right: Json, spot: Spot) -> bool:
    """Whether a simple value and any other, at a spot, are equal."""
    return _equal_leaves(left, right, Numbers.EXACT) or _agree(left, right, spot.rules.here)


def is_uniform(spot: Spot) -> bool:
    """Whether the elements of an array at a spot count by their order, and are compared alike
    wherever they stand."""
    if spot.rules.here.order is not Order.LIST or spot.rules.name_an_index:
        return False
    return not spot.rules.below(0).here.ignore


def _numbers_below(spot: Spot) -> Numbers | Tolerance:
    """How numbers can be compared before it is known what holds at their own place: exactly, as
    what is equal exactly is equal in every way."""
    return spot.rules.here.numbers if spot.rules.is_uniform else Numbers.EXACT


def _equal_leaves(
    left: Json | Missing, right: Json | Missing, numbers: Numbers | Tolerance
) -> bool:
    if isinstance(left, Number):
        return isinstance(right, Number) and equal_numbers(left.text, right.text, numbers)
    # No number is a Python number here, so that == cannot take one kind for another, True for 1.
    return not isinstance(left, (list, dict)) and left == right


# Strings, and values that only have to fit.


def equal_strings(left: str, right: str, strings: Strings | Matching) -> bool:
    """Whether two strings are equal: the same code points, the same in a normal form of Unicode,
    or both of them matching the whole of a pattern."""
    return left == right or _text_form(left, strings) == _text_form(right, strings)


def _text_form(text: str, strings: Strings | Matching) -> str:
    """The same text for all strings that equal this one: a JSON string, unless it matches."""
    if isinstance(strings, Matching):
        if _compiled(strings.pattern).fullmatch(text):
            return f"matches {strings.pattern}"
    elif strings is not Strings.EXACT:
        # Imported here, as few suites normalise.
        from unicodedata import normalize  # pylint: disable=import-outside-toplevel

        text = normalize(strings.value, text)
    return encode(text)


@lru_cache(maxsize=64)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def _fit(schema: str, *values: Json) -> bool:
    """Whether all of some values fit a schema."""
    # Imported here: jsonschema costs more than most runs, and serves only placeholders.
    from harness.judging.fitting import fits  # pylint: disable=import-outside-toplevel

    return all(fits(schema, value) for value in values)


# Arrays whose order does not count.


def _by_partner(spot: Spot, expected: list[Json], actual: list[Json]) -> Pairs:
    """The elements of two arrays that have no equal on the other side: two by two, where a key says
    which of them belong together."""
    table = Table()
    wanted, found = (_forms(spot.rules, elements, table) for elements in (expected, actual))
    common = Counter(wanted.values()) & Counter(found.values())
    left, right = _beyond(common, wanted), _beyond(common, found)
    partners: dict[int, int] = {}
    if spot.rules.here.key is not None:
        keys = _keys(spot.rules, expected, left, table), _keys(spot.rules, actual, right, table)
        partners = _partners(*keys)
    for index in left:
        partner = partners.get(index)
        other = MISSING if partner is None else actual[partner]
        yield Pair(spot.below(index), expected[index], other)
    taken = set(partners.values())
    for index in right:
        if index not in taken:
            yield Pair(spot.below(index), MISSING, actual[index])


def _forms(rules: Rules, elements: list[Json], table: Table) -> dict[int, int]:
    """The forms of the elements that count, by index: of a set, the first of each form."""
    forms: dict[int, int] = {}
    for index, element in enumerate(elements):
        below = rules.below(index)
        if not below.here.ignore:
            forms[index] = _form(element, below, table.number_of)
    if rules.here.order is not Order.SET:
        return forms
    # Backwards, so that the first one stays.
    first = {forms[index]: index for index in reversed(forms)}
    return {index: forms[index] for index in sorted(first.values())}


def _beyond(common: Counter[int], forms: dict[int, int]) -> list[int]:
    """The indices of those that are left when the common ones have been taken, first come first."""
    to_take = Counter(common)
    left = []
    for index, form in forms.items():
        if to_take[form]:
            to_take[form] -= 1
        else:
            left.append(index)
    return left


def _keys(rules: Rules, elements: list[Json], indices: list[int], table: Table) -> dict[int, int]:
    """The forms of the keys of some elements, by index; of those that have one."""
    key = rules.here.key
    keys = {}
    for index in indices:
        element = elements[index]
        if isinstance(element, dict) and key in element:
            keys[index] = _form(element[key], rules.below(index).below(key), table.number_of)
    return keys


def _partners(expected: dict[int, int], actual: dict[int, int]) -> dict[int, int]:
    """The indices that have the same key, paired: of several, the first with the first."""
    waiting: dict[int, list[int]] = {}
    for index in reversed(actual):
        waiting.setdefault(actual[index], []).append(index)
    found = ((index, waiting.get(key)) for index, key in expected.items())
    return {index: others.pop() for index, others in found if others}


# Forms: one number or text for all values that are equal.

_Parts = tuple[str | int, ...]


class Table:
    """Numbers for all that is met, the same for the same parts: no two forms ever collide."""

    def __init__(self) -> None:
        self._numbers: dict[_Parts, int] = {}

    def number_of(self, parts: _Parts) -> int:
        """The number of a thing that is made of these parts."""
        return self._numbers.setdefault(parts, len(self._numbers))


def form_of(value: Json, spot: Spot, table: Table) -> int:
    """What two values at a spot share, within a table, where they are equal, and only there; within
    a tolerance: where their numbers have the same value."""
    return _form(value, spot.rules, table.number_of)


def canonical(value: Json, comparison: Comparison) -> str:
    """A short text (a digest) that two values share exactly where they are equal under the
    comparison, whose paths are read as if the value were the array of all values. Within a
    tolerance (near is not transitive): where their numbers have the same value."""
    return f"{_form(value, rules_of(comparison), _sha256):064x}"


def _sha256(parts: _Parts) -> int:
    # Imported here: a comparison makes its forms without it.
    from hashlib import sha256  # pylint: disable=import-outside-toplevel

    return int.from_bytes(sha256(ascii(parts).encode()).digest())


class _Visit(NamedTuple):
    """A value whose form is wanted; with `steps`: a container, for when the forms of what is at
    these steps inside it have been made."""

    value: Json
    rules: Rules
    steps: list[int | str] | None = None


def _form(value: Json, rules: Rules, number_of: Callable[[_Parts], int]) -> int:
    # Not a text that holds the texts of its members: to copy them at every level would cost the
    # square of the depth.
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
        elif rules.here.schema is not None and _fit(rules.here.schema.text, item):
            done.append(number_of(("fits",)))
        elif isinstance(item, (list, dict)):
            visits = _visits(item, rules)
            todo.append(_Visit(item, rules, [step for step, _ in visits]))
            todo.extend(visit for _, visit in reversed(visits))
        else:
            done.append(number_of((_leaf(item, rules.here),)))
    return done[0]


def _visits(item: list[Json] | dict[str, Json], rules: Rules) -> list[tuple[int | str, _Visit]]:
    """What is inside a container and counts: of an object, in an order that is no one's choice."""
    steps: Iterable[int | str] = range(len(item)) if isinstance(item, list) else sorted(item)
    visits = ((step, _Visit(_at(item, step), rules.below(step))) for step in steps)
    return [(step, visit) for step, visit in visits if not visit.rules.here.ignore]


def _at(container: list[Json] | dict[str, Json], step: int | str) -> Json:
    # The step is of the kind that the container has; mypy cannot know.
    return container[step]  # type: ignore[index]


def _leaf(item: None | bool | str | Number, here: Here) -> str:
    if isinstance(item, Number):
        numbers = Numbers.VALUE if isinstance(here.numbers, Tolerance) else here.numbers
        return normal(item.text, numbers)
    return _text_form(item, here.strings) if isinstance(item, str) else encode(item)


def _parts(visit: _Visit, forms: list[int]) -> _Parts:
    """What a container is made of. No leaf's text is a bracket."""
    if isinstance(visit.value, dict):
        members = zip(map(str, visit.steps or ()), forms, strict=True)
        return "{", *(part for member in members for part in member)
    order = visit.rules.here.order
    if order is Order.LIST:
        return "[", *forms
    return "[", *sorted(set(forms) if order is Order.SET else forms)

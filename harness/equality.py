"""The one place in the project that decides what equal JSON means, and where two streams differ.

Pure, and without recursion: values may be nested as deep as the judge reads them, and each is
walked once. Numbers are compared by their digits, exactly, at any length. Source: docs/equality.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import zip_longest
from typing import Final, NamedTuple

from harness.jsontext import Json, Number, encode
from harness.paths import Paths, Place, parse_pattern, pointer
from harness.records import MISSING, Comparison, Difference, Missing, Numbers

__all__ = [
    *("Inside", "Pair", "Pairs", "Spot", "canonical", "differences", "equal_leaves"),
    *("equal_numbers", "form", "inner_pairs", "is_uniform", "stream_pair", "told", "unequal"),
]


class Spot(NamedTuple):
    """A place, and what the comparison says there. `beside`: the place of the actual value, which
    is the same one, unless elements before it were put in or left out."""

    place: Place
    beside: Place
    ignore: Paths
    unordered: Paths
    numbers: Numbers

    def below(self, step: int | str, beside: int | None = None) -> Spot:
        """The spot one step down."""
        ignore, unordered = self.ignore.below(step), self.unordered.below(step)
        place: Place = (self.place, step)
        actual = place
        if self.beside is not self.place or beside not in (None, step):
            actual = (self.beside, step if beside is None else beside)
        return Spot(place, actual, ignore, unordered, self.numbers)


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

    A value that only one side has is one difference, however large it is. In an unordered array,
    the elements that find no partner are reported, each under its own index.
    """
    return map(told, unequal(stream_pair(expected, actual, comparison), inner_pairs))


def stream_pair(expected: list[Json], actual: list[Json], comparison: Comparison) -> Pair:
    """Two streams of values, as a pair to be compared."""
    return Pair(_root(comparison), expected, actual)


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
        elif not here.spot.ignore.here:
            pairs = inner(here)
            if pairs is not None:
                levels.append(pairs)
            else:
                yield here


def _root(comparison: Comparison) -> Spot:
    ignore = Paths(map(parse_pattern, comparison.ignore))
    unordered = Paths(map(parse_pattern, comparison.unordered))
    return Spot(None, None, ignore, unordered, comparison.numbers)


def inner_pairs(pair: Pair) -> Pairs | None:
    """The pairs inside two containers of one kind that may not be equal; None where these are not
    two such."""
    spot, expected, actual = pair
    if isinstance(expected, list) and isinstance(actual, list):
        pairs = _unpartnered if spot.unordered.here else _by_index
        return pairs(spot, expected, actual)
    if isinstance(expected, dict) and isinstance(actual, dict):
        return _by_key(spot, expected, actual)
    return None


def _by_index(spot: Spot, expected: list[Json], actual: list[Json]) -> Pairs:
    both = zip_longest(expected, actual, fillvalue=MISSING)
    for index, (left, right) in enumerate(both):
        if not equal_leaves(left, right, spot):
            yield Pair(spot.below(index), left, right)


def _by_key(spot: Spot, expected: dict[str, Json], actual: dict[str, Json]) -> Pairs:
    for key, left in expected.items():
        right = actual.get(key, MISSING)
        if not equal_leaves(left, right, spot):
            yield Pair(spot.below(key), left, right)
    for key, right in actual.items():
        if key not in expected:
            yield Pair(spot.below(key), MISSING, right)


def _unpartnered(spot: Spot, expected: list[Json], actual: list[Json]) -> Pairs:
    """The elements of two arrays, taken as multisets, that only one of them has."""
    wanted = [_digest(element, spot.below(index)) for index, element in enumerate(expected)]
    found = [_digest(element, spot.below(index)) for index, element in enumerate(actual)]
    common = Counter(wanted) & Counter(found)
    for index in _beyond(common, wanted):
        yield Pair(spot.below(index), expected[index], MISSING)
    for index in _beyond(common, found):
        yield Pair(spot.below(index), MISSING, actual[index])


def _beyond(common: Counter[bytes], digests: list[bytes]) -> Iterator[int]:
    """The indices of those that are left when the common ones have been taken, first come first."""
    to_take = Counter(common)
    for index, digest in enumerate(digests):
        if to_take[digest]:
            to_take[digest] -= 1
        else:
            yield index


def equal_leaves(left: Json | Missing, right: Json | Missing, spot: Spot) -> bool:
    """Whether two values inside containers at a spot are simple ones, and equal."""
    if isinstance(left, Number):
        return isinstance(right, Number) and equal_numbers(left.text, right.text, spot.numbers)
    # No number is a Python number here, so that == cannot take one kind for another, True for 1.
    return not isinstance(left, (list, dict)) and left == right


# Numbers.

_INT_DIGITS: Final = 4_000  # int() refuses texts of more than 4,300 digits, and is slow before that


def equal_numbers(left: str, right: str, numbers: Numbers) -> bool:
    """Whether two JSON numbers are equal. Exact: the same kind (integer, or with fraction or
    exponent) and the same value, where -0 is not 0. By value: 1 = 1.0 = 10e-1, and -0 = 0."""
    return left == right or _normal(left, numbers) == _normal(right, numbers)


def _normal(number: str, numbers: Numbers) -> str:
    """The one way to write all numbers that equal this one: as 0.DIGITS times ten to the EXPONENT,
    with no 0 at either end of the digits, so that zero has none; where kind counts, it comes first.
    """
    unsigned = number.removeprefix("-")
    mantissa, _, power = unsigned.replace("E", "e").partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = (whole + fraction).lstrip("0")
    sign = "-" if unsigned != number else ""
    if numbers is Numbers.EXACT:
        sign += "integer " if whole == unsigned else "real "
    elif not digits:
        sign = ""  # minus zero has the value of zero
    if not digits:
        return f"{sign}0"
    exponent = _sum(power, len(digits) - len(fraction))
    return f"{sign}0.{digits.rstrip('0')}e{exponent}"


def _sum(power: str, shift: int) -> str:
    """A written exponent and a count of digits, exactly, however long the exponent is."""
    if len(power) <= _INT_DIGITS:
        return str(int(power or 0) + shift)
    # Imported here: whoever compares no such numbers does not pay for it.
    import decimal  # pylint: disable=import-outside-toplevel

    # No sum is ever rounded or too large.
    exact = decimal.Context(decimal.MAX_PREC, Emax=decimal.MAX_EMAX, Emin=decimal.MIN_EMIN)
    return str(exact.add(decimal.Decimal(power), shift))


# Canonical texts.


def form(value: Json, spot: Spot) -> str | bytes:
    """What two values at a spot share exactly where they are equal."""
    if isinstance(value, (list, dict)):
        return _digest(value, spot)
    return _leaf(value, spot.numbers)


def is_uniform(spot: Spot) -> bool:
    """Whether the elements of an array at a spot count by their order, and are compared alike
    wherever they stand."""
    if spot.unordered.here or spot.unordered.name_an_index or spot.ignore.name_an_index:
        return False
    return not spot.ignore.below(0).here


def canonical(value: Json, comparison: Comparison) -> str:
    """A short text (a digest) that two values share exactly where they are equal under the
    comparison, whose paths are read as if the value were the array of all values."""
    return _digest(value, _root(comparison)).hex()


class _Visit(NamedTuple):
    """A value whose digest is wanted; with `inside`: a container, for when the digests of so many
    things inside it have been made."""

    value: Json
    spot: Spot
    inside: int | None = None


def _digest(value: Json, spot: Spot) -> bytes:
    # Not a text that holds the texts of its members: to copy them at every level would cost the
    # square of the depth.
    if spot.ignore.here:
        return _hashed("ignored")
    todo = [_Visit(value, spot)]
    done: list[bytes] = []
    while todo:
        item, here, inside = todo.pop()
        if inside is not None:
            first = len(done) - inside
            done[first:] = [_joined(item, done[first:], ordered=not here.unordered.here)]
        elif isinstance(item, (list, dict)):
            visits = _visits(item, here)
            todo.append(_Visit(item, here, len(visits)))
            todo.extend(reversed(visits))
        else:
            done.append(_hashed(_leaf(item, here.numbers)))
    return done[0]


def _visits(item: list[Json] | dict[str, Json], here: Spot) -> list[_Visit]:
    """What is inside a container and counts: keys too, in an order that is no one's choice."""
    if isinstance(item, list):
        elements = [_Visit(element, here.below(index)) for index, element in enumerate(item)]
        return [visit for visit in elements if not visit.spot.ignore.here]
    visits = []
    for key in sorted(item):
        spot = here.below(key)
        if not spot.ignore.here:
            visits += [_Visit(key, spot), _Visit(item[key], spot)]
    return visits


def _leaf(item: None | bool | str | Number, numbers: Numbers) -> str:
    return _normal(item.text, numbers) if isinstance(item, Number) else encode(item)


def _joined(item: Json, digests: list[bytes], *, ordered: bool) -> bytes:
    # All digests are of one length; no leaf's text begins with a bracket.
    if isinstance(item, dict):
        return _sha256(b"{" + b"".join(digests))
    return _sha256(b"[" + b"".join(digests if ordered else sorted(digests)))


def _hashed(text: str) -> bytes:
    return _sha256(text.encode())


def _sha256(data: bytes) -> bytes:
    # Imported here: it costs more than the whole comparison of a small suite, and serves only
    # arrays whose order does not count.
    from hashlib import sha256  # pylint: disable=import-outside-toplevel

    return sha256(data).digest()

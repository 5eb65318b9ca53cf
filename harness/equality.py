"""The one place in the project that decides what equal JSON means, and where two streams differ.

Pure, and without recursion: values may be nested as deep as the judge reads them, and each is
walked once. Numbers are compared by their digits, exactly, at any length. Source: docs/equality.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import zip_longest
from typing import Final, NamedTuple

from harness.alignment import Keys, Sides, Step, Work, partings
from harness.jsontext import Json, Number, encode
from harness.likeness import ONE_KIND, Bag, bag_of, likeness
from harness.paths import Paths, Place, parse_pattern, pointer
from harness.records import MISSING, Comparison, Difference, Missing, Numbers

__all__ = ["canonical", "differences", "equal_numbers"]


class _Spot(NamedTuple):
    """A place, and what the comparison says there. `beside`: the place of the actual value, which
    is the same one, unless elements before it were put in or left out."""

    place: Place
    beside: Place
    ignore: Paths
    unordered: Paths
    numbers: Numbers

    def below(self, step: int | str, beside: int | None = None) -> _Spot:
        """The spot one step down."""
        ignore, unordered = self.ignore.below(step), self.unordered.below(step)
        place: Place = (self.place, step)
        actual = place
        if self.beside is not self.place or beside not in (None, step):
            actual = (self.beside, step if beside is None else beside)
        return _Spot(place, actual, ignore, unordered, self.numbers)


class _Pair(NamedTuple):
    """Two values that stand at the same spot, and are not two equal leaves."""

    spot: _Spot
    expected: Json | Missing
    actual: Json | Missing


# The pairs inside of a pair of containers.
_Pairs = Iterator[_Pair]


def differences(
    expected: list[Json], actual: list[Json], comparison: Comparison, *, aligned: bool = False
) -> Iterator[Difference]:
    """Every place where two streams of values differ, in document order of the expected stream;
    looked for only as far as the caller asks.

    A value that only one side has is one difference, however large it is. In an unordered array,
    the elements that find no partner are reported, each under its own index. Other arrays are
    compared by index; `aligned`: so that one element put in or left out does not make all that
    follow it differ. Whether there are differences at all does not depend on that.
    """
    inner = _Aligner() if aligned else _inner
    for pair in _unequal(_Pair(_root(comparison), expected, actual), inner):
        yield _difference(*pair)


def _difference(spot: _Spot, expected: Json | Missing, actual: Json | Missing) -> Difference:
    place = spot.beside if expected is MISSING else spot.place
    moved = spot.beside is not spot.place and MISSING not in (expected, actual)
    return Difference(pointer(place), expected, actual, pointer(spot.beside) if moved else None)


def _unequal(whole: _Pair, inside: Callable[[_Pair], _Pairs | None]) -> _Pairs:
    # What is left to compare at each level of nesting, the innermost last.
    levels = [iter([whole])]
    while levels:
        pair = next(levels[-1], None)
        if pair is None:
            levels.pop()
        elif not pair.spot.ignore.here:
            inner = inside(pair)
            if inner is not None:
                levels.append(inner)
            else:
                yield pair


def _root(comparison: Comparison) -> _Spot:
    ignore = Paths(map(parse_pattern, comparison.ignore))
    unordered = Paths(map(parse_pattern, comparison.unordered))
    return _Spot(None, None, ignore, unordered, comparison.numbers)


def _inner(pair: _Pair) -> _Pairs | None:
    """The pairs inside two containers of one kind; None where these are not two such."""
    spot, expected, actual = pair
    if isinstance(expected, list) and isinstance(actual, list):
        pairs = _unpartnered if spot.unordered.here else _by_index
        return pairs(spot, expected, actual)
    if isinstance(expected, dict) and isinstance(actual, dict):
        return _by_key(spot, expected, actual)
    return None


def _by_index(spot: _Spot, expected: list[Json], actual: list[Json]) -> _Pairs:
    both = zip_longest(expected, actual, fillvalue=MISSING)
    for index, (left, right) in enumerate(both):
        if not _equal_leaves(left, right, spot.numbers):
            yield _Pair(spot.below(index), left, right)


def _by_key(spot: _Spot, expected: dict[str, Json], actual: dict[str, Json]) -> _Pairs:
    for key, left in expected.items():
        right = actual.get(key, MISSING)
        if not _equal_leaves(left, right, spot.numbers):
            yield _Pair(spot.below(key), left, right)
    for key, right in actual.items():
        if key not in expected:
            yield _Pair(spot.below(key), MISSING, right)


def _unpartnered(spot: _Spot, expected: list[Json], actual: list[Json]) -> _Pairs:
    """The elements of two arrays, taken as multisets, that only one of them has."""
    wanted = [_digest(element, spot.below(index)) for index, element in enumerate(expected)]
    found = [_digest(element, spot.below(index)) for index, element in enumerate(actual)]
    common = Counter(wanted) & Counter(found)
    for index in _beyond(common, wanted):
        yield _Pair(spot.below(index), expected[index], MISSING)
    for index in _beyond(common, found):
        yield _Pair(spot.below(index), MISSING, actual[index])


def _beyond(common: Counter[bytes], digests: list[bytes]) -> Iterator[int]:
    """The indices of those that are left when the common ones have been taken, first come first."""
    to_take = Counter(common)
    for index, digest in enumerate(digests):
        if to_take[digest]:
            to_take[digest] -= 1
        else:
            yield index


def _equal_leaves(left: Json | Missing, right: Json | Missing, numbers: Numbers) -> bool:
    if isinstance(left, Number):
        return isinstance(right, Number) and equal_numbers(left.text, right.text, numbers)
    # No number is a Python number here, so that == cannot take one kind for another, True for 1.
    return not isinstance(left, (list, dict)) and left == right


# Alignment.

_WORK: Final = 1_000_000  # of one call; about half a second
_OF_CONTAINER: Final = 5  # work to open one
_OF_DIGEST: Final = 5  # ... for each value of which one is made
_OF_BAG: Final = 100  # ... to look at what one value is made of


class _Aligner:
    """The pairs inside two containers, as `_inner` has them, except that the elements of arrays are
    aligned: as long as there is work left, and where no path speaks of one of their indices."""

    __slots__ = ("_work",)

    def __init__(self) -> None:
        self._work: Final = Work(_WORK)

    def __call__(self, pair: _Pair) -> _Pairs | None:
        spot, expected, actual = pair
        if isinstance(expected, list) and isinstance(actual, list) and _may_align(spot):
            if self._work.left and max(len(expected), len(actual)) > 1:
                sides = _Arrays(spot.below(0), expected, actual, self._work).sides()
                steps = partings(sides, self._work)
                if steps is not None:
                    return _parted(spot, expected, actual, steps)
        return _inner(pair)


def _may_align(spot: _Spot) -> bool:
    """Whether each element may stand at another index, and be compared all the same."""
    if spot.unordered.here or spot.unordered.name_an_index or spot.ignore.name_an_index:
        return False
    return not spot.ignore.below(0).here


def _parted(spot: _Spot, expected: list[Json], actual: list[Json], steps: list[Step]) -> _Pairs:
    for i, j in steps:
        if i is None or j is None:
            left = MISSING if i is None else expected[i]
            right = MISSING if j is None else actual[j]
            yield _Pair(spot.below(j if i is None else i), left, right)
        else:
            yield _Pair(spot.below(i, j), expected[i], actual[j])


class _Arrays:
    """Two arrays as alignment sees them. `spot` is that of all elements."""

    def __init__(
        self, spot: _Spot, expected: list[Json], actual: list[Json], work: Work
    ) -> None:
        self._spot = spot
        self._expected = expected
        self._actual = actual
        self._work = work
        self._bags: dict[int, Bag] = {}

    def sides(self) -> Sides:
        """What alignment needs."""
        counts = len(self._expected), len(self._actual)
        return Sides(*counts, self._equal, self._likeness, self._keys)

    def _equal(self, i: int, j: int) -> bool:
        left, right = self._expected[i], self._actual[j]
        if isinstance(left, (list, dict)):
            return next(_unequal(_Pair(self._spot, left, right), self._opened), None) is None
        return _equal_leaves(left, right, self._spot.numbers)

    def _opened(self, pair: _Pair) -> _Pairs | None:
        size = len(pair.expected) if isinstance(pair.expected, (list, dict)) else 0
        return _inner(pair) if self._work.spend(_OF_CONTAINER + size) else None

    def _keys(self, lefts: range, rights: range) -> Keys | None:
        ours = self._expected[lefts.start : lefts.stop]
        theirs = self._actual[rights.start : rights.stop]
        return [self._key(value) for value in ours], [self._key(value) for value in theirs]

    def _key(self, value: Json) -> str | bytes:
        if not isinstance(value, (list, dict)):
            self._work.spend(2)
            return _leaf(value, self._spot.numbers)
        size = _size(value, self._work.left // _OF_DIGEST)
        return _digest(value, self._spot) if self._work.spend(_OF_DIGEST * size) else b""

    def _likeness(self, i: int, j: int) -> float:
        left, right = self._expected[i], self._actual[j]
        if type(left) is not type(right):
            return 0
        if not isinstance(left, (list, dict, str)) or not self._work.spend(_OF_CONTAINER):
            return ONE_KIND
        return likeness(self._bag(left), self._bag(right))

    def _bag(self, value: Json) -> Bag:
        if id(value) not in self._bags:
            self._work.spend(_OF_BAG)
            self._bags[id(value)] = bag_of(value)
        return self._bags[id(value)]


def _size(value: Json, most: int) -> int:
    """How many values there are in a value, itself among them, as far as that is not too many."""
    todo, size = [value], 0
    while todo and size <= most:
        item = todo.pop()
        size += 1
        if isinstance(item, (list, dict)):
            size += len(item) // 16  # leaves are not looked at one by one
            todo += item if isinstance(item, list) else item.values()
    return size


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


def canonical(value: Json, comparison: Comparison) -> str:
    """A short text (a digest) that two values share exactly where they are equal under the
    comparison, whose paths are read as if the value were the array of all values."""
    return _digest(value, _root(comparison)).hex()


class _Visit(NamedTuple):
    """A value whose digest is wanted; with `inside`: a container, for when the digests of so many
    things inside it have been made."""

    value: Json
    spot: _Spot
    inside: int | None = None


def _digest(value: Json, spot: _Spot) -> bytes:
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


def _visits(item: list[Json] | dict[str, Json], here: _Spot) -> list[_Visit]:
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

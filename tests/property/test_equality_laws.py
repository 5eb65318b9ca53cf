"""Laws of equality: what equal means, by an obvious and slow definition; and that differences,
canonical texts and that definition say the same of any two values.

The slow definition lives here: exact fractions, multisets by search, patterns as regular
expressions over pointers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from copy import deepcopy
from fractions import Fraction
from random import Random
from typing import Any, Final

from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from harness.equality import canonical, differences, equal_numbers
from harness.jsontext import Json, Number
from harness.paths import Paths, parse_pattern
from harness.records import MISSING, Comparison, Difference, Numbers

_law = settings(deadline=None, max_examples=100)

# --- values that are often equal, and what may be said of them

_WORDS: Final = ["", "0", "1", "a", "a/b", "null"]
_SPELLINGS: Final = ["0", "-0", "0.0", "-0e7", "1", "-1", "1.0", "10e-1", "0.1E1", "2", "1e400"]
_SCALARS: Final[st.SearchStrategy[Json]] = st.one_of(
    st.sampled_from([None, True, False]),
    st.sampled_from(_WORDS),
    st.sampled_from(_SPELLINGS).map(Number),
)


def _inner(values: st.SearchStrategy[Json]) -> st.SearchStrategy[Json]:
    keys = st.sampled_from(_WORDS)
    return st.one_of(st.lists(values, max_size=3), st.dictionaries(keys, values, max_size=3))


_VALUES: Final[st.SearchStrategy[Json]] = st.recursive(_SCALARS, _inner, max_leaves=8)
_STREAMS: Final = st.lists(_VALUES, max_size=3)
_SEEDS: Final = st.integers(0, 2**32 - 1)

_STEPS: Final = st.sampled_from(["*", "**", "0", "1", "2", "a", "", "a~1b"])
_PATTERNS: Final = st.lists(_STEPS, max_size=4).map(lambda steps: "".join(f"/{s}" for s in steps))
_SETS: Final = st.lists(_PATTERNS, max_size=2).map(tuple)
_UNORDERED: Final = st.one_of(st.sampled_from([(), ("/*",), ("/**",), ("/*/a", "/*/*/*")]), _SETS)
_COMPARISONS: Final = st.builds(Comparison, st.sampled_from(Numbers), _UNORDERED, _SETS)
_PLAIN: Final = Comparison()


def varied(value: Json, random: Random) -> Json:
    """A value much like this one: members and elements in another order, numbers spelled anew, and
    sometimes a part taken from elsewhere or left out."""
    if random.randrange(12) == 0:
        return random.choice([None, "a", Number("1"), [], {}])
    if isinstance(value, Number):
        return Number(random.choice(_SPELLINGS) if random.randrange(4) == 0 else value.text)
    if isinstance(value, list):
        elements = [varied(element, random) for element in value if random.randrange(12)]
        return random.sample(elements, len(elements)) if random.randrange(2) else elements
    if isinstance(value, dict):
        keys = [key for key in value if random.randrange(12)]
        other = random.choice([*_WORDS, *keys])
        return {
            key if random.randrange(12) else other: varied(value[key], random)
            for key in random.sample(keys, len(keys))
        }
    return value


# --- the slow definition


class Bag:  # pylint: disable=too-few-public-methods  # all that a multiset does here is be equal
    """Things whose order does not count; equal by taking out, one by one, what the other has."""

    def __init__(self, things: list[Any]) -> None:
        self.things = things

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Bag):
            return NotImplemented
        left = list(other.things)
        for thing in self.things:
            if thing not in left:
                return False
            left.remove(thing)
        return not left


def meant(value: Json, at: str, comparison: Comparison) -> Any:
    """What a value means where it stands, such that Python's == says whether two are equal."""
    if isinstance(value, Number):
        return "number", number_meant(value.text, comparison.numbers)
    if isinstance(value, list):
        inside = list(_inside(enumerate(value), at, comparison).values())
        return ("bag", Bag(inside)) if fits(comparison.unordered, at) else ("array", inside)
    if isinstance(value, dict):
        return "object", _inside(value.items(), at, comparison)
    return "string" if isinstance(value, str) else "word", value


def _inside(
    members: Iterable[tuple[int | str, Json]], at: str, comparison: Comparison
) -> dict[int | str, Any]:
    """The meanings of all that is not ignored in a container."""
    pointers = ((step, f"{at}/{_escaped(str(step))}", value) for step, value in members)
    return {
        step: meant(value, pointer, comparison)
        for step, pointer, value in pointers
        if not fits(comparison.ignore, pointer)
    }


def number_meant(text: str, numbers: Numbers) -> tuple[bool, bool, Fraction]:
    """Whether a number is an integer, whether it is negative, and its value; of the first two only
    what counts."""
    exact = numbers is Numbers.EXACT
    is_integer = re.fullmatch("-?[0-9]+", text) is not None
    return exact and is_integer, exact and text.startswith("-"), Fraction(text)


def equal_by_definition(left: list[Json], right: list[Json], comparison: Comparison) -> bool:
    """Whether two streams are equal."""
    if fits(comparison.ignore, ""):
        return True
    return bool(meant(left, "", comparison) == meant(right, "", comparison))


def fits(patterns: tuple[str, ...], pointer: str) -> bool:
    """Whether one of the patterns stands for the place that a JSON Pointer names."""
    return any(re.fullmatch(_expression(pattern), pointer) for pattern in patterns)


def _expression(pattern: str) -> str:
    meaning = {"*": "/[^/]*", "**": "(?:/[^/]*)*"}
    steps = pattern.split("/")[1:]
    return "".join(meaning.get(step, f"/{re.escape(step)}") for step in steps)


def _escaped(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")


def equal(left: list[Json], right: list[Json], comparison: Comparison = _PLAIN) -> bool:
    """Whether no difference is found."""
    return not list(differences(left, right, comparison))


# --- numbers


@st.composite
def _numbers(draw: st.DrawFn) -> str:
    """A number of few digits and a small exponent, in one of its many spellings."""
    digits = str(draw(st.integers(0, 120))) + "0" * (zeros := draw(st.integers(0, 3)))
    power = draw(st.integers(-3, 3)) - zeros
    places = draw(st.integers(0, 5))
    digits = digits.rjust(places + 1, "0")
    whole, fraction = digits[: len(digits) - places], digits[len(digits) - places :]
    power += places
    text = draw(st.sampled_from(["", "-"])) + (whole.lstrip("0") or "0")
    text += f".{fraction}" if fraction else ""
    if power or draw(st.booleans()):
        text += draw(st.sampled_from(["e", "E"])) + (
            f"{power:+}" if draw(st.booleans()) else f"{power}"
        )
    return text


_ANY_NUMBERS: Final = st.from_regex(
    r"-?(0|[1-9][0-9]{0,30})(\.[0-9]{1,30})?([eE][+-]?[0-9]{1,3})?", fullmatch=True
)


@settings(deadline=None, max_examples=400)
@given(
    st.one_of(_numbers(), _ANY_NUMBERS),
    st.one_of(_numbers(), _ANY_NUMBERS),
    st.sampled_from(Numbers),
)
@example("1e2", "100.0", Numbers.EXACT)
@example("100", "1e2", Numbers.EXACT)
@example("-0", "0", Numbers.VALUE)
def test_numbers_are_equal_as_fractions_are(left: str, right: str, numbers: Numbers) -> None:
    """Same value as exact fractions and, where numbers are exact, same kind and same sign."""
    expected = number_meant(left, numbers) == number_meant(right, numbers)
    assert equal_numbers(left, right, numbers) is expected


_LONG_DIGITS: Final = st.integers(4_000, 6_000)


@_law
@given(_LONG_DIGITS, st.integers(20, 10**18 - 20), st.integers(1, 12), st.sampled_from(Numbers))
@example(5_000, 999_999, 1, Numbers.EXACT)
def test_exponents_of_any_length_are_exact(
    length: int, tail: int, shift: int, numbers: Numbers
) -> None:
    """Ten to the E is ten to the shift times ten to the (E - shift), and no other power of ten."""
    head = "7" * length
    great, less, least = (f"{head}{tail - down:018d}" for down in (0, shift, shift + 1))
    assert equal_numbers(f"1e{great}", f"1{'0' * shift}e{less}", numbers)
    assert not equal_numbers(f"1e{great}", f"1{'0' * shift}e{least}", numbers)
    assert equal_numbers(f"1e-{great}", f"0.{'0' * (shift - 1)}1e-{less}", numbers)
    assert not equal_numbers(f"1e-{great}", f"0.{'0' * (shift - 1)}1e-{least}", numbers)
    assert not equal_numbers(f"1e{great}", f"1e-{great}", numbers)


@settings(deadline=None, max_examples=30)
@given(st.integers(9_000, 11_000), _SEEDS, st.integers(1, 9_000))
def test_numbers_of_ten_thousand_digits_are_exact(length: int, seed: int, places: int) -> None:
    """All digits count, the last one too, wherever the point stands."""
    digits = "".join(Random(seed).choices("123456789", k=length))
    other = digits[:-1] + ("1" if digits[-1] != "1" else "2")
    moved = f"{digits[:-places]}.{digits[-places:]}e{places}"
    assert equal_numbers(f"{digits}e0", moved, Numbers.EXACT)
    assert equal_numbers(digits, moved, Numbers.VALUE)
    assert not equal_numbers(digits, moved, Numbers.EXACT)
    assert not equal_numbers(f"{other}e0", moved, Numbers.EXACT)


# --- values


@_law
@given(_STREAMS, _COMPARISONS)
def test_every_stream_is_equal_to_itself(stream: list[Json], comparison: Comparison) -> None:
    """Reflexive, under any comparison; what is compared is a copy."""
    assert equal(stream, deepcopy(stream), comparison)


@settings(deadline=None, max_examples=400)
@given(_STREAMS, _STREAMS, _SEEDS, _COMPARISONS, st.booleans())
def test_equal_is_what_the_definition_says_and_canonical_texts_say_the_same(
    left: list[Json], other: list[Json], seed: int, comparison: Comparison, vary: bool
) -> None:
    """No difference either way, the same canonical text, equal by definition: all or none."""
    random = Random(seed)
    right = [varied(value, random) for value in left] if vary else other
    expected = equal_by_definition(left, right, comparison)
    for one, two in ((left, right), (right, left)):
        assert equal(one, two, comparison) is expected
    assert (canonical(left, comparison) == canonical(right, comparison)) is expected


@_law
@given(_VALUES, _VALUES)
def test_a_value_is_never_equal_to_one_of_another_kind(left: Json, right: Json) -> None:
    """null, true and false, strings, numbers, arrays and objects are worlds apart."""
    assume(kind(left) != kind(right))
    assert list(differences([left], [right], Comparison(Numbers.VALUE))) == [
        Difference("/0", left, right)
    ]


def kind(value: Json) -> str:
    """Which of the kinds of RFC 8259 a value is of."""
    return "boolean" if isinstance(value, bool) else type(value).__name__


@_law
@given(_STREAMS, _SEEDS)
def test_the_order_of_members_does_not_count(stream: list[Json], seed: int) -> None:
    """Shuffled at every depth, an object is the same object."""
    assert equal(stream, [shuffled(value, Random(seed)) for value in stream])


def shuffled(value: Json, random: Random) -> Json:
    """The same value, with the members of its objects in another order."""
    if isinstance(value, list):
        return [shuffled(element, random) for element in value]
    if isinstance(value, dict):
        keys = random.sample(list(value), len(value))
        return {key: shuffled(value[key], random) for key in keys}
    return value


@_law
@given(_STREAMS, _STREAMS, st.sampled_from(Numbers))
def test_each_difference_leads_to_the_two_values_that_differ(
    left: list[Json], right: list[Json], numbers: Numbers
) -> None:
    """A pointer, followed on either side, comes to what the difference shows (MISSING: to nothing);
    no two differences stand at one place, and none inside another."""
    comparison = Comparison(numbers)
    found = list(differences(left, right, comparison))
    for entry in found:
        assert (followed(left, entry.pointer), followed(right, entry.pointer)) == entry_values(
            entry
        )
    places = sorted(f"{entry.pointer}/" for entry in found)
    for place, following in zip(places, places[1:]):
        assert not following.startswith(place)


def entry_values(entry: Difference) -> tuple[Any, Any]:
    """The two sides of a difference."""
    return entry.expected, entry.actual


def followed(value: Any, pointer: str) -> Any:
    """What a JSON Pointer leads to; MISSING: nothing."""
    for step in pointer.split("/")[1:]:
        key = step.replace("~1", "/").replace("~0", "~")
        if isinstance(value, list):
            value = value[int(key)] if int(key) < len(value) else MISSING
        else:
            value = value.get(key, MISSING)
    return value


@_law
@given(_VALUES, _SEEDS)
def test_one_planted_difference_is_found_and_nothing_else(value: Json, seed: int) -> None:
    """A leaf is changed: the one difference is that leaf's."""
    random = Random(seed)
    changed: list[Json] = [deepcopy(value)]
    inside: Any = changed
    step: int | str = 0
    pointer = "/0"
    while isinstance(inside[step], (list, dict)) and inside[step]:
        inside = inside[step]
        step = random.choice(list(inside) if isinstance(inside, dict) else range(len(inside)))
        pointer += f"/{_escaped(str(step))}"
    before, inside[step] = inside[step], "planted"
    assert list(differences([value], changed, _PLAIN)) == [Difference(pointer, before, "planted")]


@settings(deadline=None, max_examples=8)
@given(st.integers(1, 9_999), _SEEDS, _COMPARISONS)
@example(9_999, 3, Comparison(unordered=("/**",), ignore=("/**/x", "/0/**/x/*")))
def test_depth_needs_no_stack(depth: int, seed: int, comparison: Comparison) -> None:
    """As deep as the judge reads, a value is equal to its twin, and has its canonical text."""
    twins = [nested(depth, Random(seed)), nested(depth, Random(seed))]
    assert equal(twins[:1], twins[1:], comparison)
    assert canonical(twins[:1], comparison) == canonical(twins[1:], comparison)


def nested(depth: int, random: Random) -> Json:
    """A nest of arrays and objects."""
    value: Json = Number("1")
    for _ in range(depth):
        around: list[Json] = [[value], [True, value], {"k": value}, {"a": [], "k": value}]
        value = random.choice(around)
    return value


# --- places


@settings(deadline=None, max_examples=400)
@given(_SETS, st.lists(st.sampled_from(["0", "1", "2", "a", "", "a/b", "*"]), max_size=5))
def test_patterns_stand_for_places_as_regular_expressions_would(
    patterns: tuple[str, ...], steps: list[str]
) -> None:
    """Carried down step by step, patterns say the same as matched against the whole pointer."""
    paths, pointer = Paths(map(parse_pattern, patterns)), ""
    for step in steps:
        assert paths.here is fits(patterns, pointer)
        paths, pointer = paths.below(step), f"{pointer}/{_escaped(step)}"
    assert paths.here is fits(patterns, pointer)

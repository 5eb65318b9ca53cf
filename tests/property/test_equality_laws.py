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
from itertools import product
from random import Random
from typing import Any, Final, NamedTuple
from unicodedata import normalize

from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from harness.jsontext import Json, Number
from harness.judging.comparison import (
    Comparison,
    Matching,
    Numbers,
    Order,
    PlaceRule,
    Schema,
    Strings,
    Tolerance,
)
from harness.judging.equality import canonical, differences, equal_numbers
from harness.judging.rules import unsound
from harness.paths import Paths, meet, parse_pattern
from harness.records import MISSING, Difference

_law = settings(deadline=None, max_examples=100)

# --- values that are often equal, and what may be said of them

_WORDS: Final = ["", "0", "1", "a", "a/b", "null", "\u00e9", "e\u0301", "\u00b9"]
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
_STRINGS_WAYS: Final[st.SearchStrategy[Strings | Matching]] = st.one_of(
    st.sampled_from(Strings), st.sampled_from([Matching("[a0]|null"), Matching(".*")])
)
_SCHEMAS: Final = st.sampled_from(
    [Schema('{"type":["integer","string"]}'), Schema('{"minItems":1,"required":["a"]}')]
)
_ARRAYS: Final = st.one_of(st.sampled_from([("/*",), ("/**",), ("/*/a", "/*/*/*")]), _SETS)
_RULES: Final = st.builds(
    PlaceRule,
    _ARRAYS,
    numbers=st.none() | st.sampled_from(Numbers),
    strings=st.none() | _STRINGS_WAYS,
    order=st.none() | st.sampled_from(Order),
    key=st.none() | st.sampled_from(["a", ""]),
    schema=st.none() | st.none() | _SCHEMAS,
    ignore=st.sampled_from([None, None, None, False, True]),
    forget=st.sampled_from([False, False, False, False, True]),
)
# All that makes equality an equivalence: there is no tolerance.
_COMPARISONS: Final = st.builds(
    Comparison,
    st.sampled_from(Numbers),
    _UNORDERED,
    _SETS,
    _STRINGS_WAYS,
    st.just(()),
    st.lists(_RULES, max_size=2).map(tuple),
    st.lists(_RULES, max_size=1).map(tuple),
)
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


class Said(NamedTuple):
    """What holds at a place, by reading all rules again from the first."""

    numbers: Numbers | Tolerance
    strings: Strings | Matching
    order: Order = Order.LIST
    schema: Schema | None = None
    ignore: bool = False


def said(comparison: Comparison, pointer: str) -> Said:
    """What holds at a place."""
    usual = holds = Said(comparison.numbers, comparison.strings)
    spoken = [
        *comparison.contract,
        PlaceRule(comparison.unordered, order=Order.MULTISET),
        PlaceRule(comparison.ignore, ignore=True),
        *comparison.at,
    ]
    for rule in spoken:
        if fits(rule.paths, pointer):
            order = Order.MULTISET if rule.key is not None else None
            news = rule._asdict() | {"order": rule.order or order}
            news = {name: news[name] for name in Said._fields if news[name] is not None}
            holds = usual if rule.forget else holds._replace(**news)
    return holds


def meant(value: Json, at: str, comparison: Comparison) -> Any:
    """What a value means where it stands, such that Python's == says whether two are equal."""
    holds = said(comparison, at)
    if holds.schema is not None and fits_schema(value, holds.schema):
        return "fits"
    if isinstance(value, Number):
        assert isinstance(holds.numbers, Numbers)
        return "number", number_meant(value.text, holds.numbers)
    if isinstance(value, list):
        inside = list(_inside(enumerate(value), at, comparison).values())
        if holds.order is Order.SET:
            inside = [thing for index, thing in enumerate(inside) if thing not in inside[:index]]
        return ("array", inside) if holds.order is Order.LIST else ("bag", Bag(inside))
    if isinstance(value, dict):
        return "object", _inside(value.items(), at, comparison)
    return (
        ("string", text_meant(value, holds.strings)) if isinstance(value, str) else ("word", value)
    )


def fits_schema(value: Json, schema: Schema) -> bool:
    """Whether a value fits one of the schemas above, read by eye."""
    if "minItems" in schema.text:
        small = isinstance(value, list) and not value
        return not small and not (isinstance(value, dict) and "a" not in value)
    # 1.0 is an integer to a schema, and so is any double that is a whole number: 1e400 is none.
    whole = isinstance(value, Number) and value.text != "1e400" and Fraction(value.text) % 1 == 0
    return isinstance(value, str) or whole


def text_meant(text: str, strings: Strings | Matching) -> str:
    """What a string means."""
    if isinstance(strings, Matching):
        return "matching" if re.fullmatch(strings.pattern, text) else f"={text}"
    forms: dict[Strings, Any] = {
        way: lambda text, way=way: normalize(way.value, text)
        for way in Strings
        if way is not Strings.EXACT
    }
    return f"={forms.get(strings, str)(text)}"


def _inside(
    members: Iterable[tuple[int | str, Json]], at: str, comparison: Comparison
) -> dict[int | str, Any]:
    """The meanings of all that is not ignored in a container."""
    pointers = ((step, f"{at}/{_escaped(str(step))}", value) for step, value in members)
    return {
        step: meant(value, pointer, comparison)
        for step, pointer, value in pointers
        if not said(comparison, pointer).ignore
    }


def number_meant(text: str, numbers: Numbers) -> tuple[bool, bool, Fraction]:
    """Whether a number is an integer, whether it is negative, and its value; of the first two only
    what counts."""
    exact = numbers is Numbers.EXACT
    is_integer = re.fullmatch("-?[0-9]+", text) is not None
    return exact and is_integer, exact and text.startswith("-"), Fraction(text)


def equal_by_definition(left: list[Json], right: list[Json], comparison: Comparison) -> bool:
    """Whether two streams are equal."""
    if said(comparison, "").ignore:
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


@settings(deadline=None, max_examples=200)
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


_TOLERANCES: Final = st.builds(
    Tolerance,
    st.sampled_from(["0", "1", "0.1", "1e-3", "12.5", "1e25"]),
    st.sampled_from(["0", "1", "0.5", "1e-2", "1e-30", "3"]),
)


@settings(deadline=None, max_examples=200)
@given(st.one_of(_numbers(), _ANY_NUMBERS), st.one_of(_numbers(), _ANY_NUMBERS), _TOLERANCES)
@example("10", "11", Tolerance("1"))
@example("10", "9", Tolerance(relative="0.1"))
def test_numbers_are_near_as_fractions_are(left: str, right: str, tolerance: Tolerance) -> None:
    """Off by no more than the tolerance as exact fractions; and symmetric, where it is absolute."""
    one, other = Fraction(left), Fraction(right)
    absolute, relative = map(Fraction, tolerance)
    off = abs(one - other)
    near = off <= absolute or off <= relative * abs(one)
    assert equal_numbers(left, right, tolerance) is near
    way = Tolerance(tolerance.absolute)
    assert equal_numbers(left, right, way) is equal_numbers(right, left, way) is (off <= absolute)


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


@settings(deadline=None, max_examples=200)
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
@given(_STREAMS, _COMPARISONS, _TOLERANCES)
def test_every_stream_is_equal_to_itself_within_a_tolerance(
    stream: list[Json], comparison: Comparison, tolerance: Tolerance
) -> None:
    """Reflexive also where near is not transitive."""
    comparison = comparison._replace(numbers=tolerance)
    assert unsound(comparison) or equal(stream, deepcopy(stream), comparison)


@_law
@given(_STREAMS, _STREAMS, _SEEDS, _COMPARISONS)
def test_it_does_not_matter_which_side_is_which(
    left: list[Json], other: list[Json], seed: int, comparison: Comparison
) -> None:
    """Symmetric, whatever the policy, as long as it has no tolerance."""
    for right in (other, [varied(value, Random(seed)) for value in left]):
        sides = ((left, right), (right, left))
        there, back = (equal(one, other_one, comparison) for one, other_one in sides)
        assert there is back


@_law
@given(st.lists(_VALUES, min_size=2, max_size=2), _TOLERANCES, _STRINGS_WAYS)
def test_no_value_is_equal_to_one_of_another_kind(
    values: list[Json], tolerance: Tolerance, strings: Strings | Matching
) -> None:
    """Whatever is said of numbers, strings and arrays."""
    assume(kind(values[0]) != kind(values[1]))
    rule = PlaceRule(("/**",), order=Order.SET, key="a")
    comparison = Comparison(tolerance, strings=strings, at=(rule,))
    assert not equal(values[:1], values[1:], comparison)


@_law
@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 9)), max_size=6),
    _SEEDS,
    st.sampled_from([Order.SET, Order.MULTISET]),
)
def test_a_key_changes_where_differences_are_seen_and_not_whether(
    pairs: list[tuple[int, int]], seed: int, order: Order
) -> None:
    """With a key and without one, two arrays are equal or not; with one, what is paired has the
    same key, and all that has a partner is compared inside."""
    left: list[Json] = [{"k": Number(str(k)), "n": Number(str(n))} for k, n in pairs]
    right = [varied(element, Random(seed)) for element in shuffled_list(left, Random(seed))]
    keyed = Comparison(at=(PlaceRule(("/0",), order=order, key="k"),))
    plain = Comparison(at=(PlaceRule(("/0",), order=order),))
    found = list(differences([left], [right], keyed))
    assert (not found) is equal([left], [right], plain)
    keys = [
        [element["k"] for element in side if isinstance(element, dict) and "k" in element]
        for side in ([entry.expected for entry in found], [entry.actual for entry in found])
    ]
    assert not set(map(str, keys[0])) & set(map(str, keys[1]))


def shuffled_list(values: list[Json], random: Random) -> list[Json]:
    """The same elements in another order."""
    return random.sample(values, len(values))


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


@settings(deadline=None, max_examples=200)
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


@settings(deadline=None, max_examples=200)
@given(
    _PATTERNS,
    _PATTERNS,
    st.lists(st.sampled_from(["0", "1", "2", "a", "", "a/b"]), max_size=5),
)
def test_two_patterns_meet_where_some_place_fits_both(
    one: str, other: str, steps: list[str]
) -> None:
    """Of the places of up to three steps there is one, or the patterns do not meet; and any place
    that fits both is where they meet."""
    pointer = "".join(f"/{_escaped(step)}" for step in steps)
    patterns = parse_pattern(one), parse_pattern(other)
    if fits((one,), pointer) and fits((other,), pointer):
        assert meet(*patterns)
    if len(patterns[0]) + len(patterns[1]) <= 3:
        names = ["0", "1", "2", "a", "", "a/b"]
        tried = (
            "".join(f"/{_escaped(step)}" for step in place)
            for size in range(4)
            for place in product(names, repeat=size)
        )
        both = any(fits((one,), place) and fits((other,), place) for place in tried)
        assert meet(*patterns) is both

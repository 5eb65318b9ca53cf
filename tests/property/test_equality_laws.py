"""Laws of equality: differences and canonical texts agree with a slow, obvious definition.

The definition uses exact fractions, multisets by search, and patterns as regular expressions over
pointers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, datetime
from fractions import Fraction
from itertools import product
from random import Random
from typing import Any, Final, NamedTuple
from unicodedata import normalize

from hypothesis import example, given, settings
from hypothesis import strategies as st
from support.json_texts import SEEDS, nested, value_at

from harness.jsonio.decoder import Json, Number, encode
from harness.jsonio.pointers import PatternSet, parse_path, patterns_overlap
from harness.judging.equality import canonical, differences
from harness.judging.numbers import equal_numbers
from harness.model.comparison import (
    ArrayOrder,
    Comparison,
    Matching,
    Numbers,
    PlaceRule,
    RuleCondition,
    Schema,
    Strings,
    Tolerance,
)

_law = settings(max_examples=100)
_many = settings(max_examples=200)

# Values that are often equal, and comparisons.

_WORDS: Final = [
    *("", "0", "1", "a", "a/b", "null", "\u00e9", "e\u0301", "\u00b9", "1.0", "10e-1", "-0")
]
_SPELLINGS: Final = ["0", "-0", "0.0", "-0e7", "1", "-1", "1.0", "10e-1", "0.1E1", "2", "1e400"]
_SCALARS: Final = (
    st.sampled_from([None, True, False])
    | st.sampled_from(_WORDS)
    | st.sampled_from(_SPELLINGS).map(Number)
)
_VALUES: Final = nested(_SCALARS, st.sampled_from(_WORDS), max_size=3, max_leaves=8)
_STREAMS: Final = st.lists(_VALUES, max_size=3)

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
_WHEN: Final = st.sampled_from([('"a"',), ("null", "true")]).map(
    lambda values: (RuleCondition(("t",), values),)
)
_ARRAYS: Final = st.one_of(st.sampled_from([("/*",), ("/**",), ("/*/a", "/*/*/*")]), _SETS)
_RULES: Final = st.builds(
    PlaceRule,
    _ARRAYS,
    numbers=st.none() | st.sampled_from(Numbers),
    strings=st.none() | _STRINGS_WAYS,
    order=st.none() | st.sampled_from(ArrayOrder),
    key=st.none() | st.sampled_from(["a", ""]),
    schema=st.none() | st.none() | _SCHEMAS,
    ignore=st.sampled_from([None, None, None, False, True]),
    resets=st.sampled_from([False, False, False, False, True]),
    keys=st.none() | st.none() | st.just(Matching("a|0|")),
    extra=st.none(),  # not symmetric: it has a law of its own
    when=st.just(()),
)
# The members of conditions are compared exactly, or equal objects might differ in what holds.
_EXACT_T: Final = (
    PlaceRule(("/**/t",), resets=True),
    PlaceRule(("/**/t",), numbers=Numbers.EXACT, strings=Strings.EXACT),
)
# Without tolerances, so that equality is an equivalence.
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


# The slow definition.


class Bag:
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


class RulesAt(NamedTuple):
    """The rules at a place."""

    numbers: Numbers | Tolerance
    strings: Strings | Matching
    order: ArrayOrder = ArrayOrder.LIST
    schema: Schema | None = None
    ignore: bool = False
    keys: Matching | None = None
    extra: bool = False


def rules_at(comparison: Comparison, pointer: str, around: Json = None) -> RulesAt:
    """Return the rules at a place inside a container, reading all of them from the first."""
    usual = holds = RulesAt(comparison.numbers, comparison.strings)
    rules = [
        *comparison.from_schema,
        PlaceRule(comparison.unordered, order=ArrayOrder.MULTISET),
        PlaceRule(comparison.ignore, ignore=True),
        *comparison.at,
    ]
    for rule in rules:
        if fits(rule.paths, pointer) and all(holds_in(around, each) for each in rule.when):
            order = ArrayOrder.MULTISET if rule.key is not None else None
            news = rule._asdict() | {"order": rule.order or order}
            news = {name: news[name] for name in RulesAt._fields if news[name] is not None}
            holds = usual if rule.resets else holds._replace(**news)
    return holds


def holds_in(around: Json, condition: RuleCondition) -> bool:
    (key,) = condition.steps
    value = around.get(key, []) if isinstance(around, dict) else []
    return not isinstance(value, (dict, list)) and encode(value) in condition.values


def meaning_of(value: Json, at: str, comparison: Comparison, around: Json = None) -> Any:
    """Return an object that Python's == compares as two values at a place must be compared."""
    holds = rules_at(comparison, at, around)
    if holds.schema is not None and fits_schema(value, holds.schema):
        return "fits"
    if isinstance(value, Number):
        assert isinstance(holds.numbers, Numbers)
        return "number", number_meaning(value.text, holds.numbers)
    if isinstance(value, list):
        inside = list(_inside(value, at, comparison).values())
        if holds.order is ArrayOrder.SET:
            inside = [thing for index, thing in enumerate(inside) if thing not in inside[:index]]
        return ("array", inside) if holds.order is ArrayOrder.LIST else ("bag", Bag(inside))
    if isinstance(value, dict):
        members = _inside(value, at, comparison)
        pattern = "(?!)" if holds.keys is None else holds.keys.pattern
        of_any = [members.pop(key) for key in [*members] if re.fullmatch(pattern, str(key))]
        return "object", Bag(of_any), members
    return ("string", text_meaning(value, holds)) if isinstance(value, str) else ("word", value)


def fits_schema(value: Json, schema: Schema) -> bool:
    """Return whether a value matches one of the schemas above."""
    if "minItems" in schema.text:
        small = isinstance(value, list) and not value
        return not small and not (isinstance(value, dict) and "a" not in value)
    whole = isinstance(value, Number) and Fraction(value.text) % 1 == 0
    return isinstance(value, str) or whole


def text_meaning(text: str, holds: RulesAt) -> Any:
    strings = holds.strings
    if isinstance(strings, Matching):
        return "matching" if re.fullmatch(strings.pattern, text) else f"={text}"
    if strings is Strings.NUMBER and text in _SPELLINGS:
        assert isinstance(holds.numbers, Numbers)
        return number_meaning(text, holds.numbers)
    if strings is Strings.DATETIME and "T" in text.upper():
        return datetime.fromisoformat(text.upper()).astimezone(UTC)
    form: Any = strings.value
    if form.startswith("NF"):
        text = normalize(form, text)
    return f"={text}"


def _inside(
    container: list[Json] | dict[str, Json], at: str, comparison: Comparison
) -> dict[int | str, Any]:
    """Return the meanings of the values in a container that are not ignored."""
    members = container.items() if isinstance(container, dict) else enumerate(container)
    pointers = ((step, at + _pointer([step]), value) for step, value in members)
    return {
        step: meaning_of(value, pointer, comparison, container)
        for step, pointer, value in pointers
        if not rules_at(comparison, pointer, container).ignore
    }


def number_meaning(text: str, numbers: Numbers) -> tuple[bool, bool, Fraction]:
    """Return whether a number is an integer and negative, if that counts, and its value."""
    exact = numbers is Numbers.EXACT
    is_integer = re.fullmatch("-?[0-9]+", text) is not None
    return exact and is_integer, exact and text.startswith("-"), Fraction(text)


def equal_by_definition(left: list[Json], right: list[Json], comparison: Comparison) -> bool:
    if rules_at(comparison, "").ignore:
        return True
    return bool(meaning_of(left, "", comparison) == meaning_of(right, "", comparison))


def fits(patterns: tuple[str, ...], pointer: str) -> bool:
    return any(re.fullmatch(_expression(pattern), pointer) for pattern in patterns)


def _expression(pattern: str) -> str:
    meaning = {"*": "/[^/]*", "**": "(?:/[^/]*)*"}
    steps = pattern.split("/")[1:]
    if steps and not re.fullmatch("[*]{1,2}|0|[1-9][0-9]*", steps[0]):
        steps = ["*", *steps]  # a path that begins with a key leads into every value
    return "".join(meaning.get(step, f"/{re.escape(step)}") for step in steps)


def _pointer(steps: Iterable[int | str]) -> str:
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in steps)


def equal(left: list[Json], right: list[Json], comparison: Comparison = _PLAIN) -> bool:
    return not list(differences(left, right, comparison))


# Numbers.


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


_NUMBERS: Final = _numbers() | st.from_regex(
    r"-?(0|[1-9][0-9]{0,30})(\.[0-9]{1,30})?([eE][+-]?[0-9]{1,3})?", fullmatch=True
)


@_many
@given(_NUMBERS, _NUMBERS, st.sampled_from(Numbers))
@example("1e2", "100.0", Numbers.EXACT)
@example("100", "1e2", Numbers.EXACT)
@example("-0", "0", Numbers.VALUE)
def test_numbers_are_equal_as_fractions_are(left: str, right: str, numbers: Numbers) -> None:
    expected = number_meaning(left, numbers) == number_meaning(right, numbers)
    assert equal_numbers(left, right, numbers) is expected


_TOLERANCES: Final = st.builds(
    Tolerance,
    st.sampled_from(["0", "1", "0.1", "1e-3", "12.5", "1e25"]),
    st.sampled_from(["0", "1", "0.5", "1e-2", "1e-30", "3"]),
)


@_many
@given(_NUMBERS, _NUMBERS, _TOLERANCES)
@example("10", "11", Tolerance("1"))
@example("10", "9", Tolerance(relative="0.1"))
def test_numbers_are_within_a_tolerance_if_fractions_are(
    left: str, right: str, tolerance: Tolerance
) -> None:
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


# Values.


@_many
@given(_STREAMS, _STREAMS, SEEDS, _COMPARISONS, st.booleans())
def test_equal_is_what_the_definition_says_and_canonical_texts_say_the_same(
    left: list[Json], other: list[Json], seed: int, comparison: Comparison, vary: bool
) -> None:
    random = Random(seed)
    check_definition(left, [varied(value, random) for value in left] if vary else other, comparison)


_TEXTS: Final[st.SearchStrategy[Json]] = st.sampled_from(["1", "1.0", "10e-1", Number("1")])


@_many
@given(
    st.lists(st.tuples(st.sampled_from(["a", "b", None]), _TEXTS, _TEXTS), max_size=3),
    SEEDS,
    st.sampled_from([(), ("/**",)]),
    st.lists(_RULES, min_size=1, max_size=2),
    _WHEN,
)
def test_rules_with_conditions_apply_where_the_definition_says(
    triples: list[tuple[Json, Json, Json]],
    seed: int,
    unordered: tuple[str, ...],
    rules: list[PlaceRule],
    when: tuple[RuleCondition, ...],
) -> None:
    left: list[Json] = [{"t": tag, "v": one} for tag, one, _ in triples]
    right: list[Json] = [{"t": tag, "v": other} for tag, _, other in triples]
    rules = [rule._replace(paths=("/**/v", *rule.paths), when=when) for rule in rules]
    comparison = Comparison(unordered=unordered, at=(*rules, *_EXACT_T))
    check_definition([left], [Random(seed).sample(right, len(right))], comparison)
    check_definition(left, right, comparison)


def check_definition(left: list[Json], right: list[Json], comparison: Comparison) -> None:
    expected = equal_by_definition(left, right, comparison)
    for one, two in ((left, right), (right, left)):
        assert equal(one, two, comparison) is expected
    assert (canonical(left, comparison) == canonical(right, comparison)) is expected


@_law
@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 9)), max_size=6),
    SEEDS,
    st.sampled_from([ArrayOrder.SET, ArrayOrder.MULTISET]),
)
def test_a_key_changes_where_differences_are_seen_and_not_whether(
    pairs: list[tuple[int, int]], seed: int, order: ArrayOrder
) -> None:
    """With a key and without one, two arrays are equal or not; with one, what is paired has the
    same key, and all that has a partner is compared inside."""
    left: list[Json] = [{"k": Number(str(k)), "n": Number(str(n))} for k, n in pairs]
    shuffled = Random(seed).sample(left, len(left))
    right = [varied(element, Random(seed)) for element in shuffled]
    keyed = Comparison(at=(PlaceRule(("/0",), order=order, key="k"),))
    plain = Comparison(at=(PlaceRule(("/0",), order=order),))
    found = list(differences([left], [right], keyed))
    assert (not found) is equal([left], [right], plain)
    keys = [
        {str(element["k"]) for element in side if isinstance(element, dict) and "k" in element}
        for side in ([entry.expected for entry in found], [entry.actual for entry in found])
    ]
    assert not keys[0] & keys[1]


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
        ends = value_at(left, entry.pointer), value_at(right, entry.pointer)
        assert ends == (entry.expected, entry.actual)
    places = sorted(f"{entry.pointer}/" for entry in found)
    for place, following in zip(places, places[1:]):
        assert not following.startswith(place)


# Extra members.

_PLAIN_RULES: Final = st.builds(
    PlaceRule,
    _SETS,
    numbers=st.none() | st.sampled_from(Numbers),
    **dict.fromkeys(("strings", "order", "key", "schema", "keys"), st.none()),
    resets=st.just(False),
    ignore=st.sampled_from([None, None, None, False, True]),
    extra=st.sampled_from([None, True, True, False]),
    when=st.just(()) | _WHEN,
)


@_many
@given(_STREAMS, _STREAMS, SEEDS, st.lists(_PLAIN_RULES, max_size=3).map(tuple), st.booleans())
@example(
    [{}], [{"a": {}}], 0, (PlaceRule(("",), extra=True), PlaceRule(("/*",), extra=True)), False
)
def test_extra_members_are_equal_to_none(
    left: list[Json], other: list[Json], seed: int, rules: tuple[PlaceRule, ...], vary: bool
) -> None:
    """Extra members count as if they were not printed, but missing ones are missed."""
    comparison = Comparison(at=(*rules, *_EXACT_T))
    right = [varied(value, Random(seed)) for value in left] if vary else other
    without = Comparison(at=tuple(rule._replace(extra=None) for rule in comparison.at))
    trimmed: Any = trimmed_to(left, right, "", comparison)
    assert equal(left, right, comparison) is equal(left, trimmed, without)


def trimmed_to(
    left: Json, right: Json, at: str, comparison: Comparison, around: Json = None
) -> Json:
    """Return the right value without the members that a place allows and the left one lacks."""
    if isinstance(left, list) and isinstance(right, list):
        pairs = enumerate(zip(left, right, strict=False))
        inner = [trimmed_to(one, two, f"{at}/{index}", comparison) for index, (one, two) in pairs]
        return [*inner, *right[len(inner) :]]
    if not isinstance(left, dict) or not isinstance(right, dict):
        return right
    holds = rules_at(comparison, at, around)
    return {
        key: trimmed_to(left[key], value, at + _pointer([key]), comparison, left)
        if key in left
        else value
        for key, value in right.items()
        if key in left or not holds.extra
    }


# Places.


_NAMES: Final = ["0", "1", "2", "a", "", "a/b"]


@_many
@given(_SETS, st.lists(st.sampled_from([*_NAMES, "*"]), max_size=5))
def test_patterns_stand_for_places_as_regular_expressions_would(
    patterns: tuple[str, ...], steps: list[str]
) -> None:
    paths, pointer = PatternSet(map(parse_path, patterns)), ""
    for step in steps:
        assert paths.matches_here is fits(patterns, pointer)
        paths, pointer = paths.below(step), pointer + _pointer([step])
    assert paths.matches_here is fits(patterns, pointer)


@_many
@given(_PATTERNS, _PATTERNS, st.lists(st.sampled_from(_NAMES), max_size=5))
def test_two_patterns_overlap_if_some_place_matches_both(
    one: str, other: str, steps: list[str]
) -> None:
    """Of the places of up to three steps there is one, or the patterns do not meet; and any place
    that fits both is where they meet."""
    pointer = _pointer(steps)
    patterns = parse_path(one), parse_path(other)
    if fits((one,), pointer) and fits((other,), pointer):
        assert patterns_overlap(*patterns)
    if len(patterns[0]) + len(patterns[1]) <= 3:
        places = (place for size in range(4) for place in product(_NAMES, repeat=size))
        tried = map(_pointer, places)
        both = any(fits((one,), place) and fits((other,), place) for place in tried)
        assert patterns_overlap(*patterns) is both

"""Hold what a JSON Schema demands of a value."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import combinations
from types import NoneType
from typing import Any, Final, NamedTuple

from harness.fuzz.patterns import compiled
from harness.jsonio.decoder import Json, Number
from harness.judging.numbers import normalize_number
from harness.model.comparison import Numbers

TYPES: Final = ("null", "boolean", "integer", "number", "string", "array", "object")
TYPE_NAMES: Final[dict[type, str]] = {
    NoneType: "null",
    bool: "boolean",
    Number: "number",
    str: "string",
    list: "array",
    dict: "object",
}
HEIGHT: Final = 1_000  # of a value that cannot be finite
LARGEST: Final = 100_000  # least size of a text or container that is drawn
_DEEPEST: Final = 8  # references that are followed to tell alternatives apart

Check = Callable[[Any], bool]


class Bound(NamedTuple):
    """A bound of numbers, and the place of the schema that has it."""

    text: str
    is_open: bool
    where: str


class Part:  # pylint: disable=too-many-instance-attributes  # a field a keyword
    """A schema: of the whole input, or of a value inside it."""

    def __init__(self, where: str) -> None:
        self.where = where
        self.is_never = False  # the schema `false`
        self.types: frozenset[str] | None = None
        self.enum: list[Json] | None = None
        self.enum_forms = frozenset[object]()
        self.least: list[Bound] = []
        self.most: list[Bound] = []
        self.units: list[str] = []
        self.lengths: tuple[int, int | None] = (0, None)
        self.patterns: list[str] = []
        self.format = ""
        self.prefix: list[Part] = []
        self.items: Part | None = None
        self.contains: Part | None = None
        self.contained: tuple[int, int | None] = (1, None)
        self.sizes: tuple[int, int | None] = (0, None)
        self.is_unique = False
        self.properties: dict[str, Part] = {}
        self.pattern_properties: list[tuple[str, Part]] = []
        self.additional: Part | None = None
        self.property_names: Part | None = None
        self.required: list[str] = []
        self.dependent_required: dict[str, list[str]] = {}
        self.dependent_schemas: dict[str, Part] = {}
        self.counts: tuple[int, int | None] = (0, None)
        self.all_of: list[Part] = []
        self.any_of: list[Part] = []
        self.one_of: list[Part] = []
        self.excluded: Part | None = None  # `not`
        self.condition: Part | None = None
        self.then: Part | None = None
        self.otherwise: Part | None = None
        self.samples: list[Json] = []  # values from which some are drawn, if only learned
        self.choices: tuple[str, ...] = ()  # the keywords of which one alternative is drawn
        self.height = HEIGHT  # of the lowest value
        self.is_endless = True  # it refers to itself, so that values may have any depth
        self.checks: dict[type, Check] = {}  # by type, for allowed types; validity.py sets them

    @property
    def is_uncertain(self) -> bool:
        """True if a value drawn for the keywords may still violate one of them."""
        return (
            self.excluded is not None
            or self.condition is not None
            or not self.is_exclusive
            or self.property_names is not None
            or bool(self.dependent_schemas)
            or len(self.patterns) > 1
        )

    @cached_property
    def is_exclusive(self) -> bool:
        """True if at most one of `one_of` accepts a value."""
        return all(exclude(*pair) for pair in combinations(self.one_of, 2))

    def member(self, key: str) -> Iterator[Part]:
        """Yield the schemas of the member with a key."""
        is_named = key in self.properties
        if is_named:
            yield self.properties[key]
        for pattern, part in self.pattern_properties:
            if compiled(pattern).search(key):
                is_named = True
                yield part
        if not is_named and self.additional is not None:
            yield self.additional

    def element(self, index: int) -> Part | None:
        return self.prefix[index] if index < len(self.prefix) else self.items

    def inner(self) -> Iterator[Part]:
        """Yield the parts that values, or values inside them, may have to conform to."""
        yield from (*self.all_of, *self.any_of, *self.one_of, *self.prefix)
        yield from self.properties.values()
        yield from (each for _, each in self.pattern_properties)
        yield from filter(None, (self.items, self.additional, self.then, self.otherwise))

    # Validity.

    def accepts(self, value: Json) -> bool:
        """Return whether a value is valid, by all keywords that are compiled."""
        check = self.checks.get(type(value))
        return check is not None and check(value)

    def accepts_all(self, values: Iterable[Json]) -> bool:
        checks = self.checks
        for value in values:
            check = checks.get(type(value))
            if check is None or not check(value):
                return False
        return True

    def count(self, values: Sequence[Json]) -> int:
        """Return how many values are valid."""
        checks, found = self.checks, 0
        for value in values:
            check = checks.get(type(value))
            if check is not None and check(value):
                found += 1
        return found


# What tells alternatives apart.


def kinds_of(part: Part, depth: int) -> frozenset[str]:
    """Return the types that a part allows, integers among numbers, as far as it is simple."""
    if part.is_never:
        return frozenset()
    names = frozenset(TYPE_NAMES.values())
    if part.types is not None:
        names &= {"number" if name == "integer" else name for name in part.types}
    if part.enum is not None:
        names &= set(map(type_name, part.enum))
    if depth < _DEEPEST:
        for inner in part.all_of:
            names &= kinds_of(inner, depth + 1)
        for options in filter(None, (part.any_of, part.one_of)):
            names &= frozenset().union(*(kinds_of(each, depth + 1) for each in options))
    return names


def exclude(one: Part, other: Part) -> bool:
    """Return whether it is plain that no value is valid by both parts."""
    kinds = kinds_of(one, 0) & kinds_of(other, 0)
    if not kinds:
        return True
    first, second = (list(_simple_parts(each, 0)) for each in (one, other))
    if any(
        left.enum is not None and right.enum is not None and not left.enum_forms & right.enum_forms
        for left in first
        for right in second
    ):
        return True
    return kinds == {"object"} and (_lacks(first, second) or _lacks(second, first))


def _lacks(ones: Sequence[Part], others: Sequence[Part]) -> bool:
    """Return whether objects of the first parts lack a member that the others require, or have
    another value there."""
    for key in (key for part in others for key in part.required):
        if any(
            key not in part.properties
            and not part.pattern_properties
            and part.additional is not None
            and part.additional.is_never
            for part in ones
        ):
            return True
        if any(key in part.required for part in ones):
            members = [
                [part.properties[key] for part in parts if key in part.properties]
                for parts in (ones, others)
            ]
            if any(exclude(left, right) for left in members[0] for right in members[1]):
                return True
    return False


def _simple_parts(part: Part, depth: int) -> Iterator[Part]:
    """Yield a part, and those that it always demands, too."""
    yield part
    if depth < _DEEPEST:
        for inner in part.all_of:
            yield from _simple_parts(inner, depth + 1)


def type_name(value: Json) -> str:
    """Return the type of a value as a schema names it."""
    return TYPE_NAMES[type(value)]


def canonical(value: Json) -> object:
    """Return equal objects for values that JSON Schema takes as equal, and for no others."""
    if isinstance(value, str):
        return value
    if isinstance(value, Number):
        return _number_form(value.text)
    if isinstance(value, list):
        return (list, *map(canonical, value))
    if isinstance(value, dict):
        return (dict, frozenset((key, canonical(member)) for key, member in value.items()))
    return (type(value), value)


@lru_cache(4_096)
def _number_form(text: str) -> tuple[str]:
    return (normalize_number(text, Numbers.VALUE),)

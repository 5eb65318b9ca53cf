"""Hold what a JSON Schema demands of a value, and say fast whether a value is valid.

jsonschema takes milliseconds for an input: it checks only what is reported (campaign.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, lru_cache, partial
from itertools import combinations
from types import NoneType
from typing import Final, NamedTuple

from harness.fuzz.patterns import compiled
from harness.jsonio.decoder import Json, Number
from harness.judging.numbers import compare_numbers, is_multiple, normalize_number
from harness.model.comparison import Numbers

TYPES: Final = ("null", "boolean", "integer", "number", "string", "array", "object")
_TYPE_NAMES: Final[dict[type, str]] = {
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
_SHORT: Final = 15  # digits of an integer that is compared as one

_Check = Callable[[Json], bool]


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
        self._checks: dict[type, tuple[_Check, ...]] = {}

    @property
    def is_uncertain(self) -> bool:
        """True if a value drawn for the keywords may still violate one of them."""
        return (
            self.excluded is not None
            or self.condition is not None
            or not self._is_exclusive
            or self.property_names is not None
            or bool(self.dependent_schemas)
            or len(self.patterns) > 1
        )

    @cached_property
    def _is_exclusive(self) -> bool:
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

    # Validity.

    def accepts(self, value: Json) -> bool:
        """Return whether a value is valid, by all keywords that are compiled."""
        checks = self._checks.get(type(value))
        if checks is None:
            return False
        for check in checks:
            if not check(value):
                return False
        return True

    def count(self, values: Sequence[Json]) -> int:
        """Return how many values are valid."""
        checks = self._checks
        fitting = [value for value in values if type(value) in checks]
        return sum(map(self.accepts, fitting)) if fitting else 0

    def seal(self) -> None:
        """Note which checks values of each type need; keywords do not change afterwards."""
        if self.is_never:
            return
        options = {"anyOf": self.any_of, "oneOf": self.one_of, "if": self.condition}
        self.choices = tuple(word for word, value in options.items() if value)
        for kind, name in _TYPE_NAMES.items():
            if name in kinds_of(self, 0):
                self._checks[kind] = tuple(self.checks_for(kind, 0))

    def checks_for(self, kind: type, depth: int) -> Iterator[_Check]:
        """Yield the checks of values of one type, with those of the parts that are referred to."""
        yield from self._own_checks(kind)
        for part in self.all_of:
            yield from _checks_of([part], kind, depth, is_exclusive=True)
        if self.enum is not None:
            yield lambda value: canonical(value) in self.enum_forms
        if self.any_of:
            yield from _checks_of(self.any_of, kind, depth, is_exclusive=True)
        if self.one_of:
            yield from _checks_of(self.one_of, kind, depth, is_exclusive=self._is_exclusive)
        if self.excluded is not None or self.condition is not None:
            yield self._accepts_condition

    def _own_checks(self, kind: type) -> Iterator[_Check]:
        """Yield the checks of the keywords for values of one type."""
        if kind is Number:
            yield from self._number_checks()
        elif kind is str and (self.lengths != (0, None) or self.patterns):
            yield self._accepts_text
        elif kind is list:
            if self.sizes != (0, None) or self.is_unique or self.contains is not None:
                yield self._accepts_sizes
            if self.prefix or self.items is not None:
                yield self._accepts_elements
        elif kind is dict:
            yield from self._object_checks()

    def _object_checks(self) -> Iterator[_Check]:
        has_names = self.dependent_required or self.property_names is not None
        if len(self.required) == 1 and self.counts == (0, None) and not has_names:
            yield partial(_has_member, self.required[0])
        elif self.counts != (0, None) or self.required or has_names:
            yield self._accepts_keys
        members = self.properties or self.pattern_properties or self.dependent_schemas
        if members or self.additional is not None:
            yield self._accepts_members

    def _accepts_condition(self, value: Json) -> bool:
        if self.excluded is not None and self.excluded.accepts(value):
            return False
        if self.condition is None:
            return True
        side = self.then if self.condition.accepts(value) else self.otherwise
        return side is None or side.accepts(value)

    def _number_checks(self) -> Iterator[_Check]:
        """Yield checks that compare short integers as such, and others by their digits."""
        types = self.types or frozenset({"number"})
        if "number" not in types:
            yield is_whole
        bounds = [*self.least, *self.most]
        if self.units or not all(_is_short_integer(bound.text) for bound in bounds):
            yield self._accepts_number
        elif bounds:
            low = max((int(each.text) + each.is_open for each in self.least), default=-(10**_SHORT))
            high = min((int(each.text) - each.is_open for each in self.most), default=10**_SHORT)

            def check(value: Json) -> bool:
                assert isinstance(value, Number)
                if _is_short_integer(value.text):
                    return low <= int(value.text) <= high
                return self._accepts_number(value)

            yield check

    def _accepts_number(self, value: Json) -> bool:
        assert isinstance(value, Number)
        text = value.text
        for bound in self.least:
            if compare_numbers(text, bound.text) < (1 if bound.is_open else 0):
                return False
        for bound in self.most:
            if compare_numbers(text, bound.text) > (-1 if bound.is_open else 0):
                return False
        return all(is_multiple(text, unit) for unit in self.units)

    def _accepts_text(self, text: Json) -> bool:
        assert isinstance(text, str)
        least, most = self.lengths
        if len(text) < least or (most is not None and len(text) > most):
            return False
        return all(compiled(pattern).search(text) for pattern in self.patterns)

    def _accepts_sizes(self, value: Json) -> bool:
        assert isinstance(value, list)
        least, most = self.sizes
        if len(value) < least or (most is not None and len(value) > most):
            return False
        if self.is_unique and len(set(map(canonical, value))) < len(value):
            return False
        if self.contains is None:
            return True
        found = self.contains.count(value)
        least, most = self.contained
        return found >= least and (most is None or found <= most)

    def _accepts_elements(self, value: Json) -> bool:
        assert isinstance(value, list)
        for index, part in enumerate(self.prefix[: len(value)]):
            if not part.accepts(value[index]):
                return False
        if self.items is not None:
            for element in value[len(self.prefix) :]:
                if not self.items.accepts(element):
                    return False
        return True

    def _accepts_keys(self, value: Json) -> bool:
        assert isinstance(value, dict)
        least, most = self.counts
        if len(value) < least or (most is not None and len(value) > most):
            return False
        for key in self.required:
            if key not in value:
                return False
        for key, others in self.dependent_required.items():
            if key in value and not all(other in value for other in others):
                return False
        return self.property_names is None or all(map(self.property_names.accepts, value))

    def _accepts_members(self, value: Json) -> bool:
        assert isinstance(value, dict)
        for key, inner in value.items():
            if self.pattern_properties:
                if not all(part.accepts(inner) for part in self.member(key)):
                    return False
                continue
            found = self.properties.get(key, self.additional)
            if found is not None and not found.accepts(inner):
                return False
        return all(
            part.accepts(value) for key, part in self.dependent_schemas.items() if key in value
        )


def _has_member(key: str, value: Json) -> bool:
    assert isinstance(value, dict)
    return key in value


def _checks_of(
    options: Sequence[Part], kind: type, depth: int, *, is_exclusive: bool
) -> Iterator[_Check]:
    """Yield the checks of parts of which one accepts a value, or `is_exclusive` and any does."""
    fitting = [part for part in options if _TYPE_NAMES[kind] in kinds_of(part, 0)]

    def accepts(value: Json) -> bool:
        found = False
        for part in fitting:
            if part.accepts(value):
                if is_exclusive:
                    return True
                if found:
                    return False
                found = True
        return found

    if len(fitting) == 1 and depth < _DEEPEST:
        yield from fitting[0].checks_for(kind, depth + 1)
    else:
        yield accepts


# What tells alternatives apart.


def kinds_of(part: Part, depth: int) -> frozenset[str]:
    """Return the types that a part allows, integers among numbers, as far as it is simple."""
    if part.is_never:
        return frozenset()
    names = frozenset(_TYPE_NAMES.values())
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
    return _TYPE_NAMES[type(value)]


def is_whole(value: Json) -> bool:
    if not isinstance(value, Number):
        return False
    text = value.text
    return text.lstrip("-").isdecimal() or is_multiple(text, "1")


def _is_short_integer(text: str) -> bool:
    return len(text) <= _SHORT and (text.isdecimal() or text[:1] == "-" and text[1:].isdecimal())


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

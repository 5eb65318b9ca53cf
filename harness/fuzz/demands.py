"""Merge what several parts of a schema demand of one value together, choice by choice.

What was merged is kept, because each input takes some of the same alternatives.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from harness.fuzz.parts import HEIGHT, LARGEST, TYPES, Bound, Part, canonical, exclude
from harness.fuzz.patterns import FORMATS
from harness.fuzz.schema import escaped_step, tightest
from harness.fuzz.values import Range, decimal_of
from harness.jsonio.decoder import Json

_SIZES: Final = {
    "lengths": ("minLength", "maxLength"),
    "sizes": ("minItems", "maxItems"),
    "counts": ("minProperties", "maxProperties"),
}
_IMPLIED: Final = {
    "object": ("properties", "required", "pattern_properties", "dependent_required"),
    "array": ("prefix", "items", "contains"),
    "string": ("patterns", "format"),
    "number": ("least", "most", "units"),
}
_SIDES: Final = (0, 0, 0, 1, 1)  # of a condition: 0 is `then`


class Contained:
    """The demand of `contains`: how many elements match a part.

    `places` has the place of the schema that sets each bound, by bound.
    """

    def __init__(self, part: Part, least: int, most: int | None, where: str) -> None:
        self.part, self.least, self.most = part, least, most
        self.places = {most: f"{where}/maxContains", least: f"{where}/minContains"}


class Demands:  # pylint: disable=too-many-instance-attributes  # a field a kind of keyword
    """The demands of several parts on one value.

    `endless` has the optional keys whose values may have any depth.
    """

    def __init__(self, parts: tuple[Part, ...]) -> None:
        self.parts = parts
        self.contained = [
            Contained(part.contains, *part.contained, part.where)
            for part in parts
            if part.contains is not None
        ]
        self._prefix = max((len(part.prefix) for part in parts), default=0)
        self._known = {key for part in parts for key in (*part.properties, *part.required)}
        self._elements: list[tuple[Part, ...] | None] = []
        self._members: dict[str, tuple[Part, ...] | None] = {}
        self.is_never = any(part.is_never or part.height >= HEIGHT for part in parts)
        self.types = _common_types(parts)
        self.is_uncertain = any(part.is_uncertain for part in parts)
        self.enum = _allowed_options(parts)
        self.lengths = _narrowed([part.lengths for part in parts])
        self.sizes = _narrowed([part.sizes for part in parts])
        self.counts = _narrowed([part.counts for part in parts])
        sizes = {"string": self.lengths, "array": self.sizes, "object": self.counts}
        self.types = tuple(
            name for name in self.types if name not in sizes or sizes[name][0] <= LARGEST
        )
        self.patterns = [each for part in parts for each in part.patterns]
        self.format = next((part.format for part in parts if part.format in FORMATS), "")
        self.is_unique = any(part.is_unique for part in parts)
        self.samples = [each for part in parts for each in part.samples]
        least = [each for part in parts for each in part.least]
        most = [each for part in parts for each in part.most]
        units = [each for part in parts for each in part.units]
        self.bounds: list[Bound] = [*least, *most]
        self.integers, self.numbers = _ranges(least, most, units)
        self.is_uncertain |= len(units) > 1
        self.required = list(dict.fromkeys(key for part in parts for key in part.required))
        self.optional = list(
            dict.fromkeys(
                key for part in parts for key in part.properties if key not in self.required
            )
        )
        self.is_open = all(
            part.additional is None or not part.additional.is_never for part in parts
        )
        self.key_patterns = [pattern for part in parts for pattern, _ in part.pattern_properties]
        self.places = {field: _places(parts, field, *words) for field, words in _SIZES.items()}
        self.member_places = {
            key: [f"{part.where}/properties/{escaped_step(key)}" for part in parts]
            for key in self.optional
        }
        self.names = tuple(part.property_names for part in parts if part.property_names is not None)
        self.endless = [
            key for key in self.optional if any(each.is_endless for each in self.members(key) or ())
        ]
        self.dependent = [pair for part in parts for pair in part.dependent_required.items()]

    def accept(self, value: Json) -> bool:
        for part in self.parts:
            if not part.accepts(value):
                return False
        return True

    def elements(self, index: int) -> tuple[Part, ...] | None:
        """Return the parts that an element must conform to, or None if no value does.

        The demands on all elements behind the prefixes are the same.
        """
        while len(self._elements) <= self._prefix:
            own = [part.element(len(self._elements)) for part in self.parts]
            self._elements.append(_unless_never(each for each in own if each is not None))
        return self._elements[min(index, self._prefix)]

    def members(self, key: str) -> tuple[Part, ...] | None:
        """Return the parts that a member must conform to, or None if no value does."""
        if key in self._members:
            return self._members[key]
        parts = _unless_never(each for part in self.parts for each in part.member(key))
        if key in self._known:
            self._members[key] = parts
        return parts


class ElementLimits:
    """The limits on an array's elements: no equal ones, not too many that `contains` matches.

    `lacks` says whether `contains` matches too few.
    """

    def __init__(self, merged: Demands) -> None:
        self._is_unique = merged.is_unique
        self._forms = set[object]()
        self._wanted = merged.contained
        self._counts = [0] * len(self._wanted)

    @property
    def lacks(self) -> bool:
        return any(
            count < wanted.least for count, wanted in zip(self._counts, self._wanted, strict=True)
        )

    def take(self, element: Json) -> bool:
        """Count an element, and return whether it may be added."""
        form = canonical(element) if self._is_unique else None
        if form in self._forms:
            return False
        matching, kind = [], type(element)
        for number, wanted in enumerate(self._wanted):
            check = wanted.part.checks.get(kind)
            if check is not None and check(element):
                if wanted.most is not None and self._counts[number] >= wanted.most:
                    return False
                matching.append(number)
        if form is not None:
            self._forms.add(form)
        for number in matching:
            self._counts[number] += 1
        return True


class Choice:
    """A choice among the alternatives with these `numbers`.

    The `lowest` of them end a recursion, the `endless` ones continue it. The value must conform to
    the parts `found` whatever is chosen; `later` are the choices after this one.
    """

    def __init__(
        self, part: Part, word: str, found: tuple[Part, ...], later: tuple[tuple[Part, str], ...]
    ) -> None:
        self.found, self.later = found, later
        self.next: dict[int, Choice | Demands] = {}
        self.options: list[tuple[Part, ...]] = []
        if word == "if":
            sides = (part.condition, part.then), (part.otherwise,)
            self.options = [tuple(each for each in side if each is not None) for side in sides]
            self.places = [f"{part.where}/then", f"{part.where}/else"]
        else:
            self.options = [(each,) for each in (part.any_of if word == "anyOf" else part.one_of)]
            self.places = [f"{part.where}/{word}/{number}" for number in range(len(self.options))]
        self.numbers = [
            number
            for number in (_SIDES if word == "if" else range(len(self.options)))
            if not any(exclude(each, other) for each in self.options[number] for other in found)
        ]
        heights = {
            number: max((each.height for each in self.options[number]), default=0)
            for number in self.numbers
        }
        lowest = min(heights.values(), default=0)
        self.lowest = [number for number in self.numbers if heights[number] == lowest]
        self.endless = [
            number
            for number in self.numbers
            if any(each.is_endless for each in self.options[number])
        ] or self.numbers


class Expansions:
    """The ways from parts, over choices, to all that a value must conform to."""

    def __init__(self) -> None:
        self._starts: dict[tuple[Part, ...], Choice | Demands] = {}
        self._merged: dict[tuple[Part, ...], Demands] = {}

    def start(self, parts: tuple[Part, ...]) -> Choice | Demands:
        node = self._starts.get(parts)
        if node is None:
            node = self._starts[parts] = self._expand(parts, (), ())
        return node

    def follow(self, choice: Choice, number: int) -> Choice | Demands:
        """Return what comes after an alternative."""
        node = self._expand(choice.options[number], choice.found, choice.later)
        choice.next[number] = node
        return node

    def _expand(
        self,
        parts: tuple[Part, ...],
        before: tuple[Part, ...],
        choices: tuple[tuple[Part, str], ...],
    ) -> Choice | Demands:
        waiting, found, left = list(parts), dict.fromkeys(before), list(choices)
        while waiting:
            part = waiting.pop()
            if part not in found:
                found[part] = None
                waiting += part.all_of
                left += ((part, word) for word in part.choices)
        if left:
            (part, word), *later = left
            return Choice(part, word, tuple(found), tuple(later))
        key = tuple(found)
        if key not in self._merged:
            self._merged[key] = Demands(key)
        return self._merged[key]


def _unless_never(parts: Iterable[Part]) -> tuple[Part, ...] | None:
    """Return the parts as a tuple, or None if no value conforms to one of them."""
    parts = tuple(parts)
    return None if any(part.is_never for part in parts) else parts


def _allowed_options(parts: Sequence[Part]) -> list[tuple[Json, str]] | None:
    """Return the values of an enum that all parts accept, with their places, or None without one.

    With several enums, they are those of the first one.
    """
    first = next((part for part in parts if part.enum is not None), None)
    if first is None:
        return None
    return [
        (value, f"{first.where}/enum/{number}")
        for number, value in enumerate(first.enum or ())
        if all(part.accepts(value) for part in parts)
    ]


def _ranges(least: list[Bound], most: list[Bound], units: Sequence[str]) -> tuple[Range, Range]:
    """Return the integers and the numbers within bounds that are multiples of the first unit."""
    low, is_low_open, _ = tightest(least, is_lower=True)
    high, is_high_open, _ = tightest(most, is_lower=False)
    opens = is_low_open, is_high_open
    unit = decimal_of(units[0]) if units else None
    integers = Range(low, high, opens=opens, unit=unit, is_integer=True)
    return integers, Range(low, high, opens=opens, unit=unit)


def _places(parts: Sequence[Part], field: str, *words: str) -> dict[int, list[str]]:
    """Return the places of the schema that bound a size, by bound."""
    places: dict[int, list[str]] = {}
    for part in parts:
        for bound, word in zip(getattr(part, field), words, strict=True):
            if bound is not None:
                places.setdefault(bound, []).append(f"{part.where}/{word}")
    return places


def _narrowed(bounds: Sequence[tuple[int, int | None]]) -> tuple[int, int | None]:
    highs = [high for _, high in bounds if high is not None]
    return max((low for low, _ in bounds), default=0), min(highs) if highs else None


def _common_types(parts: Sequence[Part]) -> tuple[str, ...]:
    """Return the types that all parts allow; without any type, those that the keywords are for."""
    names, has_types = set(TYPES), False
    for part in parts:
        if part.types is not None:
            own = set(part.types)
            own |= {"integer"} if "number" in own else set()
            names, has_types = names & own, True
    if not has_types:
        implied = {
            name
            for name, fields in _IMPLIED.items()
            if any(getattr(part, field) for part in parts for field in fields)
        }
        names = implied or names
    if "number" in names and not has_types:
        names.add("integer")
    return tuple(name for name in TYPES if name in names)

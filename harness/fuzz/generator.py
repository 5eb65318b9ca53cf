"""Draw inputs that a schema accepts, near its bounds more often than elsewhere.

The same random source always gives the same input.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Final

from harness.fuzz.patterns import FORMATS, draw_match
from harness.fuzz.schema import (
    TYPES,
    Bound,
    CompiledSchema,
    Part,
    canonical,
    escaped_step,
    tightest,
)
from harness.fuzz.values import Range, chance, decimal_of, draw_text, look_alike, small_size
from harness.jsonio.decoder import Json, Number
from harness.model.judgement import MISSING

_TRIES: Final = 30  # of a whole input
_LOCAL_TRIES: Final = 6  # of a value whose keywords may contradict what was drawn
_MOST_NODES: Final = 600  # values of an input; then only what must be there
_DEEPEST: Final = 40
_KEYS: Final = ("", "a", "b", "A", "key", "0", "__proto__", "\u00e9", "e\u0301", " ", "a/b", "~")
_IMPLIED: Final = {
    "object": ("properties", "required", "pattern_properties", "dependent_required"),
    "array": ("prefix", "items", "contains"),
    "string": ("patterns", "format"),
    "number": ("least", "most", "units"),
}


class _Unfit(Exception):
    """No value fits what was drawn so far."""


class _Merged:  # pylint: disable=too-many-instance-attributes  # a field a kind of keyword
    """What several parts demand of one value together."""

    def __init__(self, parts: Sequence[Part]) -> None:
        self.parts = parts
        self.is_never = any(part.is_never for part in parts)
        self.types = _common_types(parts)
        self.is_uncertain = any(part.is_uncertain for part in parts)
        enums = [part for part in parts if part.enum is not None]
        self.enum: list[tuple[Json, str]] | None = None
        if enums:
            self.enum = [
                (value, f"{enums[0].where}/enum/{number}")
                for number, value in enumerate(enums[0].enum or ())
                if all(part.accepts(value) for part in parts)
            ]
        self.lengths = _narrowed([part.lengths for part in parts])
        self.sizes = _narrowed([part.sizes for part in parts])
        self.counts = _narrowed([part.counts for part in parts])
        self.patterns = [each for part in parts for each in part.patterns]
        self.format = next((part.format for part in parts if part.format in FORMATS), "")
        self.is_unique = any(part.is_unique for part in parts)
        self.samples = [each for part in parts for each in part.samples]
        least = [each for part in parts for each in part.least]
        most = [each for part in parts for each in part.most]
        units = [each for part in parts for each in part.units]
        self.bounds: list[Bound] = [*least, *most]
        low, is_low_open, _ = tightest(least, is_lower=True)
        high, is_high_open, _ = tightest(most, is_lower=False)
        unit = decimal_of(units[0]) if units else None
        opens = is_low_open, is_high_open
        self.integers = Range(low, high, opens=opens, unit=unit, is_integer=True)
        self.numbers = Range(low, high, opens=opens, unit=unit)
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
        self.names = tuple(part.property_names for part in parts if part.property_names is not None)


class _ElementLimits:
    """What keeps an element out of an array: an equal one, or too many that `contains` matches."""

    def __init__(self, merged: _Merged) -> None:
        self._is_unique = merged.is_unique
        self._forms = set[str]()
        self._left = {
            part.contains: part.contained[1]
            for part in merged.parts
            if part.contains is not None and part.contained[1] is not None
        }
        self.are_any = self._is_unique or bool(self._left)

    def take(self, element: Json) -> bool:
        """Count an element, and return whether it may be added."""
        form = canonical(element) if self._is_unique else ""
        matching = [part for part in self._left if part.accepts(element)]
        if form in self._forms or any(self._left[part] <= 0 for part in matching):
            return False
        if form:
            self._forms.add(form)
        for part in matching:
            self._left[part] -= 1
        return True


class Generator:
    """Draws inputs; `hits` are the numbers of the branches that the last one takes."""

    def __init__(self, schema: CompiledSchema) -> None:
        self.schema: Final = schema
        self.hits = set[int]()
        self._merged: dict[tuple[int, ...], _Merged] = {}
        self._random = Random()
        self._nodes = 0
        self._deepest = 0

    def draw(self, random: Random) -> Json | None:
        """Return an input that the schema accepts, or None if none was found; null is not one."""
        self._random = random
        for number in range(_TRIES):
            self.hits = set()
            self._nodes = 0
            self._deepest = _DEEPEST if chance(random, 0.02) else 3 + int(random.random() * 5)
            if number > _TRIES // 2:
                self._deepest = 0
            try:
                value = self._value((self.schema.root,), 0)
            except _Unfit:
                continue
            if self.schema.root.accepts(value):
                return value
        return None

    def draw_part(self, random: Random, part: Part, depth: int = 2) -> Json:
        """Return a value for a part of the schema. Raises ValueError if there is none."""
        self._random, self._nodes, self._deepest = random, 0, depth
        try:
            return self._value((part,), 0)
        except _Unfit:
            raise ValueError("no value fits") from None

    def _hit(self, where: str) -> None:
        number = self.schema.branches.get(where)
        if number is not None:
            self.hits.add(number)

    def _value(self, parts: tuple[Part, ...], depth: int) -> Json:
        for number in range(_LOCAL_TRIES):
            try:
                merged = self._expand(parts, depth)
                value = self._draw(merged, depth)
            except _Unfit:
                if number == _LOCAL_TRIES - 1 or depth > 3:
                    raise
                continue
            if not merged.is_uncertain or all(part.accepts(value) for part in parts):
                return value
        raise _Unfit

    def _expand(self, parts: tuple[Part, ...], depth: int) -> _Merged:
        """Return what the parts demand, with one alternative of each choice."""
        waiting, found = list(parts), dict[int, Part]()
        while waiting:
            part = waiting.pop()
            if id(part) in found:
                continue
            found[id(part)] = part
            if part.all_of:
                waiting += part.all_of
            if part.any_of:
                waiting.append(self._alternative(part, part.any_of, "anyOf", depth))
            if part.one_of:
                waiting.append(self._alternative(part, part.one_of, "oneOf", depth))
            if part.condition is not None:
                waiting += self._side(part)
        key = tuple(found)
        merged = self._merged.get(key)
        if merged is None:
            merged = self._merged[key] = _Merged(list(found.values()))
        if merged.is_never:
            raise _Unfit
        return merged

    def _alternative(self, part: Part, options: Sequence[Part], word: str, depth: int) -> Part:
        if depth >= self._deepest or self._nodes > _MOST_NODES:
            lowest = min(option.height for option in options)
            numbers = [n for n, option in enumerate(options) if option.height == lowest]
            number = self._random.choice(numbers)
        else:
            number = self._random.randrange(len(options))
        self._hit(f"{part.where}/{word}/{number}")
        return options[number]

    def _side(self, part: Part) -> list[Part]:
        """Return what a condition adds: itself and `then`, or `else`."""
        assert part.condition is not None
        if chance(self._random, 0.6):
            self._hit(f"{part.where}/then")
            sides: list[Part | None] = [part.condition, part.then]
        else:
            self._hit(f"{part.where}/else")
            sides = [part.otherwise]
        return [each for each in sides if each is not None]

    def _draw(self, merged: _Merged, depth: int) -> Json:
        self._nodes += 1
        random = self._random
        if merged.enum is not None:
            if not merged.enum:
                raise _Unfit
            value, where = random.choice(merged.enum)
            self._hit(where)
            return value
        if merged.samples and chance(random, 0.6):
            return random.choice(merged.samples)
        name = self._type(merged, depth)
        if name in ("integer", "number"):
            return self._number(merged, merged.integers if name == "integer" else merged.numbers)
        if name in ("null", "boolean"):
            return None if name == "null" else chance(random, 0.5)
        if name == "string":
            return self._text(merged)
        return self._array(merged, depth) if name == "array" else self._object(merged, depth)

    def _type(self, merged: _Merged, depth: int) -> str:
        names = merged.types
        if not names:
            raise _Unfit
        if len(names) == 1:
            return names[0]
        if depth >= self._deepest or self._nodes > _MOST_NODES:
            names = tuple(each for each in names if each not in ("array", "object")) or names
        return self._random.choice(names)

    def _number(self, merged: _Merged, numbers: Range) -> Number:
        if numbers.is_empty:
            raise _Unfit
        value = numbers.draw(self._random)
        for bound in merged.bounds:
            if value.text == bound.text:
                self._hit(bound.where)
        return value

    def _text(self, merged: _Merged) -> str:
        least, most = merged.lengths
        if most is not None and least > most:
            raise _Unfit
        if merged.format and chance(self._random, 0.9):
            fitting = [each for each in FORMATS[merged.format] if len(each) >= least]
            fitting = [each for each in fitting if most is None or len(each) <= most]
            if fitting and not merged.patterns:
                return self._random.choice(fitting)
        if merged.patterns:
            text = draw_match(self._random, merged.patterns[0], least, most)
            if text is None:
                raise _Unfit
        else:
            text = draw_text(self._random, least, most)
        self._note_size(merged, len(text), "lengths", ("minLength", "maxLength"))
        return text

    def _note_size(self, merged: _Merged, size: int, field: str, words: tuple[str, str]) -> None:
        for part in merged.parts:
            for bound, word in zip(getattr(part, field), words, strict=True):
                if bound == size:
                    self._hit(f"{part.where}/{word}")

    def _size(self, bounds: tuple[int, int | None], depth: int) -> int:
        least, most = bounds
        if most is not None and least > most:
            raise _Unfit
        if depth >= self._deepest or self._nodes > _MOST_NODES:
            return least
        return small_size(self._random, least, most)

    def _array(self, merged: _Merged, depth: int) -> list[Json]:
        random, value = self._random, list[Json]()
        size = self._size(merged.sizes, depth)
        has_equals = not merged.is_unique and size > 1 and chance(random, 0.25)
        wanted, limits = self._contained(merged, size), _ElementLimits(merged)
        for index in range(size):
            own = (part.element(index) for part in merged.parts)
            parts = tuple(part for part in own if part is not None)
            if any(part.is_never for part in parts):
                break
            parts += tuple(wanted.get(index, ()))
            equal = (
                random.choice(value) if has_equals and value and chance(random, 0.5) else MISSING
            )
            if equal is not MISSING and all(part.accepts(equal) for part in parts):
                value.append(equal)
                continue
            for _ in range(_LOCAL_TRIES if limits.are_any else 1):
                element = self._value(parts, depth + 1)
                if limits.take(element):
                    value.append(element)
                    break
        if len(value) < merged.sizes[0]:
            raise _Unfit
        self._note_size(merged, len(value), "sizes", ("minItems", "maxItems"))
        return value

    def _contained(self, merged: _Merged, size: int) -> dict[int, list[Part]]:
        """Return, by index, the parts that elements match so that the array contains enough."""
        wanted: dict[int, list[Part]] = {}
        for part in merged.parts:
            if part.contains is not None:
                least, most = part.contained
                places = size if most is None else min(most, size)
                free = [index for index in range(size) if index not in wanted]
                count = self._random.choice((least, least, max(least, places)))
                count = min(count, max(len(free), min(least, size)))
                free = free if count <= len(free) else list(range(size))
                for bound, word in ((least, "minContains"), (most, "maxContains")):
                    if bound == count:
                        self._hit(f"{part.where}/{word}")
                for index in self._random.sample(free, count):
                    wanted.setdefault(index, []).append(part.contains)
        return wanted

    def _object(self, merged: _Merged, depth: int) -> dict[str, Json]:
        least, most = merged.counts
        if most is not None and (least > most or len(merged.required) > most):
            raise _Unfit
        value: dict[str, Json] = {}
        for key in dict.fromkeys(self._keys(merged, depth)):
            if most is not None and len(value) >= most:
                break
            parts = tuple(each for part in merged.parts for each in part.member(key))
            is_never = any(each.is_never for each in parts)
            if not is_never and all(part.accepts(key) for part in merged.names):
                value[key] = self._value(parts, depth + 1)
                if key in merged.optional:
                    for part in merged.parts:
                        self._hit(f"{part.where}/properties/{escaped_step(key)}")
        if len(value) < least:
            raise _Unfit
        self._note_size(merged, len(value), "counts", ("minProperties", "maxProperties"))
        return value

    def _keys(self, merged: _Merged, depth: int) -> list[str]:
        """Return the keys of an object: those that must be there, and some that may."""
        random, keys = self._random, list(merged.required)
        is_brief = depth >= self._deepest or self._nodes > _MOST_NODES
        share = 0.0 if is_brief else random.choice((0.0, 0.5, 0.5, 0.5, 1.0))
        keys += [key for key in merged.optional if share and random.random() < share]
        extra = not is_brief and merged.is_open and chance(random, 0.4)
        wanted = self._size((0, None), depth) if extra else 0
        for _ in range(max(merged.counts[0] - len(keys), wanted)):
            keys.append(self._key(merged, keys))
        if merged.key_patterns and not is_brief:
            for _ in range(small_size(random, 0, 3, 1)):
                pattern = random.choice(merged.key_patterns)
                keys.append(draw_match(random, pattern, 0, None) or "")
        for part in merged.parts:
            for key, others in part.dependent_required.items():
                keys += others if key in keys else ()
        if chance(random, 0.15):
            random.shuffle(keys)
        return keys

    def _key(self, merged: _Merged, keys: list[str]) -> str:
        random = self._random
        if merged.names and chance(random, 0.9):
            found = self._value(merged.names, self._deepest)
            if isinstance(found, str):
                return found
        if merged.key_patterns and (not merged.is_open or chance(random, 0.5)):
            found = draw_match(random, random.choice(merged.key_patterns), 0, None)
            return found or ""
        known = keys or merged.optional
        if known and chance(random, 0.4):
            return look_alike(random, random.choice(known))
        return random.choice(_KEYS) if chance(random, 0.7) else draw_text(random)


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

"""Draw inputs that a schema accepts, near its bounds more often than elsewhere.

The same random source always gives the same input.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from random import Random
from typing import Final

from harness.fuzz.demands import Choice, Demands, ElementLimits, Expansions
from harness.fuzz.echoes import echo_of, in_other_order
from harness.fuzz.parts import Part
from harness.fuzz.patterns import FORMATS, draw_match
from harness.fuzz.schema import CompiledSchema
from harness.fuzz.values import Range, chance, draw_text, large_size, look_alike, pick, small_size
from harness.jsonio.decoder import Json, Number

_TRIES: Final = 30  # of a whole input
_LOCAL_TRIES: Final = 6  # of a value whose keywords may contradict what was drawn
_MOST_NODES: Final = 600  # values of an input; then only what must be there
_DEEP: Final = (9, 17, 33, 40, 65, 101, 129)  # beyond the limits of some programs
_ECHOES: Final = 0.06  # the share of values that resemble one that was drawn before
_REORDERED: Final = 0.12  # the share of arrays whose elements are put in another order
_LONG_REORDERED: Final = 0.3  # the same of long arrays
_LONG: Final = 5  # elements
_CONTAINERS: Final = ("array", "object")
_CLASSES: Final = {
    "string": str,
    "integer": Number,
    "number": Number,
    "array": list,
    "object": dict,
}
_KEYS: Final = ("", "a", "b", "A", "key", "0", "__proto__", "\u00e9", "e\u0301", " ", "a/b", "~")


class _Unfit(Exception):
    """No value fits what was drawn so far; `where` is the place of its schema, once it is known."""

    where = ""


class Generator:
    """Draws inputs."""

    def __init__(self, schema: CompiledSchema) -> None:
        self.schema: Final = schema
        self.misfits = Counter[str]()  # places of the schema for which no value was found
        self._places = set[str]()  # of the schema that the last input takes
        self._expansions = Expansions()
        self._random = Random()
        self._nodes = 0
        self._deepest = 0  # the depth at which only what must be there is drawn
        self._goes_deep = False  # whether a value of this depth is drawn, if there can be one
        self._goes_wide = False  # whether an array or object still becomes large
        self._earlier: dict[type, list[Json]] = {}  # values that were drawn, by type

    def draw(self, random: Random) -> Json | None:
        """Return an input that the schema accepts, or None if none was found; null is not one."""
        self._random = random
        for number in range(_TRIES):
            self._places = set()
            self._earlier = {str: [], Number: [], list: [], dict: []}
            self._nodes = 0
            self._goes_deep = chance(random, 0.02)
            self._goes_wide = chance(random, 0.02)
            self._deepest = pick(random, _DEEP) if self._goes_deep else 3 + int(random.random() * 5)
            if number > _TRIES // 2:
                self._deepest = 0
            try:
                value = self._value((self.schema.root,), 0)
                if self.schema.root.accepts(value):
                    return value
            except (_Unfit, RecursionError) as problem:
                self.misfits[getattr(problem, "where", "") or self.schema.root.where] += 1
        return None

    @property
    def hits(self) -> set[int]:
        """The numbers of the branches that the last input takes."""
        branches = self.schema.branches
        return {branches[where] for where in self._places if where in branches}

    def _value(self, parts: tuple[Part, ...], depth: int) -> Json:
        for number in range(_LOCAL_TRIES):
            try:
                merged = self._expand(parts, depth)
                value = self._draw(merged, depth)
            except _Unfit as unfit:
                unfit.where = unfit.where or parts[-1].where
                if number == _LOCAL_TRIES - 1 or depth > 3:
                    raise
                continue
            if not merged.is_uncertain or all(part.accepts(value) for part in parts):
                earlier = self._earlier.get(type(value))
                if earlier is not None:
                    earlier.append(value)
                return value
        raise _Unfit

    def _expand(self, parts: tuple[Part, ...], depth: int) -> Demands:
        """Return what the parts demand, with one alternative of each choice."""
        node = self._expansions.start(parts)
        while isinstance(node, Choice):
            numbers = node.numbers
            if self._is_brief(depth):
                numbers = node.lowest
            elif self._goes_deep:
                numbers = node.endless
            if not numbers:
                raise _Unfit
            number = pick(self._random, numbers)
            self._places.add(node.places[number])
            node = node.next.get(number) or self._expansions.follow(node, number)
        if node.is_never:
            raise _Unfit
        return node

    def _is_brief(self, depth: int) -> bool:
        """Return whether to draw only what must be there."""
        return depth >= self._deepest or self._nodes > _MOST_NODES

    def _draw(self, merged: Demands, depth: int) -> Json:
        self._nodes += 1
        random = self._random
        if merged.enum is not None:
            return self._draw_option(merged.enum)
        if merged.samples and random.random() < 0.6:
            return pick(random, merged.samples)
        name = self._type(merged, depth)
        earlier = self._earlier[_CLASSES[name]] if name in _CLASSES else ()
        if earlier and random.random() < _ECHOES:
            echo = echo_of(random, pick(random, earlier), self._earlier)
            if merged.accept(echo):
                return echo
        return self._draw_of_type(merged, name, depth)

    def _draw_of_type(self, merged: Demands, name: str, depth: int) -> Json:
        if name in ("integer", "number"):
            return self._number(merged, merged.integers if name == "integer" else merged.numbers)
        if name in _CONTAINERS:
            return self._array(merged, depth) if name == "array" else self._object(merged, depth)
        if name == "string":
            return self._text(merged)
        return None if name == "null" else chance(self._random, 0.5)

    def _draw_option(self, options: Sequence[tuple[Json, str]]) -> Json:
        if not options:
            raise _Unfit
        value, where = pick(self._random, options)
        self._places.add(where)
        return value

    def _type(self, merged: Demands, depth: int) -> str:
        names = merged.types
        if not names:
            raise _Unfit
        if len(names) == 1:
            return names[0]
        is_brief = self._is_brief(depth)
        if is_brief or self._goes_deep:
            fitting = [each for each in names if (each not in _CONTAINERS) == is_brief]
            return pick(self._random, fitting or names)
        return pick(self._random, names)

    def _number(self, merged: Demands, numbers: Range) -> Number:
        if numbers.is_empty:
            raise _Unfit
        value = numbers.draw(self._random)
        for bound in merged.bounds:
            if value.text == bound.text:
                self._places.add(bound.where)
        return value

    def _text(self, merged: Demands) -> str:
        least, most = merged.lengths
        if most is not None and least > most:
            raise _Unfit
        if merged.format and chance(self._random, 0.9):
            fitting = [each for each in FORMATS[merged.format] if len(each) >= least]
            fitting = [each for each in fitting if most is None or len(each) <= most]
            if fitting and not merged.patterns:
                return pick(self._random, fitting)
        if merged.patterns:
            text = draw_match(self._random, merged.patterns[0], least, most)
            if text is None:
                raise _Unfit
        else:
            text = draw_text(self._random, least, most)
        self._note_size(merged, len(text), "lengths")
        return text

    def _note_size(self, merged: Demands, size: int, field: str) -> None:
        self._places.update(merged.places[field].get(size, ()))

    def _size(self, bounds: tuple[int, int | None], depth: int) -> int:
        least, most = bounds
        if most is not None and least > most:
            raise _Unfit
        if self._is_brief(depth):
            return least
        if self._goes_deep:
            return least or int(most != 0)
        if self._goes_wide and chance(self._random, 0.5):
            self._goes_wide = False
            return large_size(self._random, least, most)
        return small_size(self._random, least, most)

    def _array(self, merged: Demands, depth: int) -> list[Json]:
        random, value = self._random, list[Json]()
        size = self._size(merged.sizes, depth)
        has_equals = not merged.is_unique and size > 1 and random.random() < 0.25
        wanted = self._contained(merged, size) if merged.contained else {}
        limits = ElementLimits(merged) if merged.is_unique or merged.contained else None
        for index in range(size):
            parts = merged.elements(index)
            if parts is None:
                break
            if index in wanted:
                parts += tuple(wanted[index])
            if has_equals and value and random.random() < 0.5:
                equal = pick(random, value)
                if all(part.accepts(equal) for part in parts):
                    if limits is None or limits.take(equal):
                        value.append(equal)
                    continue
            for _ in range(1 if limits is None else _LOCAL_TRIES):
                element = self._value(parts, depth + 1)
                if limits is None or limits.take(element):
                    value.append(element)
                    break
        if len(value) < merged.sizes[0] or limits is not None and limits.lacks:
            raise _Unfit
        self._note_size(merged, len(value), "sizes")
        return self._maybe_reordered(merged, value)

    def _maybe_reordered(self, merged: Demands, value: list[Json]) -> list[Json]:
        """Return an array, or rarely its elements in another order."""
        random = self._random
        share = _REORDERED if len(value) < _LONG else _LONG_REORDERED
        if len(value) > 1 and random.random() < share:
            reordered = in_other_order(random, value)
            if merged.accept(reordered):
                return reordered
        return value

    def _contained(self, merged: Demands, size: int) -> dict[int, list[Part]]:
        """Return, by index, the parts that elements match so that the array contains enough."""
        wanted: dict[int, list[Part]] = {}
        for one in merged.contained:
            count, free = one.least, list[int]()
            if self._random.random() < 0.33:
                count = max(count, size if one.most is None else min(one.most, size))
            if count:
                free = [index for index in range(size) if index not in wanted]
                count = min(count, max(len(free), min(one.least, size)))
            if count in one.places:
                self._places.add(one.places[count])
            if count:
                free = free if count <= len(free) else list(range(size))
                for index in self._random.sample(free, count):
                    wanted.setdefault(index, []).append(one.part)
        return wanted

    def _object(self, merged: Demands, depth: int) -> dict[str, Json]:
        least, most = merged.counts
        if most is not None and (least > most or len(merged.required) > most):
            raise _Unfit
        value: dict[str, Json] = {}
        for key in self._keys(merged, depth):
            if key in value:
                continue
            if most is not None and len(value) >= most:
                break
            parts = merged.members(key)
            if parts is not None and all(part.accepts(key) for part in merged.names):
                value[key] = self._value(parts, depth + 1)
                self._places.update(merged.member_places.get(key, ()))
            elif key in merged.required:
                raise _Unfit
        if len(value) < least:
            raise _Unfit
        self._note_size(merged, len(value), "counts")
        return value

    def _keys(self, merged: Demands, depth: int) -> list[str]:
        """Return the keys of an object: those that must be there, and some that may."""
        random, keys = self._random, list(merged.required)
        is_brief = self._is_brief(depth)
        if self._goes_deep and not is_brief and merged.optional:
            keys.append(pick(random, merged.endless or merged.optional))
        elif not is_brief and (share := pick(random, (0.0, 0.5, 0.5, 0.5, 1.0))):
            keys += [key for key in merged.optional if random.random() < share]
        extra = not is_brief and merged.is_open and random.random() < 0.4
        wanted = self._size((0, None), depth) if extra else 0
        for _ in range(max(merged.counts[0] - len(keys), wanted)):
            keys.append(self._key(merged, keys))
        if merged.key_patterns and not is_brief:
            for _ in range(small_size(random, 0, 3, 1)):
                pattern = pick(random, merged.key_patterns)
                keys.append(draw_match(random, pattern, 0, None) or "")
        for key, others in merged.dependent:
            keys += others if key in keys else ()
        if len(keys) > 1 and random.random() < 0.15:
            random.shuffle(keys)
        return keys

    def _key(self, merged: Demands, keys: list[str]) -> str:
        random = self._random
        if merged.names and chance(random, 0.9):
            found = self._value(merged.names, self._deepest)
            if isinstance(found, str):
                return found
        if merged.key_patterns and (not merged.is_open or chance(random, 0.5)):
            found = draw_match(random, pick(random, merged.key_patterns), 0, None)
            return found or ""
        known = keys or merged.optional
        if known and chance(random, 0.4):
            return look_alike(random, pick(random, known))
        if (texts := self._earlier[str]) and chance(random, 0.2):
            text = pick(random, texts)
            assert isinstance(text, str)
            return text
        return pick(random, _KEYS) if chance(random, 0.7) else draw_text(random)

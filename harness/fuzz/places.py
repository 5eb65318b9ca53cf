"""Find the values inside an input, and the demands of its schema on each of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import product
from typing import Final, NamedTuple

from harness.fuzz.edits import Path, values_inside
from harness.fuzz.parts import Part
from harness.jsonio.decoder import Json, encode

_MOST: Final = 32  # alternatives at a place, beyond which its demands are ignored
_DEEPEST: Final = 8  # alternatives inside alternatives

_Alternative = tuple[Part, ...]


class Place(NamedTuple):
    """A value inside an input, where its text begins in that of the input, and the demands."""

    path: Path
    value: Json
    text: str
    start: int
    demands: LocalDemands

    @property
    def end(self) -> int:
        return self.start + len(self.text)


class LocalDemands:
    """The demands of a valid input on the value at a place, whatever its other values are.

    At least, the value must be valid by all parts of one alternative; the whole may demand more.
    """

    def __init__(self, alternatives: tuple[_Alternative, ...]) -> None:
        self._alternatives = alternatives
        self._inside: dict[int | str, LocalDemands] = {}

    def allow(self, value: Json) -> bool:
        kind = type(value)
        for parts in self._alternatives:
            for part in parts:
                check = part.checks.get(kind)
                if check is None or not check(value):
                    break
            else:
                return True
        return False

    @cached_property
    def options(self) -> Sequence[Json] | None:
        """The values that are allowed, or None if they are not known."""
        options: list[Json] = []
        for alternative in self._alternatives:
            for flat in product(*(_flattened(part, _DEEPEST) for part in alternative)):
                enum = next((part.enum for parts in flat for part in parts if part.enum), None)
                if enum is None:
                    return None
                options += enum
        return options if self._alternatives else None

    @cached_property
    def _prefix(self) -> int:
        """The number of elements that have demands of their own."""
        alternatives = self._flat_alternatives(int)
        return max((len(part.prefix) for parts in alternatives for part in parts), default=0)

    def inside(self, step: int | str) -> LocalDemands:
        """Return what is demanded of an element or a member."""
        if isinstance(step, int):
            step = min(step, self._prefix)
        found = self._inside.get(step)
        if found is None:
            alternatives = dict.fromkeys(
                _parts_inside(alternative, step)
                for alternative in self._flat_alternatives(type(step))
            )
            found = self._inside[step] = LocalDemands(
                tuple(alternatives) if len(alternatives) <= _MOST else ((),)
            )
        return found

    def new_keys(self, value: dict[str, Json], key: str) -> frozenset[str] | None:
        """Return the keys that may replace one, or None if they are not known."""
        keys = set[str]()
        for alternative in self._flat_alternatives(str):
            closed = [
                part.properties.keys()
                for part in alternative
                if part.additional is not None
                and part.additional.is_never
                and not part.pattern_properties
            ]
            if not any(key in part.required for part in alternative):
                if not closed:
                    return None
                keys |= closed[0]
        return frozenset(keys - value.keys())

    def _flat_alternatives(self, step: type) -> Iterator[_Alternative]:
        """Yield the alternatives for arrays or objects, with the parts that theirs refer to."""
        name = "array" if step is int else "object"
        for alternative in self._alternatives:
            for flat in product(*(_flattened(part, _DEEPEST) for part in alternative)):
                parts = tuple(part for inner in flat for part in inner)
                if all(part.types is None or name in part.types for part in parts):
                    yield parts


NO_DEMANDS: Final = LocalDemands(((),))


def _parts_inside(parts: _Alternative, step: int | str) -> _Alternative:
    if isinstance(step, str):
        return tuple(dict.fromkeys(inner for part in parts for inner in part.member(step)))
    found = dict.fromkeys(part.element(step) for part in parts)
    return tuple(part for part in found if part is not None)


def _flattened(part: Part, depth: int) -> list[_Alternative]:
    """Return the alternatives of a part, without demands that would make them too many."""
    alternatives: list[_Alternative] = [(part,)]
    for options in (*([each] for each in part.all_of), part.any_of, part.one_of) if depth else ():
        more = [alternative for each in options for alternative in _flattened(each, depth - 1)]
        if more and len(alternatives) * len(more) <= _MOST:
            alternatives = [one + other for one, other in product(alternatives, more)]
    return alternatives


def places(value: Json, demands: LocalDemands) -> list[Place]:
    """Return every value inside a value, itself first, in the order of the text."""
    texts = _texts(value)
    found, waiting = list[Place](), [Place((), value, texts[id(value)], 0, demands)]
    while waiting:
        place = waiting.pop()
        found.append(place)
        waiting += reversed(list(_inner_places(place, texts)))
    return found


def _texts(value: Json) -> dict[int, str]:
    """Return the texts of a value and of all values inside it, by identity."""
    texts: dict[int, str] = {}
    for inner in reversed(list(values_inside(value))):
        if isinstance(inner, list):
            text = f"[{','.join([texts[id(each)] for each in inner])}]"
        elif isinstance(inner, dict):
            members = [f"{encode(key)}:{texts[id(each)]}" for key, each in inner.items()]
            text = f"{{{','.join(members)}}}"
        else:
            text = encode(inner)
        texts[id(inner)] = text
    return texts


def _inner_places(place: Place, texts: Mapping[int, str]) -> Iterator[Place]:
    path, value, _, start, demands = place
    if isinstance(value, list):
        for index, inner in enumerate(value):
            text = texts[id(inner)]
            yield Place((*path, index), inner, text, start + 1, demands.inside(index))
            start += len(text) + 1
    elif isinstance(value, dict):
        for key, inner in value.items():
            text = texts[id(inner)]
            start += len(encode(key)) + 1
            yield Place((*path, key), inner, text, start + 1, demands.inside(key))
            start += len(text) + 1

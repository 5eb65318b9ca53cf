"""Where values stand in a program's answers: one spot for all places that mean the same.

Pure. An index stands for itself in arrays that are always equally long, and for all otherwise; a
key likewise in objects of few keys. What is done at a spot is decided in harness/care/mutation.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import Enum
from typing import Final, NamedTuple

from harness.jsontext import Json
from harness.paths import Place, pointer
from harness.records import MISSING, Missing

__all__ = ["Change", "Every", "Spot", "Step", "outline", "replaced", "spelled"]


class Every(Enum):
    """The step to all that is inside an array, or inside an object. At one place there may be both:
    they are two spots, though both are written `*`."""

    ELEMENT = "element"
    MEMBER = "member"


Step = int | str | Every
# What becomes of a value; MISSING: it is left out.
Change = Callable[[Json], Json | Missing]

_DEEPEST: Final = 12  # steps: nobody reads about a spot that is further down, and walks recurse
_MOST_PLACES: Final = 12  # elements of an array whose places have meanings of their own
_MOST_KEYS: Final = 40  # keys of an object that is a record; with more it is a dictionary


class Spot(NamedTuple):
    """Places that mean the same: the steps to them, and the values that stand there, in order, by
    the number of the answer that they stand in."""

    steps: tuple[Step, ...]
    values: Mapping[int, Sequence[Json]]

    @property
    def all_values(self) -> list[Json]:
        """The values of all answers."""
        return [value for values in self.values.values() for value in values]


def outline(streams: Sequence[list[Json]]) -> Iterator[Spot]:
    """Every spot of some answers, each the array of all its values, from the outside in. The first
    is the whole of an answer."""
    waiting = [Spot((), {number: [stream] for number, stream in enumerate(streams)})]
    while waiting:
        spot = waiting.pop()
        yield spot
        if len(spot.steps) < _DEEPEST:
            waiting += reversed([*_elements(spot), *_members(spot)])


def replaced(value: Json, steps: Sequence[Step], change: Change) -> Json | Missing:
    """The value with a change made wherever the steps lead; the very same where none was made."""
    if not steps:
        return change(value)
    step, rest = steps[0], steps[1:]
    inside: dict[int | str, Json | Missing] = {}
    for key, old in _reached(value, step):
        new = replaced(old, rest, change)
        if new is not old:
            inside[key] = new
    return _with(value, inside) if inside and isinstance(value, (list, dict)) else value


def spelled(steps: Sequence[Step]) -> str:
    """The steps as suite.toml writes a path."""
    place: Place = None
    for step in steps:
        place = (place, "*" if isinstance(step, Every) else step)
    return pointer(place)


def _reached(value: Json, step: Step) -> Iterator[tuple[int | str, Json]]:
    if isinstance(value, list):
        if step is Every.ELEMENT:
            yield from enumerate(value)
        elif isinstance(step, int) and step < len(value):
            yield step, value[step]
    elif isinstance(value, dict):
        if step is Every.MEMBER:
            yield from value.items()
        elif isinstance(step, str) and step in value:
            yield step, value[step]


def _with(value: list[Json] | dict[str, Json], inside: Mapping[int | str, Json | Missing]) -> Json:
    if isinstance(value, list):
        elements = (inside.get(index, element) for index, element in enumerate(value))
        return [element for element in elements if element is not MISSING]
    members = ((key, inside.get(key, member)) for key, member in value.items())
    return {key: member for key, member in members if member is not MISSING}


def _elements(spot: Spot) -> Iterator[Spot]:
    arrays = {
        number: [value for value in values if isinstance(value, list)]
        for number, values in spot.values.items()
    }
    every = [array for found in arrays.values() for array in found]
    lengths = {len(array) for array in every}
    if len(every) > 1 and len(lengths) == 1 and max(lengths) <= _MOST_PLACES:
        for index in range(max(lengths)):
            inside = {n: [array[index] for array in found] for n, found in arrays.items()}
            yield _spot(spot, index, inside)
    elif any(lengths):
        inside = {n: [one for array in found for one in array] for n, found in arrays.items()}
        yield _spot(spot, Every.ELEMENT, inside)


def _members(spot: Spot) -> Iterator[Spot]:
    objects = {
        number: [value for value in values if isinstance(value, dict)]
        for number, values in spot.values.items()
    }
    keys = dict.fromkeys(key for found in objects.values() for one in found for key in one)
    if len(keys) > _MOST_KEYS:
        inside = {n: [v for one in found for v in one.values()] for n, found in objects.items()}
        yield _spot(spot, Every.MEMBER, inside)
        return
    for key in keys:
        inside = {n: [one[key] for one in found if key in one] for n, found in objects.items()}
        yield _spot(spot, key, inside)


def _spot(above: Spot, step: Step, values: Mapping[int, list[Json]]) -> Spot:
    return Spot((*above.steps, step), {number: found for number, found in values.items() if found})

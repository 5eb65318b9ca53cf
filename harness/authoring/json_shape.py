"""Find the paths of a program's outputs, and replace the values at a path.

In arrays of constant length, each index is a step of its own, and in objects with few keys, each
key; otherwise one step stands for all elements or members.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import Enum
from typing import Final, NamedTuple

from harness.jsonio.decoder import Json
from harness.jsonio.pointers import Place, pointer
from harness.model.judgement import MISSING, Missing


class EveryElement(Enum):
    """The step to all elements of an array, or all members of an object; both are written `*`."""

    ELEMENT = "element"
    MEMBER = "member"


Step = int | str | EveryElement
# Returns the replacement of a value, or MISSING to remove it.
ValueChange = Callable[[Json], Json | Missing]

_MOST_STEPS: Final = 12  # steps; replace_value recurses
_MOST_ELEMENTS: Final = 12  # elements of an array that is a record, not a list
_MOST_KEYS: Final = 40  # keys of an object that is a record, not a dictionary


class ShapePath(NamedTuple):
    """A path, and the values at it by the index of their output."""

    steps: tuple[Step, ...]
    values: Mapping[int, Sequence[Json]]

    @property
    def all_values(self) -> list[Json]:
        return [value for values in self.values.values() for value in values]


def outline_outputs(streams: Sequence[list[Json]]) -> Iterator[ShapePath]:
    """Yield every path of these outputs, each before the paths below it; the first is empty.

    An output is the array of all its values.
    """
    waiting = [ShapePath((), {number: [stream] for number, stream in enumerate(streams)})]
    while waiting:
        path = waiting.pop()
        yield path
        if len(path.steps) < _MOST_STEPS:
            waiting += [_inner_path(path, step) for step in reversed([*_inner_steps(path)])]


def replace_value(value: Json, steps: Sequence[Step], change: ValueChange) -> Json | Missing:
    """Return the value with the change applied wherever `steps` lead, or itself if unchanged."""
    if not steps:
        return change(value)
    step, rest = steps[0], steps[1:]
    inside: dict[int | str, Json | Missing] = {}
    for key, old in _children_at(value, step):
        new = replace_value(old, rest, change)
        if new is not old:
            inside[key] = new
    return _replace_children(value, inside) if inside and isinstance(value, (list, dict)) else value


def format_shape_path(steps: Sequence[Step]) -> str:
    """Return the steps as a path in suite.toml."""
    place: Place = None
    for step in steps:
        place = (place, "*" if isinstance(step, EveryElement) else step)
    return pointer(place)


def _children_at(value: Json, step: Step) -> Iterator[tuple[int | str, Json]]:
    if isinstance(value, list):
        if step is EveryElement.ELEMENT:
            yield from enumerate(value)
        elif isinstance(step, int) and step < len(value):
            yield step, value[step]
    elif isinstance(value, dict):
        if step is EveryElement.MEMBER:
            yield from value.items()
        elif isinstance(step, str) and step in value:
            yield step, value[step]


def _replace_children(
    value: list[Json] | dict[str, Json], inside: Mapping[int | str, Json | Missing]
) -> Json:
    if isinstance(value, list):
        elements = (inside.get(index, element) for index, element in enumerate(value))
        return [element for element in elements if element is not MISSING]
    members = ((key, inside.get(key, member)) for key, member in value.items())
    return {key: member for key, member in members if member is not MISSING}


def _inner_steps(path: ShapePath) -> Iterator[Step]:
    arrays = [value for value in path.all_values if isinstance(value, list)]
    lengths = {len(array) for array in arrays}
    if len(arrays) > 1 and len(lengths) == 1 and max(lengths) <= _MOST_ELEMENTS:
        yield from range(max(lengths))
    elif any(lengths):
        yield EveryElement.ELEMENT
    keys = dict.fromkeys(key for one in path.all_values if isinstance(one, dict) for key in one)
    if len(keys) > _MOST_KEYS:
        yield EveryElement.MEMBER
    else:
        yield from keys


def _inner_path(path: ShapePath, step: Step) -> ShapePath:
    inside = {
        number: [child for value in values for _, child in _children_at(value, step)]
        for number, values in path.values.items()
    }
    below = {number: children for number, children in inside.items() if children}
    return ShapePath((*path.steps, step), below)

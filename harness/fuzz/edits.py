"""Find the values inside an input, and replace or remove them; nothing is changed in place."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Final

from harness.fuzz.values import pick
from harness.jsonio.decoder import Json
from harness.model.judgement import Missing

_STOP: Final = 0.15  # the share of walks that end at a value with others inside

Path = tuple[int | str, ...]


def values_inside(value: Json) -> Iterator[Json]:
    """Yield every value inside a value, itself first, in the order of the text."""
    waiting = [value]
    while waiting:
        inner = waiting.pop()
        yield inner
        if isinstance(inner, list):
            waiting += reversed(inner)
        elif isinstance(inner, dict):
            waiting += reversed(inner.values())


def random_place(random: Random, value: Json) -> tuple[Path, Json]:
    """Return a value inside a value, or the whole, as a walk from the outside finds it."""
    path: list[int | str] = []
    while value and random.random() > _STOP:
        if isinstance(value, list):
            index = int(random.random() * len(value))
            path.append(index)
            value = value[index]
        elif isinstance(value, dict):
            key = pick(random, list(value))
            path.append(key)
            value = value[key]
        else:
            break
    return tuple(path), value


def replaced(value: Json, path: Path, new: Json | Missing) -> Json:
    """Return the value with another one at a place, or without that place."""
    if not path:
        return None if isinstance(new, Missing) else new
    levels: list[Json] = [value]
    for step in path[:-1]:
        levels.append(_child(levels[-1], step))
    changed: Json | Missing = new
    for level, step in zip(reversed(levels), reversed(path), strict=True):
        changed = _with(level, step, changed)
    assert not isinstance(changed, Missing)
    return changed


def _child(value: Json, step: int | str) -> Json:
    if isinstance(value, list) and isinstance(step, int):
        return value[step]
    assert isinstance(value, dict) and isinstance(step, str)
    return value[step]


def _with(value: Json, step: int | str, new: Json | Missing) -> Json:
    if isinstance(value, list) and isinstance(step, int):
        inner = [] if isinstance(new, Missing) else [new]
        return [*value[:step], *inner, *value[step + 1 :]]
    assert isinstance(value, dict) and isinstance(step, str)
    if isinstance(new, Missing):
        return {key: member for key, member in value.items() if key != step}
    return value | {step: new}

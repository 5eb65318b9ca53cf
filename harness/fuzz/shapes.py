"""Learn a schema from inputs, for a suite that has none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from harness.fuzz.parts import type_name
from harness.fuzz.validity import is_whole
from harness.jsonio.decoder import Json, encode

_MOST_KEYS: Final = 40  # of an object that is a record, not a dictionary
_MOST_ENUM: Final = 12  # texts that look like a choice
_SAMPLES: Final = 30
_DEEPEST: Final = 12


def learn_schema(inputs: Sequence[Json]) -> dict[str, Any]:
    """Return a schema that accepts these streams of values and others of their shapes.

    Numbers and texts may be any; keys, and the types at each place, are those that were seen.
    Texts that repeat are a choice: other ones are drawn, too, but less often. Streams have several
    values only if some of these do.
    """
    schema = _learn(inputs, _DEEPEST)
    if all(isinstance(values, list) and len(values) == 1 for values in inputs):
        schema |= {"minItems": 1, "maxItems": 1}
    return schema


def _learn(values: Sequence[Json], depth: int) -> dict[str, Any]:
    if not depth or not values:
        return {}
    schema: dict[str, Any] = {"type": sorted({_type(value, values) for value in values})}
    texts = list(dict.fromkeys(value for value in values if isinstance(value, str)))
    numbers = [value for value in values if type_name(value) == "number"]
    samples = [*texts[:_SAMPLES], *{encode(value): value for value in numbers[:_SAMPLES]}.values()]
    if len(texts) <= _MOST_ENUM or numbers:
        schema["x-samples"] = samples
    arrays = [value for value in values if isinstance(value, list)]
    if arrays:
        schema |= _learn_arrays(arrays, depth)
    objects = [value for value in values if isinstance(value, dict)]
    if objects:
        schema |= _learn_objects(objects, depth)
    return schema


def _type(value: Json, values: Sequence[Json]) -> str:
    name = type_name(value)
    if name != "number":
        return name
    return "integer" if all(is_whole(each) for each in values if type_name(each) == name) else name


def _learn_arrays(arrays: Sequence[list[Json]], depth: int) -> dict[str, Any]:
    lengths = {len(array) for array in arrays}
    size = max(lengths)
    columns = [
        [array[index] for array in arrays] for index in range(size if len(lengths) == 1 else 0)
    ]
    kinds = [{type_name(value) for value in column} for column in columns]
    if len(arrays) > 3 and 1 < size <= _MOST_ENUM and any(kind != kinds[0] for kind in kinds):
        prefix = [_learn(column, depth - 1) for column in columns]
        return {"prefixItems": prefix, "minItems": size, "items": False}
    elements = [element for array in arrays for element in array]
    return {"items": _learn(elements, depth - 1)} if elements else {}


def _learn_objects(objects: Sequence[dict[str, Json]], depth: int) -> dict[str, Any]:
    keys = list(dict.fromkeys(key for value in objects for key in value))
    if len(keys) > _MOST_KEYS:
        members = [member for value in objects for member in value.values()]
        return {"additionalProperties": _learn(members, depth - 1)}
    properties = {
        key: _learn([value[key] for value in objects if key in value], depth - 1) for key in keys
    }
    required = [key for key in keys if all(key in value for value in objects)]
    return {"properties": properties, "required": required, "additionalProperties": False}

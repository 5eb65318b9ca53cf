"""Match values with the JSON Schemas of a comparison.

Imported only if a suite has such a schema: jsonschema takes 90 ms to import. A schema refers only
to its own parts; `with_files` puts the files that it refers to into it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import islice
from typing import Any, Final, NamedTuple

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError, ValidationError, best_match, relevance
from referencing import Registry, Resource
from referencing.exceptions import Unresolvable
from referencing.jsonschema import DRAFT202012

from harness.jsonio.decoder import Json, encode
from harness.jsonio.fast import decode
from harness.jsonio.pointers import Place, pointer
from harness.judging.formats import format_checker
from harness.judging.schema_values import (
    ExactValidator,
    check_schema,
    parse_schema,
    plain_value,
    schema_value,
)
from harness.model.comparison import FILE_URI
from harness.text import quote, shorten

ELSEWHERE: Final = "neither it nor the suite's folder has"  # ends the fault of a lost file
_MOST_ERRORS: Final = 100
_MESSAGE: Final = 200  # characters of a message of jsonschema, which quotes whole values
_WHOLE: Final = f"{FILE_URI}:whole:"


def matches_schema(schema: str, value: Json) -> bool:
    """Return whether a value matches a valid schema; one that cannot be checked does not."""
    try:
        return _validator(schema).is_valid(schema_value(value))
    except RecursionError:
        return False


class ValueFault(NamedTuple):
    """The place in a value, a JSON Pointer, that breaks a schema, the reason, and the keyword of
    the schema with its value, or "" if there is none."""

    place: str
    reason: str
    asked: str = ""


def value_faults(schema: str, value: Json) -> list[ValueFault]:
    """Return why a value breaks a schema: the outermost faults, the most telling one first."""
    faults: list[ValueFault] = []
    try:
        errors = islice(_validator(schema).iter_errors(schema_value(value)), _MOST_ERRORS)
        for error in sorted(errors, key=relevance, reverse=True):
            fault = _fault_of(best_match([error]) or error)
            if not any(f"{fault.place}/".startswith(f"{each.place}/") for each in faults):
                faults.append(fault)
    except RecursionError:
        return [ValueFault("", "it is nested too deeply to be checked")]
    return faults


def _fault_of(error: ValidationError) -> ValueFault:
    asked = "no value"  # of the schema false
    if error.validator:
        asked = f"{error.validator}: {encode(plain_value(error.validator_value))}"
    return ValueFault(_place_of(error), shorten(error.message, _MESSAGE), shorten(asked, _MESSAGE))


@lru_cache(maxsize=64)  # many rules and suites name the same one
def schema_fault(schema: str) -> str:
    """Return why a schema, given as a JSON text, cannot be used, or "" if it can."""
    try:
        check_schema(parse_schema(schema))
    except SchemaError as problem:
        return f"not a JSON Schema: at {error_text(problem)}"
    except (ValueError, RecursionError) as problem:
        return _unreadable(problem)
    return reference_fault(schema)


@lru_cache(maxsize=64)
def reference_fault(schema: str) -> str:
    """Return which reference in a schema, or in a part of a usable one, leads to nothing, or ""."""
    try:
        lost = next(_lost_references(parse_schema(schema), Registry()), None)
    except RecursionError as problem:
        return _unreadable(problem)
    if lost is None:
        return ""
    name = lost.removeprefix(_WHOLE)
    reason = "is not in it" if name.startswith("#") else ELSEWHERE
    return f"refers to {quote(name, _MESSAGE)}, which {reason}"


def _unreadable(problem: Exception) -> str:
    return f"cannot be read as JSON: {shorten(str(problem), _MESSAGE)}"


def error_text(error: ValidationError | SchemaError) -> str:
    """Return the place of an error in a value or a schema, and the reason."""
    where = shorten(_place_of(error), _MESSAGE) or "the top"
    return f"{where}: {shorten(error.message, _MESSAGE)}"


def _place_of(error: ValidationError | SchemaError) -> str:
    place: Place = None
    for step in error.absolute_path:
        place = (place, step)
    return pointer(place)


def part_of_schema(schema: str, fragment: str) -> str:
    """Return the part of a schema that a fragment (`/$defs/time`) names, as a complete schema."""
    document = json.loads(schema)
    name, inside = _WHOLE, schema  # the schemas true and false have no parts to refer to
    if isinstance(document, dict):
        name = document.get("$id", _WHOLE)
        if "$id" not in document:
            identifier = f'"$id": {json.dumps(name)}{"," if document else ""}'
            inside = f"{{{identifier}{schema.lstrip()[1:]}"
    # The text is kept as it is: its numbers may be no floats.
    return f'{{"$ref": {json.dumps(f"{name}#{fragment}")}, "$defs": {{"whole": {inside}}}}}'


def with_files(schema: str, read: Callable[[str], bytes | None]) -> str:
    """Return a schema, as `part_of_schema` gives it, with the files that it refers to.

    `read` returns the file of a URI, or None. Raises ValueError if a file is not JSON.
    """
    whole: Any = decode(schema.encode()).values[0]
    parts: dict[str, Json] = whole["$defs"]
    broken: list[str] = []

    def retrieve(uri: str) -> Resource[Any]:
        data = None if uri in parts else read(uri)
        values, fault = decode(b"" if data is None else data)
        if fault is not None or (data is not None and len(values) != 1):
            broken.append(uri)
        if not values or not isinstance(values[0], dict):
            raise KeyError(uri)
        parts[uri] = values[0] | {"$id": uri}
        return DRAFT202012.create_resource({})

    size = 0
    while size < len(parts):  # files refer to files
        size = len(parts)
        # referencing is typed for every kind of schema; a registry is generic in them.
        registry: Registry[Any] = Registry(retrieve=retrieve)  # type: ignore[call-arg]  # attrs alias
        for _ in _lost_references(parse_schema(encode(whole)), registry):
            pass
    if broken:
        name = quote(broken[0].removeprefix(FILE_URI), _MESSAGE)
        raise ValueError(f"refers to {name}, which is not one JSON value")
    return encode(whole)


@lru_cache(maxsize=64)
def _validator(schema: str) -> Draft202012Validator:
    return ExactValidator(parse_schema(schema), format_checker=format_checker())


def _lost_references(document: Any, registry: Registry[Any]) -> Iterator[str]:
    """Yield the references in a schema that cannot be resolved within it."""
    todo = [(document, registry.resolver_with_root(DRAFT202012.create_resource(document)))]
    visited = set[int]()
    while todo:
        part, resolver = todo.pop()
        if not isinstance(part, dict) or id(part) in visited:
            continue
        visited.add(id(part))
        for reference in (part.get("$ref"), part.get("$dynamicRef")):
            if isinstance(reference, str):
                try:
                    resolved = resolver.lookup(reference)
                except Unresolvable:
                    yield reference
                else:
                    todo.append((resolved.contents, resolved.resolver))
        # Not every value: a `const` may have a member "$ref".
        for inside in map(DRAFT202012.create_resource, DRAFT202012.subresources_of(part)):
            todo.append((inside.contents, resolver.in_subresource(inside)))

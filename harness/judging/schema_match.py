"""Match values with the JSON Schemas of a comparison.

Imported only if a suite has such a schema: jsonschema takes 90 ms to import. A schema may refer
only to its own parts.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from decimal import Decimal
from functools import lru_cache
from typing import Any, Final

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError, ValidationError
from jsonschema.validators import extend
from referencing import Registry
from referencing.exceptions import Unresolvable
from referencing.jsonschema import DRAFT202012

from harness.errors import OutOfTime
from harness.jsonio.decoder import Json, Number
from harness.jsonio.pointers import Place, pointer
from harness.text import quote, shorten

_MESSAGE: Final = 200  # characters of a message of jsonschema, which quotes whole values
_PATTERN: Final = 80  # characters of a pattern in a message
_MOST_DIGITS: Final = 10_000  # of an integer: converting it takes quadratic time
_WHOLE: Final = "urn:xtest:whole"

# The errors of a validator for values that it cannot check: a ValueError for a number that is too
# long, an OverflowError for one that is too large.
UNCHECKABLE: Final = (RecursionError, ValueError, OverflowError)


def matches_schema(schema: str, value: Json) -> bool:
    """Return whether a value matches a valid schema; one that cannot be checked does not."""
    try:
        return _validator(schema).is_valid(plain_value(value))
    except UNCHECKABLE:
        return False


def schema_fault(schema: str) -> str:
    """Return why a schema, given as a JSON text, cannot be used, or "" if it can."""
    try:
        document = json.loads(schema)
        Draft202012Validator.check_schema(document)
    except SchemaError as problem:
        return f"not a JSON Schema: at {error_text(problem)}"
    except (ValueError, RecursionError) as problem:
        return f"cannot be read as JSON: {shorten(str(problem), _MESSAGE)}"
    lost = next(_lost_references(document), None)
    if lost is None:
        return ""
    return f"refers to {quote(lost.removeprefix(_WHOLE), _MESSAGE)}, which is not in it"


def error_text(error: ValidationError | SchemaError) -> str:
    """Return the place of an error in a value or a schema, and the reason."""
    place: Place = None
    for step in error.absolute_path:
        place = (place, step)
    where = shorten(pointer(place), _MESSAGE) or "the top"
    return f"{where}: {shorten(error.message, _MESSAGE)}"


def part_of_schema(schema: str, fragment: str) -> str:
    """Return the part of a schema that a fragment (`/$defs/time`) names, as a complete schema."""
    document = json.loads(schema)
    name = document.get("$id", _WHOLE) if isinstance(document, dict) else _WHOLE
    # The schemas true and false have no parts: the reference will not resolve.
    inside = {"$id": name, **document} if isinstance(document, dict) else document
    return json.dumps({"$ref": f"{name}#{fragment}", "$defs": {"whole": inside}})


def plain_value(value: Json) -> Any:
    """Return a value as Python's own objects, which validators expect.

    Raises ValueError for an integer that is too long.
    """
    if isinstance(value, Number):
        if not value.text.lstrip("-").isdecimal():
            return float(value.text)
        if len(value.text) > _MOST_DIGITS:
            raise ValueError("too many digits")
        return int(Decimal(value.text))  # int() accepts fewer digits
    if isinstance(value, list):
        return [plain_value(element) for element in value]
    if isinstance(value, dict):
        return {key: plain_value(member) for key, member in value.items()}
    return value


def _check_pattern(
    _validator: object, pattern: str, instance: object, _schema: object
) -> Iterator[ValidationError]:
    if isinstance(instance, str):
        try:
            found = re.search(pattern, instance)
        except OutOfTime as stop:
            stop.add_note(f"in the pattern {quote(pattern, _PATTERN)}")
            raise
        if not found:
            yield ValidationError(f"{instance!r} does not match {pattern!r}")


def _check_unique(
    _validator: object, unique: object, instance: object, _schema: object
) -> Iterator[ValidationError]:
    if unique and isinstance(instance, list):
        if len(set(map(_canonical, instance))) < len(instance):
            yield ValidationError(f"{instance!r} has non-unique elements")


def _canonical(value: Any) -> str:
    """Return the same text for equal values of JSON: 1 is 1.0, but not true."""
    if isinstance(value, list):
        return f"[{','.join(map(_canonical, value))}]"
    if isinstance(value, dict):
        members = (f"{json.dumps(key)}:{_canonical(value[key])}" for key in sorted(value))
        return f"{{{','.join(members)}}}"
    is_whole = isinstance(value, float) and value.is_integer()
    return json.dumps(int(value) if is_whole else value)


# `pattern` names the pattern that takes too long; jsonschema's `uniqueItems` takes quadratic time.
BoundedValidator: type[Draft202012Validator] = extend(  # type: ignore[no-untyped-call]  # untyped
    Draft202012Validator, {"pattern": _check_pattern, "uniqueItems": _check_unique}
)


@lru_cache(maxsize=64)
def _validator(schema: str) -> Draft202012Validator:
    return BoundedValidator(json.loads(schema))


def _lost_references(document: Any) -> Iterator[str]:
    """Yield the references in a schema that cannot be resolved within it."""
    registry: Registry[Any] = Registry()
    todo = [(document, registry.resolver_with_root(DRAFT202012.create_resource(document)))]
    seen = set[int]()
    while todo:
        part, resolver = todo.pop()
        if not isinstance(part, dict) or id(part) in seen:
            continue
        seen.add(id(part))
        for reference in (part.get("$ref"), part.get("$dynamicRef")):
            if isinstance(reference, str):
                try:
                    found = resolver.lookup(reference)
                except Unresolvable:
                    yield reference
                else:
                    todo.append((found.contents, found.resolver))
        # Not every value: a `const` may have a member "$ref".
        for inside in map(DRAFT202012.create_resource, DRAFT202012.subresources_of(part)):
            todo.append((inside.contents, resolver.in_subresource(inside)))

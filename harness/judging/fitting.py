"""Whether a value fits a JSON Schema: what stands behind the placeholders of a comparison.

Pure. Imported only where a suite has such a placeholder: jsonschema costs more than most runs.
A schema stands for itself: it may refer to its own parts, and to nothing else.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from decimal import Decimal
from functools import lru_cache
from typing import Any, Final

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError
from referencing import Registry
from referencing.exceptions import Unresolvable
from referencing.jsonschema import DRAFT202012

from harness.jsontext import Json, Number
from harness.paths import Place, pointer
from harness.words import cut, quoted, visible

__all__ = ["fits", "part_of_schema", "plain_value", "schema_fault"]

_MESSAGE: Final = 120  # characters of what jsonschema says: it quotes whole values
_WHOLE: Final = "urn:xtest:whole"


def fits(schema: str, value: Json) -> bool:
    """Whether a value keeps a schema, given as a JSON text that has no fault. What is nested too
    deep to be looked at does not."""
    try:
        return _validator(schema).is_valid(plain_value(value))
    except (RecursionError, ValueError):  # ValueError: a number too long for a message
        return False


def schema_fault(schema: str) -> str:
    """What is wrong with a schema, given as a JSON text; the empty text: it can be used."""
    try:
        document = json.loads(schema)
        Draft202012Validator.check_schema(document)
    except SchemaError as problem:
        place: Place = None
        for step in problem.absolute_path:
            place = (place, step)
        where = visible(pointer(place)) or "its top"
        return f"no JSON Schema: at {where}: {cut(visible(problem.message), _MESSAGE)}"
    except (ValueError, RecursionError) as problem:
        return f"cannot be read as JSON: {cut(visible(str(problem)), _MESSAGE)}"
    lost = next(_lost_references(document), None)
    return "" if lost is None else f"refers to {quoted(lost, _MESSAGE)}, which is not in it"


def part_of_schema(schema: str, fragment: str) -> str:
    """The schema that a fragment (`/$defs/time`) names in another one, as a text that stands for
    itself."""
    document = json.loads(schema)
    name = document.get("$id", _WHOLE) if isinstance(document, dict) else _WHOLE
    # Of true and false there are no parts: the reference will lead nowhere.
    inside = {"$id": name, **document} if isinstance(document, dict) else document
    return json.dumps({"$ref": f"{name}#{fragment}", "$defs": {"whole": inside}})


def plain_value(value: Json) -> Any:
    """A value as Python's own objects: what the validators read."""
    if isinstance(value, Number):
        return _plain_number(value.text)
    if isinstance(value, list):
        return [plain_value(element) for element in value]
    if isinstance(value, dict):
        return {key: plain_value(member) for key, member in value.items()}
    return value


def _plain_number(text: str) -> int | float:
    if text.lstrip("-").isdecimal():
        return int(Decimal(text))  # int() of a text has a limit of digits
    return float(text)


@lru_cache(maxsize=64)
def _validator(schema: str) -> Draft202012Validator:
    return Draft202012Validator(json.loads(schema))


def _lost_references(document: Any) -> Iterator[str]:
    """The references in a schema that lead nowhere within it."""
    registry: Registry[Any] = Registry()
    top = registry.resolver_with_root(DRAFT202012.create_resource(document))
    todo = [(document, top)]
    while todo:
        part, resolver = todo.pop()
        if isinstance(part, dict):
            if part is not document and isinstance(part.get("$id"), str):
                # It stands for itself, too: what it refers to is inside it.
                resolver = resolver.in_subresource(DRAFT202012.create_resource(part))
            if not _leads_somewhere(part.get("$ref"), resolver):
                yield part["$ref"]
            todo += ((inside, resolver) for inside in part.values())
        elif isinstance(part, list):
            todo += ((inside, resolver) for inside in part)


def _leads_somewhere(reference: Any, resolver: Any) -> bool:
    # A resolver of referencing, whose type has no public name.
    try:
        return not isinstance(reference, str) or resolver.lookup(reference) is not None
    except Unresolvable:
        return False

"""Hand JSON to jsonschema with exact numbers, and take back what it says about them.

jsonschema computes with the numbers that it is given. Here they are `SchemaNumber`s, in values and
in schemas: compared by their digits, and shown as they were printed. Import this module only where
it is needed: jsonschema takes 90 ms.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from math import isnan
from typing import Any, Final, cast

from jsonschema import Draft202012Validator, TypeChecker
from jsonschema.exceptions import SchemaError, ValidationError
from jsonschema.validators import extend, validator_for

from harness.errors import OutOfTime
from harness.jsonio.decoder import Json, Number
from harness.judging.numbers import compare_numbers, is_finite, is_multiple, normalize_number
from harness.model.comparison import Numbers
from harness.text import quote

_PATTERN: Final = 80  # characters of a pattern in a message


class SchemaNumber:
    """A JSON number that is compared by its exact value, and shown as spelled.

    NaN and the infinities, which a suite may allow, are ordered as in Python.
    """

    __slots__ = ("text",)
    __hash__ = None  # type: ignore[assignment]  # as of a list: equal numbers are spelled in many ways

    def __init__(self, text: str) -> None:
        self.text: Final = text

    def __eq__(self, other: object) -> bool:
        return self._compare(other) == 0

    def __lt__(self, other: object) -> bool:
        return self._compare(other) == -1

    def __gt__(self, other: object) -> bool:
        return self._compare(other) == 1

    def __le__(self, other: object) -> bool:
        return self._compare(other) in (-1, 0)

    def __ge__(self, other: object) -> bool:
        return self._compare(other) in (0, 1)

    def __repr__(self) -> str:
        return self.text

    @property
    def is_whole(self) -> bool:
        return self.text.lstrip("-").isdecimal() or self.is_multiple_of(1)

    def is_multiple_of(self, divisor: object) -> bool:
        other = _text_of(divisor)
        return is_finite(self.text) and other is not None and is_multiple(self.text, other)

    def _compare(self, other: object) -> int | None:
        """Return -1, 0 or 1, or None if the other is not a number or one of them is NaN."""
        right = _text_of(other)
        if right is None:
            return None
        if is_finite(self.text) and is_finite(right):
            return compare_numbers(self.text, right)
        one, another = _rank(self.text), _rank(right)
        return None if isnan(one) or isnan(another) else (one > another) - (one < another)


def _text_of(number: object) -> str | None:
    if isinstance(number, SchemaNumber):
        return number.text
    # A count of jsonschema's, or a number of the metaschema.
    return str(number) if isinstance(number, int) and not isinstance(number, bool) else None


def _rank(number: str) -> float:
    return 0.0 if is_finite(number) else float(number)


def schema_value(value: Json) -> Any:
    """Return a value as validators expect it."""
    if isinstance(value, Number):
        return SchemaNumber(value.text)
    if isinstance(value, list):
        return [schema_value(element) for element in value]
    if isinstance(value, dict):
        return {key: schema_value(member) for key, member in value.items()}
    return value


def plain_value(value: Any) -> Json:
    """Return a part of a schema as JSON."""
    if isinstance(value, SchemaNumber):
        return Number(value.text)
    if isinstance(value, list):
        return [plain_value(element) for element in value]
    if isinstance(value, dict):
        return {key: plain_value(member) for key, member in value.items()}
    return cast("Json", value)


def parse_schema(text: str | bytes) -> Any:
    """Return a schema as validators expect it. Raises ValueError or RecursionError."""
    return json.loads(text, parse_int=SchemaNumber, parse_float=SchemaNumber)


def check_schema(schema: Any) -> None:
    """Raise SchemaError if a document is not a JSON Schema (2020-12)."""
    metaschema = Draft202012Validator.META_SCHEMA
    checker = Draft202012Validator.FORMAT_CHECKER
    for error in ExactValidator(metaschema, format_checker=checker).iter_errors(schema):
        raise SchemaError.create_from(error)


# Validators.


def _is_number(_checker: TypeChecker, value: object) -> bool:
    return _text_of(value) is not None


def _is_integer(_checker: TypeChecker, value: object) -> bool:
    return value.is_whole if isinstance(value, SchemaNumber) else _text_of(value) is not None


def _check_multiple(
    _validator: object, divisor: object, instance: object, _schema: object
) -> Iterator[ValidationError]:
    if isinstance(instance, SchemaNumber) and not instance.is_multiple_of(divisor):
        yield ValidationError(f"{instance!r} is not a multiple of {divisor!r}")


def _check_pattern(
    _validator: object, pattern: str, instance: object, _schema: object
) -> Iterator[ValidationError]:
    if isinstance(instance, str):
        try:
            match = re.search(pattern, instance)
        except OutOfTime as stop:
            stop.add_note(f"in the pattern {quote(pattern, _PATTERN)}")
            raise
        if not match:
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
    if isinstance(value, SchemaNumber):
        return normalize_number(value.text, Numbers.VALUE)
    return json.dumps(value)


@cache
def _exact(validator: type[Draft202012Validator]) -> type[Draft202012Validator]:
    """Return a class of validators, of whatever draft, with exact numbers and bounded times.

    `pattern` names the pattern that takes too long; jsonschema's `uniqueItems` takes quadratic
    time.
    """
    keywords = {
        "multipleOf": _check_multiple,
        "pattern": _check_pattern,
        "uniqueItems": _check_unique,
    }
    types = validator.TYPE_CHECKER.redefine_many({"number": _is_number, "integer": _is_integer})
    known = {name: check for name, check in keywords.items() if name in validator.VALIDATORS}
    exact: type[Draft202012Validator] = extend(  # type: ignore[no-untyped-call]  # untyped
        validator, known, type_checker=types
    )
    exact.evolve = _evolve  # type: ignore[assignment]  # a subclass would be deprecated
    return exact


def _evolve(validator: Draft202012Validator, **changes: Any) -> Draft202012Validator:
    """Return a validator of a part of a schema.

    jsonschema's own method returns to its own classes, and so to floats, wherever a part has
    `$schema`.
    """
    schema = changes.setdefault("schema", validator.schema)
    own = type(validator)
    named = validator_for(schema, default=own)
    for each in own.__attrs_attrs__:  # type: ignore[attr-defined]  # typed as a plain class
        if each.init:
            changes.setdefault(each.alias, getattr(validator, each.name))
    return (own if named is own else _exact(cast("type[Draft202012Validator]", named)))(**changes)


ExactValidator: Final = _exact(Draft202012Validator)

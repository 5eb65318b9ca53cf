"""Declare the types of the values of equality rules, in suite.toml and in output schemas.

Each reader takes a value of TOML or JSON and returns a record of model/comparison.py, or None if
the value is not valid; if more can be said, it raises ComparisonError. Source: docs/equality.md.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from harness.jsonio.decoder import EXTENSIONS, Number, Printable, encode
from harness.jsonio.pointers import parse_pattern
from harness.model.comparison import (
    ArrayOrder,
    Matching,
    Numbers,
    RuleCondition,
    Schema,
    Strings,
    Tolerance,
)
from harness.text import did_you_mean, quote, shorten
from harness.tomlio.tables import STRING, ValueType, choice, table_schema

_SHOWN: Final = 60  # characters of a value in a message

_AMOUNT: Final = r"\+?([0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)"


class ComparisonError(ValueError):
    """A value that is refused; the message says why."""


class JsonText(float):
    """A real number of TOML that keeps its spelling, as floats are not exact."""

    def __init__(self, text: str) -> None:
        self.text: Final = text.replace("_", "")

    @property
    def number(self) -> Number:
        """The number as JSON spells it. Raises ValueError for nan and inf."""
        if not self.text[-1].isdecimal():
            raise ValueError
        return Number(self.text.removeprefix("+"))


def parse_tolerance(value: Any) -> Tolerance | None:
    """Return a tolerance; a plain number is an absolute one."""
    if not isinstance(value, dict):
        amount = _amount(value)
        return None if amount is None else Tolerance(absolute=amount)
    _check_keys(value, Tolerance._fields)
    if not value:
        raise ComparisonError("add absolute, relative or both")
    amounts = {name: _amount(entry) for name, entry in value.items()}
    for name, amount in amounts.items():
        if amount is None:
            raise ComparisonError(f"{name} must be a number of at least 0")
    return Tolerance(**{name: amount or "0" for name, amount in amounts.items()})


def _parse_matching(value: dict[str, Any]) -> Matching:
    """Return the rule of a pattern, which must be a Python regular expression."""
    _check_keys(value, ("matching",))
    pattern = value.get("matching")
    if not isinstance(pattern, str):
        raise ComparisonError("matching must be a regular expression, as a string")
    try:
        re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as problem:
        reason = shorten(str(problem), _SHOWN)
        raise ComparisonError(f"{quote(pattern)} is not a regular expression: {reason}") from None
    return Matching(pattern)


def _parse_schema(value: Any) -> Schema | None:
    """Return a schema: a table is the schema itself, a string the name of its file."""
    if isinstance(value, str) and value:
        return Schema(file=value)
    if not isinstance(value, dict):
        return None
    try:
        text = encode(json_of_toml(value))
    except ValueError:
        raise ComparisonError("not a JSON Schema: JSON has no dates, nan or inf") from None
    return Schema(_checked_schema(text, may_refer=True))


def json_of_toml(value: Any) -> Printable:
    """Return a value of TOML as one of JSON. Raises ValueError."""
    if isinstance(value, JsonText):
        return value.number
    if isinstance(value, dict):
        return {key: json_of_toml(member) for key, member in value.items()}
    if isinstance(value, list):
        return [json_of_toml(element) for element in value]
    if value is None or isinstance(value, (str, int, Number)):
        return value
    raise ValueError  # a date


def schema_in_file(
    text: bytes, name: str, fragment: str, read: Callable[[str], bytes | None]
) -> Schema:
    """Return the schema in a file, or the part that a fragment names, with the files that it refers
    to, which `read` returns by URI. Raises ComparisonError."""
    # jsonschema takes 90 ms to import, and few suites have schemas in their comparison.
    from harness.judging.schema_match import (  # pylint: disable=import-outside-toplevel
        ELSEWHERE,
        part_of_schema,
        reference_fault,
        schema_fault,
        with_files,
    )

    file = f"{name}#{fragment}" if fragment else name
    try:
        schema = _checked_schema(text.decode(), may_refer=True)
        if fragment or schema_fault(schema):
            schema = part_of_schema(schema, fragment)
            fault = reference_fault(schema)
            if fault.endswith(ELSEWHERE):
                schema = _checked_schema(with_files(schema, read))
            elif fault:
                raise ComparisonError(fault)
        return Schema(schema, file)
    except UnicodeDecodeError as problem:
        reason = f"not UTF-8 at byte {problem.start}"
    except (ComparisonError, ValueError) as problem:
        reason = str(problem)
    raise ComparisonError(
        f"{f'[compare] the schema {quote(file)}' if file else 'schema'}: {reason}"
    )


def _checked_schema(schema: str, *, may_refer: bool = False) -> str:
    """Return a schema, which `may_refer` to files. Raises ComparisonError if it has a fault."""
    # As above.
    from harness.judging.schema_match import (  # pylint: disable=import-outside-toplevel
        ELSEWHERE,
        schema_fault,
    )

    fault = schema_fault(schema)
    if fault and not (may_refer and fault.endswith(ELSEWHERE)):
        raise ComparisonError(fault)
    return schema


def _parse_conditions(value: Any) -> tuple[RuleCondition, ...] | None:
    """Return the conditions of a rule: paths from the object around a value, and their values."""
    if not isinstance(value, dict) or not value:
        return None
    conditions = []
    for path, wanted in value.items():
        if not path.startswith("../"):
            raise ComparisonError(f'{quote(path)} must begin with "../", for a member beside it')
        steps = parse_pattern(path.removeprefix(".."))  # raises PathError
        texts = tuple(map(_scalar_text, wanted if isinstance(wanted, list) else [wanted]))
        if not texts or None in texts:
            raise ComparisonError(f"{quote(path)} must be a string, an integer, true or false")
        conditions.append(RuleCondition(steps, tuple(filter(None, texts))))
    return tuple(conditions)


def _scalar_text(value: Any) -> str | None:
    return encode(value) if isinstance(value, (str, int)) else None


def _parse_extensions(value: Any) -> tuple[str, ...] | None:
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        return None
    for name in value:
        if name not in EXTENSIONS:
            raise ComparisonError(f"{quote(name)} is unknown; {did_you_mean(name, EXTENSIONS)}")
    return tuple(value)


def _amount(value: Any) -> str | None:
    """Return a number of at least 0, as spelled in JSON."""
    if isinstance(value, (JsonText, Number)):
        match = re.fullmatch(_AMOUNT, value.text)
        return match[1] if match else None
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return str(value)
    return None


def _check_keys(table: Mapping[str, Any], known: Sequence[str]) -> None:
    for key in table:
        if key not in known:
            raise ComparisonError(f"unknown key {quote(key)}; {did_you_mean(key, known)}")


# Types of values.

_WORDS_FOR_NUMBERS: Final = choice(Numbers)
_WORDS_FOR_STRINGS: Final = choice(Strings)
_AMOUNT_SCHEMA: Final = {"type": "number", "minimum": 0}
TOLERANCE: Final = ValueType(
    parse_tolerance,
    "a number, or a table with absolute, relative or both",
    table_schema(dict.fromkeys(Tolerance._fields, _AMOUNT_SCHEMA), minProperties=1),
)
_MATCHING_SCHEMA: Final = table_schema({"matching": {"type": "string"}}, required=["matching"])

NUMBERS: Final = ValueType(
    lambda value: (parse_tolerance if isinstance(value, dict) else _WORDS_FOR_NUMBERS.read)(value),
    '"exact", "value" or a tolerance such as { absolute = 0.01 }',
    {"anyOf": [_WORDS_FOR_NUMBERS.schema, TOLERANCE.schema]},
)
STRINGS: Final = ValueType(
    lambda value: (_parse_matching if isinstance(value, dict) else _WORDS_FOR_STRINGS.read)(value),
    '"exact", "NFC", "NFD", "NFKC", "NFKD", "number", "datetime" or { matching = "a pattern" }',
    {"anyOf": [_WORDS_FOR_STRINGS.schema, _MATCHING_SCHEMA]},
)
KEYS: Final = ValueType(
    lambda value: _parse_matching(value) if isinstance(value, dict) else None,
    '{ matching = "a pattern" }',
    _MATCHING_SCHEMA,
)
_SCALAR_SCHEMA: Final = {"type": ["string", "integer", "boolean"]}
CONDITIONS: Final = ValueType(
    _parse_conditions,
    'a table such as { "../type" = "float" }',
    {
        "type": "object",
        "minProperties": 1,
        "propertyNames": {"pattern": "^\\.\\./", "not": {"pattern": "~(?![01])"}},
        "additionalProperties": {
            "anyOf": [_SCALAR_SCHEMA, {"type": "array", "items": _SCALAR_SCHEMA, "minItems": 1}]
        },
    },
)
ORDER: Final = choice(ArrayOrder)
MEMBER_NAME: Final = ValueType(
    lambda value: value if isinstance(value, str) else None,
    "the name of a member",
    {"type": "string"},
)
SCHEMA: Final = ValueType(
    _parse_schema,
    "a JSON Schema as a table, or the file name of one",
    {
        "anyOf": [
            {"type": "object", "$ref": "https://json-schema.org/draft/2020-12/schema"},
            STRING.schema,
        ]
    },
)
ALLOW: Final = ValueType(
    _parse_extensions,
    f"a list of these: {', '.join(EXTENSIONS)}",
    {"type": "array", "items": {"enum": list(EXTENSIONS)}},
)

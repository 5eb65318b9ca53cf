"""The words of a comparison, read one by one: the same in suite.toml and in an output schema.

Pure: a value as TOML or JSON has it goes in, a record of comparison.py comes out; None where it is
none of the words, a WordError where more can be said. Source: docs/equality.md.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Any, Final, TypeVar

from harness.jsontext import LAXITIES, Number
from harness.judging.comparison import Matching, Numbers, Order, Schema, Strings, Tolerance
from harness.words import cut, did_you_mean, quoted, visible

__all__ = [
    "NUMBERS_WANTED",
    "ORDER_WANTED",
    "SCHEMA_WANTED",
    "STRINGS_WANTED",
    "TOLERANCE_WANTED",
    "WordError",
    "Written",
    "allowances",
    "numbers_way",
    "order_way",
    "schema_in_file",
    "schema_way",
    "strings_way",
    "tolerance",
]

NUMBERS_WANTED: Final = '"exact", "value" or a tolerance such as { absolute = 0.01 }'
STRINGS_WANTED: Final = '"exact", "NFC", "NFD", "NFKC", "NFKD" or { matching = "a pattern" }'
ORDER_WANTED: Final = '"list", "set" or "multiset"'
SCHEMA_WANTED: Final = "a JSON Schema as a table, or the file name of one"
TOLERANCE_WANTED: Final = "a number, or a table with absolute, relative or both"

_SHOWN: Final = 60  # characters of a value in a message
# Compiled when it is needed, by whoever has a tolerance.
_AMOUNT: Final = r"\+?([0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)"

E = TypeVar("E", bound=Enum)


class WordError(ValueError):
    """A word that is refused; the message says why."""


class Written(float):
    """A real number of TOML that remembers how it is written: floats are not exact."""

    def __init__(self, text: str) -> None:
        self.text: Final = text.replace("_", "")


def numbers_way(value: Any) -> Numbers | Tolerance | None:
    """How numbers are compared."""
    return tolerance(value) if isinstance(value, dict) else _word(Numbers, value)


def tolerance(value: Any) -> Tolerance | None:
    """How far numbers may be off: a number is an absolute tolerance."""
    if not isinstance(value, dict):
        amount = _amount(value)
        return None if amount is None else Tolerance(absolute=amount)
    _check_keys(value, Tolerance._fields)
    if not value:
        raise WordError("absolute is missing, or relative, or both")
    amounts = {name: _amount(entry) for name, entry in value.items()}
    for name, amount in amounts.items():
        if amount is None:
            raise WordError(f"{name} is to be a number, 0 or above")
    return Tolerance(**{name: amount or "0" for name, amount in amounts.items()})


def strings_way(value: Any) -> Strings | Matching | None:
    """How strings are compared. A pattern has to be a regular expression of Python's."""
    if not isinstance(value, dict):
        return _word(Strings, value)
    _check_keys(value, ("matching",))
    pattern = value.get("matching")
    if not isinstance(pattern, str):
        raise WordError("matching is to be a regular expression, as a text")
    try:
        re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as problem:
        said = cut(visible(str(problem)), _SHOWN)
        raise WordError(f"{quoted(pattern, _SHOWN)} is no regular expression: {said}") from None
    return Matching(pattern)


def order_way(value: Any) -> Order | None:
    """What of an array counts."""
    return _word(Order, value)


def schema_way(value: Any) -> Schema | None:
    """What a value has to fit: a table is the schema itself, a text names a file of one."""
    if isinstance(value, str) and value:
        return Schema(file=value)
    if not isinstance(value, dict):
        return None
    try:
        text = json.dumps(value, allow_nan=False)
    except (TypeError, ValueError):
        raise WordError("no JSON Schema: dates, nan and inf are no JSON") from None
    return Schema(_sound(text))


def schema_in_file(text: bytes, name: str, fragment: str) -> Schema:
    """The schema in a file, or the part of it that a fragment names. Raises WordError."""
    # Imported here: who has no schema in a comparison does not pay for jsonschema.
    from harness.judging.fitting import part_of_schema  # pylint: disable=import-outside-toplevel

    file = f"{name}#{fragment}" if fragment else name
    try:
        whole = _sound(text.decode())
        return Schema(_sound(part_of_schema(whole, fragment)) if fragment else whole, file)
    except (WordError, UnicodeDecodeError) as problem:
        raise WordError(f"[compare] the schema {quoted(file, _SHOWN)}: {problem}") from None


def _sound(schema: str) -> str:
    from harness.judging.fitting import schema_fault  # pylint: disable=import-outside-toplevel

    fault = schema_fault(schema)
    if fault:
        raise WordError(fault)
    return schema


def allowances(value: Any) -> tuple[str, ...] | None:
    """What of a text that is no strict JSON is allowed."""
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        return None
    for name in value:
        if name not in LAXITIES:
            raise WordError(f"{quoted(name, _SHOWN)} is not known; {did_you_mean(name, LAXITIES)}")
    return tuple(value)


def _word(words: type[E], value: Any) -> E | None:
    return next((word for word in words if isinstance(value, str) and word.value == value), None)


def _amount(value: Any) -> str | None:
    """A number, 0 or above, as it is spelled in JSON."""
    if isinstance(value, (Written, Number)):
        found = re.fullmatch(_AMOUNT, value.text)
        return found[1] if found else None
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return str(value)
    return None


def _check_keys(table: Mapping[str, Any], known: Sequence[str]) -> None:
    for key in table:
        if key not in known:
            raise WordError(f"unknown key {quoted(key, _SHOWN)}; {did_you_mean(key, known)}")

"""Cases held against the JSON Schemas that their suite names (`--check`).

The one place that imports jsonschema; reads schemas, and nothing else. A suite's schemas describe
the array of all values of an input, or of an output. Source: docs/suite-toml.md.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError, best_match

from harness.corpus import CorpusError, Suite
from harness.jsonfast import decode
from harness.jsontext import Json, Number
from harness.records import Case, InputKind
from harness.session import Check
from harness.words import cut

__all__ = ["contracts_of", "plain_value", "violation"]


@dataclass(frozen=True, slots=True)
class _Contract:
    """A suite's validators; None: its suite.toml names no such schema."""

    stdin: Draft202012Validator | None
    stdout: Draft202012Validator | None


def contracts_of(suites: Sequence[Suite], bundled: Path) -> Check:
    """A check that says how a case breaks its suite's schemas; the empty text: it keeps them.
    Raises CorpusError where a schema cannot be used."""
    contracts = {suite.name: _contract(suite, bundled) for suite in suites}
    return lambda case: violation(case, contracts[case.suite])


def violation(case: Case, contract: _Contract) -> str:
    """What a case breaks. An input that is declared off-schema has to be outside."""
    if contract.stdin is not None and case.kind is not InputKind.RAW:
        broken = _broken(contract.stdin, decode(case.stdin).values)
        if case.kind is InputKind.OFF_SCHEMA and not broken:
            return "the input is declared off-schema, and keeps the schema"
        if case.kind is InputKind.JSON and broken:
            return f"the input breaks its schema at {broken}"
    if contract.stdout is not None:
        broken = _broken(contract.stdout, case.expected)
        if broken:
            return f"the expected output breaks its schema at {broken}"
    return ""


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
    try:
        return int(text)
    except ValueError:  # a fraction, an exponent, or more digits than int() takes
        return float(text)


def _broken(validator: Draft202012Validator, values: list[Json]) -> str:
    try:
        error = best_match(validator.iter_errors([plain_value(value) for value in values]))
    except RecursionError:
        return "a place nested too deep to be checked"
    if error is None:
        return ""
    where = "".join(f"/{step}" for step in error.absolute_path)
    return f"{where or 'its top'}: {cut(error.message, 200)}"


def _contract(suite: Suite, bundled: Path) -> _Contract:
    settings = suite.settings
    return _Contract(
        _validator(suite, settings.input, bundled), _validator(suite, settings.output, bundled)
    )


def _validator(suite: Suite, name: str, bundled: Path) -> Draft202012Validator | None:
    if not name:
        return None
    beside = suite.folder / name
    file = beside if beside.is_file() else bundled / name
    try:
        schema = json.loads(file.read_bytes())
        Draft202012Validator.check_schema(schema)
    except OSError:
        raise CorpusError(
            f"{suite.name}: no schema {name}, neither in the suite's folder nor bundled"
        ) from None
    except (ValueError, SchemaError) as problem:
        raise CorpusError(
            f"{suite.name}: {name} is no JSON Schema: {cut(str(problem), 200)}"
        ) from None
    return Draft202012Validator(schema)

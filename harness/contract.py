"""Cases held against the JSON Schemas that their suite names (`--check`).

Imports jsonschema, and so is imported late; reads schemas, and nothing else. A suite's schemas
describe the array of all values of an input, or of an output. Source: docs/suites.md.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError, ValidationError, best_match
from referencing import Registry, Resource
from referencing.exceptions import Unresolvable
from referencing.jsonschema import DRAFT202012

from harness.corpus import CorpusError, Suite
from harness.fitting import plain_value
from harness.jsonfast import decode
from harness.jsontext import Json
from harness.paths import Place, pointer
from harness.records import Case, InputKind
from harness.words import cut, quoted, visible

__all__ = ["contracts_of", "plain_value", "violation"]

_DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
_MESSAGE: Final = 200  # characters of what jsonschema says: it quotes whole values


@dataclass(frozen=True, slots=True)
class _Contract:
    """A suite's validators; None: its suite.toml names no such schema."""

    stdin: Draft202012Validator | None
    stdout: Draft202012Validator | None


def contracts_of(suites: Sequence[Suite], bundled: Path) -> Callable[[Case], str]:
    """A check that says how a case breaks its suite's schemas; the empty text: it keeps them.
    Suites are told apart by their names. Raises CorpusError where a schema cannot be used."""
    contracts = {suite.name: _contract(suite, bundled) for suite in suites}
    return lambda case: violation(case, contracts[case.suite])


def violation(case: Case, contract: _Contract) -> str:
    """What a case breaks. An input that is declared off-schema has to be outside."""
    if contract.stdin is not None and case.kind is not InputKind.RAW:
        broken = _broken(contract.stdin, decode(case.stdin).values)
        if case.kind is InputKind.OFF_SCHEMA and not broken:
            return "the input is declared off-schema, and keeps the schema"
        if case.kind is InputKind.JSON and broken:
            return f"the input {broken}"
    if contract.stdout is not None:
        broken = _broken(contract.stdout, case.expected)
        if broken:
            return f"the expected output {broken}"
    return ""


def _broken(validator: Draft202012Validator, values: list[Json]) -> str:
    try:
        error = best_match(validator.iter_errors([plain_value(value) for value in values]))
    except (RecursionError, ValueError):  # ValueError: a message would quote too long a number
        return "is nested too deep, or has too long a number, to be held against its schema"
    except Unresolvable as problem:
        return (
            f"cannot be checked, its schema is incomplete: {cut(visible(str(problem)), _MESSAGE)}"
        )
    return "" if error is None else f"breaks its schema at {_said(error)}"


def _said(error: ValidationError | SchemaError) -> str:
    place: Place = None
    for step in error.absolute_path:
        place = (place, step)
    where = visible(pointer(place)) or "its top"
    return f"{cut(where, _MESSAGE)}: {cut(visible(error.message), _MESSAGE)}"


def _contract(suite: Suite, bundled: Path) -> _Contract:
    folders = (suite.folder, bundled)
    try:
        return _Contract(
            _validator(suite.settings.input, folders), _validator(suite.settings.output, folders)
        )
    except CorpusError as problem:
        raise CorpusError(f"{visible(suite.name)}: {problem}") from None


def _validator(name: str, folders: tuple[Path, ...]) -> Draft202012Validator | None:
    if not name:
        return None
    schema = _read_schema(name, folders)

    def retrieve(uri: str) -> Resource[Any]:
        # What a schema refers to lies beside it, under the last part of its URI; nothing is
        # ever fetched from a network.
        last = uri.replace(":", "/").rpartition("/")[2]
        names = (last, f"{last}.schema.json")
        known = next((each for each in names if _find(each, folders) is not None), last)
        return DRAFT202012.create_resource(_read_schema(known, folders))

    # referencing is typed for every kind of schema; a registry is generic in them.
    registry: Registry[Any] = Registry(retrieve=retrieve)  # type: ignore[call-arg]  # attrs alias
    return Draft202012Validator(schema, registry=registry)


def _read_schema(name: str, folders: tuple[Path, ...]) -> Any:
    """A schema by its file name. Raises CorpusError."""
    shown = quoted(name, _MESSAGE)
    file = _find(name, folders)
    if file is None:
        raise CorpusError(f"no schema {shown}, neither in the suite's folder nor bundled")
    try:
        schema = json.loads(file.read_bytes())
    except (OSError, ValueError, RecursionError) as problem:
        why = cut(visible(str(problem)), _MESSAGE)
        raise CorpusError(f"{shown} cannot be read as JSON: {why}") from None
    dialect = schema.get("$schema", _DIALECT) if isinstance(schema, dict) else _DIALECT
    if dialect != _DIALECT:
        raise CorpusError(
            f"{shown} is to be written for {_DIALECT}, not {quoted(str(dialect), _MESSAGE)}"
        )
    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as problem:
        raise CorpusError(f"{shown} is no JSON Schema: at {_said(problem)}") from None
    return schema


def _find(name: str, folders: tuple[Path, ...]) -> Path | None:
    return next((file for file in (folder / name for folder in folders) if _is_file(file)), None)


def _is_file(file: Path) -> bool:
    try:
        return file.is_file()
    except OSError:  # a name that is too long
        return False

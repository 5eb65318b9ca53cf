"""Validate cases against the JSON Schemas that their suite names (`--check`).

Import this module only where it is needed: jsonschema takes 90 ms. A schema describes the array of
all values of an input, or of an output. Source: docs/suites.md.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final, NamedTuple

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError, ValidationError, best_match
from referencing import Registry, Resource
from referencing.exceptions import Unresolvable
from referencing.jsonschema import DRAFT202012

from harness.jsonio.decoder import Json
from harness.jsonio.fast import decode
from harness.jsonio.pointers import Place, pointer
from harness.judging.schema_match import BoundedValidator, plain_value
from harness.model.case import Case, InputKind
from harness.suites.loading import CorpusError, Suite
from harness.text import escape_nonprintable, quote, truncate

__all__ = [
    "Violation",
    "SchemaValidator",
    "load_validator",
    "suite_schema_check",
    "fingerprint",
    "plain_value",
    "violation",
]

_DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
_MESSAGE: Final = 200  # characters of a message of jsonschema, which quotes whole values


@dataclass(frozen=True, slots=True)
class SchemaValidator:
    """The validators of a suite's inputs and outputs, or None where suite.toml names no schema."""

    stdin: Draft202012Validator | None
    stdout: Draft202012Validator | None

    def input_violation(self, kind: InputKind, given: list[Json]) -> Violation | None:
        """Return the violation of an input, or None; an off-schema input must have one."""
        if self.stdin is None or kind is InputKind.RAW:
            return None
        found = _find_violation(self.stdin, given)
        if kind is InputKind.JSON:
            return found
        return Violation("is declared off-schema, but is valid") if found is None else None

    def output_violation(self, values: list[Json]) -> Violation | None:
        """Return the violation of an expected output, or None."""
        return None if self.stdout is None else _find_violation(self.stdout, values)


class Violation(NamedTuple):
    """A message that continues "the input ", and the steps from the array of all values to the
    invalid one."""

    message: str
    steps: tuple[int | str, ...] = ()


def suite_schema_check(suites: Sequence[Suite], bundled: Path) -> Callable[[Case], str]:
    """Return a function from a case to the message of its first violation, or "".

    Raises CorpusError if a schema cannot be used.
    """
    validators = {suite.name: load_validator(suite, bundled) for suite in suites}
    return lambda case: violation(case, validators[case.suite])


def violation(case: Case, validator: SchemaValidator) -> str:
    """Return the message of the first violation of a case, or ""."""
    given = [] if validator.stdin is None else decode(case.stdin).values
    found = validator.input_violation(case.kind, given)
    if found is not None:
        return f"the input {found.message}"
    found = validator.output_violation(case.expected)
    return "" if found is None else f"the expected output {found.message}"


def fingerprint(suite: Suite, bundled: Path) -> bytes:
    """Return a digest of the suite's schemas and all they refer to, or b"" if there are none.

    It covers the version of jsonschema.
    """
    folders = (suite.folder, bundled)
    named = (suite.settings.input, suite.settings.output)
    if not any(named):
        return b""
    digest = sha256(repr((version("jsonschema"), named)).encode())
    waiting, seen = [name for name in named if name], set[str]()
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            file = _find(name, folders)
            data = file.read_bytes() if file is not None else b""
            digest.update(repr((name, len(data))).encode() + data)
            waiting += (_file_of(uri, folders) for uri in _references(data))
    return digest.digest()


def _references(schema: bytes) -> Iterator[str]:
    """Yield the URIs of other schemas that a schema refers to."""
    waiting = [json.loads(schema)] if schema else []
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            for key in ("$ref", "$dynamicRef"):
                uri = str(value.get(key, "")).partition("#")[0]
                if uri:
                    yield uri
            waiting += value.values()
        elif isinstance(value, list):
            waiting += value


def _find_violation(validator: Draft202012Validator, values: list[Json]) -> Violation | None:
    try:
        error = best_match(validator.iter_errors([plain_value(value) for value in values]))
    except (RecursionError, ValueError):  # ValueError: a message would quote too long a number
        return Violation("is nested too deeply, or has too long a number, for its schema")
    except Unresolvable as problem:
        reason = truncate(escape_nonprintable(str(problem)), _MESSAGE)
        return Violation(f"cannot be checked, because its schema is incomplete: {reason}")
    if error is None:
        return None
    return Violation(f"violates its schema at {_error_text(error)}", tuple(error.absolute_path))


def _error_text(error: ValidationError | SchemaError) -> str:
    place: Place = None
    for step in error.absolute_path:
        place = (place, step)
    where = escape_nonprintable(pointer(place)) or "the top"
    return f"{truncate(where, _MESSAGE)}: {truncate(escape_nonprintable(error.message), _MESSAGE)}"


def load_validator(suite: Suite, bundled: Path) -> SchemaValidator:
    """Return the validators of a suite. Raises CorpusError if a schema cannot be used."""
    folders = (suite.folder, bundled)
    try:
        return SchemaValidator(
            _validator(suite.settings.input, folders), _validator(suite.settings.output, folders)
        )
    except CorpusError as problem:
        raise CorpusError(f"{escape_nonprintable(suite.name)}: {problem}") from None


def _validator(name: str, folders: tuple[Path, ...]) -> Draft202012Validator | None:
    if not name:
        return None
    schema = _read_schema(name, folders)

    def retrieve(uri: str) -> Resource[Any]:
        return DRAFT202012.create_resource(_read_schema(_file_of(uri, folders), folders))

    # referencing is typed for every kind of schema; a registry is generic in them.
    registry: Registry[Any] = Registry(retrieve=retrieve)  # type: ignore[call-arg]  # attrs alias
    return BoundedValidator(schema, registry=registry)


def _file_of(uri: str, folders: tuple[Path, ...]) -> str:
    """Return the file of a schema's URI: the last part of the URI, in the same folder.

    Nothing is ever fetched from a network.
    """
    last = uri.replace(":", "/").rpartition("/")[2]
    names = (last, f"{last}.schema.json")
    return next((each for each in names if _find(each, folders) is not None), last)


def _read_schema(name: str, folders: tuple[Path, ...]) -> Any:
    """Return a schema by its file name. Raises CorpusError."""
    shown = quote(name, _MESSAGE)
    file = _find(name, folders)
    if file is None:
        raise CorpusError(f"no schema {shown} in the suite's folder or bundled with xtest")
    try:
        schema = json.loads(file.read_bytes())
    except (OSError, ValueError, RecursionError) as problem:
        reason = truncate(escape_nonprintable(str(problem)), _MESSAGE)
        raise CorpusError(f"{shown} cannot be read as JSON: {reason}") from None
    dialect = schema.get("$schema", _DIALECT) if isinstance(schema, dict) else _DIALECT
    if dialect != _DIALECT:
        raise CorpusError(
            f"{shown} must be written for {_DIALECT}, not {quote(str(dialect), _MESSAGE)}"
        )
    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as problem:
        raise CorpusError(f"{shown} is not a JSON Schema: at {_error_text(problem)}") from None
    return schema


def _find(name: str, folders: tuple[Path, ...]) -> Path | None:
    return next((file for file in (folder / name for folder in folders) if _is_file(file)), None)


def _is_file(file: Path) -> bool:
    try:
        return file.is_file()
    except OSError:  # a name that is too long
        return False

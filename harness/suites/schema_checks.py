"""Validate cases against the JSON Schemas that their suite names (`--check`).

Import this module only where it is needed: jsonschema takes 90 ms. A schema describes the array of
all values of an input, or of an output. Source: docs/suites.md.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final, NamedTuple

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError, best_match
from referencing import Registry, Resource
from referencing.exceptions import Unresolvable
from referencing.jsonschema import DRAFT202012

from harness.files import read_regular
from harness.jsonio.decoder import Json
from harness.jsonio.fast import decode
from harness.judging.schema_match import error_text
from harness.judging.schema_values import ExactValidator, check_schema, parse_schema, schema_value
from harness.model.case import Case, InputKind
from harness.suites.loading import (
    CorpusError,
    Suite,
    find_schema,
    referenced_file,
    schema_bytes,
)
from harness.text import escape_nonprintable, quote, shorten

_DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
_MESSAGE: Final = 200  # characters of a message of jsonschema, which quotes whole values


@dataclass(frozen=True, slots=True)
class SchemaValidator:
    """The validators of a suite's inputs and outputs, or None where suite.toml names no schema."""

    input: Draft202012Validator | None
    output: Draft202012Validator | None

    def input_violation(self, kind: InputKind, input_values: list[Json]) -> Violation | None:
        """Return the violation of an input, or None; an off-schema input must have one."""
        if self.input is None or kind is InputKind.RAW:
            return None
        violation = _find_violation(self.input, input_values)
        if kind is InputKind.JSON:
            return violation
        return Violation("is declared off-schema, but is valid") if violation is None else None

    def output_violation(self, values: list[Json]) -> Violation | None:
        violation = None if self.output is None else _find_violation(self.output, values)
        return None if violation is None else violation._replace(is_input=False)

    def first_violation(self, case: Case, input_values: list[Json]) -> Violation | None:
        """Return the first violation of a case with the values of its input, or None.

        Schemas are those of inputs and outputs, which dialogues do not have.
        """
        if case.is_talk:
            return None
        violation = self.input_violation(case.kind, input_values)
        if violation is not None or not case.alternatives:
            return violation or self.output_violation(case.expected)
        for number, values in enumerate(case.alternatives):
            violation = self.output_violation(values)
            if violation is not None:
                return violation._replace(steps=(number, *violation.steps))
        return None


class Violation(NamedTuple):
    """A message about a side of a case, and the steps from the array of its values to a place."""

    message: str
    steps: tuple[int | str, ...] = ()
    is_input: bool = True

    @property
    def text(self) -> str:
        """The message after the name of the side."""
        return f"{'the input' if self.is_input else 'the expected output'} {self.message}"


def suite_schema_check(suites: Sequence[Suite]) -> Callable[[Case], str]:
    """Return a function from a case to its first violation, or "". Raises CorpusError."""
    validators = {suite.name: load_validator(suite) for suite in suites}

    def check(case: Case) -> str:
        validator = validators[case.suite]
        input_values = [] if validator.input is None else decode(case.stdin).values
        violation = validator.first_violation(case, input_values)
        return "" if violation is None else violation.text

    return check


def fingerprint(suite: Suite) -> str:
    """Return a digest of jsonschema's version and the suite's schemas, or "" if it has none."""
    named = (suite.settings.input, suite.settings.output)
    if not any(named):
        return ""
    digest = sha256(repr((version("jsonschema"), named)).encode())
    waiting, seen = [name for name in named if name], set[str]()
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            above, file_name = os.path.split(name)
            folder = suite.folder / above
            data = schema_bytes(file_name, folder) or b""
            digest.update(repr((name, len(data))).encode() + data)
            names = (referenced_file(uri, folder) for uri in _references(data))
            waiting += (os.path.join(above, each) for each in names)
    return digest.hexdigest()


def _references(schema: bytes) -> Iterator[str]:
    waiting = []
    with suppress(ValueError, RecursionError):  # a file that is not JSON refers to nothing
        waiting.append(json.loads(schema))
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
        error = best_match(validator.iter_errors([schema_value(value) for value in values]))
    except RecursionError:
        return Violation("is nested too deeply to be checked")
    except Unresolvable as problem:
        reason = shorten(str(problem), _MESSAGE)
        return Violation(f"cannot be checked, because its schema is incomplete: {reason}")
    if error is None:
        return None
    return Violation(f"violates its schema at {error_text(error)}", tuple(error.absolute_path))


def load_validator(suite: Suite) -> SchemaValidator:
    """Return the validators of a suite. Raises CorpusError if a schema cannot be used."""
    settings, folder = suite.settings, suite.folder
    try:
        return SchemaValidator(
            _validator(settings.input, folder), _validator(settings.output, folder)
        )
    except CorpusError as problem:
        raise CorpusError(f"{escape_nonprintable(suite.name)}: {problem}") from None


def load_input_schema(suite: Suite) -> tuple[Any, Any] | None:
    """Return the schema of a suite's inputs with a resolver of its references, or None without one.

    Raises CorpusError.
    """
    if not suite.settings.input:
        return None
    schema, registry = _load(suite.settings.input, suite.folder)
    uri = schema.get("$id", "") if isinstance(schema, dict) else ""
    resource = DRAFT202012.create_resource(schema)
    return schema, registry.with_resource(uri, resource).resolver(uri)


def _validator(name: str, folder: Path) -> Draft202012Validator | None:
    if not name:
        return None
    schema, registry = _load(name, folder)
    return ExactValidator(schema, registry=registry)


def _load(name: str, folder: Path) -> tuple[Any, Registry[Any]]:
    """Return a schema by its file name, and a registry of those that it refers to."""
    # An inherited schema is in another folder, and so are those that it refers to.
    above, name = os.path.split(name)
    folder /= above
    schema = _read_schema(name, folder)

    def retrieve(uri: str) -> Resource[Any]:
        return DRAFT202012.create_resource(_read_schema(referenced_file(uri, folder), folder))

    # referencing is typed for every kind of schema; a registry is generic in them.
    registry: Registry[Any] = Registry(retrieve=retrieve)  # type: ignore[call-arg]  # attrs alias
    return schema, registry


def _read_schema(name: str, folder: Path) -> Any:
    """Return a schema by its file name. Raises CorpusError."""
    shown = quote(name, _MESSAGE)
    file = find_schema(name, folder)
    if file is None:
        raise CorpusError(f"no schema {shown} in the suite's folder or bundled with xtest")
    try:
        schema = parse_schema(read_regular(file))
        dialect = schema.get("$schema", _DIALECT) if isinstance(schema, dict) else _DIALECT
        if dialect == _DIALECT:
            check_schema(schema)
            return schema
    except (OSError, ValueError, RecursionError) as problem:
        reason = shorten(str(problem), _MESSAGE)
        raise CorpusError(f"{shown} cannot be read as JSON: {reason}") from None
    except SchemaError as problem:
        raise CorpusError(f"{shown} is not a JSON Schema: at {error_text(problem)}") from None
    raise CorpusError(
        f"{shown} must be written for {_DIALECT}, not {quote(str(dialect), _MESSAGE)}"
    )

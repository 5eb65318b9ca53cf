"""Cases held against the JSON Schemas that their suite names (`--check`).

Imports jsonschema, and so is imported late; reads schemas, and nothing else. A suite's schemas
describe the array of all values of an input, or of an output. Source: docs/suites.md.
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

from harness.jsonfast import decode
from harness.jsontext import Json
from harness.judging.fitting import plain_value
from harness.paths import Place, pointer
from harness.records import Case, InputKind
from harness.suites.corpus import CorpusError, Suite
from harness.words import cut, quoted, visible

__all__ = [
    "Breach",
    "Contract",
    "contract_of",
    "contracts_of",
    "fingerprint",
    "plain_value",
    "violation",
]

_DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
_MESSAGE: Final = 200  # characters of what jsonschema says: it quotes whole values


@dataclass(frozen=True, slots=True)
class Contract:
    """A suite's validators; None: its suite.toml names no such schema."""

    stdin: Draft202012Validator | None
    stdout: Draft202012Validator | None

    def input_breach(self, kind: InputKind, given: list[Json]) -> Breach | None:
        """What an input breaks. One that is declared off-schema has to be outside."""
        if self.stdin is None or kind is InputKind.RAW:
            return None
        broken = _broken(self.stdin, given)
        if kind is InputKind.JSON:
            return broken
        return Breach("is declared off-schema, and keeps the schema") if broken is None else None

    def output_breach(self, values: list[Json]) -> Breach | None:
        """What an expected output breaks."""
        return None if self.stdout is None else _broken(self.stdout, values)


class Breach(NamedTuple):
    """What a stream of values breaks: a sentence that goes on from "the input ", and the steps from
    the array of all values to the one at fault (none: the whole)."""

    said: str
    steps: tuple[int | str, ...] = ()


def contracts_of(suites: Sequence[Suite], bundled: Path) -> Callable[[Case], str]:
    """A check that says how a case breaks its suite's schemas; the empty text: it keeps them.
    Suites are told apart by their names. Raises CorpusError where a schema cannot be used."""
    contracts = {suite.name: contract_of(suite, bundled) for suite in suites}
    return lambda case: violation(case, contracts[case.suite])


def violation(case: Case, contract: Contract) -> str:
    """What a case breaks first; the empty text: nothing."""
    given = [] if contract.stdin is None else decode(case.stdin).values
    broken = contract.input_breach(case.kind, given)
    if broken is not None:
        return f"the input {broken.said}"
    broken = contract.output_breach(case.expected)
    return "" if broken is None else f"the expected output {broken.said}"


def fingerprint(suite: Suite, bundled: Path) -> bytes:
    """A digest that changes when a schema of the suite does, or one that it refers to, however far;
    also when the library does that reads them. Empty: the suite names no schema."""
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
    """The URIs outside itself that a schema refers to."""
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


def _broken(validator: Draft202012Validator, values: list[Json]) -> Breach | None:
    try:
        error = best_match(validator.iter_errors([plain_value(value) for value in values]))
    except (RecursionError, ValueError):  # ValueError: a message would quote too long a number
        return Breach("is nested too deep, or has too long a number, to be held against its schema")
    except Unresolvable as problem:
        why = cut(visible(str(problem)), _MESSAGE)
        return Breach(f"cannot be checked, its schema is incomplete: {why}")
    if error is None:
        return None
    return Breach(f"breaks its schema at {_said(error)}", tuple(error.absolute_path))


def _said(error: ValidationError | SchemaError) -> str:
    place: Place = None
    for step in error.absolute_path:
        place = (place, step)
    where = visible(pointer(place)) or "its top"
    return f"{cut(where, _MESSAGE)}: {cut(visible(error.message), _MESSAGE)}"


def contract_of(suite: Suite, bundled: Path) -> Contract:
    """A suite's validators. Raises CorpusError where a schema cannot be used."""
    folders = (suite.folder, bundled)
    try:
        return Contract(
            _validator(suite.settings.input, folders), _validator(suite.settings.output, folders)
        )
    except CorpusError as problem:
        raise CorpusError(f"{visible(suite.name)}: {problem}") from None


def _validator(name: str, folders: tuple[Path, ...]) -> Draft202012Validator | None:
    if not name:
        return None
    schema = _read_schema(name, folders)

    def retrieve(uri: str) -> Resource[Any]:
        return DRAFT202012.create_resource(_read_schema(_file_of(uri, folders), folders))

    # referencing is typed for every kind of schema; a registry is generic in them.
    registry: Registry[Any] = Registry(retrieve=retrieve)  # type: ignore[call-arg]  # attrs alias
    return Draft202012Validator(schema, registry=registry)


def _file_of(uri: str, folders: tuple[Path, ...]) -> str:
    """The file name of what a schema refers to: it lies beside it, under the last part of its URI;
    nothing is ever fetched from a network."""
    last = uri.replace(":", "/").rpartition("/")[2]
    names = (last, f"{last}.schema.json")
    return next((each for each in names if _find(each, folders) is not None), last)


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

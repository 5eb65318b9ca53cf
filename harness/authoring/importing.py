"""Import cases of other formats: write them as a packed suite, with a suite.toml.

To add a format, add a function that yields its cases, and those that cannot be imported, and a
line to `IMPORTERS`. Source: docs/import.md.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple, NoReturn

from harness.authoring.project_files import schema_line, toml_value
from harness.errors import UsageError, os_reason, usage_errors
from harness.files import read_regular, write_new_files
from harness.jsonio.decoder import Json, encode
from harness.jsonio.fast import decode
from harness.model.case import stream_text
from harness.model.case_names import PACKED_FILE, case_of_file, case_order, pattern_of
from harness.suites.names import SETTINGS_FILE
from harness.suites.packed import PackedCase, format_line
from harness.suites.settings import CaseRule
from harness.text import escape_nonprintable, to_utf8_text

_ASSERTION_PATHS: Final = {"json-schema": "/0/*"}  # of the values that count as a test each
_PREFIX_WIDTH: Final = 80  # characters of the beginning of a name
_TWO_PROGRAMS: Final = re.compile(
    r"(?:^|[-_. ])(?i:client|server)|(?<=[a-z0-9])(?:Client|Server)"  # ForServer, not observer
)


class ImportedCase(NamedTuple):
    """A case to write.

    A `raw` input is not parsed; `fails` means that any exit status but 0 is expected.
    """

    prefix: str  # of its name, before the number
    stdin: bytes
    expected: bytes
    title: str = ""
    description: str = ""
    group: str = ""
    raw: bool = False
    fails: bool = False
    number: int = 0  # the next one if 0 or taken


class NotImported(NamedTuple):
    """A part of the source that is not imported, and why."""

    where: str
    reason: str


Imported = Iterator[ImportedCase | NotImported]


def import_suite(form: str, source: Path, to: Path) -> tuple[int, list[NotImported]]:
    """Write a suite; return the number of its cases, and what is not imported. Raises UsageError.

    `form` is a key of `IMPORTERS`.
    """
    with usage_errors(escape_nonprintable(str(source))):
        source.stat()
    cases, skipped = [], []
    for each in IMPORTERS[form](source):
        if isinstance(each, NotImported):
            skipped.append(each)
        else:
            cases.append(each)
    if cases:
        named = sorted(_name_cases(cases), key=lambda pair: case_order(pair[0].name))
        lines = b"".join(format_line(packed) for packed, _ in named)
        settings = schema_line(to / SETTINGS_FILE) + "\n".join(_settings_lines(form, named)) + "\n"
        _write(to, {PACKED_FILE: lines, SETTINGS_FILE: settings.encode()})
    return len(cases), skipped


def _name_cases(cases: Sequence[ImportedCase]) -> Iterator[tuple[PackedCase, ImportedCase]]:
    """Yield each case with its name: a prefix of safe characters, and a number."""
    last = Counter[str]()  # the number of the last case with a prefix
    labels = set[str]()
    for case in cases:
        prefix = re.sub(r"[^\w.+]+", "-", case.prefix).strip(".-")[:_PREFIX_WIDTH].rstrip("-")
        number = case.number or last[prefix] + 1
        while (label := f"{prefix}-{number}" if prefix else f"{number}") in labels:
            number += 1
        last[prefix] = number
        labels.add(label)
        keys = ("title", "description", "group")
        texts: dict[str, Any] = {key: to_utf8_text(getattr(case, key)) or None for key in keys}
        own = CaseRule((), **texts) if any(texts.values()) else None
        yield PackedCase(label, case.stdin, case.expected, own), case


def _settings_lines(form: str, named: Sequence[tuple[PackedCase, ImportedCase]]) -> Iterator[str]:
    yield f"# Imported by xtest from the {form} format."
    if form in _ASSERTION_PATHS:
        yield from ("", "[assertions]", f"each = {toml_value(_ASSERTION_PATHS[form])}")
    for packed, case in named:
        lines = ['input = "raw"'] * case.raw + ['exit = "nonzero"'] * case.fails
        if lines:
            yield ""
            yield from ("[[cases]]", f"match = {toml_value(pattern_of(packed.name))}", *lines)


def _write(to: Path, files: dict[str, bytes]) -> None:
    where = f"--to {escape_nonprintable(str(to))}"
    with usage_errors(where):
        if to.is_dir() and any(name in files or case_of_file(name) for name in os.listdir(to)):
            raise UsageError(f"{where}: already has a suite; choose another folder")
        to.mkdir(parents=True, exist_ok=True)
        write_new_files({to / name: data for name, data in files.items()})


# The formats, as readers of a source.


def _read_folders(source: Path) -> Imported:
    """Yield pairs N-in.json and N-out.json of a tree of folders, as courses keep them.

    The folders below the source are prefixes of names. Pairs for a client and a server, which need
    two programs at once, are not imported.
    """
    files = _relative_files(source, "*.json")
    known = {where for _, where in files}
    for path, where in files:
        if any(_TWO_PROGRAMS.search(part) for part in where.split("/")):
            yield NotImported(where, "for a client and a server; xtest runs one program")
        elif where.endswith("-out.json"):
            if where.removesuffix("-out.json") + "-in.json" not in known:
                yield NotImported(where, "has no -in.json")
        elif not where.endswith("-in.json"):
            yield NotImported(where, "is not named -in.json or -out.json")
        elif where.removesuffix("-in.json") + "-out.json" not in known:
            yield NotImported(where, "has no -out.json")
        else:
            yield _read_pair(source, path, where)


def _read_pair(source: Path, path: Path, where: str) -> ImportedCase | NotImported:
    stem = where.removesuffix("-in.json")
    expected = path.with_name(path.name.removesuffix("-in.json") + "-out.json")
    stdin = _read_bytes(source, path, where)
    output = _read_bytes(source, expected, f"{stem}-out.json")
    if isinstance(stdin, NotImported):
        return stdin
    if isinstance(output, NotImported):
        return output
    if fault := _json_fault(output):
        return NotImported(where, f"its output is {fault}")
    prefix = re.sub(r"[0-9]{,9}$", "", stem)
    number, raw = int(stem.removeprefix(prefix) or 0), not _is_json(stdin)
    prefix = prefix.replace("/", "-")
    return ImportedCase(prefix, stdin, output, title=where, raw=raw, number=number)


def _read_problem(source: Path) -> Imported:
    """Yield *.in with *.ans of a problem package, or of a folder of its data.

    xtest compares JSON values: answers such as numbers, one or more to a line, are imported, other
    texts are not. Source: the problem package format.
    """
    for path, where in _relative_files(source, "*.in"):
        stdin = _read_bytes(source, path, where)
        expected = _read_bytes(source, path.with_suffix(".ans"), where)
        if isinstance(stdin, NotImported):
            yield stdin
        elif isinstance(expected, NotImported):
            yield NotImported(where, "has no .ans")
        elif not _is_json(expected):
            yield NotImported(where, "its answer is not a sequence of JSON values")
        else:
            prefix, raw = _prefix_of(where, path.stem), not _is_json(stdin)
            yield ImportedCase(prefix, stdin, expected, title=where, raw=raw)


def _read_toml_test(source: Path) -> Imported:
    """Yield valid/**/*.toml with *.json of a tree of toml-test, and invalid/**/*.toml.

    A decoder answers a valid document with tagged JSON, and exits with a status other than 0 for an
    invalid one. Source: the README of toml-test.
    """
    for kind in ("valid", "invalid"):
        for path, below in _relative_files(source / kind, "*.toml"):
            where = f"{kind}/{below}"
            document = _read_bytes(source, path, where)
            answer = path.with_suffix(".json")
            expected = _read_bytes(source, answer, where) if kind == "valid" else b""
            if isinstance(document, NotImported):
                yield document
            elif isinstance(expected, NotImported) or not _is_json(expected):
                yield NotImported(where, f"{answer.name} is missing or not JSON")
            else:
                prefix, fails = _prefix_of(where, path.stem), kind == "invalid"
                yield ImportedCase(prefix, document, expected, where, raw=True, fails=fails)


def _read_json_schema(source: Path) -> Imported:
    """Yield a case for each group of a file of the JSON Schema test suite, or of all in a folder.

    The input has `schema` and the `instances` of the group, the output is an array with the
    validity of each. Source: the README of JSON-Schema-Test-Suite.
    """
    files = _relative_files(source, "*.json") if source.is_dir() else [(source, source.name)]
    for path, where in files:
        groups = _read_json(source, path, where)
        if isinstance(groups, NotImported):
            yield groups
        elif not isinstance(groups, list):
            yield NotImported(where, "not a list of groups")
        else:
            prefix = _prefix_of(where, path.stem)
            for number, group in enumerate(groups, 1):
                yield _schema_group(where, number, prefix, group)


def _schema_group(file: str, number: int, prefix: str, group: Any) -> ImportedCase | NotImported:
    try:
        question = {"schema": group["schema"], "instances": [e["data"] for e in group["tests"]]}
        valid: list[Json] = [each["valid"] for each in group["tests"]]
        tests = "; ".join(_to_text(each["description"]) for each in group["tests"])
        title = _to_text(group["description"])
        if not all(isinstance(each, bool) for each in valid):
            raise TypeError("a validity must be true or false")
    except (KeyError, TypeError):
        return NotImported(f"{file}, group {number}", "not a group of tests")
    return ImportedCase(prefix, stream_text([question]), stream_text([valid]), title, tests, file)


def _read_exercism(source: Path) -> Imported:
    """Yield the cases of the canonical-data.json of an Exercism exercise.

    The input has `property` and `input`, the output is `expected`. A case that another one
    `reimplements` is not imported. Raises UsageError if the file is not of this format. Source: the
    README of Exercism's problem specifications.
    """
    shown = escape_nonprintable(str(source))
    data: Any = _read_json(source, source, shown)
    if isinstance(data, NotImported):
        raise UsageError(f"{shown}: {data.reason}")
    try:
        cases = list(_flatten_cases(data["cases"]))
    except (KeyError, TypeError):
        raise UsageError(f"{shown}: not the canonical data of an exercise") from None
    replaced = {_to_text(case["reimplements"]) for case, _ in cases if "reimplements" in case}
    for case, titles in cases:
        where = _to_text(case.get("uuid", case.get("description", "a case")))
        if "uuid" in case and where in replaced:
            yield NotImported(where, "another case reimplements it")
        elif "expected" not in case or "input" not in case:
            yield NotImported(where, "has no input or no expected value")
        else:
            yield _exercism_case(case, titles)


def _exercism_case(case: dict[str, Any], titles: tuple[str, ...]) -> ImportedCase:
    question = {"property": case.get("property", ""), "input": case["input"]}
    comments = case.get("comments")
    description = " ".join(map(_to_text, comments)) if isinstance(comments, list) else ""
    title = ": ".join((*titles, _to_text(case.get("description", ""))))
    sides = stream_text([question]), stream_text([case["expected"]])
    return ImportedCase(_to_text(case.get("property", "case")), *sides, title, description)


def _flatten_cases(cases: Any) -> Iterator[tuple[dict[str, Any], tuple[str, ...]]]:
    """Yield the cases of nested groups, each with the descriptions of its groups.

    Raises TypeError for anything but lists of objects.
    """
    waiting: list[tuple[Any, tuple[str, ...]]] = [(case, ()) for case in reversed(cases)]
    while waiting:
        case, titles = waiting.pop()
        if not isinstance(case, dict):
            raise TypeError("a case must be an object")
        if "cases" in case:
            inner = (*titles, _to_text(case.get("description", "")))
            waiting += [(each, inner) for each in reversed(case["cases"])]
        else:
            yield case, titles


def _to_text(value: Json) -> str:
    return value if isinstance(value, str) else encode(value)


IMPORTERS: Final[dict[str, Callable[[Path], Imported]]] = {
    "folders": _read_folders,
    "json-schema": _read_json_schema,
    "exercism": _read_exercism,
    "toml-test": _read_toml_test,
    "problem": _read_problem,
}


def _relative_files(source: Path, pattern: str) -> list[tuple[Path, str]]:
    """Return the files below a folder that match a glob, each with its path from there, sorted."""
    if not source.is_dir():
        return []
    with usage_errors(escape_nonprintable(str(source))):
        tree = os.walk(source, onerror=_raise)
        listed = [Path(folder, name) for folder, _, names in tree for name in names]
    found = sorted(path for path in listed if path.match(pattern))
    return [(path, str(path.relative_to(source))) for path in found]


def _raise(problem: OSError) -> NoReturn:
    raise problem


def _prefix_of(where: str, stem: str) -> str:
    return "-".join([*where.split("/")[:-1], stem])


def _read_bytes(source: Path, path: Path, where: str) -> bytes | NotImported:
    """Return the content of a file in the source, or why it is not imported.

    A source may come from somebody else, and a suite is published: nothing outside is read.
    """
    try:
        if not Path(os.path.realpath(path)).is_relative_to(os.path.realpath(source)):
            return NotImported(where, "a link that leads out of the source")
        return read_regular(path)
    except OSError as problem:
        return NotImported(where, os_reason(problem))


def _read_json(source: Path, path: Path, where: str) -> Json | NotImported:
    """Return the one value of a file, or why it is not imported."""
    data = _read_bytes(source, path, where)
    if isinstance(data, NotImported):
        return data
    if fault := _json_fault(data):
        return NotImported(where, fault)
    values = decode(data).values
    return values[0] if len(values) == 1 else NotImported(where, "not one JSON value")


def _is_json(data: bytes) -> bool:
    return decode(data).fault is None


def _json_fault(data: bytes) -> str:
    """Return where and why a text is not JSON, or "" if it is."""
    fault = decode(data).fault
    return "" if fault is None else f"not JSON at byte {fault.offset}: {fault.reason}"

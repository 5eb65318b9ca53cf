"""Import canonical data of Exercism. Source: the README of Exercism's problem specifications."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from harness.authoring.importing import records
from harness.errors import UsageError
from harness.jsonio.decoder import Json
from harness.model.case import stream_text
from harness.text import escape_nonprintable
from harness.tomlio.tables import TomlError, parse_toml

_DATA: Final = "canonical-data.json"
# An expression that a value satisfies, such as "roll >= 1 && roll <= 6", or a call.
_PROSE: Final = re.compile(r"\w[\])]* ?(?:&&|\|\||[<>]=?|[=!]==?) ?[\w(-]|\w\.\w+\(")
# All texts are equal as messages of errors.
_ERRORS: Final = ("[[compare.at]]", 'path = "/error"', 'schema = { type = "string" }')


def _read(source: Path) -> records.Imported:
    """Yield the cases of an exercise, or of all exercises in a folder.

    The input has `property` and `input`, the output is `expected`.
    """
    files = records.relative_files(source, _DATA) if source.is_dir() else [(source, source.name)]
    has_errors = False
    for path, where in files:
        data = records.read_json(source, path, where)
        if isinstance(data, records.NotImported):
            yield data
            continue
        for each in _read_exercise(data, path.parent, where):
            if isinstance(each, records.ImportedCase) and each.expected.startswith(b'{"error":'):
                has_errors = True
            yield each
    if has_errors:
        yield records.SuiteLines(_ERRORS)


def _read_exercise(data: Any, folder: Path, file: str) -> records.Imported:
    exercise = "-".join(file.split("/")[-2:-1])
    try:
        cases = list(_flatten_cases(data["cases"]))
    except (KeyError, TypeError):
        yield records.NotImported(file, "not the canonical data of an exercise")
        return
    for comment in records.to_texts(data.get("comments")):
        yield records.SuiteLines((f"# {' '.join(comment.split())}",), is_top=True)
    left_out = set(_excluded(folder))
    replaced = {
        records.to_text(case["reimplements"]) for case, _ in cases if "reimplements" in case
    }
    for case, titles in cases:
        where = records.to_text(case.get("uuid", case.get("description", "a case")))
        if "uuid" in case and where in left_out:
            yield records.NotImported(where, "tests.toml excludes it")
        elif "uuid" in case and where in replaced:
            yield records.NotImported(where, "another case reimplements it")
        elif "expected" not in case or "input" not in case:
            yield records.NotImported(where, "has no input or no expected value")
        elif prose := _prose_in(case["expected"]):
            yield records.NotImported(where, f"expects an expression, not a value: {prose}")
        else:
            yield _read_case(case, titles, exercise)


def _excluded(folder: Path) -> Iterator[str]:
    """Yield the UUIDs that the tests.toml of a track excludes. Raises UsageError."""
    for path in (folder / "tests.toml", folder / ".meta" / "tests.toml"):
        data = records.file_content(folder, path, "")
        if isinstance(data, bytes):
            try:
                tables = parse_toml(data)
            except TomlError as problem:
                raise UsageError(f"{escape_nonprintable(str(path))}: {problem}") from None
            for uuid, table in tables.items():
                if isinstance(table, dict) and table.get("include") is False:
                    yield uuid


def _prose_in(expected: Json) -> str:
    """Return a text of an expected value that is an expression, or ""."""
    waiting = [expected]
    while waiting:
        value = waiting.pop()
        if isinstance(value, str) and _PROSE.search(value):
            return escape_nonprintable(value)
        if isinstance(value, dict):
            waiting += [each for key, each in value.items() if key != "error"]
        elif isinstance(value, list):
            waiting += value
    return ""


def _read_case(
    case: dict[str, Any], titles: tuple[str, ...], exercise: str
) -> records.ImportedCase:
    question = {"property": case.get("property", ""), "input": case["input"]}
    title = ": ".join((*titles, records.to_text(case.get("description", ""))))
    remarks = [*records.to_texts(case.get("comments"))]
    name = [exercise, records.to_text(case.get("property", "case"))]
    if "uuid" in case:
        uuid = records.to_text(case["uuid"])
        remarks.append(f"uuid: {uuid}")
        name.append(uuid.partition("-")[0])
    else:
        name.append(title)
    if "reimplements" in case:
        remarks.append(f"reimplements: {records.to_text(case['reimplements'])}")
    return records.ImportedCase(
        "-".join(filter(None, name)),
        stream_text([question]),
        stream_text([case["expected"]]),
        title=title,
        description=" ".join(remarks),
        tags=records.to_texts(case.get("scenarios")),
        key=records.to_text(case.get("uuid", "")),
    )


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
            inner = (*titles, records.to_text(case.get("description", "")))
            waiting += [(each, inner) for each in reversed(case["cases"])]
        else:
            yield case, titles


EXERCISM: Final = records.Importer(
    "exercism",
    f"the `{_DATA}` of an exercise, or a folder of exercises",
    'the input is `{"property": ..., "input": ...}`, the expected output its `expected` value;'
    ' scenarios are tags. Where `{"error": "..."}` is expected, any text is right',
    "136 cases of 12 exercises; 4 replaced ones are not imported",
    _read,
)

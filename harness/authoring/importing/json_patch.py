"""Import the JSON Patch tests (RFC 6902). Source: the README of json-patch-tests."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from harness.authoring.importing import records
from harness.jsonio.decoder import Json
from harness.model.case import stream_text

_ANY_VALUE: Final = 'compare.ignore = ["/value"]'


def _read(source: Path) -> records.Imported:
    """Yield the tests of a file, or of all files *tests.json in a folder."""
    files = (
        records.relative_files(source, "*tests.json")
        if source.is_dir()
        else [(source, source.name)]
    )
    for path, where in files:
        tests = records.read_json(source, path, where)
        if isinstance(tests, records.NotImported):
            yield tests
        elif not isinstance(tests, list):
            yield records.NotImported(where, "not a list of tests")
        else:
            for number, test in enumerate(tests, 1):
                yield _read_test(where, number, test)


def _read_test(file: str, number: int, test: Any) -> records.ImportedCase | records.NotImported:
    where = f"{file}, test {number}"
    if not isinstance(test, dict) or not {"doc", "patch"} <= set(test):
        return records.NotImported(where, "has no doc or no patch")
    title = records.to_text(test.get("comment", ""))
    if test.get("disabled"):
        return records.NotImported(f"{where} ({title})" if title else where, "is disabled")
    if "error" in test and "expected" in test:
        return records.NotImported(where, "expects an error and a document")
    question = {"doc": test["doc"], "patch": test["patch"]}
    error = records.to_text(test.get("error", ""))
    is_free = "error" not in test and "expected" not in test
    answer: Json = {"error": True} if "error" in test else {"value": test.get("expected")}
    return records.ImportedCase(
        f"{records.identity_of(file)}-{title or error}",
        stream_text([question]),
        stream_text([answer]),
        title=title or error,
        description=error if title else "",
        group=file,
        settings=(_ANY_VALUE,) if is_free else (),
    )


JSON_PATCH: Final = records.Importer(
    "json-patch",
    "`tests.json` or `spec_tests.json` of json-patch-tests, or the folder",
    'the input is `{"doc": ..., "patch": [...]}`, the expected output `{"value": ...}`, or'
    ' `{"error": true}` where the patch fails; without an expected document, any value is right',
    "",
    _read,
)

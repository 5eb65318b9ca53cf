"""Import the JSONPath compliance test suite (RFC 9535). Source: its README."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from harness.authoring.importing import records
from harness.errors import UsageError
from harness.jsonio.decoder import Json
from harness.model.case import stream_text
from harness.text import escape_nonprintable, pluralize

_KEYS: Final = {
    "name", "selector", "document", "result", "results", "result_paths", "results_paths",
    "invalid_selector", "tags",
}  # fmt: skip


def _read(source: Path) -> records.Imported:
    """Yield the tests of cts.json: a selector and a document, and the nodes that it selects."""
    path = source / "cts.json" if source.is_dir() else source
    data: Any = records.read_sole_json(path)
    if not isinstance(data, dict) or not isinstance(data.get("tests"), list):
        raise UsageError(f"{escape_nonprintable(str(path))}: not the file cts.json")
    with_paths = 0
    for number, test in enumerate(data["tests"], 1):
        if not isinstance(test, dict) or not {"name", "selector"} <= set(test):
            yield records.NotImported(f"test {number}", "has no name or no selector")
            continue
        with_paths += "result_paths" in test or "results_paths" in test
        yield _read_test(test)
    if with_paths:
        yield records.NotImported(
            f"result_paths of {pluralize(with_paths, 'test')}",
            "the paths of the nodes are not asked for",
        )


def _read_test(test: dict[str, Any]) -> records.ImportedCase | records.NotImported:
    name = records.to_text(test["name"])
    if unknown := set(test) - _KEYS:
        return records.NotImported(name, f"has an unknown member {min(unknown)}")
    question: dict[str, Json] = {"selector": test["selector"]}
    if "document" in test:
        question["document"] = test["document"]
    answers: list[Json]
    if test.get("invalid_selector") is True:
        answers = [{"error": True}]
    elif "result" in test:
        answers = [{"result": test["result"]}]
    elif isinstance(test.get("results"), list):
        answers = [[{"result": result}] for result in test["results"]]
    else:
        return records.NotImported(name, "has no result")
    return records.ImportedCase(
        name,
        stream_text([question]),
        stream_text(answers),
        title=name,
        group=name.partition(",")[0],
        tags=records.to_texts(test.get("tags")),
        has_several="results" in test,
    )


JSONPATH: Final = records.Importer(
    "jsonpath",
    "`cts.json` of the JSONPath compliance test suite, or its folder",
    'the input is `{"selector": ..., "document": ...}`, the expected output `{"result": [...]}`'
    ' with the selected values, or `{"error": true}` for an invalid selector',
    "703 cases; paths of 456 are not imported",
    _read,
)

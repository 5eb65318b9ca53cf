"""Import canonical-data.json of an Exercism exercise.

The input has `property` and `input`, the output is `expected`. Of cases that a later one
`reimplements`, the later counts. Source: the README of Exercism's problem specifications.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from harness.authoring.importers.common import (
    Imported,
    ImportedCase,
    NotTaken,
    json_bytes,
    read_json,
)
from harness.errors import UsageError
from harness.text import escape_nonprintable


def read(source: Path) -> Imported:
    """Yield the cases of a file. Raises UsageError if it is not of this format."""
    shown = escape_nonprintable(str(source))
    data: Any = read_json(source, shown)
    if isinstance(data, NotTaken) or not isinstance(data, dict):
        raise UsageError(f"{shown}: not the canonical data of an exercise")
    cases = list(_flat(data.get("cases", []), ()))
    replaced = {case["reimplements"] for case, _ in cases if "reimplements" in case}
    for case, titles in cases:
        where = str(case.get("uuid", case.get("description", "a case")))
        if case.get("uuid") in replaced:
            yield NotTaken(where, "another case reimplements it")
        elif "expected" not in case or "input" not in case:
            yield NotTaken(where, "has no input or no expected value")
        else:
            question = {"property": case.get("property", ""), "input": case["input"]}
            sides = json_bytes(question), json_bytes(case["expected"])
            comments = " ".join(map(str, case.get("comments", [])))
            title = ": ".join((*titles, str(case.get("description", ""))))
            prefix = str(case.get("property", "case"))
            yield ImportedCase(where, prefix, *sides, title=title, description=comments)


def _flat(cases: Any, titles: tuple[str, ...]) -> Iterator[tuple[dict[str, Any], tuple[str, ...]]]:
    for case in cases:
        if "cases" in case:
            yield from _flat(case["cases"], (*titles, str(case.get("description", ""))))
        else:
            yield case, titles

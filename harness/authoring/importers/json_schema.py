"""Import files of the JSON Schema test suite: a case for each group.

The input has `schema` and the `instances` of the group, the output is an array with the validity of
each. Source: the README of JSON-Schema-Test-Suite.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from harness.authoring.importers.common import (
    Imported,
    ImportedCase,
    NotTaken,
    json_bytes,
    read_json,
    relative_files,
)
from harness.jsonio.decoder import Json


def read(source: Path) -> Imported:
    """Yield the groups of a file, or of all files below a folder."""
    files = relative_files(source, "*.json") if source.is_dir() else [(source, source.name)]
    for path, where in files:
        groups = read_json(path, where)
        if isinstance(groups, NotTaken):
            yield groups
            continue
        if not isinstance(groups, list):
            yield NotTaken(where, "not a list of groups")
            continue
        prefix = "-".join([*Path(where).parts[:-1], path.stem])
        for number, group in enumerate(groups):
            yield _case(where, number + 1, prefix, group)


def _case(file: str, number: int, prefix: str, group: Any) -> ImportedCase | NotTaken:
    where = f"{file}, group {number}"
    try:
        question = {"schema": group["schema"], "instances": [e["data"] for e in group["tests"]]}
        valid: list[Json] = [each["valid"] is True for each in group["tests"]]
        tests = "; ".join(str(each["description"]) for each in group["tests"])
        title = str(group["description"])
    except (KeyError, TypeError):
        return NotTaken(where, "not a group of tests")
    sides = json_bytes(question), json_bytes(valid)
    return ImportedCase(where, prefix, *sides, title, tests, file)

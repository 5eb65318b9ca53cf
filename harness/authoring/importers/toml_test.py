"""Import a tree of toml-test: valid/**/*.toml with *.json, and invalid/**/*.toml.

The input is the document as it is. A decoder answers a valid one with tagged JSON, and exits with
a status other than 0 for an invalid one. Source: the README of toml-test.
"""

from __future__ import annotations

from pathlib import Path

from harness.authoring.importers.common import (
    Imported,
    ImportedCase,
    NotTaken,
    is_json,
    read_bytes,
    relative_files,
)


def read(source: Path) -> Imported:
    """Yield the cases of a folder that has the folders valid and invalid."""
    for kind in ("valid", "invalid"):
        for path, below in relative_files(source / kind, "*.toml"):
            where = f"{kind}/{below}"
            document = read_bytes(path, where)
            answer = path.with_suffix(".json")
            expected = read_bytes(answer, where) if kind == "valid" else b""
            if isinstance(document, NotTaken):
                yield document
            elif isinstance(expected, NotTaken) or not is_json(expected):
                yield NotTaken(where, f"{answer.name} is missing or not JSON")
            else:
                prefix = "-".join([kind, *Path(below).parts[:-1], path.stem])
                fails = kind == "invalid"
                yield ImportedCase(
                    where, prefix, document, expected, title=where, raw=True, fails=fails
                )

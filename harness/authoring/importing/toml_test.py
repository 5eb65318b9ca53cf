"""Import toml-test: documents that a decoder of TOML accepts or rejects.

Source: the README of toml-test.
"""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import Final

from harness.authoring.importing import records

# The values of a tagged answer are strings; how they compare depends on the type beside them.
_RULES: Final = (
    "[[compare.at]]",
    'path = "/**/value"',
    'when = { "../type" = "float" }',
    'strings = "number"',
    'numbers = "value"',
    "",
    "[[compare.at]]",
    'path = "/**/value"',
    'when = { "../type" = ["datetime", "datetime-local", "time-local"] }',
    'strings = "datetime"',
)


def _read(source: Path) -> records.Imported:
    """Yield valid/**/*.toml with *.json, and invalid/**/*.toml.

    A decoder answers a valid document with tagged JSON, and exits with a status other than 0 for an
    invalid one.
    """
    top = source if (source / "valid").is_dir() or (source / "invalid").is_dir() else None
    top = top or source / "tests"
    yield records.SuiteLines(_RULES)
    versions = _versions(top)
    for where, tags in versions.items():
        if not (top / where).exists():
            yield records.NotImported(where, f"does not exist, but files-{tags[0]} lists it")
    for kind in ("valid", "invalid"):
        for path, below in records.relative_files(top / kind, "*"):
            where = f"{kind}/{below}"
            if path.suffix == ".toml":
                yield _read_document(top, path, where, kind == "invalid", tuple(versions[where]))
            elif path.suffix != ".json" or not path.with_suffix(".toml").exists():
                yield records.NotImported(where, "belongs to no document")


def _versions(top: Path) -> dict[str, list[str]]:
    """Return a tag for each version of TOML that a document is for, by its path."""
    versions = defaultdict[str, list[str]](list)
    for path, where in records.relative_files(top, "files-toml-*"):
        data = records.file_content(top, path, where)
        lines = data.decode(errors="replace").splitlines() if isinstance(data, bytes) else ()
        for line in (line.strip() for line in lines if line.strip() and line[0] != "#"):
            versions[line].append(path.name.removeprefix("files-"))
    return versions


def _read_document(
    top: Path, path: Path, where: str, is_invalid: bool, tags: tuple[str, ...]
) -> records.ImportedCase | records.NotImported:
    document = records.file_content(top, path, where)
    answer = path.with_suffix(".json")
    expected = b"" if is_invalid else records.file_content(top, answer, where)
    if isinstance(document, records.NotImported):
        return document
    if isinstance(expected, records.NotImported) or not records.is_json(expected):
        return records.NotImported(where, f"{answer.name} is missing or not JSON")
    settings = (records.RAW, 'exit = "nonzero"') if is_invalid else (records.RAW,)
    identity = records.identity_of(where)
    return records.ImportedCase(
        identity, document, expected, title=where, tags=tags, settings=settings, key=where
    )


TOML_TEST: Final = records.Importer(
    "toml-test",
    "a folder with `valid` and `invalid`, or a checkout",
    "a document, as raw input; the expected output is the tagged JSON, or for `invalid` an exit"
    " status other than 0. Floats and times are compared by value, according to the `type` beside"
    " them. Lists such as `files-toml-1.0.0` are tags",
    "777 cases; 7 files that are sources of generated tests are not imported",
    _read,
)

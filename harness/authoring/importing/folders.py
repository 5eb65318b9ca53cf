"""Import pairs N-in.json and N-out.json of a tree of folders, as courses keep them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from harness.authoring.importing.records import (
    RAW,
    Imported,
    ImportedCase,
    Importer,
    NotImported,
    file_content,
    is_json,
    json_fault,
    relative_files,
)

_TWO_PROGRAMS: Final = re.compile(
    r"(?:^|[-_. ])(?i:client|server)|(?<=[a-z0-9])(?:Client|Server)"  # ForServer, not observer
)


def _read(source: Path) -> Imported:
    """Yield the pairs; the folders below the source are prefixes of their names.

    Pairs for a client and a server, which need two programs at once, are not imported.
    """
    files = relative_files(source, "*.json")
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
    stdin = file_content(source, path, where)
    output = file_content(source, expected, f"{stem}-out.json")
    if isinstance(stdin, NotImported):
        return stdin
    if isinstance(output, NotImported):
        return output
    if fault := json_fault(output):
        return NotImported(where, f"its output is {fault}")
    identity = re.sub(r"[0-9]{,9}$", "", stem)
    settings = () if is_json(stdin) else (RAW,)
    return ImportedCase(
        identity,
        stdin,
        output,
        title=where,
        settings=settings,
        number=int(stem.removeprefix(identity) or 1),
        key=where,
    )


FOLDERS: Final = Importer(
    "folders",
    "a tree of folders with `N-in.json` and `N-out.json`, at any depth",
    "a pair, whose name is its folder and number; pairs with `client` or `server` in their name are"
    " not imported",
    "",
    _read,
)

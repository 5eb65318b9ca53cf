"""Import trees of folders with N-in.json and N-out.json, as courses keep them.

A folder below one of the source gives its cases a prefix. Pairs for a client and a server, which
need two programs at once, are not taken.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from harness.authoring.importers.common import (
    Imported,
    ImportedCase,
    NotTaken,
    is_json,
    read_bytes,
    relative_files,
)

_TWO_PROGRAMS: Final = re.compile(
    r"(?:^|[-_. ])(?i:client|server)|(?<=[a-z0-9])(?:Client|Server)"  # ForServer, not observer
)


def read(source: Path) -> Imported:
    """Yield the cases below a folder."""
    files = relative_files(source, "*.json")
    known = {where for _, where in files}
    for path, where in files:
        if any(_TWO_PROGRAMS.search(part) for part in where.split("/")):
            yield NotTaken(where, "for a client and a server; xtest runs one program")
        elif where.endswith("-out.json"):
            if where.removesuffix("-out.json") + "-in.json" not in known:
                yield NotTaken(where, "has no -in.json")
        elif not where.endswith("-in.json"):
            yield NotTaken(where, "is not named -in.json or -out.json")
        else:
            yield _pair(path, where)


def _pair(path: Path, where: str) -> ImportedCase | NotTaken:
    stem = path.name.removesuffix("-in.json")
    expected = path.with_name(f"{stem}-out.json")
    if not expected.is_file():
        return NotTaken(where, "has no -out.json")
    prefix = "-".join([*where.split("/")[:-1], re.sub(r"-?[0-9]*$", "", stem)]).strip("-")
    stdin, output = read_bytes(path, where), read_bytes(expected, where)
    if isinstance(stdin, NotTaken):
        return stdin
    if isinstance(output, NotTaken):
        return output
    if not is_json(output):
        return NotTaken(where, "its output is not JSON")
    return ImportedCase(where, prefix, stdin, output, raw=not is_json(stdin))

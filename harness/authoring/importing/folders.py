"""Import pairs N-in.json and N-out.json of a tree of folders, as courses keep them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from harness.authoring.importing import records
from harness.model.case_names import case_of_file
from harness.suites.strays import likely_name

_TWO_PROGRAMS: Final = re.compile(
    r"(?:^|[-_. ])(?i:client|server)|(?<=[a-z0-9])(?:Client|Server)"  # ForServer, not observer
)


def _read(source: Path) -> records.Imported:
    """Yield the pairs; the folders below the source are prefixes of their names.

    Pairs for a client and a server, which need two programs at once, are not imported.
    """
    files = records.relative_files(source, "*")
    known = {where for _, where in files}
    for path, where in files:
        wanted = likely_name(path.name)
        if path.suffix != ".json" and (wanted is None or case_of_file(wanted) is None):
            continue
        if any(_TWO_PROGRAMS.search(part) for part in where.split("/")):
            yield records.NotImported(where, "for a client and a server; xtest runs one program")
        elif where.endswith("-out.json"):
            if where.removesuffix("-out.json") + "-in.json" not in known:
                yield records.NotImported(where, "has no -in.json")
        elif not where.endswith("-in.json"):
            hint = f"; rename it {wanted}" if wanted else ""
            yield records.NotImported(where, f"is not named -in.json or -out.json{hint}")
        elif where.removesuffix("-in.json") + "-out.json" not in known:
            yield records.NotImported(where, "has no -out.json")
        else:
            yield _read_pair(source, path, where)


def _read_pair(source: Path, path: Path, where: str) -> records.ImportedCase | records.NotImported:
    stem = where.removesuffix("-in.json")
    expected = path.with_name(path.name.removesuffix("-in.json") + "-out.json")
    stdin = records.file_content(source, path, where)
    output = records.file_content(source, expected, f"{stem}-out.json")
    if isinstance(stdin, records.NotImported):
        return stdin
    if isinstance(output, records.NotImported):
        return output
    if fault := records.json_fault(output):
        return records.NotImported(where, f"its output is {fault}")
    identity = re.sub(r"[0-9]{,9}$", "", stem)
    settings = () if records.is_json(stdin) else (records.RAW,)
    return records.ImportedCase(
        identity,
        stdin,
        output,
        title=where,
        settings=settings,
        number=int(stem.removeprefix(identity) or 1),
        key=where,
    )


FOLDERS: Final = records.Importer(
    "folders",
    "a tree of folders with `N-in.json` and `N-out.json`, at any depth",
    "a pair, whose name is its folder and number; pairs with `client` or `server` in their name are"
    " not imported",
    "",
    _read,
)

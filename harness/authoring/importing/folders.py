"""Import pairs N-in.json and N-out.json of a tree of folders, as courses keep them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from harness.authoring.importing import records
from harness.model.case_names import case_of_file
from harness.project.folder_subjects import ARCHIVE_CLUTTER
from harness.suites.strays import likely_name

# Endings of the files of cases, of other judges, too.
_CONTENTS: Final = (".json", ".in", ".inp", ".out", ".ans", ".sol", ".expected")
_TWO_PROGRAMS: Final = re.compile(
    r"(?:^|[-_. ])x?(?i:client|server)|(?<=[a-z0-9])(?:Client|Server)"  # ForServer, not observer
)
# By the side that is judged; course programs of both sides read the same input.
_COMPANIONS: Final = {
    "server": ("[[companions]]", 'command = ["{folder}/xclients", "{port}"]', "input = true"),
    "client": (
        "[[companions]]",
        'role = "server"',
        'command = ["{folder}/xserver", "{port}"]',
        "input = true",
    ),
}


def _read(source: Path) -> records.Imported:
    """Yield the pairs; the folders below the source are prefixes of their names.

    A suite has companions for all of its cases or for none: pairs of a client or of a server are
    imported if the source has no others.
    """
    listed = records.relative_files(source, "*")
    hidden = dict.fromkeys(filter(None, (_hidden_folder(where) for _, where in listed)))
    yield from (records.NotImported(each, "a hidden folder") for each in hidden)
    files = [(path, where) for path, where in listed if not _hidden_folder(where)]
    known = {where for _, where in files}
    sides = {_side(source, where) for where in known if where.endswith("-in.json")}
    side = "" if "" in sides else next(iter(sides & {"server"} or sides), "")
    if side:
        yield records.SuiteLines(_COMPANIONS[side])
    for path, where in files:
        wanted = likely_name(path.name)
        if path.suffix not in _CONTENTS and (wanted is None or case_of_file(wanted) is None):
            continue
        if (other := _side(source, where)) and other != side:
            yield records.NotImported(where, f"for a {other}; import its folder by itself")
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


def _hidden_folder(where: str) -> str:
    """Return the uppermost folder of a path that is hidden, or made by an archiver; or ""."""
    folders = where.split("/")[:-1]
    for depth, each in enumerate(folders, 1):
        if each.startswith(".") or each == ARCHIVE_CLUTTER:
            return "/".join(folders[:depth])
    return ""


def _side(source: Path, where: str) -> str:
    """Return the program that a pair is for, by its path: "server", "client", or "" for any."""
    parts = (source.resolve().name, *where.split("/"))
    names = [match[0].lower() for part in parts for match in _TWO_PROGRAMS.finditer(part)]
    return next((side for side in _COMPANIONS if any(side in each for each in names)), "")


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
    "a pair, whose name is its folder and number; for a source whose names say `client` or"
    " `server`, suite.toml gets [companions](dialogues.md#companions)",
    "",
    _read,
)

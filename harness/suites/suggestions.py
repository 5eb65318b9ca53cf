"""Suggest a folder, a bundled suite or a program for an argument that names no suite.

The search is bounded: two folders deep, and at most `_MOST` folders.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from difflib import get_close_matches
from itertools import islice
from pathlib import Path
from typing import Final

from harness.model.case_names import PACKED_FILE, case_file
from harness.text import escape_nonprintable

_MOST: Final = 2_000
_SIMILARITY: Final = 0.75
# Without the sign --, the words of a command are taken for suites.
_PROGRAM_HINT: Final = "; a program under test goes after --"
_DATA: Final = (".json", ".jsonl", ".toml", ".md", ".txt")  # suffixes of files that never run


def not_found(argument: str, bundled: Path) -> str:
    """Return the message for an argument that is neither a folder nor a suite in `bundled`."""
    file = Path(argument)
    if os.path.isfile(argument):
        side = case_file(file.name)
        how = (
            f" {escape_nonprintable(str(file.parent))}" if side or file.name == PACKED_FILE else ""
        )
        how += f" --case {side.name.text}" if side else ""
        hint = how and f": xtest run{how}"
        is_data = file.suffix in _DATA
        if not how and not is_data and ("/" in argument or os.access(argument, os.X_OK)):
            hint = f"{_PROGRAM_HINT}: xtest run SUITE -- {escape_nonprintable(argument)}"
        return f"{escape_nonprintable(argument)}: a file; a suite is a folder{hint}"
    known = sorted(entry.name for entry in bundled.iterdir()) if os.path.isdir(bundled) else []
    folder = similar_folder(argument)
    similar = (
        get_close_matches(argument, known, n=1) if folder is None else [escape_nonprintable(folder)]
    )
    hint = f"did you mean {similar[0]}?" if similar else f"bundled: {', '.join(known) or 'none'}"
    is_program = not similar and argument and "/" not in argument and shutil.which(argument)
    program = _PROGRAM_HINT if is_program else ""
    shown = escape_nonprintable(argument) or '""'
    return f"{shown}: no such folder or bundled suite; {hint}{program}"


def similar_folder(argument: str) -> str | None:
    """Return a folder with the same name, deeper down, or else a similar one, or None."""
    if not argument.strip("./"):
        return None
    wanted = os.path.normpath(argument)
    above, name = os.path.split(wanted)
    candidates = list(islice(_candidates(above), _MOST))
    same = [path for path in candidates if os.path.basename(path) == name]
    if same:
        return same[0]
    if above and not os.path.isdir(above):
        similar = get_close_matches(wanted, candidates, n=1, cutoff=_SIMILARITY)
        return similar[0] if similar else None
    names = {os.path.basename(path): path for path in reversed(candidates)}
    similar = get_close_matches(name, names, n=1, cutoff=_SIMILARITY)
    return names[similar[0]] if similar else None


def _candidates(above: str) -> Iterator[str]:
    """Yield the folders in `above`, and those one and two levels below the current folder."""
    if above:
        yield from _folders(above)
    for folder in _folders(""):
        yield folder
        yield from _folders(folder)


def _folders(path: str) -> list[str]:
    try:
        with os.scandir(path or ".") as entries:
            names = [
                entry.name for entry in entries if entry.is_dir() and not entry.name.startswith(".")
            ]
    except OSError:
        return []
    return [os.path.join(path, name) for name in sorted(names)]

"""Find the suites that arguments name: folders, all folders below one, bundled suites."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from harness.errors import os_reason
from harness.model.case_names import PACKED_FILE, case_file, looks_like_case_file, natural
from harness.suites.loading import FIXED_NAMES, CorpusError
from harness.suites.suggestions import not_found
from harness.text import escape_nonprintable

__all__ = ["DiscoveredSuite", "find_all", "find_suites"]


class DiscoveredSuite(NamedTuple):
    """A suite: its name, unique in a run; its folder; and an argument that names it alone."""

    name: str
    folder: Path
    argument: str


def find_all(
    arguments: Sequence[str], bundled: Path, *, inputs: bool = False
) -> list[DiscoveredSuite]:
    """Return the suites that arguments name, each folder once, in order.

    Suites of the same name get longer parts of their paths, until they differ. For `inputs` and
    errors see `find_suites`.
    """
    found: dict[str, tuple[Path, str]] = {}  # by absolute path
    lengths: dict[str, int] = {}  # number of steps at the end of that path in the name
    for argument in arguments:
        in_bundle = _root(argument, bundled)[2]
        for name, folder in find_suites(argument, bundled, inputs=inputs):
            path = os.path.abspath(folder)
            found.setdefault(path, (folder, name if in_bundle else str(folder)))
            lengths.setdefault(path, name.count("/") + 1)
    names = _distinct(lengths)
    return [
        DiscoveredSuite(names[path], folder, argument) for path, (folder, argument) in found.items()
    ]


def find_suites(argument: str, bundled: Path, *, inputs: bool = False) -> list[tuple[str, Path]]:
    """Return name and folder of the suites that an argument names. Raises CorpusError.

    It is a folder with cases, a folder above some, or the name of a bundled suite. With `inputs`, a
    folder of JSON files is one, too.
    """
    name, folder, _ = _root(argument, bundled)
    found = list(_suites_below(name, folder))
    if not found and inputs and any(entry.name.endswith(".json") for entry in _scan(folder)):
        found = [(name, folder)]
    if not found:
        other = ", or a file *.json in the folder itself" if inputs else ""
        raise CorpusError(
            f"{escape_nonprintable(argument)}: no cases in this folder or below; a case is a pair"
            f" of files N-in.json and N-out.json, or a line of {PACKED_FILE}{other}"
        )
    return found


def _root(argument: str, bundled: Path) -> tuple[str, Path, bool]:
    """Return the folder of an argument, its name, and whether it is bundled."""
    if argument and os.path.isdir(argument):
        path = os.path.abspath(argument)
        return os.path.basename(path) or path, Path(argument), False
    steps = Path(argument).parts
    if steps and not os.path.isabs(argument) and ".." not in steps:
        if os.path.isdir(bundled / argument):
            return "/".join(steps), bundled / argument, True
    raise CorpusError(not_found(argument, bundled))


def _suites_below(name: str, folder: Path) -> Iterator[tuple[str, Path]]:
    """Yield the suites in a folder; below one with cases, there are none.

    A folder that only looks like a suite is yielded, too: reading it reports why.
    """
    waiting = [(name, folder)]
    while waiting:
        name, folder = waiting.pop()
        entries = _scan(folder)
        has_cases = any(_holds_cases(entry.name) for entry in entries)
        if has_cases or any(_suggests_suite(entry.name) for entry in entries):
            yield name, folder
        if not has_cases:
            # Not following links to folders: one that leads upwards would never end.
            waiting += [
                (f"{name.rstrip('/')}/{entry.name}", Path(entry.path))
                for entry in sorted(entries, key=lambda entry: natural(entry.name), reverse=True)
                if entry.is_dir(follow_symlinks=False) and not entry.name.startswith(".")
            ]


def _scan(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except OSError as problem:
        raise CorpusError(f"{escape_nonprintable(str(folder))}: {os_reason(problem)}") from None


def _holds_cases(file_name: str) -> bool:
    return file_name == PACKED_FILE or case_file(file_name) is not None


def _suggests_suite(file_name: str) -> bool:
    return file_name.lower() in FIXED_NAMES or looks_like_case_file(file_name)


def _distinct(lengths: Mapping[str, int]) -> dict[str, str]:
    """Return a name for each absolute path: its last steps, and more of them until names differ.

    It ends, because whole paths differ.
    """
    lengths = dict(lengths)
    while True:
        names = {path: _last_steps(path, length) for path, length in lengths.items()}
        counts = Counter(names.values())
        ambiguous = [path for path, name in names.items() if counts[name] > 1]
        if not ambiguous:
            return names
        for path in ambiguous:
            lengths[path] += 1


def _last_steps(path: str, length: int) -> str:
    return "/".join(Path(path).parts[-length:]).replace("//", "/")

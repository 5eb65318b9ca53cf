"""Find the files of a suite that its subjects may read, and tell subjects where the suite is.

Source: docs/suites.md.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from glob import glob
from pathlib import Path
from typing import Final

from harness.model.case_names import PACKED_FILE, SETTINGS_FILE, case_of_file
from harness.suites.strays import likely_name
from harness.text import quote

SUITE_VARIABLE: Final = "XTEST_SUITE"
_ALL: Final = "/**"


def suite_variables(folder: Path) -> tuple[tuple[str, str], ...]:
    """Return the environment variables that tell subjects where their suite is."""
    return ((SUITE_VARIABLE, os.path.abspath(folder)),)


def unmatched_files(folder: Path, patterns: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield the patterns of `files` that match no file, each with a message."""
    for each in patterns:
        if not shared_files(folder, [each]):
            yield each, f"files: {quote(each)} matches no file (cases and settings do not count)"


def shared_files(folder: Path, patterns: Iterable[str]) -> list[str]:
    """Return the absolute paths of the files and folders in a suite that match its `files`.

    A folder stands for everything below it, so "remotes/**" is "remotes", and no pattern has to
    walk through folders. The suite's own folder, cases and settings are left out.
    """
    names = {
        os.path.normpath(name)
        for pattern in patterns
        for name in _matching_names(folder, pattern.removesuffix(_ALL))
    }
    paths = (os.path.join(os.path.abspath(folder), name) for name in sorted(names))
    return [path for path in paths if not _is_secret(path, os.path.realpath(folder))]


def _matching_names(folder: Path, pattern: str) -> list[str]:
    """Return the paths that a glob matches; one with glob characters also matches itself."""
    names = glob(pattern, root_dir=folder, include_hidden=True)
    return [*names, pattern] if os.path.lexists(folder / pattern) else names


def _is_secret(path: str, folder: str) -> bool:
    """Return whether a path leads to a suite's folder, or to its cases or settings."""
    real = os.path.realpath(path)
    name = os.path.basename(real)
    is_case = case_of_file(name) is not None or likely_name(name) is not None
    is_own = is_case or name in (PACKED_FILE, SETTINGS_FILE)
    return f"{folder}/".startswith(f"{real}/") or (is_own and os.path.dirname(real) == folder)

"""Name a suite in one way, however a command line spells its folder. Source: docs/suites.md.

The name is `name` of its suite.toml; otherwise its path from the nearest xtest.toml above it, or
else from the root of its repository, or else from the folder that the command line gives.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Final

from harness.files import read_regular
from harness.model.case_names import CONFIG_FILE
from harness.suites.value_types import NAME
from harness.tomlio.tables import TomlError, parse_toml

SETTINGS_FILE: Final = "suite.toml"
_REPOSITORY: Final = ".git"  # a folder, or a file in a worktree
_NAME: Final = b"name"  # in the bytes of every suite.toml that declares a name
_MOST_BYTES: Final = 1 << 20  # of a suite.toml


def suite_name(folder: Path, argument: Path, bundled: Path) -> str:
    """Return the name of the suite in a folder, which is the `argument` or below it."""
    declared = _declared_name(folder / SETTINGS_FILE)
    if declared:
        return declared
    path = os.path.realpath(folder)
    if path.startswith(f"{os.path.realpath(bundled)}/"):
        return os.path.relpath(path, os.path.realpath(bundled))
    root = project_root(path) or os.path.realpath(argument)
    name = os.path.relpath(path, root)
    if name.startswith("../"):  # behind a link, which has a name of the project
        path = os.path.abspath(folder)
        name = os.path.relpath(path, project_root(path) or os.path.abspath(argument))
    return os.path.basename(path) or path if name == "." else name


def project_root(folder: str) -> str | None:
    """Return the nearest folder with an xtest.toml, this one or above, or else that of the
    repository, or None."""
    return nearest(folder, CONFIG_FILE) or repository_root(folder)


def repository_root(folder: str) -> str | None:
    return nearest(folder, _REPOSITORY)


def nearest(folder: str, marker: str) -> str | None:
    """Return the nearest folder, this one or above, that has an entry of this name, or None."""
    folders = (folder, *map(str, Path(folder).parents))
    return next((each for each in folders if os.path.lexists(os.path.join(each, marker))), None)


def _declared_name(file: Path) -> str:
    """Return the name in a suite.toml, or "" without a valid one: reading the suite reports why."""
    with suppress(OSError, TomlError):
        if os.path.isfile(file) and os.path.getsize(file) <= _MOST_BYTES:
            text = read_regular(file)
            return NAME.read(parse_toml(text).get("name")) or "" if _NAME in text else ""
    return ""

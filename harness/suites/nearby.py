"""Folders whose path is like one that is not there: what somebody who named it may have meant.

Looks no deeper than two folders down, and at no more than so many: it only has to give a hint.
Source: docs/suites.md.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from difflib import get_close_matches
from itertools import islice
from typing import Final

__all__ = ["near_folder"]

_MOST: Final = 2_000  # folders that are looked at
_ALIKE: Final = 0.75


def near_folder(argument: str) -> str | None:
    """The folder that an argument may have meant, which means none itself; None: none is like it.
    One of the very name, deeper down, comes before one that is spelled otherwise."""
    if not argument.strip("./"):
        return None
    wanted = os.path.normpath(argument)
    above, name = os.path.split(wanted)
    found = list(islice(_candidates(above), _MOST))
    same = [path for path in found if os.path.basename(path) == name]
    if same:
        return same[0]
    if above and not os.path.isdir(above):
        near = get_close_matches(wanted, found, n=1, cutoff=_ALIKE)
        return near[0] if near else None
    names = {os.path.basename(path): path for path in reversed(found)}
    alike = get_close_matches(name, names, n=1, cutoff=_ALIKE)
    return names[alike[0]] if alike else None


def _candidates(above: str) -> Iterator[str]:
    """The folders beside the one that was meant, and those from here, one and two folders down."""
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

"""New files, all of them or none: never over a file that is there, and never half written.

The one place where files of single cases are written; what they hold is decided elsewhere.
Source: docs/care.md.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

__all__ = ["write_new"]


def write_new(files: Mapping[Path, bytes]) -> None:
    """Write files of one folder that are not there yet. Each stands under another, hidden name
    until all are whole. Raises FileExistsError, and OSError; then none of them is there."""
    parts = {path: _part(path, number) for number, path in enumerate(files)}
    placed: list[Path] = []
    try:
        for path, data in files.items():
            with parts[path].open("xb") as file:
                file.write(data)
        for path, part in parts.items():
            # A link, and not a renaming: it does not replace what somebody else put there.
            os.link(part, path)
            placed.append(path)
    except BaseException:  # an interruption, too, leaves nothing behind
        for path in placed:
            _remove(path)
        raise
    finally:
        for part in parts.values():
            _remove(part)


def _part(path: Path, number: int) -> Path:
    return path.with_name(f".xtest-{os.getpid()}-{number}.part")


def _remove(path: Path) -> None:
    with suppress(OSError):
        path.unlink()

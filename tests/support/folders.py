"""Write the files of a folder."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def write_files(folder: Path, files: Mapping[str, Any]) -> Path:
    """Write files, which are bytes, text, or values for JSON, and return the folder."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not isinstance(content, bytes | str):
            content = json.dumps(content)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def pair(name: str, stdin: str | bytes = "1", expected: str | bytes = "1") -> dict[str, Any]:
    """Return the two files of a case."""
    return {f"{name}-in.json": stdin, f"{name}-out.json": expected}

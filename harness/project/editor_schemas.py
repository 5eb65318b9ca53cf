"""Give editors the schemas of suite.toml and xtest.toml. Source: docs/editors.md.

A project keeps copies of the schemas in a folder of its own: a path that holds on any machine, and
without a network.
"""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import BinaryIO, Final

from harness.files import atomic_write
from harness.model.case_names import CONFIG_FILE
from harness.suites.bundled import schemas_folder
from harness.suites.names import SETTINGS_FILE

SCHEMAS_FOLDER: Final = ".xtest"
_ENDING: Final = ".schema.json"
_OF_PROGRAMS: Final = ("-in", "-out")  # what the bundled programs read and print


def format_names() -> list[str]:
    """Return the names of the file formats that have a schema."""
    names = (path.name.removesuffix(_ENDING) for path in schemas_folder().glob(f"*{_ENDING}"))
    return sorted(name for name in names if not name.endswith(_OF_PROGRAMS))


def format_schema(name: str) -> bytes:
    """Return the schema of a format, as a text."""
    return (schemas_folder() / f"{name}{_ENDING}").read_bytes()


def write_schemas(folder: Path) -> None:
    """Write the schemas of a project's files below its folder. Raises OSError."""
    target = folder / SCHEMAS_FOLDER
    target.mkdir(exist_ok=True)
    for name in (Path(CONFIG_FILE).stem, Path(SETTINGS_FILE).stem):
        atomic_write(target / f"{name}{_ENDING}", partial(_fill, format_schema(name)))


def _fill(data: bytes, file: BinaryIO) -> None:
    file.write(data)


def schema_line(file: Path) -> str:
    """Return the comment by which editors find the schema of a new TOML file, or "" if neither its
    folder nor one above has the schema."""
    folder = Path(os.path.abspath(file)).parent
    name = f"{file.stem}{_ENDING}"
    for above in (folder, *folder.parents):
        if (above / SCHEMAS_FOLDER / name).is_file():
            path = os.path.relpath(above / SCHEMAS_FOLDER / name, folder)
            return f"#:schema {path if path.startswith('../') else f'./{path}'}\n"
    return ""

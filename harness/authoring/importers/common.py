"""Declare what an importer yields: cases, and parts of the source that are not taken."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from harness.errors import os_reason
from harness.jsonio.decoder import Json, encode
from harness.jsonio.fast import decode


class ImportedCase(NamedTuple):
    """A case: the place in the source that names it, its two sides, its texts and settings.

    `prefix` begins its name, before a number. A `raw` input is not parsed; `fails` means that any
    exit status but 0 is expected.
    """

    where: str
    prefix: str
    stdin: bytes
    expected: bytes
    title: str = ""
    description: str = ""
    group: str = ""
    raw: bool = False
    fails: bool = False


class NotTaken(NamedTuple):
    where: str
    reason: str


Imported = Iterator[ImportedCase | NotTaken]


def relative_files(source: Path, pattern: str) -> list[tuple[Path, str]]:
    """Return the files below a folder that match a glob, and their paths from it, sorted."""
    found = sorted(path for path in source.rglob(pattern) if path.is_file())
    return [(path, str(path.relative_to(source))) for path in found]


def read_bytes(path: Path, where: str) -> bytes | NotTaken:
    try:
        return path.read_bytes()
    except OSError as problem:
        return NotTaken(where, os_reason(problem))


def json_bytes(value: Json) -> bytes:
    """Return a value as a line of JSON; numbers stay as they were written."""
    return f"{encode(value)}\n".encode()


def read_json(path: Path, where: str) -> Json | NotTaken:
    """Return the one value of a file, or why it is not taken."""
    data = read_bytes(path, where)
    if isinstance(data, NotTaken):
        return data
    values, fault = decode(data)
    if fault is not None or len(values) != 1:
        return NotTaken(where, "not one JSON value")
    return values[0]


def is_json(data: bytes) -> bool:
    return decode(data).fault is None

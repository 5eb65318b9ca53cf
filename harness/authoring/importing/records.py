"""Declare what an importer yields: cases, settings and files of the suite, and what it leaves out.

Reading helpers that importers share are here, too.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, NamedTuple, NoReturn

from harness.errors import UsageError, os_reason, usage_errors
from harness.files import read_regular
from harness.jsonio.decoder import Json, encode
from harness.jsonio.fast import decode
from harness.text import escape_nonprintable

RAW: Final = 'input = "raw"'


class ImportedCase(NamedTuple):
    """A case to write.

    `identity` is what the source calls it: a path, a description or an id, never its position.
    `number` is the number that the source gives it, if any. `settings` are lines of its `[[cases]]`
    table.
    """

    identity: str
    stdin: bytes
    expected: bytes
    title: str = ""
    description: str = ""
    group: str = ""
    link: str = ""
    tags: tuple[str, ...] = ()
    has_several: bool = False
    settings: tuple[str, ...] = ()
    number: int = 1
    key: str = ""  # tells it from others with its identity; its content does if empty


class NotImported(NamedTuple):
    """A part of the source that is not imported, and why."""

    where: str
    reason: str


class SuiteLines(NamedTuple):
    """Lines of suite.toml: keys of its top table, or whole tables."""

    lines: tuple[str, ...]
    is_top: bool = False


class SuiteFile(NamedTuple):
    """A file of the suite, with its path in the suite's folder."""

    path: str
    data: bytes


Imported = Iterator[ImportedCase | NotImported | SuiteLines | SuiteFile]


class Importer(NamedTuple):
    """A format: its name, where its cases are, what a case is, and how they are read.

    `size` says how many cases today's corpus has. The texts are Markdown, for docs/import.md.
    """

    name: str
    source: str
    case: str
    size: str
    read: Callable[[Path], Imported]


def relative_files(source: Path, pattern: str) -> list[tuple[Path, str]]:
    """Return the files below a folder that match a glob, each with its path from there, sorted."""
    if not source.is_dir():
        return []
    with usage_errors(escape_nonprintable(str(source))):
        tree = os.walk(source, onerror=_raise)
        listed = [Path(folder, name) for folder, _, names in tree for name in names]
    matching = sorted(path for path in listed if path.match(pattern))
    return [(path, str(path.relative_to(source))) for path in matching]


def linked_folders(source: Path) -> Iterator[NotImported]:
    """Yield the links to folders below a source: no importer follows them."""
    for folder, folders, _ in os.walk(source):
        folders.sort()
        for path in (Path(folder, name) for name in folders if name != ".git"):
            if path.is_symlink():
                yield NotImported(str(path.relative_to(source)), "a link to a folder")


def _raise(problem: OSError) -> NoReturn:
    raise problem


def identity_of(where: str) -> str:
    """Return the identity of a file by its path, without the ending of its name."""
    *folders, name = where.split("/")
    return "-".join([*folders, Path(name).stem])


def file_content(source: Path, path: Path, where: str) -> bytes | NotImported:
    """Return the content of a file in the source, or why it is not imported.

    A source may come from somebody else, and a suite is published: nothing outside is read.
    """
    try:
        if not Path(os.path.realpath(path)).is_relative_to(os.path.realpath(source)):
            return NotImported(where, "a link that leads out of the source")
        return read_regular(path)
    except OSError as problem:
        return NotImported(where, os_reason(problem))


def read_json(source: Path, path: Path, where: str) -> Json | NotImported:
    """Return the one value of a file, or why it is not imported."""
    data = file_content(source, path, where)
    if isinstance(data, NotImported):
        return data
    if fault := json_fault(data):
        return NotImported(where, fault)
    values = decode(data).values
    return values[0] if len(values) == 1 else NotImported(where, "not one JSON value")


def read_sole_json(path: Path) -> Json:
    """Return the one value of the file that is the source. Raises UsageError."""
    shown = escape_nonprintable(str(path))
    value = read_json(path, path, shown)
    if isinstance(value, NotImported):
        raise UsageError(f"{shown}: {value.reason}")
    return value


def is_json(data: bytes) -> bool:
    return decode(data).fault is None


def json_fault(data: bytes) -> str:
    """Return where and why a text is not JSON, or "" if it is."""
    fault = decode(data).fault
    return "" if fault is None else f"not JSON at byte {fault.offset}: {fault.reason}"


def to_text(value: Json) -> str:
    return value if isinstance(value, str) else encode(value)


def to_texts(value: Json) -> tuple[str, ...]:
    """Return the elements of an array as texts, and none for other values."""
    return tuple(map(to_text, value)) if isinstance(value, list) else ()

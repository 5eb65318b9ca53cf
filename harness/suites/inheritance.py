"""Find the files that the settings of a suite come from, merge them, and say where each is set.

A suite inherits from each suite.toml above it, and from `[defaults]` of the xtest.toml above it.
Source: docs/suites.md.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import Enum
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from harness.files import nearest, open_regular, schemas_folder, test_cases_folder
from harness.jsonio.positions import Position
from harness.judging.comparison_parser import JsonText
from harness.model.case import ExitRange
from harness.model.case_names import CONFIG_FILE, SETTINGS_FILE
from harness.suites.settings import SuiteSettings
from harness.suites.suite_toml import DEFAULTS, SUITE_TOML
from harness.text import escape_nonprintable
from harness.tomlio.positions import TomlPlaces
from harness.tomlio.tables import (
    Key,
    TableForm,
    TableSchema,
    TomlError,
    inherited_entries,
    merge_entries,
    parse_toml,
    read_document,
)

_REPOSITORY: Final = ".git"  # a folder, or a file in a worktree


class SettingsFile(NamedTuple):
    """A suite.toml, or the `table` of an xtest.toml; `up` is 0 for the suite's own.

    The `entries` are those that apply to the suite; the files they name are relative to it.
    """

    path: Path
    up: int  # folders above the suite
    text: bytes
    entries: Mapping[str, Any] = MappingProxyType({})
    table: str = ""

    @property
    def relative(self) -> str:
        """The path from the suite's folder."""
        return os.path.join(*[".."] * self.up, self.path.name)

    def located(self, table: str) -> str:
        """Return the dotted name in the file of a table of the suite's settings."""
        return ".".join(filter(None, (self.table, table)))


class SettingsError(TomlError):
    """A mistake in one of the files of a suite's settings, at a place in this file."""

    def __init__(self, problem: TomlError, file: SettingsFile) -> None:
        super().__init__(f"{escape_nonprintable(str(file.path))}: {problem}", problem.place)
        self.file = file


def settings_files(folder: Path) -> tuple[SettingsFile, ...]:
    """Return the files that set something for a suite, the farthest first.

    Raises OSError and SettingsError.
    """
    return tuple(_read_file(file, up) for file, up in reversed([*_find_files(folder)]))


def merged_settings(files: Sequence[SettingsFile]) -> SuiteSettings:
    """Return the settings of a suite; a later file wins, key by key. Raises SettingsError."""
    return _parse(SUITE_TOML, merged_entries(files), files[-1]) if files else SuiteSettings()


def merged_entries(files: Iterable[SettingsFile]) -> Mapping[str, Any]:
    """Return the settings of a suite as TOML has them."""
    entries: Mapping[str, Any] = {}
    for file in files:
        entries = merge_entries(SUITE_TOML, entries, file.entries)
    return entries


def own_settings(files: Sequence[SettingsFile]) -> SuiteSettings:
    return merged_settings([file for file in files if not file.up])


def deciding_file(
    files: Iterable[SettingsFile], table: str, number: int, key: str
) -> tuple[SettingsFile, int] | None:
    """Return the file that decides a key, and the number of its table there, or None.

    `number` counts the tables of one dotted name in all files, from 0.
    """
    decided = None
    for file in files:
        entry: Any = file.entries
        for step in table.split(".") if table else ():
            entry = entry.get(step, {})
        if isinstance(entry, list):
            if number < len(entry):
                return file, number
            number -= len(entry)
        elif key in entry:
            decided = file, number
    return decided


def project_root(folder: str) -> str | None:
    """Return the nearest folder with an xtest.toml, this one or above, or else that of the
    repository, or None."""
    return nearest(folder, CONFIG_FILE) or repository_root(folder)


def repository_root(folder: str) -> str | None:
    return nearest(folder, _REPOSITORY)


def inherited_folders(folder: Path) -> list[Path]:
    """Return the folders above that of a suite from which it can inherit, the nearest first.

    The last one is that of the xtest.toml or the repository, or without one the current folder.
    """
    path = Path(os.path.abspath(folder))
    top = Path(project_root(str(path)) or os.path.abspath(os.curdir))
    if path == top or not path.is_relative_to(top) or path.is_relative_to(test_cases_folder()):
        return []
    return [each for each in path.parents if each.is_relative_to(top)]


def _find_files(folder: Path) -> Iterator[tuple[Path, int]]:
    """Yield the files of a suite's settings, and how far above it they are, the nearest first.

    The last folder is that of the xtest.toml or the repository, if there is one. Without it, files
    of other users have no say: anyone can write one in /tmp.
    """
    files = []
    path = Path(os.path.abspath(folder))
    root = project_root(str(path))
    for up, each in enumerate((path, *path.parents)):
        names = (SETTINGS_FILE, CONFIG_FILE)
        files += [(each / name, up) for name in names if os.path.lexists(each / name)]
        if each in (test_cases_folder(), Path(root or "/")):
            break
    owner = os.stat(path).st_uid
    for file, up in files:
        if root or not up or os.stat(file).st_uid == owner:
            yield Path(os.path.normpath(folder.joinpath(*[".."] * up, file.name))), up


def _read_file(path: Path, up: int) -> SettingsFile:
    table = DEFAULTS.name if path.name == CONFIG_FILE else ""
    with open_regular(path) as opened:
        file = SettingsFile(path, up, opened.read(), table=table)
    try:
        entries = parse_toml(file.text, JsonText)
    except TomlError as problem:
        raise SettingsError(problem, file) from None
    if table:
        entries = {table: entries[table]} if table in entries else {}
        whole = TableSchema("", dict, "", (DEFAULTS,))
        _parse(whole, entries, file)
        entries = entries.get(table, {})
    else:
        _parse(SUITE_TOML, entries, file)
    if not up and not table:
        return file._replace(entries=entries)

    def move(name: str) -> str:
        stem, sign, fragment = name.partition("#")
        if os.path.exists(schemas_folder() / stem) and not os.path.exists(path.parent / stem):
            return name
        return os.path.normpath(os.path.join(*[".."] * up, stem)) + sign + fragment

    return file._replace(entries=inherited_entries(DEFAULTS, entries, move))


def _parse(schema: TableSchema, entries: Mapping[str, Any], file: SettingsFile) -> Any:
    try:
        return read_document(schema, entries)
    except TomlError as problem:
        raise SettingsError(problem, file) from None


# Places.


class SettingsPlace(NamedTuple):
    """A file, relative to the suite's folder, and a position in it."""

    file: str
    position: Position


class SettingsPlaces:
    """The positions of a suite's settings, in the files that they come from.

    `number` counts the tables of one name in all files, from 0.
    """

    def __init__(self, files: Sequence[SettingsFile]) -> None:
        self._files: Final = files
        self._places: Final = [TomlPlaces(file.text) for file in files]

    def key(self, key: str, table: str = "", number: int = 0) -> SettingsPlace:
        """Return the place of a key in the file that decides it, or else of its table."""
        decided = deciding_file(self._files, table, number, key)
        if decided is None:
            return SettingsPlace(SETTINGS_FILE, Position(1, 1))
        file, number = decided
        places = self._places[self._files.index(file)]
        position = places.key(key, file.located(table), number)
        return SettingsPlace(file.relative, position)

    def text(self, wanted: str, table: str, key: str = "") -> SettingsPlace:
        """Return the place of a string below a key, or in a whole table and the tables in it."""
        for file, places in reversed([*zip(self._files, self._places, strict=True)]):
            position = places.find_text(wanted, file.located(table), key)
            if position is not None:
                return SettingsPlace(file.relative, position)
        return self.key(key, table)


class SettingRow(NamedTuple):
    """A setting by its dotted name, its value in TOML, and its place, or None for a default."""

    name: str
    value: Any
    place: SettingsPlace | None


def setting_rows(files: Sequence[SettingsFile]) -> list[SettingRow]:
    """Return the settings of a suite: all that are written, and the defaults of the others."""
    return list(_rows(SUITE_TOML, merged_entries(files), "", SettingsPlaces(files)))


def _rows(
    table: TableSchema, entries: Mapping[str, Any], path: str, places: SettingsPlaces
) -> Iterator[SettingRow]:
    for key in table.keys:
        name = f"{path}.{key.name}" if path else key.name
        if isinstance(key, TableSchema) and key.form is TableForm.SINGLE:
            yield from _rows(key, entries.get(key.name, {}), name, places)
        elif isinstance(key, TableSchema):
            for number, entry in enumerate(entries.get(key.name, ())):
                yield SettingRow(f"[[{name}]]", entry, places.key("", name, number))
        elif key.name in entries:
            yield SettingRow(name, entries[key.name], places.key(key.name, path))
        elif (default := default_of(table, key)) is not None:
            yield SettingRow(name, default, None)


def default_of(table: TableSchema, key: Key) -> bool | float | str | None:
    """Return the default of a key if a single TOML value can express it, or None."""
    defaults: Mapping[str, Any] = getattr(table.record, "_field_defaults", {})
    value = defaults.get(key.field or key.name)
    if isinstance(value, ExitRange):
        return value.least
    if isinstance(value, Enum):
        return str(value.value)
    if isinstance(value, bool) or (isinstance(value, str) and value):
        return value
    return int(value) if isinstance(value, (int, float)) else None

"""Say where the settings of a suite are written. Source: docs/suites.md."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from typing import Any, Final, NamedTuple

from harness.jsonio.positions import Position
from harness.model.case import ExitRange
from harness.suites.inheritance import SettingsFile, deciding_file, merged_entries
from harness.suites.names import SETTINGS_FILE
from harness.suites.suite_toml import SUITE_TOML
from harness.tomlio.positions import TomlPlaces
from harness.tomlio.tables import Key, TableForm, TableSchema


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
    """Return the default of a key if one value of TOML can say it, or None."""
    defaults: Mapping[str, Any] = getattr(table.record, "_field_defaults", {})
    value = defaults.get(key.field or key.name)
    if isinstance(value, ExitRange):
        return value.least
    if isinstance(value, Enum):
        return str(value.value)
    if isinstance(value, bool) or (isinstance(value, str) and value):
        return value
    return int(value) if isinstance(value, (int, float)) else None

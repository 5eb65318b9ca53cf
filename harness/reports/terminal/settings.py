"""Format the settings of suites, and the files that they come from, as lines or as JSON."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from typing import Any

from harness.reports.terminal.event_text import align_columns
from harness.suites.loading import Suite
from harness.suites.settings_places import SettingRow, setting_rows
from harness.text import escape_nonprintable


def settings_lines(suites: Iterable[Suite]) -> Iterator[str]:
    """Yield the name of each suite, and below it name, value and place of its settings."""
    for suite in suites:
        yield escape_nonprintable(suite.name)
        rows = []
        for row in setting_rows(suite.sources):
            texts = (row.name, json.dumps(row.value, ensure_ascii=False), _shown_place(suite, row))
            rows.append(tuple(map(escape_nonprintable, texts)))
        yield from (f"    {line.rstrip()}" for line in align_columns(rows, (0, 1, 2)))


def settings_json(suites: Iterable[Suite]) -> str:
    """Return the settings of suites by schemas/settings.schema.json."""
    listed = [
        {
            "suite": suite.name,
            "folder": str(suite.folder),
            "settings": [_members(suite, row) for row in setting_rows(suite.sources)],
        }
        for suite in suites
    ]
    return json.dumps({"suites": listed}, separators=(",", ":"))


def _members(suite: Suite, row: SettingRow) -> dict[str, Any]:
    file, line = (None, None) if row.place is None else (_path(suite, row), row.place.position.line)
    return {"setting": row.name, "value": row.value, "file": file, "line": line}


def _shown_place(suite: Suite, row: SettingRow) -> str:
    return "default" if row.place is None else f"{_path(suite, row)}:{row.place.position.line}"


def _path(suite: Suite, row: SettingRow) -> str:
    file = row.place.file if row.place is not None else ""
    return os.path.normpath(os.path.join(suite.folder, file))

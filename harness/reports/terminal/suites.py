"""Format what `xtest list` prints: suites with their cases, or with their settings."""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from harness.model.case_names import CaseName
from harness.reports.terminal.display import Style
from harness.reports.terminal.event_text import align_columns
from harness.suites.inheritance import SettingRow, setting_rows
from harness.suites.loading import Suite
from harness.text import escape_nonprintable


def listing_lines(
    suites: Sequence[Suite],
    chosen: Mapping[str, Collection[CaseName]] | None,
    style: Style,
    *,
    with_cases: bool,
) -> Iterator[str]:
    """Return name, number of cases, program and title of suites; `chosen` has the listed cases by
    suite, or is None for all."""
    cases = [suite.names if chosen is None else chosen[suite.name] for suite in suites]
    rows: list[tuple[str, ...]] = [("suite", "cases", "program", "title")]
    for suite, names in zip(suites, cases, strict=True):
        settings = suite.settings
        rows.append((suite.name, f"{len(names):,}", settings.program, settings.title))
    heading, *lines = align_columns(rows, (0, 2, 3))
    if suites:
        yield style(heading.rstrip(), "dim")
    for names, line in zip(cases, lines, strict=True):
        yield line.rstrip()
        if with_cases:
            yield from (f"    {escape_nonprintable(case.text)}" for case in names)


def settings_lines(suites: Iterable[Suite]) -> Iterator[str]:
    """Yield the name of each suite, and below it name, value and place of its settings."""
    for suite in suites:
        yield escape_nonprintable(suite.name)
        rows = [
            (row.name, json.dumps(row.value, ensure_ascii=False), _shown_place(suite, row))
            for row in setting_rows(suite.sources)
        ]
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

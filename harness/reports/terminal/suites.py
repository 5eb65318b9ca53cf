"""Format the lists of `xtest list`: suites with their cases, or with their settings."""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from harness.model.case_names import CaseName
from harness.reports.text.display import Style, align_columns
from harness.suites.inheritance import SettingRow, setting_rows
from harness.suites.loading import Suite
from harness.text import cells, escape_nonprintable, pad, wrap

_INDENT: Final = " " * 4


def listing_lines(
    suites: Sequence[Suite],
    chosen: Mapping[str, Collection[CaseName]] | None,
    style: Style,
    width: int | None = None,
    *,
    with_cases: bool,
) -> Iterator[str]:
    """Return a table of suites; `chosen` has the listed cases by suite, or is None for all."""
    cases = [suite.names if chosen is None else chosen[suite.name] for suite in suites]
    rows: list[tuple[str, ...]] = [("suite", "cases", "program", "title")]
    for suite, names in zip(suites, cases, strict=True):
        settings = suite.settings
        rows.append((suite.name, f"{len(names):,}", settings.program, settings.title))
    heading, *lines = align_columns(rows, (0, 2, 3), width)
    if suites:
        yield style(heading.rstrip(), "dim")
    for names, line in zip(cases, lines, strict=True):
        yield line.rstrip()
        if with_cases:
            yield from (f"    {escape_nonprintable(case.text)}" for case in names)


def settings_lines(suites: Iterable[Suite], width: int | None = None) -> Iterator[str]:
    """Yield the name of each suite, and below it name, value and place of its settings.

    If a line would have more than `width` characters, the place has a line of its own.
    """
    for suite in suites:
        yield escape_nonprintable(suite.name)
        rows = []
        for row in setting_rows(suite.sources):
            place = ":".join(map(str, _place(suite, row) or ["default"]))
            rows.append((row.name, json.dumps(row.value, ensure_ascii=False), place))
        yield from (f"{_INDENT}{line}" for line in _setting_lines(rows, width))


def _setting_lines(rows: Sequence[tuple[str, str, str]], width: int | None) -> Iterator[str]:
    room = None if width is None else width - len(_INDENT)
    names = max(len(name) for name, *_ in rows) + 2
    shown = [(name, *map(escape_nonprintable, (value, place))) for name, value, place in rows]

    def fits(value: str, place: str) -> bool:
        return room is None or names + cells(value) + 2 + cells(place) <= room

    values = max((cells(value) for _, value, place in shown if fits(value, place)), default=0)
    for name, value, place in shown:
        head = f"{name:<{names}}{value}"
        if fits(value, place):
            yield f"{pad(head, names + values)}  {place}"
        else:
            yield from wrap(head, room, " " * names)
            yield from wrap(f"{' ' * names}{place}", room)


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
    file, line = _place(suite, row) or (None, None)
    return {"setting": row.name, "value": row.value, "file": file, "line": line}


def _place(suite: Suite, row: SettingRow) -> tuple[str, int] | None:
    """Return path and line of a setting, or None for a default."""
    if row.place is None:
        return None
    return os.path.normpath(suite.folder / row.place.file), row.place.position.line

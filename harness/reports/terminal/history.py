"""Format a history as lines of text. Source: docs/history.md."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from harness.analysis.history import Change, History, RunLine, SuiteLine
from harness.delivery.registry import Delivery
from harness.reports.terminal.display import Style
from harness.reports.terminal.event_text import align_columns
from harness.text import pluralize, shorten

__all__ = ["history_lines"]

_NAME: Final = 60  # characters of a name


def history_lines(history: History, style: Style) -> Iterator[str]:
    """Return a table of runs, a table of suites, the changed cases, and a closing line."""
    yield from _table(_run_rows(history.runs), 1, style)
    yield ""
    yield from _table(_suite_rows(history.suites()), 2, style)
    changes = history.changes()
    for fails, heading in ((True, "began to fail"), (False, "began to pass")):
        found = [change for change in changes if change.fails is fails]
        if found:
            yield ""
            yield style(f"{heading}: {len(found):,}", "bad" if fails else "good")
            yield from (f"    {_change_line(change)}" for change in found)
    yield ""
    yield _closing_line(history, style)


def _table(rows: list[tuple[str, ...]], names: int, style: Style) -> Iterator[str]:
    heading, *lines = align_columns(rows, range(names))
    yield style(heading, "dim")
    yield from lines


def _run_rows(runs: list[RunLine]) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = [
        ("started", "judged", "passed", "known", "failed", "began to fail", "began to pass")
    ]
    for run in runs:
        counts = (run.passed, run.known, run.failed)
        numbers = (sum(counts), *counts, run.began_to_fail, run.began_to_pass)
        rows.append((_shorten(run.started), *(f"{number:,}" for number in numbers)))
    return rows


def _suite_rows(suites: list[SuiteLine]) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = [
        ("suite", "subject", "in runs", "pass now", "fail now", "began to fail", "began to pass")
    ]
    for line in suites:
        names = (_shorten(line.suite), _shorten(line.subject))
        rows.append((*names, *(f"{number:,}" for number in line[2:])))
    return rows


def _change_line(change: Change) -> str:
    case = _shorten(f"{change.suite}/{change.case}")
    is_plain = change.delivery == Delivery.PLAIN.value
    delivery = "" if is_plain else f", delivered {_shorten(change.delivery)}"
    line = f"{case}  {_shorten(change.subject)}{delivery}"
    line += f"  {change.verdict} since {_shorten(change.since)}"
    line += f" ({pluralize(change.runs, 'run')}), {change.before} before"
    if change.case_changed:
        line += "; the case changed, too"
    return line if change.changes == 1 else f"{line}; changed {change.changes:,} times"


def _closing_line(history: History, style: Style) -> str:
    runs = pluralize(len(history.runs), "run")
    failing = f"{history.runs[-1].began_to_fail:,}" if history.has_new_failures else "nothing"
    role = "bad" if history.has_new_failures else "good"
    return style(f"{failing} began to fail in the newest of {runs}", role)


def _shorten(name: str) -> str:
    return shorten(name, _NAME)

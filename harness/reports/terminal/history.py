"""Format a history as lines of text. Source: docs/history.md."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from harness.analysis.history import Change, History
from harness.delivery.registry import Delivery
from harness.reports.terminal.display import Style
from harness.reports.terminal.event_text import align_columns
from harness.text import pluralize, shorten

__all__ = ["history_lines"]

_NAME: Final = 60  # characters of a name
_CHANGES: Final = ("began to fail", "began to pass")


def history_lines(history: History, style: Style) -> Iterator[str]:
    """Return a table of runs, a table of suites, the changed cases, and a closing line."""
    heading = ("started", "judged", "passed", "known", "failed", *_CHANGES)
    runs = ((run.started, run.passed + run.known + run.failed, *run[2:]) for run in history.runs)
    yield from _table(heading, runs, 1, style)
    yield ""
    heading = ("suite", "subject", "in runs", "pass now", "fail now", *_CHANGES)
    yield from _table(heading, history.suites(), 2, style)
    changes = history.changes()
    for fails, title in zip((True, False), _CHANGES, strict=True):
        found = [change for change in changes if change.fails is fails]
        if found:
            yield ""
            yield style(f"{title}: {len(found):,}", "bad" if fails else "good")
            yield from (f"    {_change_line(change)}" for change in found)
    yield ""
    yield _closing_line(history, style)


def _table(
    heading: tuple[str, ...], lines: Iterable[Sequence[str | int]], names: int, style: Style
) -> Iterator[str]:
    rows = [heading]
    for line in lines:
        numbers = (f"{number:,}" for number in line[names:])
        rows.append((*(shorten(str(name), _NAME) for name in line[:names]), *numbers))
    first, *others = align_columns(rows, range(names))
    yield style(first, "dim")
    yield from others


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

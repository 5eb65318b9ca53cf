"""Write the page of a history: trends, changes, flaky and slow cases, and a list of all cases.

Charts are paths of SVG, in boxes as wide as there are runs. Names are text: Jinja2 escapes them.
The page is bounded. Source: docs/site.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any, Final, NamedTuple

from harness.analysis.history import CaseHistory, History, Mark, RunOrder
from harness.delivery.registry import Delivery
from harness.model.verdict import Verdict
from harness.reports.pages import page as web
from harness.reports.terminal.history import run_names
from harness.text import percent, pluralize, shorten

_NAME: Final = 120  # characters
_CHANGES: Final = 100  # in each list
_FLAKY: Final = 20
_SLOWEST: Final = 10
_CASES: Final = 5_000
_BAR_HEIGHT: Final = 100  # of the bar of a run
_LEAST: Final = 2  # the height of a segment: even one failure among thousands is visible
_HEIGHT: Final = 20  # of a small chart
_LOWEST: Final = _HEIGHT - 2  # leaves room for the width of the line
_BANDS: Final = {Mark.PASSED: "passed", Mark.KNOWN: "known", Mark.FAILED: "failed"}

_STYLE: Final = web.STYLE + web.page_text("history/history.css")
_SCRIPT: Final = web.page_text("history/history.js")


class Sparkline(NamedTuple):
    """The outcomes of a case as bands by name, and its times as a line."""

    width: int
    bands: list[tuple[str, str]]
    line: str
    label: str


class _CaseRow(NamedTuple):
    """A case in a list; `state` has words for the filter of the page."""

    name: str
    subject: str
    badge: list[str]
    chart: Sparkline
    time: str
    note: str
    state: str


def document(history: History, order: RunOrder) -> Iterator[str]:
    """Return the page in pieces."""
    cases = history.cases()
    names = [run_names(run, order)[0] for run in history.runs]
    changes = history.changes()
    flaky = sorted((case for case in cases if case.is_flaky), key=lambda case: -case.flips)
    slowest = sorted(cases, key=lambda case: -case.latest_s)[:_SLOWEST]
    return web.TEMPLATES.page(
        "history/history.html",
        style=_STYLE,
        script=_SCRIPT,
        height=_HEIGHT,
        runs=len(history.runs),
        names=[*map(_shorten, names)],
        newest=history.runs[-1],
        bars=list(_bars(history, names)),
        trends=list(_trends(cases)),
        failing=_changed(changes, names, fails=True),
        passing=_changed(changes, names, fails=False),
        flaky=[_case(case, f"changed {pluralize(case.flips, 'time')}") for case in flaky[:_FLAKY]],
        slowest=[
            (_case(case), round(100 * case.latest_s / (slowest[0].latest_s or 1.0), 2))
            for case in slowest
        ],
        cases=[_case(case) for case in cases[:_CASES]],
        left_out=max(0, len(cases) - _CASES),
    )


def _bars(history: History, names: Sequence[str]) -> Iterator[tuple[str, list[tuple[Any, ...]]]]:
    """Yield the title of each run, and name, top and height of the segments of its bar."""
    most = max(1, *(run.passed + run.known + run.failures for run in history.runs))
    for run, name in zip(history.runs, names, strict=True):
        title = f"{name}: {run.passed:,} passed, {run.failures:,} failed"
        title += f", {run.began_to_fail:,} began to fail" if run.began_to_fail else ""
        parts, bottom = [], float(_BAR_HEIGHT)
        for outcome, number in (
            ("failed", run.failures),
            ("known", run.known),
            ("passed", run.passed),
        ):
            height = max(_LEAST, _BAR_HEIGHT * number / most) if number else 0
            bottom -= height
            parts.append((outcome, round(bottom, 2), round(height, 2)))
        yield _shorten(title), parts


def _trends(cases: Sequence[CaseHistory]) -> Iterator[dict[str, Any]]:
    """Yield a row for each suite and subject; the cases come sorted by these."""
    for (suite, subject), group in groupby(cases, key=lambda case: case.key[:2]):
        columns = [[*column] for column in zip(*(case.marks for case in group), strict=True)]
        passed = [column.count(Mark.PASSED) for column in columns]
        ran_cases = [len(column) - column.count(Mark.ABSENT) for column in columns]
        shares = [p / n if n else None for p, n in zip(passed, ran_cases, strict=True)]
        ran = [at for at, number in enumerate(ran_cases) if number]
        last, before = ran[-1], ran[-2] if len(ran) > 1 else ran[-1]
        _, lowest = min((passed[at] / ran_cases[at], at) for at in ran)
        yield {
            "subject": _shorten(subject),
            "suite": _shorten(suite),
            "width": len(shares),
            "line": chart_line(shares),
            "lowest": percent(passed[lowest], ran_cases[lowest]),
            "latest": f"{passed[last]:,}/{ran_cases[last]:,}",
            "colour": "good" if passed[last] == ran_cases[last] else "bad",
            "change": passed[last] - passed[before],
        }


def _changed(
    changes: Iterable[CaseHistory],
    names: Sequence[str],
    *,
    fails: bool,
) -> tuple[list[tuple[str, list[_CaseRow]]], int]:
    """Return the changed cases by the run in which they changed, and how many are left out."""
    shown_changes = [change for change in changes if change.fails is fails]
    groups = [
        (_shorten(names[run]), [_case(one, _note_on(one)) for one in group])
        for run, group in groupby(shown_changes[:_CHANGES], key=lambda change: change.run)
    ]
    return groups, max(0, len(shown_changes) - _CHANGES)


def _note_on(change: CaseHistory) -> str:
    note = (
        f"{change.latest.before} before, {change.outcome} in {pluralize(change.runs, 'run')} since"
    )
    return f"{note}{change.remark}"


def _case(case: CaseHistory, note: str = "") -> _CaseRow:
    is_plain = case.key.delivery == Delivery.PLAIN.value
    shown = case.key.subject if is_plain else f"{case.key.subject} ({case.key.delivery})"
    badge = web.verdict_facts(case.verdict)
    if case.fails and case.verdict is Verdict.PASSED:
        badge[1:] = web.UNEXPECTED_PASS_FACTS[1:]
    states = (("fails", case.fails), ("changed", case.flips > 0), ("flaky", case.is_flaky))
    return _CaseRow(
        _shorten(f"{case.key.suite}/{case.key.case}"),
        _shorten(shown),
        badge,
        sparkline_of(case),
        f"{case.latest_s * 1000:,.0f} ms",
        note,
        " ".join(name for name, holds in states if holds),
    )


def _shorten(name: str) -> str:
    return shorten(name, _NAME)


# The charts. Equal neighbours are one rectangle, as a page may have thousands of charts.


def sparkline_of(case: CaseHistory) -> Sparkline:
    """Return the chart of a case: a band for each outcome, and a line of its times."""
    marks, times = case.marks, case.times
    names = {mark: name for mark, name in _BANDS.items() if mark in marks}
    counts = (f"{name} in {marks.count(mark):,}" for mark, name in names.items())
    label = f"{', '.join(counts)} of {pluralize(len(marks), 'run')}"
    label += f"; the line is the time, up to {max(times) * 1000:,.0f} ms"
    bands = [(name, _band(marks, mark)) for mark, name in names.items()]
    longest = max(times)
    line = chart_line(time / longest if time else None for time in times)
    return Sparkline(len(marks), bands, line, label)


def _band(marks: bytearray, wanted: Mark) -> str:
    pieces, start = [], 0
    for mark, group in groupby(marks):
        length = len(list(group))
        if mark == wanted:
            pieces.append(f"M{start} 0h{length}v{_HEIGHT}h-{length}z")
        start += length
    return "".join(pieces)


def chart_line(values: Iterable[float | None]) -> str:
    """Return a line through values from 0 to 1; None is a gap, a value between gaps a short line.

    All charts have the same scale, so that equal heights mean equal values.
    """
    pieces, is_open = [], False
    for at, value in enumerate(values):
        if value is not None:
            y = round(_LOWEST - value * (_LOWEST - 2))
            pieces.append(f"L{at + 0.5:g} {y}" if is_open else f"M{at + 0.25:g} {y}H{at + 0.5:g}")
        is_open = value is not None
    return "".join(pieces)

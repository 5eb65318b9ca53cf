"""Write the page of a history: trends, what began to fail, flaky and slow cases, and all of them.

Names are text: Jinja2 escapes them. The page is bounded. Source: docs/history.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Final, NamedTuple

from markupsafe import Markup

from harness.analysis.history import Change, History, Mark, Order, Timeline, Timelines
from harness.delivery.registry import Delivery
from harness.reports.history.charts import HEIGHT, Sparkline, sparkline_of, trend_line
from harness.reports.terminal.history import run_names
from harness.reports.terminal.matrix import percent
from harness.reports.web import STYLE, content_policy, template_text, templates, verdict_facts
from harness.text import pluralize, shorten

_NAME: Final = 120  # characters
_CHANGES: Final = 100  # in each list
_FLAKY: Final = 20
_SLOWEST: Final = 10
_CASES: Final = 5_000
_TALL: Final = 100  # the height of the bars of runs
_LEAST: Final = 2  # even one failure among thousands is visible


class _Case(NamedTuple):
    """A case in a list; `state` has the words that its filter knows."""

    name: str
    subject: str
    badge: list[str]
    chart: Sparkline
    time: str
    note: str = ""
    share: float = 0  # of the time of the slowest case
    state: str = ""


class _Bar(NamedTuple):
    """A run: its name, and the heights of its counts, from the bottom."""

    title: str
    parts: list[tuple[str, float, float]]


class _Trend(NamedTuple):
    subject: str
    suite: str
    width: int
    line: str
    lowest: str
    latest: str
    colour: str
    change: int


def document(history: History, timelines: Timelines, order: Order) -> Iterator[str]:
    """Return the page in pieces."""
    lines = list(timelines)
    by_key = {line.key: line for line in lines}
    names = [run_names(run, order)[0] for run in history.runs]
    changes = history.changes()
    return _ENVIRONMENT.get_template("history.html").generate(
        policy=content_policy(_STYLE, _SCRIPT),
        style=Markup(_STYLE),
        script=Markup(_SCRIPT),
        height=HEIGHT,
        runs=len(history.runs),
        names=[*map(_shorten, names)],
        newest=history.runs[-1],
        bars=list(_bars(history, names)),
        trends=list(_trends(lines)),
        failing=_changed(changes, by_key, names, fails=True),
        passing=_changed(changes, by_key, names, fails=False),
        flaky=[_case(line, f"changed {line.changes:,} times") for line in _flaky(lines)],
        slowest=list(_slowest(lines)),
        cases=[_case(line) for line in lines[:_CASES]],
        left_out=max(0, len(lines) - _CASES),
    )


def _bars(history: History, names: Sequence[str]) -> Iterator[_Bar]:
    most = max((run.passed + run.known + run.failed for run in history.runs), default=0) or 1
    for run, name in zip(history.runs, names, strict=True):
        title = f"{name}: {run.passed:,} passed, {run.failed:,} failed"
        title += f", {run.began_to_fail:,} began to fail" if run.began_to_fail else ""
        parts, bottom = [], float(_TALL)
        for outcome in ("failed", "known", "passed"):
            number = getattr(run, outcome)
            height = max(_LEAST, _TALL * number / most) if number else 0
            bottom -= height
            parts.append((outcome, round(bottom, 2), round(height, 2)))
        yield _Bar(shorten(title, _NAME), parts)


def _trends(lines: Sequence[Timeline]) -> Iterator[_Trend]:
    """Yield a row for each suite and subject; the lines come sorted by these."""
    for (suite, subject), group in groupby(lines, key=lambda line: line.key[:2]):
        columns = [[*column] for column in zip(*(line.marks for line in group), strict=True)]
        passed = [column.count(Mark.PASSED) for column in columns]
        cases = [len(column) - column.count(Mark.ABSENT) for column in columns]
        shares = [p / n if n else None for p, n in zip(passed, cases, strict=True)]
        ran = [at for at, share in enumerate(shares) if share is not None]
        last, before = ran[-1], ran[-2] if len(ran) > 1 else ran[-1]
        _, lowest = min((share, at) for at, share in enumerate(shares) if share is not None)
        yield _Trend(
            _shorten(subject),
            _shorten(suite),
            len(shares),
            trend_line(shares),
            percent(passed[lowest], cases[lowest]),
            f"{passed[last]:,}/{cases[last]:,}",
            "good" if passed[last] == cases[last] else "bad",
            passed[last] - passed[before],
        )


def _changed(
    changes: Iterable[Change],
    by_key: dict[tuple[str, str, str, str], Timeline],
    names: Sequence[str],
    *,
    fails: bool,
) -> tuple[list[tuple[str, list[_Case]]], int]:
    """Return the changed cases by the run in which they changed, and how many are left out."""
    found = [change for change in changes if change.fails is fails]
    groups = [
        (_shorten(names[run]), [_case(by_key[one[:4]], _note_on(one)) for one in group])
        for run, group in groupby(found[:_CHANGES], key=lambda change: change.run)
    ]
    return groups, max(0, len(found) - _CHANGES)


def _note_on(change: Change) -> str:
    note = f"{change.before} before, {change.verdict} in {pluralize(change.runs, 'run')} since"
    note += "; the case changed, too" if change.case_changed else ""
    return note if change.changes == 1 else f"{note}; changed {change.changes:,} times"


def _flaky(lines: Iterable[Timeline]) -> list[Timeline]:
    flaky = (line for line in lines if line.is_flaky)
    return sorted(flaky, key=lambda line: -line.changes)[:_FLAKY]


def _slowest(lines: Iterable[Timeline]) -> Iterator[_Case]:
    slowest = sorted(lines, key=lambda line: -line.latest_s)[:_SLOWEST]
    for line in slowest:
        share = 100 * line.latest_s / (slowest[0].latest_s or 1.0)
        yield _case(line)._replace(share=round(share, 2))


def _case(line: Timeline, note: str = "") -> _Case:
    suite, subject, case, delivery = line.key
    shown = subject if delivery == Delivery.PLAIN.value else f"{subject} ({delivery})"
    states = (("fails", line.fails), ("changed", line.changes > 0), ("flaky", line.is_flaky))
    return _Case(
        _shorten(f"{suite}/{case}"),
        _shorten(shown),
        verdict_facts(line.verdict),
        sparkline_of(line),
        f"{line.latest_s * 1000:,.0f} ms",
        note,
        state=" ".join(name for name, holds in states if holds),
    )


def _shorten(name: str) -> str:
    return shorten(name, _NAME)


_ENVIRONMENT: Final = templates("harness.reports.history")
_STYLE: Final = STYLE + template_text(_ENVIRONMENT, "history.css")
_SCRIPT: Final = template_text(_ENVIRONMENT, "history.js")

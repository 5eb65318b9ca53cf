"""Format a history, or changed scores, as lines of text. Source: docs/site.md."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from decimal import Decimal
from typing import Final

from harness.analysis.failure_kinds import join_names
from harness.analysis.history import CaseHistory, History, RunLine, RunOrder
from harness.analysis.score_changes import CaseChange, SubjectChange
from harness.delivery.registry import Delivery
from harness.reports.text.display import Style, align_columns, break_heading, table_width
from harness.reports.text.phrases import format_time
from harness.text import pluralize, shorten, wrap

_NAME: Final = 60  # characters of a name
_CASE: Final = 200  # of a case that changed: long names often differ at their ends
_COMMIT: Final = 12  # digits of a commit
_YEAR: Final = 5  # characters of a year in a date, with its hyphen
_WIDE: Final = 80  # characters of a line that has room for whole dates
_NONE: Final = "-"  # a run without a version or commit
_CASES: Final = 20  # of a subject whose score changed
_CHANGES: Final = ("began to fail", "began to pass")
_INDENT: Final = " " * 4
_LEAST_ALIKE: Final = 4  # changes that share a line
_NAME_LINES: Final = 3
_ROOM: Final = 80  # cells of a line of unlimited width


def history_lines(
    history: History, style: Style, order: RunOrder = RunOrder.TIME, width: int | None = None
) -> Iterator[str]:
    """Return tables of runs and of suites, the changed cases, and a closing line."""
    names = ("started",) if order is RunOrder.TIME else (order.value, "started")
    heading = (*names, "judged", "passed", "known", "failed", *_CHANGES, "not claimed")
    shown = [run_names(run, order) for run in history.runs]
    if width is not None and width < _WIDE:
        shown = _without_years(shown)
    runs: list[Sequence[str | int]] = [
        (*row, *_run_counts(run)) for row, run in zip(shown, history.runs, strict=True)
    ]
    yield from _table(heading, runs, len(names), style, width, rare=("known", "not claimed"))
    yield ""
    heading = ("suite", "subject", "runs", "pass now", "known now", "fail now", *_CHANGES)
    yield from _table(heading, history.suites(), 2, style, width, rare=("known now",))
    changes = history.changes()
    for fails, title in zip((True, False), _CHANGES, strict=True):
        shown_changes = [change for change in changes if change.fails is fails]
        if shown_changes:
            yield ""
            yield style(f"{title}: {len(shown_changes):,}", "bad" if fails else "good")
            for line in _change_lines(shown_changes, history, order, width):
                yield from wrap(f"{_INDENT}{line}", width, 2 * _INDENT)
    yield ""
    yield from wrap(_closing_line(history, style), width)


def _without_years(names: list[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Return the names with shorter dates, unless the runs are of several years."""
    if len({started[:_YEAR] for *_, started in names}) > 1:
        return names
    return [(*others, started[_YEAR:].removesuffix(" UTC")) for *others, started in names]


def _table(
    heading: tuple[str, ...],
    lines: Iterable[Sequence[str | int]],
    names: int,
    style: Style,
    width: int | None,
    *,
    rare: Collection[str],
) -> Iterator[str]:
    """Return the lines of a table without those `rare` columns that are all 0."""
    lines = list(lines)
    kept = [
        index
        for index, name in enumerate(heading)
        if name not in rare or any(line[index] for line in lines)
    ]
    heading = tuple(heading[index] for index in kept)
    lines = [[line[index] for index in kept] for line in lines]
    rows = [heading]
    for line in lines:
        numbers = (f"{number:,}" for number in line[names:])
        rows.append((*(shorten(str(name), _NAME) for name in line[:names]), *numbers))
    is_narrow = width is not None and table_width(rows) > width
    headings = break_heading(rows) if is_narrow else rows[:1]
    for index, line in enumerate(align_columns([*headings, *rows[1:]], range(names), width)):
        yield style(line, "dim") if index < len(headings) else line


def run_names(run: RunLine, order: RunOrder) -> tuple[str, ...]:
    """Return the version or commit of a run if the order is by these, and its start."""
    names = {RunOrder.VERSION: run.version, RunOrder.COMMIT: run.commit[:_COMMIT]}
    started = format_time(run.started)
    return (names[order] or _NONE, started) if order in names else (started,)


def _run_counts(run: RunLine) -> tuple[int, ...]:
    counts = run.passed, run.known, run.failures
    return sum(counts), *counts, run.began_to_fail, run.began_to_pass, run.skipped


def _change_lines(
    changes: Sequence[CaseHistory], history: History, order: RunOrder, width: int | None
) -> Iterator[str]:
    """Yield a line for each change, or for several cases of a suite that changed alike."""
    alike: dict[tuple[str, str], list[str]] = {}
    for change in changes:
        text = _change_words(change, run_names(history.runs[change.run], order)[0])
        name = f"{change.key.suite}/{change.key.case}"
        alike.setdefault((change.key.suite, text), []).append(name)
    room = _NAME_LINES * ((width or _ROOM) - 2 * len(_INDENT))
    for (_, text), names in alike.items():
        listed = names[:1] if len(names) >= _LEAST_ALIKE else names
        for name in listed:
            yield f"{shorten(name, _CASE)}  {text}"
        if others := names[len(listed) :]:
            yield f"{_INDENT}and {len(others):,} more like it: {join_names(others, room)}"


def _change_words(change: CaseHistory, run: str) -> str:
    is_plain = change.key.delivery == Delivery.PLAIN.value
    delivery = "" if is_plain else f", delivered {_shorten(change.key.delivery)}"
    text = f"{_shorten(change.key.subject)}{delivery}"
    text += f"  {change.outcome} since {_shorten(run)}"
    text += f" ({pluralize(change.runs, 'run')}), {change.latest.before} before"
    return f"{text}{change.remark}"


def _closing_line(history: History, style: Style) -> str:
    runs = len(history.runs)
    newest = f"the newest of {runs:,} runs" if runs > 1 else "the only run"
    failing = f"{history.runs[-1].began_to_fail:,}" if history.has_new_failures else "nothing"
    role = "bad" if history.has_new_failures else "good"
    return style(f"{failing} began to fail in {newest}", role)


# Changed scores.


def score_lines(
    changes: Sequence[SubjectChange], style: Style, width: int | None = None
) -> Iterator[str]:
    """Return the subjects that lost or gained points, each with its cases, and a closing line."""
    lost = [change for change in changes if change.change < 0]
    gained = [change for change in changes if change.change > 0]
    for title, scores, role in (("lost points", lost, "bad"), ("gained points", gained, "good")):
        if scores:
            yield style(f"{title}: {len(scores):,}", role)
            for change in scores:
                for line in _subject_lines(change):
                    yield from wrap(line, width, 3 * _INDENT)
            yield ""
    for title, absent in (
        ("only in the old results", [each for each in changes if each.after is None]),
        ("only in the new results", [each for each in changes if each.before is None]),
    ):
        if absent:
            names = ", ".join(_shorten(each.subject) for each in absent)
            yield from wrap(f"{title}: {names}", width, _INDENT)
    same = sum(not each.change and None not in (each.before, each.after) for each in changes)
    losing = f"{pluralize(len(lost), 'subject')} lost points"
    line = f"{losing}, {len(gained):,} gained points, {same:,} unchanged"
    yield style(line, "bad" if lost else "good")


def _subject_lines(change: SubjectChange) -> Iterator[str]:
    passed = f"{change.score.passed:,} of {pluralize(change.score.cases, 'case')} passed"
    before = f"{change.score_before.passed:,} of {change.score_before.cases:,} before"
    points = f"{_signed(change.change)}: {change.after} points, {change.before} before"
    yield f"    {_shorten(change.subject)}  {points}; {passed}, {before}"
    for case in change.cases[:_CASES]:
        yield f"        {_changed_case_line(case)}"
    if left := change.cases[_CASES:]:
        yield f"        and {pluralize(len(left), 'more case')}"


def _changed_case_line(case: CaseChange) -> str:
    name = f"{_shorten(f'{case.suite}/{case.case}')}  {_signed(case.change)}"
    if case.verdict is case.verdict_before and case.before and case.after:
        return f"{name}  {case.after} points, {case.before} before"
    now = "without a result" if case.verdict is None else case.verdict.value
    before = "no result" if case.verdict_before is None else case.verdict_before.value
    return f"{name}  {now}, {before} before"


def _signed(points: Decimal) -> str:
    return f"{points.normalize():+f}"


def _shorten(name: str) -> str:
    return shorten(name, _NAME)

"""Format changed scores as lines of text. Source: docs/history.md."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Final

from harness.reports.score_changes import CaseChange, SubjectChange
from harness.reports.terminal.display import Style
from harness.text import pluralize, shorten

_NAME: Final = 60  # characters
_CASES: Final = 20  # of a subject


def score_lines(changes: Sequence[SubjectChange], style: Style) -> Iterator[str]:
    lost = [change for change in changes if change.change < 0]
    gained = [change for change in changes if change.change > 0]
    for title, found, role in (("lost points", lost, "bad"), ("gained points", gained, "good")):
        if found:
            yield style(f"{title}: {len(found):,}", role)
            for change in found:
                yield from _subject_lines(change)
            yield ""
    for title, absent in (
        ("only in the old results", [each for each in changes if each.after is None]),
        ("only in the new results", [each for each in changes if each.before is None]),
    ):
        if absent:
            yield f"{title}: {', '.join(shorten(each.subject, _NAME) for each in absent)}"
    same = sum(not each.change and None not in (each.before, each.after) for each in changes)
    losing = f"{pluralize(len(lost), 'subject')} lost points"
    line = f"{losing}, {len(gained):,} gained points, {same:,} unchanged"
    yield style(line, "bad" if lost else "good")


def _subject_lines(change: SubjectChange) -> Iterator[str]:
    passed = f"{change.score.passed:,} of {pluralize(change.score.cases, 'case')} passed"
    before = f"{change.score_before.passed:,} of {change.score_before.cases:,} before"
    points = f"{_signed(change.change)}: {change.after} points, {change.before} before"
    yield f"    {shorten(change.subject, _NAME)}  {points}; {passed}, {before}"
    for case in change.cases[:_CASES]:
        yield f"        {_case_line(case)}"
    if left := change.cases[_CASES:]:
        yield f"        and {pluralize(len(left), 'more case')}"


def _case_line(case: CaseChange) -> str:
    name = f"{shorten(f'{case.suite}/{case.case}', _NAME)}  {_signed(case.change)}"
    if case.verdict is case.verdict_before and case.before and case.after:
        return f"{name}  {case.after} points, {case.before} before"
    now = "without a result" if case.verdict is None else case.verdict.value
    before = "no result" if case.verdict_before is None else case.verdict_before.value
    return f"{name}  {now}, {before} before"


def _signed(points: Decimal) -> str:
    return f"{points.normalize():+f}"

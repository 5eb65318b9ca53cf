"""Compute the table of the page, and its lists: slowest runs, and runs without JavaScript.

Pure: values for the template, with all texts made printable. Source: docs/html-report.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple
from urllib.parse import urlencode

from harness.model.events import Judged
from harness.reports.formats.html.summary import KNOWN, NAME, SLOWEST, VERDICTS, ReportTotals
from harness.reports.summary import (
    UNEXPECTED_PASS,
    Group,
    RunOutcome,
    delivery_suffix,
    is_unexpected_pass,
    outcome_of,
)
from harness.reports.terminal.matrix import percent
from harness.text import escape_nonprintable, pluralize, shorten

_LISTED: Final = 1_000  # runs in the list without JavaScript
_MESSAGE: Final = 300  # characters of a message in that list

_COLOURS: Final = {
    RunOutcome.PASSED: "good",
    RunOutcome.KNOWN: "known",
    RunOutcome.FAILED: "bad",
    RunOutcome.BROKEN: "odd",
    RunOutcome.NOT_RUN: "odd",
    RunOutcome.SKIPPED: "dim",
}


# The table: the suites of one subject, or a matrix of several.


class MatrixCell(NamedTuple):
    """A cell; `link` is the filter that shows its runs, `hint` its tooltip."""

    text: str
    colour: str = ""
    link: str = ""
    aside: str = ""
    hint: str = ""


class MatrixTable(NamedTuple):
    """A table; the first `names` columns are text, the others numbers."""

    title: str
    heading: list[str]
    rows: list[list[MatrixCell]]
    names: int


def table_of(found: ReportTotals) -> MatrixTable:
    """Return the scores by suite or by subject; without rows if the heading says it all."""
    if len(found.matrix.subjects) > 1:
        return _matrix(found)
    groups = found.summary.groups
    if len(groups) < 2:
        return MatrixTable("", [], [], 0)
    titled = any(map(found.title_of, found.matrix.suites))
    always = RunOutcome.PASSED, RunOutcome.FAILED
    outcomes = [each for each in RunOutcome if each in always or found.summary.count(each)]
    words = ["", "title"] if titled else [""]
    tests = ["tests"] if found.matrix.has_tests else []
    points = ["points"] if found.book.has_points else []
    heading = [
        *words,
        *(outcome.value.replace("_", " ") for outcome in outcomes),
        *tests,
        *points,
        "seconds",
    ]
    rows = [_suite_row(group, found, outcomes, titled=titled) for group in groups]
    return MatrixTable("Suites", heading, rows, len(words))


def _suite_row(
    group: Group, found: ReportTotals, outcomes: Sequence[RunOutcome], *, titled: bool
) -> list[MatrixCell]:
    link = urlencode({"suite": escape_nonprintable(group.suite)})
    row = [MatrixCell(shorten(group.suite, NAME), "", link)]
    if titled:
        row.append(MatrixCell(shorten(found.title_of(group.suite), NAME)))
    for outcome in outcomes:
        number = getattr(group, outcome.value)
        row.append(MatrixCell(f"{number:,}", _COLOURS[outcome] if number else ""))
    if found.matrix.has_tests:
        row.append(_tests_cell(found, group.subject, group.suite))
    if points := found.grade_of(group.subject, group.suite):
        row.append(MatrixCell(points))
    return [*row, MatrixCell(f"{group.wall_s:,.1f}")]


def _matrix(found: ReportTotals) -> MatrixTable:
    suites: list[str | None] = [*found.matrix.suites]
    suites += [None] if len(suites) > 1 else []  # all
    heading = ["", *("all" if suite is None else shorten(suite, NAME) for suite in suites)]
    heading += ["tests"] if found.matrix.has_tests else []
    heading += ["points"] if found.book.has_points else []
    rows = []
    for subject in found.matrix.subjects:
        link = urlencode({"subject": escape_nonprintable(subject)})
        scores = (_score(found, subject, suite) for suite in suites)
        points = [_tests_cell(found, subject)] if found.matrix.has_tests else []
        points += [MatrixCell(found.grade_of(subject))] if found.book.has_points else []
        rows.append([MatrixCell(shorten(subject, NAME), "", link), *scores, *points])
    return MatrixTable("Subjects and suites", heading, rows, 1)


def _score(found: ReportTotals, subject: str, suite: str | None) -> MatrixCell:
    score = found.matrix.score(subject, suite)
    if not score.cases:
        return MatrixCell(f"{score.broken:,} broken", "odd") if score.broken else MatrixCell("-")
    link = {"subject": escape_nonprintable(subject)}
    link |= {"suite": escape_nonprintable(suite)} if suite else {}
    colour = "good" if score.passed == score.cases else "bad"
    shown = f"{score.passed:,}/{score.cases:,}"
    verdicts = found.matrix.verdicts(subject, suite)
    hint = ", ".join(f"{verdicts[each]:,} {each.value}" for each in VERDICTS if verdicts[each])
    return MatrixCell(shown, colour, urlencode(link), percent(score.passed, score.cases), hint)


def _tests_cell(found: ReportTotals, subject: str, suite: str | None = None) -> MatrixCell:
    passed, total = found.matrix.tests(subject, suite)
    return MatrixCell(f"{passed:,}/{total:,}", aside=percent(passed, total))


# The slowest runs.


def slowest_of(found: ReportTotals) -> list[tuple[str, str, str, float]]:
    """Return name, link, time and share of the time of the slowest run; few runs have no list."""
    runs = sorted(found.slowest, reverse=True)
    if len(runs) < SLOWEST or not runs[0][0]:
        return []
    return [
        (shorten(name, NAME), urlencode({"run": key}), f"{time:,.3f} s", 100 * time / runs[0][0])
        for time, name, key in runs
    ]


# The list for browsers without JavaScript.


class RunList:
    def __init__(self) -> None:
        self.runs: list[tuple[str, str, str, str]] = []  # badge, colour, name, message
        self._all = 0

    def add(self, event: Judged) -> None:
        outcome = outcome_of(event)
        if outcome in (RunOutcome.PASSED, RunOutcome.SKIPPED):
            return
        self._all += 1
        if len(self.runs) < _LISTED:
            where = f"{event.suite}/{event.case}, {event.subject}{delivery_suffix(event)}"
            # The badge and the message are those of the script.
            badge, message = event.verdict.value, event.message
            if outcome is RunOutcome.KNOWN and event.known is not None:
                badge, message = KNOWN, f"{badge}: {event.known.reason}"
            elif is_unexpected_pass(event) and event.known is not None:
                message = f"{UNEXPECTED_PASS}: {event.known.reason}"
            texts = shorten(where, _MESSAGE), shorten(message, _MESSAGE)
            self.runs.append((badge, _COLOURS[outcome], *texts))

    def heading(self) -> str:
        if not self._all:
            return "Everything passed."
        if self._all > len(self.runs):
            return f"These are the first {len(self.runs):,} of {self._all:,} that did not pass."
        return f"{pluralize(self._all, 'run')} did not pass."

"""Write a wide gradebook for learning platforms: a row per row of a roster, a column per suite.

Pure. Source: docs/reports.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from unicodedata import normalize

from harness.analysis.grades import Gradebook, format_points
from harness.analysis.summary import Summary, summary_of
from harness.errors import UsageError
from harness.model.case_names import natural
from harness.project.folder_subjects import valid_name
from harness.project.roster import PENALTY, SUBJECT, Roster, with_penalty
from harness.reports.formats.csv import csv_row
from harness.reports.source import Source
from harness.reports.text.facts import title_of
from harness.text import pluralize, quote


def gradebook(source: Source, roster: Roster) -> tuple[list[str], list[str]]:
    """Return the lines of the gradebook, and notes on rows and subjects without a counterpart.

    Raises UsageError for a penalty that is not a number, and for a column that has two meanings.
    """
    summary = summary_of(source())
    book, names = summary.book, _names(summary)
    suites = sorted(book.suites, key=natural)
    titles = [title_of(summary, suite) or suite for suite in suites]
    lines = [csv_row(_columns(roster, titles))]
    for number, row in enumerate(roster.rows, 2):
        try:
            grades = [*_grades(book, _name_of(row, names), suites, row)]
        except ValueError:
            raise UsageError(
                f'{roster.where}: row {number}: {PENALTY} must be a number of points or "10%"'
            ) from None
        lines.append(csv_row([*(row[column] for column in roster.columns), *grades]))
    return lines, [*_all_notes(roster, names, suites)]


def _all_notes(roster: Roster, names: Mapping[str, str], suites: Sequence[str]) -> Iterator[str]:
    """Yield notes on columns, rows and subjects without a counterpart."""
    listed = {_name_of(row, names) for row in roster.rows}
    absent = [row[SUBJECT] for row in roster.rows if row[SUBJECT] and not _name_of(row, names)]
    nameless = sum(not row[SUBJECT] for row in roster.rows)
    unlisted = sorted({*names.values()} - listed, key=natural)
    read = {column for suite in suites for column in _penalty_columns(suite)}
    idle = [each for each in roster.columns if each.startswith(f"{PENALTY}:") and each not in read]
    yield from _notes(
        roster, idle, "is of no suite in the results", "are of no suite in the results"
    )
    yield from _notes(roster, absent, "has no results", "have no results")
    if nameless:
        yield f"{roster.where}: {pluralize(nameless, 'row')} without a subject"
    yield from _notes(roster, unlisted, "is not in it", "are not in it")


def _columns(roster: Roster, titles: Sequence[str]) -> list[str]:
    """Return the names of the columns. Raises UsageError if one would have two meanings."""
    added = [*titles, "total", "maximum"]
    if both := [column for column in roster.columns if column in added]:
        raise UsageError(f"{roster.where}: the report adds {quote(both[0])} itself; rename yours")
    return [*roster.columns, *added]


def _name_of(row: Mapping[str, str], names: Mapping[str, str]) -> str:
    """Return the shown name of a row's subject, or "" without results."""
    name = normalize("NFC", row[SUBJECT])  # macOS and spreadsheets spell accents differently
    return names.get(name) or names.get(valid_name(row[SUBJECT]), "")


def _names(summary: Summary) -> dict[str, str]:
    """Return the shown names of all subjects, by these and by those in xtest.toml."""
    shown = {subject for _, subject in summary.book.pairs}
    infos = (each for start in summary.starts for each in start.subjects)
    by_id = {each.id: each.name for each in infos if each.id and each.name in shown}
    return by_id | {normalize("NFC", name): name for name in shown}


def _grades(
    book: Gradebook, subject: str, suites: Sequence[str], row: Mapping[str, str]
) -> Iterator[str]:
    """Yield the points of a subject by suite, their sum and its maximum; nothing without results.

    Raises ValueError.
    """
    if not subject:
        yield from [""] * (len(suites) + 2)
        return
    rules = [book.rules(suite) for suite in suites]
    scored, maximum = Fraction(0), Fraction(0)
    for suite, rule in zip(suites, rules, strict=True):
        was_run = (suite, subject) in book.pairs
        grades = book.grades(subject, suite)
        points = with_penalty(grades.scored, _penalty(row, suite)) if was_run else Fraction(0)
        scored += points
        maximum += grades.points if was_run else rule.whole
        yield format_points(points, rules) if was_run else ""
    scored = with_penalty(scored, row.get(PENALTY, ""))
    yield format_points(scored, rules)
    yield format_points(maximum, rules)


def _penalty(row: Mapping[str, str], suite: str) -> str:
    return next((row[key] for key in _penalty_columns(suite) if key in row), "")


def _penalty_columns(suite: str) -> list[str]:
    return [f"{PENALTY}:{name}" for name in (suite, suite.rpartition("/")[2])]


def _notes(roster: Roster, names: Sequence[str], of_one: str, of_several: str) -> list[str]:
    if len(names) < 2:
        return [f"{roster.where}: {quote(name)} {of_one}" for name in names]
    return [f"{roster.where}: {quote(names[0])} and {len(names) - 1:,} more {of_several}"]

"""Compare the points of two results, by subject and by case. Pure. Source: docs/history.md."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import NamedTuple

from harness.analysis.matrix import Score
from harness.model.case_names import natural
from harness.model.verdict import Verdict
from harness.reports.grades import Grade
from harness.reports.summary import Summary


class CaseChange(NamedTuple):
    """A case whose points changed; None where it has no result."""

    suite: str
    case: str
    before: Grade | None
    after: Grade | None
    verdict_before: Verdict | None
    verdict: Verdict | None

    @property
    def change(self) -> Decimal:
        return _points(self.after) - _points(self.before)


class SubjectChange(NamedTuple):
    """The points and counts of a subject in both results; None where it has none."""

    subject: str
    before: Grade | None
    after: Grade | None
    score_before: Score
    score: Score
    cases: tuple[CaseChange, ...]  # in natural order

    @property
    def change(self) -> Decimal:
        """The points gained or lost; 0 if one of the results does not have the subject."""
        if self.before is None or self.after is None:
            return Decimal(0)
        return _points(self.after) - _points(self.before)


class _Results(NamedTuple):
    summary: Summary
    verdicts: dict[tuple[str, str, str], Verdict]  # by subject, suite, case


def score_changes(old: Summary, new: Summary) -> list[SubjectChange]:
    """Return the subjects of both results, in natural order."""
    before, after = _results(old), _results(new)
    subjects = {*old.matrix.subjects, *new.matrix.subjects}
    return [_subject_change(subject, before, after) for subject in sorted(subjects, key=natural)]


def _results(summary: Summary) -> _Results:
    subjects = summary.matrix.subjects
    verdicts = {
        (subject, suite, case): verdict
        for suite, case, found in summary.matrix.rows()
        for subject, verdict in zip(subjects, found, strict=True)
        if verdict is not None
    }
    return _Results(summary, verdicts)


def _subject_change(subject: str, before: _Results, after: _Results) -> SubjectChange:
    old, new = before.summary, after.summary
    return SubjectChange(
        subject,
        old.book.grade(subject),
        new.book.grade(subject),
        old.matrix.score(subject),
        new.matrix.score(subject),
        tuple(_case_changes(subject, before, after)),
    )


def _case_changes(subject: str, before: _Results, after: _Results) -> Iterator[CaseChange]:
    for suite in sorted({*before.summary.matrix.suites, *after.summary.matrix.suites}, key=natural):
        old = before.summary.book.case_grades(subject, suite)
        new = after.summary.book.case_grades(subject, suite)
        for case in sorted({*old, *new}, key=natural):
            key = subject, suite, case
            verdicts = before.verdicts.get(key), after.verdicts.get(key)
            change = CaseChange(suite, case, old.get(case), new.get(case), *verdicts)
            if change.change:
                yield change


def _points(grade: Grade | None) -> Decimal:
    return Decimal(0 if grade is None else grade.points)

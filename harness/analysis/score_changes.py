"""Compare the points of two results, by subject and by case. Pure. Source: docs/site.md."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import NamedTuple

from harness.analysis.grades import Grade
from harness.analysis.matrix import Score
from harness.analysis.summary import Summary
from harness.model.case_names import natural
from harness.model.verdict import Verdict

_Verdicts = dict[tuple[str, str, str], Verdict]  # by subject, suite and case


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


def score_changes(old: Summary, new: Summary) -> list[SubjectChange]:
    """Return the subjects of both results, in natural order."""
    verdicts = _verdicts(old), _verdicts(new)
    return [
        SubjectChange(
            subject,
            old.book.grade(subject),
            new.book.grade(subject),
            old.matrix.score(subject),
            new.matrix.score(subject),
            tuple(_case_changes(subject, old, new, verdicts)),
        )
        for subject in sorted({*old.matrix.subjects, *new.matrix.subjects}, key=natural)
    ]


def _verdicts(summary: Summary) -> _Verdicts:
    return {
        (subject, suite, case): verdict
        for suite, case, verdicts in summary.matrix.rows()
        for subject, verdict in zip(summary.matrix.subjects, verdicts, strict=True)
        if verdict is not None
    }


def _case_changes(
    subject: str, old: Summary, new: Summary, verdicts: tuple[_Verdicts, _Verdicts]
) -> Iterator[CaseChange]:
    for suite in sorted({*old.matrix.suites, *new.matrix.suites}, key=natural):
        before = old.book.case_grades(subject, suite)
        after = new.book.case_grades(subject, suite)
        for case in sorted({*before, *after}, key=natural):
            old_and_new = (each.get((subject, suite, case)) for each in verdicts)
            change = CaseChange(suite, case, before.get(case), after.get(case), *old_and_new)
            if change.change:
                yield change


def _points(grade: Grade | None) -> Decimal:
    return Decimal(0 if grade is None else grade.points)

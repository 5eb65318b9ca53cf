"""Build the JSON of `xtest matrix`, `compare` and `history`; their keys are declared only here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any, Final

from harness.analysis.compare import ComparisonResults
from harness.analysis.grades import Grade, Gradebook
from harness.analysis.history import CaseHistory, History, RunLine
from harness.analysis.matrix import Matrix
from harness.analysis.score_changes import CaseChange, SubjectChange
from harness.model.compared import GroupOutput, Separation
from harness.model.event_lines import evidence_json
from harness.text import escape_nonprintable

# Incremented when readers of the old format would misread the new one.
_MATRIX_FORMAT: Final = 1
_HISTORY_FORMAT: Final = 1
_SCORES_FORMAT: Final = 1


def matrix_json(
    matrix: Matrix,
    languages: Mapping[str, str],
    *,
    files: Mapping[tuple[str, str], str] | None = None,
    book: Gradebook | None = None,
) -> dict[str, Any]:
    """Return a matrix as a JSON object; `languages` by subject, as far as they are known.

    With `files`, it has all cases: the paths of their inputs by suite and case, if they are known.
    """
    document: dict[str, Any] = {
        "format": _MATRIX_FORMAT,
        "subjects": [_subject(matrix, name, languages, book) for name in matrix.subjects],
        "agreement": [
            {"subjects": [pair.one, pair.other], "agree": pair.agree, "cases": pair.cases}
            for pair in matrix.same_outcomes()
        ],
        "passed_by": matrix.passed_by()._asdict(),
    }
    if matrix.mixed_suites:
        document["mixed_suites"] = list(matrix.mixed_suites)
    if files is not None:
        document["cases"] = [
            {
                "suite": row.suite,
                "case": row.case,
                **({"file": path} if (path := files.get((row.suite, row.case))) else {}),
                "verdicts": {
                    subject: verdict.value
                    for subject, verdict in zip(matrix.subjects, row.verdicts, strict=True)
                    if verdict is not None
                },
            }
            for row in matrix.rows()
        ]
    return document


def _subject(
    matrix: Matrix, name: str, languages: Mapping[str, str], book: Gradebook | None
) -> dict[str, Any]:
    language = languages.get(name, "")
    return {
        "name": name,
        **({"language": language} if language else {}),
        **_scores(matrix, name, book),
        "suites": {
            suite: {
                **_scores(matrix, name, book, suite),
                "verdicts": {verdict.value: count for verdict, count in verdicts.items()},
            }
            for suite in matrix.suites
            if (verdicts := matrix.verdicts(name, suite))
        },
    }


def _scores(
    matrix: Matrix, subject: str, book: Gradebook | None, suite: str | None = None
) -> dict[str, Any]:
    scores: dict[str, Any] = matrix.score(subject, suite)._asdict()
    if left_out := matrix.left_out(subject, suite):
        scores["left_out"] = left_out
    if matrix.has_tests:
        tests = matrix.tests(subject, suite)
        scores |= {"tests": tests.all, "tests_passed": tests.passed}
    grade = None if book is None else book.grade(subject, suite)
    return scores if grade is None else scores | _numbers(grade)


def _numbers(grade: Grade) -> dict[str, Any]:
    return {key: float(value) for key, value in grade._asdict().items()}


def history_json(history: History) -> dict[str, Any]:
    return {
        "format": _HISTORY_FORMAT,
        "runs": [_run(line) for line in history.runs],
        "suites": [line._asdict() for line in history.suites()],
        "changes": [_change(case) for case in history.changes()],
    }


def _run(line: RunLine) -> dict[str, Any]:
    return {
        "started": line.started,
        "file": line.file,
        "passed": line.passed,
        "known": line.known,
        "failed": line.failures,
        "began_to_fail": line.began_to_fail,
        "began_to_pass": line.began_to_pass,
        "version": line.version,
        "commit": line.commit,
        "skipped": line.skipped,
    }


def _change(case: CaseHistory) -> dict[str, Any]:
    return {
        **case.key._asdict(),
        "fails": case.fails,
        "verdict": case.verdict.value,
        "before": case.latest.before,
        "run": case.run,
        "since": case.since,
        "runs": case.runs,
        "changes": case.changes,
        "case_changed": case.latest.case_changed,
        "more_failed_tests": case.latest.more_failed_tests,
    }


def scores_json(changes: Sequence[SubjectChange]) -> dict[str, Any]:
    return {
        "format": _SCORES_FORMAT,
        "subjects": [
            {
                "subject": each.subject,
                "change": float(each.change),
                "before": _side(each.before, **each.score_before._asdict()),
                "after": _side(each.after, **each.score._asdict()),
                "cases": [_case_change(case) for case in each.cases],
            }
            for each in changes
        ],
    }


def _case_change(case: CaseChange) -> dict[str, Any]:
    before, after = case.verdict_before, case.verdict
    return {
        "suite": case.suite,
        "case": case.case,
        "change": float(case.change),
        "before": _side(case.before, verdict=before and before.value),
        "after": _side(case.after, verdict=after and after.value),
    }


def _side(grade: Grade | None, **facts: str | int | None) -> dict[str, Any] | None:
    """Return the points and other facts of one of two results, or None if it has none."""
    return None if grade is None else _numbers(grade) | facts


def comparison_json(results: ComparisonResults) -> dict[str, Any]:
    """Return a comparison as a JSON object, in which subjects are numbers from 0."""
    totals = results.totals
    return {
        "subjects": [
            {"name": escape_nonprintable(name), "failures": dict(sorted(failures.items()))}
            for name, failures in zip(results.subjects, totals.failures, strict=True)
        ],
        "reference": 0 if results.has_reference else None,
        "inputs": totals.inputs,
        "alike": totals.alike,
        "all_failed": totals.all_failed,
        "agreement": [
            {"subjects": [one, other], "alike": totals.agreements(one, other)}
            for one, other in combinations(range(totals.subjects), 2)
        ],
        "groups": [
            {"groups": [list(group) for group in partition], "inputs": number}
            for partition, number in totals.ranked()
        ],
        "separating": [
            {
                "suite": escape_nonprintable(each.suite),
                "case": escape_nonprintable(each.case),
                "bytes": each.size,
                "groups": [list(group) for group in each.groups],
            }
            for each in results.separating
        ],
        "shown": [_separation(separation) for separation in results.smallest.details],
        "problems": [
            {key: escape_nonprintable(value) for key, value in problem._asdict().items()}
            for problem in results.problems
        ],
        "interrupted": results.interrupted,
    }


def _separation(separation: Separation) -> dict[str, Any]:
    return {
        "suite": escape_nonprintable(separation.of.suite),
        "case": escape_nonprintable(separation.of.case),
        "input": evidence_json(separation.outputs[0].evidence)["stdin"],
        "answers": [_output(output) for output in separation.outputs],
        "repeat": [escape_nonprintable(word) for word in separation.repeat],
    }


def _output(output: GroupOutput) -> dict[str, Any]:
    evidence = evidence_json(output.evidence)
    answer: dict[str, Any] = {
        "subjects": list(output.members),
        "failed": output.failed,
        "ending": output.ending,
        "stdout": evidence["stdout"],
        "stderr": evidence["stderr"],
    }
    if output.compared_with is not None:
        answer["compared_with"] = output.compared_with
        answer["differences"] = evidence["differences"]
        answer["differences_total"] = evidence["differences_total"]
    return answer

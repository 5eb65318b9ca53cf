"""Build the JSON of `xtest matrix`, `compare` and `history`; their keys are declared here alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from harness.analysis.divergence import (
    ComparisonTotals,
    Separation,
    SubjectOutput,
)
from harness.analysis.history import History
from harness.analysis.matrix import Matrix
from harness.model.event_lines import evidence_json
from harness.text import escape_nonprintable

__all__ = ["comparison_json", "history_json", "matrix_json"]

# Incremented when readers of the old format would misread the new one.
_MATRIX_FORMAT: Final = 1
_HISTORY_FORMAT: Final = 1


def matrix_json(
    matrix: Matrix, languages: Mapping[str, str], *, with_cases: bool = False
) -> dict[str, Any]:
    """Return a matrix as a JSON object; `languages` by subject, as far as they are known."""
    document: dict[str, Any] = {
        "format": _MATRIX_FORMAT,
        "subjects": [_subject(matrix, name, languages) for name in matrix.subjects],
        "agreement": [
            {"subjects": [pair.one, pair.other], "agree": pair.agree, "cases": pair.cases}
            for pair in matrix.same_outcomes()
        ],
        "passed_by": matrix.shares()._asdict(),
    }
    if with_cases:
        document["cases"] = [
            {
                "suite": row.suite,
                "case": row.case,
                "verdicts": {
                    subject: verdict.value
                    for subject, verdict in zip(matrix.subjects, row.verdicts, strict=True)
                    if verdict is not None
                },
            }
            for row in matrix.rows()
        ]
    return document


def _subject(matrix: Matrix, name: str, languages: Mapping[str, str]) -> dict[str, Any]:
    language = languages.get(name, "")
    return {
        "name": name,
        **({"language": language} if language else {}),
        **matrix.score(name)._asdict(),
        "suites": {
            suite: {
                **matrix.score(name, suite)._asdict(),
                "verdicts": {
                    verdict.value: count for verdict, count in matrix.verdicts(name, suite).items()
                },
            }
            for suite in matrix.suites
            if matrix.verdicts(name, suite)
        },
    }


def history_json(history: History) -> dict[str, Any]:
    return {
        "format": _HISTORY_FORMAT,
        "runs": [line._asdict() for line in history.runs],
        "suites": [line._asdict() for line in history.suites()],
        "changes": [change._asdict() for change in history.changes()],
    }


def comparison_json(totals: ComparisonTotals) -> dict[str, Any]:
    """Return a comparison as a JSON object, in which subjects are numbers from 0."""
    groups = totals.agreement
    everyone = range(groups.subjects)
    return {
        "subjects": [
            {"name": escape_nonprintable(name), "fell_short": dict(sorted(failures.items()))}
            for name, failures in zip(totals.subjects, groups.failures, strict=True)
        ],
        "reference": 0 if totals.has_reference else None,
        "inputs": groups.inputs,
        "alike": groups.alike,
        "all_fell_short": groups.all_failed,
        "agreement": [
            {"subjects": [one, other], "alike": groups.together(one, other)}
            for one in everyone
            for other in everyone
            if one < other
        ],
        "groups": [
            {"groups": [list(group) for group in partition], "inputs": number}
            for partition, number in groups.ranked()
        ],
        "separating": [
            {
                "suite": escape_nonprintable(each.suite),
                "case": escape_nonprintable(each.case),
                "bytes": each.size,
                "groups": [list(group) for group in each.groups],
            }
            for each in totals.separating
        ],
        "shown": [_separation(separation) for separation in totals.shown],
        "problems": [
            {key: escape_nonprintable(value) for key, value in problem._asdict().items()}
            for problem in totals.problems
        ],
        "interrupted": totals.interrupted,
    }


def _separation(separation: Separation) -> dict[str, Any]:
    return {
        "suite": escape_nonprintable(separation.of.suite),
        "case": escape_nonprintable(separation.of.case),
        "input": evidence_json(separation.outputs[0].evidence)["stdin"],
        "answers": [_output(output) for output in separation.outputs],
        "repeat": [escape_nonprintable(word) for word in separation.repeat],
    }


def _output(output: SubjectOutput) -> dict[str, Any]:
    evidence = evidence_json(output.evidence)
    answer: dict[str, Any] = {
        "subjects": list(output.members),
        "fell_short": output.failed,
        "ending": output.ending,
        "stdout": evidence["stdout"],
        "stderr": evidence["stderr"],
    }
    if output.beside is not None:
        answer["beside"] = output.beside
        answer["differences"] = evidence["differences"]
        answer["differences_total"] = evidence["differences_total"]
    return answer

"""The JSON of matrix, compare and history: golden files, and the same keys as their schemas."""

from __future__ import annotations

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from schema_files import load_schema
from support.events import ENDED, STARTED, history_of, run, runs_of_letters
from support.golden import Golden
from support.suites import listed_target

from harness.analysis.compare import ComparisonResults
from harness.analysis.score_changes import score_changes
from harness.analysis.summary import Summary, summary_of
from harness.engine.compare_runs import InputOrder, InputResult
from harness.engine.plan import PlannedRun
from harness.judging.grouping import comparable_output, failures_of, group_outputs, separation
from harness.model.case import Policy
from harness.model.case_names import CaseName
from harness.model.compared import ComparedInput, SeparatingInput
from harness.model.comparison import Comparison
from harness.model.events import Diagnostic, Event, RunFingerprint
from harness.model.suite_info import SuiteInfo
from harness.model.transcript import Exited, Signalled, Transcript
from harness.model.verdict import Verdict
from harness.reports.analysis_json import comparison_json, history_json, matrix_json, scores_json


def matrix_document() -> dict[str, Any]:
    """Return a matrix with every key."""
    names = {"js": "passed differs", "c": "passed invalid-case"}
    events: list[Event] = [
        STARTED._replace(
            suites=("easy",),
            fingerprints=(RunFingerprint("easy", subject, ""),),
            suite_infos=(SuiteInfo("easy", "easy", cases=5, digest=f"of {subject}"),),
        )
        for subject in names
    ]
    events += [
        run(str(case), Verdict(name), suite="easy", subject=subject)
        for subject, verdicts in names.items()
        for case, name in enumerate(verdicts.split(), 1)
    ]
    events.append(run("1", suite="hard", subject="js", tests=3, tests_passed=3))
    summary = summary_of(events)
    files = {("easy", "1"): "easy/1-in.json"}
    return matrix_json(summary.matrix, {"js": "JavaScript"}, files=files, book=summary.book)


def compare_document() -> dict[str, Any]:
    """Return a comparison with every key."""
    texts = (b"[1, 2]", b"[1]", b"[9, 1, 5]", b"[1, 2, 3]")
    seen = [Transcript(Exited(0), text, stdout_bytes=len(text)) for text in texts]
    seen.append(Transcript(Signalled(11), b"\xff", b"a\n", stdout_bytes=1, stderr_bytes=2))
    answers = [comparable_output(each, Policy()) for each in seen]
    groups = group_outputs(answers, Comparison())
    of = SeparatingInput("s", "1", 3, groups)
    shown = separation(of, b"[0]", seen, answers, Comparison(), repeat=("xtest", "\x1b"))
    planned = PlannedRun(listed_target("s"), CaseName("", 1), (), 0)
    compared = ComparedInput(3, failures_of(answers), groups, shown)
    results = ComparisonResults(("a", "b", "c", "d", "e"), 10, has_reference=True)
    results.add(InputResult(planned, compared, InputOrder(3, 0, 0)))
    results.totals.add([""] * 5, ((0, 1, 2, 3, 4),))
    results.totals.add(["crashed"] * 5, ((0, 1, 2, 3, 4),))
    results.other_problems.append(Diagnostic("s", "is broken"))
    return comparison_json(results)


def scores_document() -> dict[str, Any]:
    """Return scores: one decreased, one increased; some cases and subjects are on one side only."""
    sides = ({"1": "passed", "2": "differs", "3": "passed"}, {"1": "not-run", "2": "passed"})

    def summary(number: int) -> Summary:
        events = [run(case, Verdict(name)) for case, name in sides[number].items()]
        other = run("1", Verdict.PASSED, subject=f"only {number}")
        return summary_of((STARTED, *events, other, ENDED))

    return scores_json(score_changes(summary(0), summary(1)))


DOCUMENTS = {
    "matrix": matrix_document,
    "compare": compare_document,
    "history": lambda: history_json(history_of(runs_of_letters({"1": "pd", "2": "cp"}))),
    "scores": scores_document,
}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_document_is_what_is_recorded_and_keeps_its_schema(name: str, golden: Golden) -> None:
    document = DOCUMENTS[name]()
    golden(f"{name}.json", json.dumps(document, indent=2) + "\n")
    schema = load_schema(name)
    Draft202012Validator.check_schema(schema)
    Draft202012Validator(schema).validate(document)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_the_schema_declares_the_keys_that_are_written(name: str) -> None:
    subjects_and_suites = {"easy", "hard", "js", "c"}
    verdicts = {verdict.value for verdict in Verdict} - {"passed", "skipped"}
    written = keys_of(DOCUMENTS[name]()) - subjects_and_suites - verdicts
    assert written == declared_keys(load_schema(name))


def keys_of(value: Any) -> set[str]:
    if isinstance(value, dict):
        return set(value).union(*map(keys_of, value.values()))
    return set().union(*map(keys_of, value)) if isinstance(value, list) else set()


def declared_keys(schema: Any) -> set[str]:
    """Return all property names of a schema, each object of which is closed."""
    if isinstance(schema, list):
        return set().union(*map(declared_keys, schema))
    if not isinstance(schema, dict):
        return set()
    names = set(schema.get("properties", ()))
    assert not names or schema["additionalProperties"] is False
    return names.union(*map(declared_keys, schema.values()))

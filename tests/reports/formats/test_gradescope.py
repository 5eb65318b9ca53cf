"""Gradescope's results.json: scores, and what a student sees."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from support.events import STARTED, evidence, run, write_document

from harness.model.events import Diagnostic, Event, Excerpt, KnownFailure, RunEnded, RunStarted
from harness.model.judgement import ShownDifference
from harness.model.suite_info import GradingRule, SuiteInfo, Visibility
from harness.model.verdict import Verdict

SCHEMA = json.loads(Path(__file__).with_name("gradescope.schema.json").read_text(encoding="utf-8"))
ENDED = RunEnded({}, 1.25, 0)
INTERRUPTED = RunEnded({}, 1.0, 130, interrupted=True, not_run=3)
KNOWN = KnownFailure("ties are not split yet")
NOT_THIS = KNOWN._replace(holds=False)
SECRET = "s3cret"
SLOW = run("1", delivery="slow")


def started(*suite_infos: SuiteInfo) -> RunStarted:
    return STARTED._replace(
        suites=tuple(each.suite for each in suite_infos), suite_infos=suite_infos
    )


def suite(cases: int, points: float | None = 10.0, **more: Any) -> SuiteInfo:
    """Return the suite s, with all cases selected."""
    return SuiteInfo("s", "s", points=points, cases=cases, selected=cases)._replace(**more)


def graded(*events: Event) -> dict[str, Any]:
    """Return the document, which keeps the schema."""
    found: dict[str, Any] = json.loads(write_document("gradescope", *events))
    Draft202012Validator(SCHEMA).validate(found)
    return found


@pytest.mark.parametrize(
    ("suite_info", "runs", "scores", "total"),
    [
        # The total of rounded points is exact.
        (suite(3), [run("1"), run("2"), run("10")], [(3.33, 3.33)] * 3, 10),
        (suite(2), [run("1"), run("2", Verdict.CRASHED)], [(5, 5), (0, 5)], 5),
        (suite(2), [run("1"), run("2", Verdict.DIFFERS, known=KNOWN)], [(5, 5), (5, 5)], 10),
        (suite(1), [run("1", Verdict.CRASHED, known=NOT_THIS)], [(0, 10)], 0),
        (suite(1), [run("1", known=NOT_THIS)], [(10, 10)], 10),
        (suite(2), [run("1", Verdict.INVALID_CASE), run("2", Verdict.SILENT)], [(5, 5), (0, 5)], 5),
        # A program can cause it.
        (suite(1), [run("1", Verdict.HARNESS_FAULT)], [(0, 10)], 0),
        # A case scores the part of its deliveries that passed, rounded down.
        (suite(1), [run("1"), SLOW, SLOW._replace(verdict=Verdict.DIFFERS)], [(6.66, 10)], 6.66),
        # Points do not depend on the selection.
        (suite(10, selected=2), [run("1"), run("7")], [(1, 1), (1, 1)], 2),
        (suite(2, None), [run("1"), run("2", Verdict.SILENT)], [(1, 1), (0, 1)], 1),
        (None, [run("1"), run("2", Verdict.SILENT)], [(1, 1), (0, 1)], 1),
        # Results of one suite whose points changed in between.
        (suite(3, 1.0, worth=(GradingRule("1", 5.0, None, 0),)), [run("1")], [(5, 5), (0, 0)], 5),
    ],
)
def test_a_case_scores_its_points(
    suite_info: SuiteInfo | None, runs: list[Event], scores: list[tuple[float, float]], total: float
) -> None:
    ended = ENDED._replace(not_run=2)  # more than some of these leave out
    found = graded(started(suite_info) if suite_info else STARTED, *runs, ended)
    assert [(test["score"], test["max_score"]) for test in found["tests"]] == scores
    assert found["score"] == total


def test_deliveries_with_the_same_problem_are_described_together() -> None:
    verdicts = {"slow": Verdict.DIFFERS, "cut": Verdict.DIFFERS, "crlf": Verdict.SILENT}
    runs = [run("1"), *(run("1", verdict, delivery=way) for way, verdict in verdicts.items())]
    (test,) = graded(started(suite(1)), *runs, ENDED)["tests"]
    heading = "1 of 4 deliveries of the input passed"
    assert test["output"] == f"{heading}\nsilent (crlf): why 1\ndiffers (cut, slow): why 1"


LATER = GradingRule("4-5", None, Visibility.AFTER_DUE_DATE)


@pytest.mark.parametrize(
    ("rules", "ended", "visibility"),
    [((), [INTERRUPTED], "visible"), ((), [], "visible"), ((LATER,), [INTERRUPTED], "hidden")],
)
def test_cases_that_were_not_run_score_nothing_and_hidden_ones_are_not_counted(
    rules: tuple[GradingRule, ...], ended: list[RunEnded], visibility: str
) -> None:
    found = graded(started(suite(5, worth=rules)), run("1"), run("2"), *ended)
    assert found["tests"][2] == {
        **{"name": "s: not run", "score": 0, "max_score": 6, "status": "failed"},
        **{"visibility": visibility, "output": "3 cases not run, which score no points"},
    }
    others = "" if visibility == "visible" else "; others are not shown"
    ended_early = "The run ended early: cases that were not run score no points."
    assert found["output"] == f"2 of 2 cases passed{others}.\n{ended_early}"


def test_cases_that_were_not_run_have_a_test() -> None:
    other = SuiteInfo("t", "t", points=1.0, cases=4, selected=3)
    ended = RunEnded({}, 1.0, 1, stopped=True, not_run=3)
    (_, test) = graded(started(suite(1), other), run("1"), ended)["tests"]
    assert (test["name"], test["max_score"]) == ("t: not run", 0.75)
    # Two parts of a suite, each of which left a case out; then a run of the whole suite.
    part = started(suite(4, selected=2))
    shards = part, run("1"), ended._replace(not_run=1), part, run("2"), INTERRUPTED
    (_, _, test) = graded(*shards)["tests"]
    assert (test["name"], test["max_score"]) == ("s: not run", 5)
    found = graded(*shards, started(suite(4)), run("3"), run("4"), ENDED)
    assert [test["max_score"] for test in found["tests"]] == [2.5] * 4


@pytest.mark.parametrize("visibility", [each for each in Visibility if each.value != "visible"])
def test_a_student_sees_nothing_of_a_hidden_case(visibility: Visibility) -> None:
    hidden = GradingRule(f"{SECRET}-*", 1.0, visibility, 2)
    secrets = evidence(ShownDifference("/0", SECRET, SECRET), stdout=SECRET, stderr=SECRET)
    events: list[Event] = [
        run("1", Verdict.DIFFERS, evidence=evidence(ShownDifference("/0", "[6]", "6"))),
        run(f"{SECRET}-1", Verdict.DIFFERS, message=SECRET, tags=(SECRET,), evidence=secrets),
        run(f"{SECRET}-2", Verdict.INVALID_CASE, message=SECRET),
        Diagnostic("s", SECRET),
    ]
    found = graded(started(suite(3, worth=(hidden,))), *events, RunEnded({}, 1.0, 2))
    assert [test["number"] for test in found["tests"]] == ["1", "H1", "H2"]
    assert SECRET in json.dumps(found)
    # Gradescope shows students the tests that are visible, and all other members.
    shown = [test for test in found["tests"] if test["visibility"] == "visible"]
    assert SECRET not in json.dumps({**found, "tests": shown})
    problem = "There is a problem with the tests themselves. Please tell the course staff."
    assert found["output"] == f"0 of 1 case passed; others are not shown.\n{problem}"
    assert found["stdout_visibility"] == "hidden"
    all_hidden = graded(started(suite(1, visibility=visibility)), run("1"), ENDED)
    assert (all_hidden["visibility"], all_hidden["output"]) == (visibility.value, "")


@pytest.mark.parametrize(
    ("stdin", "left_out", "is_repeated"),
    [
        *((b"[1]\n", 0, False), (b"[1,\n2]\n", 0, True)),
        *((b"1" * 4_096, 0, True), (b"1" * 4_097, 0, False), (b"1" * 4_000, 1, False)),
    ],
)
def test_an_input_that_does_not_fit_in_a_line_is_shown_in_full(
    stdin: bytes, left_out: int, is_repeated: bool
) -> None:
    seen = evidence()._replace(stdin=Excerpt(stdin, len(stdin) + left_out))
    (test,) = graded(started(suite(1)), run("1", Verdict.DIFFERS, evidence=seen), ENDED)["tests"]
    assert ("The whole input:" in test["output"]) == is_repeated


def test_a_document_is_bounded() -> None:
    runs = [run(str(case), Verdict.DIFFERS, message="x" * 50_000) for case in range(210)]
    tests = graded(started(suite(210)), *runs, ENDED)["tests"]
    lengths = [len(test["output"]) for test in tests]
    assert (max(lengths), lengths[-1]) == (20_000, 200)
    assert sum(lengths) < 5_000_000

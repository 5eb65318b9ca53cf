"""The gradebook: rows that any reader of CSV understands, and the points of the other reports."""

from __future__ import annotations

import csv
import json

import pytest
from hypothesis import given
from support.events import ENDED, STARTED, STREAMS, run, write_document
from support.golden import Golden

from harness.model.events import Event, RunEnded, RunFingerprint
from harness.model.suite_info import GradingRule, SuiteInfo
from harness.model.verdict import Verdict


def rows_of(*events: Event) -> list[dict[str, str]]:
    document = write_document("csv", *events)
    assert document.endswith("\r\n")
    return list(csv.DictReader(document.splitlines(), strict=True))


def test_points_are_those_of_gradescope() -> None:
    suite_info = SuiteInfo("s", "s", points=10.0, cases=7, selected=5)
    rule = GradingRule("4", 0.125, None, 1)
    events = (
        STARTED._replace(suite_infos=(suite_info._replace(worth=(rule,)),)),
        *(run("1"), run("2", Verdict.DIFFERS), run("4"), run("4", Verdict.SILENT, delivery="cut")),
        RunEnded({}, 1.0, 130, interrupted=True, not_run=2),
    )
    suite, total = rows_of(*events)
    graded = json.loads(write_document("gradescope", *events))
    scores = [(test["score"], test["max_score"]) for test in graded["tests"]]
    assert float(suite["points"]) == graded["score"]
    sums = (sum(score for score, _ in scores), sum(maximum for _, maximum in scores))
    assert (1.708, 6.708) == pytest.approx(sums, abs=0.002)
    assert (suite["points"], suite["maximum"]) == ("1.708", "6.708")
    assert (suite["passed"], suite["cases"], suite["silent"], suite["differs"]) == tuple("1311")
    assert {**suite, "suite": "(all)"} == total


def test_a_subject_that_was_not_run_has_rows() -> None:
    fingerprints = tuple(RunFingerprint("s", name, "k") for name in "xy")
    suite_infos = (SuiteInfo("s", "s", cases=2, selected=4),)
    rows = rows_of(
        STARTED._replace(fingerprints=fingerprints, suite_infos=suite_infos), run("1"), run("2")
    )
    grades = [" ".join([*row.values()][:4]) for row in rows]
    assert grades == ["x s 2 2", "x (all) 2 2", "y s 0 2", "y (all) 0 2"]


def test_a_name_is_not_a_formula(golden: Golden) -> None:
    def shown(name: str) -> str:
        (row, _) = rows_of(STARTED, run("1", subject=name, suite=name), ENDED)
        assert row["subject"] == row["suite"]
        return row["subject"]

    golden.table("csv-names.txt", shown)


@given(STREAMS)
def test_every_row_has_every_field_and_no_formula(events: tuple[Event, ...]) -> None:
    heading, *rows = csv.reader(write_document("csv", *events).splitlines(), strict=True)
    for row in rows:
        assert len(row) == len(heading)
        assert not any(field.startswith(("=", "+", "-", "@", "\t", "\r")) for field in row)

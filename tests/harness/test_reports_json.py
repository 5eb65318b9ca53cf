"""The report as JSON: its parts, and its schema, which has the words of two others."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from told_events import ALL, DIFFERS, ENDED, STARTED, made, run

from harness.eventlines import event_line
from harness.events import Event, Problem, RunEnded
from harness.records import Verdict
from harness.suites.bundled import schemas_folder


def schema(name: str) -> dict[str, Any]:
    """One of the schemas that we ship."""
    text = Path(schemas_folder(), f"{name}.schema.json").read_text(encoding="utf-8")
    loaded: dict[str, Any] = json.loads(text)
    return loaded


VALIDATOR = Draft202012Validator(schema("report"))


def test_the_heading_counts_and_the_runs_stand_in_order() -> None:
    report = json.loads(made("json", *ALL))
    assert report["summary"] == {
        "runs": 9,
        "passed": 3,
        "known": 1,
        "failed": 3,
        "broken": 2,
        "not_run": 0,
    }
    assert (report["format"], report["xtest"], report["started"]) == (1, "0.1.0", STARTED.started)
    assert (report["exit"], report["wall_s"], report["problems"]) == (2, 1.5, [])
    assert report["groups"] == [
        {
            **{"suite": "s", "subject": "x", "runs": 9, "passed": 3, "known": 1, "failed": 3},
            **{"broken": 2, "wall_s": 2.25},
        }
    ]
    assert [(one["case"], one["outcome"]) for one in report["runs"]] == [
        *(("2", "passed"), ("2", "passed"), ("3", "failed"), ("4", "failed"), ("5", "known")),
        *(("6", "failed"), ("7", "broken"), ("8", "broken"), ("10", "passed")),
    ]


def test_a_run_has_what_the_results_have_of_it() -> None:
    (found,) = json.loads(made("json", STARTED, DIFFERS, ENDED))["runs"]
    told = json.loads(event_line(DIFFERS))
    assert found == {**{"outcome": "failed"}, **{k: v for k, v in told.items() if k != "event"}}
    assert found["evidence"]["differences"] == [{"at": "/0", "expected": "[6]", "actual": "6"}]


def test_several_subjects_have_their_matrix() -> None:
    other = run("3", subject="y")
    matrix = json.loads(made("json", STARTED, DIFFERS, run("2"), other, ENDED))["matrix"]
    assert [(one["name"], one["passed"], one["cases"]) for one in matrix["subjects"]] == [
        *(("x", 1, 2), ("y", 1, 1)),
    ]
    assert matrix["agreement"] == [{"subjects": ["x", "y"], "agree": 0, "cases": 1}]


@pytest.mark.parametrize(
    "events",
    [
        ALL,
        (),
        (STARTED, RunEnded({}, 0.0, 0, idle="nothing fell short")),
        (STARTED, Problem("s", "broken"), run("1"), run("1", Verdict.DIFFERS, subject="y")),
    ],
)
def test_the_schema_is_kept(events: tuple[Event, ...]) -> None:
    report = json.loads(made("json", *events))
    VALIDATOR.validate(report)
    assert not VALIDATOR.is_valid({**report, "more": 1})


def test_the_schema_has_of_runs_and_of_the_matrix_what_theirs_have() -> None:
    own, results, matrix = schema("report"), schema("results"), schema("matrix")
    Draft202012Validator.check_schema(own)
    theirs = results["$defs"]["judged"]
    del theirs["properties"]["event"]
    outcome = own["$defs"]["run"]["properties"].pop("outcome")
    assert outcome["enum"] == ["passed", "known", "failed", "broken"]
    assert own["$defs"]["run"]["properties"] == theirs["properties"]
    assert set(own["$defs"]["run"]["required"]) - {"outcome"} == {*theirs["required"]} - {"event"}
    for name in ("verdict", "known", "evidence", "bytes", "difference", "texts", "seconds"):
        assert own["$defs"][name] == results["$defs"][name], name
    assert own["$defs"]["matrix"]["properties"] == matrix["properties"]
    assert own["$defs"]["matrix"]["required"] == matrix["required"]

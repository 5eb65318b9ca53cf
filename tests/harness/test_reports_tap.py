"""TAP: what each outcome is, and the YAML below it. prove reads it in tests/test_system.py."""

from __future__ import annotations

import yaml
from told_events import (
    ALL,
    CRASHED,
    DIFFERS,
    ENDED,
    KNOWN,
    OUTGROWN,
    STARTED,
    evidence,
    made,
    run,
)

from harness.events import Problem, RunEnded, ShownDifference
from harness.records import Verdict


def test_each_outcome_has_its_line() -> None:
    lines = made("tap", *ALL).splitlines()
    assert [line for line in lines if not line.startswith("  ")] == [
        "TAP version 13",
        "1..9",
        "ok 1 - s/2, x",
        "ok 2 - s/2 (slow), x",
        "not ok 3 - s/3, x",
        "not ok 4 - s/4, x",
        "not ok 5 - s/5, x # TODO issue \\#5",
        "not ok 6 - s/6, x",
        "not ok 7 - s/7, x",
        "not ok 8 - s/8, x",
        "ok 9 - s/10, x",
    ]


def test_what_went_wrong_stands_below_as_yaml() -> None:
    assert (
        made("tap", STARTED, DIFFERS, ENDED)
        == """\
TAP version 13
1..1
not ok 1 - s/3, x
  ---
  message: "why 3"
  outcome: "failed"
  verdict: "differs"
  duration_ms: 250.000
  differences_total: 1
  differences:
    - at: "/0"
      expected: "[6]"
      actual: "6"
  repeat: "xtest run s --case 3"
  ...
"""
    )
    assert yaml.safe_load(diagnostics(made("tap", STARTED, CRASHED, KNOWN, ENDED), 2)) == {
        "message": "why 5",
        "outcome": "known",
        "verdict": "differs",
        "duration_ms": 250.0,
        "known": "issue #5",
        "repeat": "xtest run s --case 5",
    }


def diagnostics(document: str, number: int) -> str:
    """The YAML below a test."""
    return document.split("  ---\n")[number].split("  ...\n", maxsplit=1)[0]


def test_a_failure_that_was_outgrown_is_no_todo() -> None:
    document = made("tap", STARTED, OUTGROWN, ENDED)
    assert "\nnot ok 1 - s/6, x\n" in document
    assert yaml.safe_load(diagnostics(document, 1))["known"] == "issue #6"


def test_a_value_that_is_not_there_is_left_out() -> None:
    missing = run("3", Verdict.DIFFERS)._replace(
        evidence=evidence(ShownDifference("/0", "[6]", None), ShownDifference("/1", None, "7"))
    )
    lines = made("tap", STARTED, missing, ENDED).splitlines()
    at = lines.index('    - at: "/0"')
    assert lines[at : at + 4] == [
        '    - at: "/0"',
        '      expected: "[6]"',
        '    - at: "/1"',
        '      actual: "7"',
    ]


def test_only_the_first_differences_are_shown_and_texts_are_cut() -> None:
    many = tuple(ShownDifference(f"/{at}", None, "x" * 9_000) for at in range(30))
    document = made("tap", STARTED, run("1", Verdict.TOO_MANY, evidence=evidence(*many)), ENDED)
    said = yaml.safe_load(diagnostics(document, 1))
    assert said["differences_total"] == 30
    assert len(said["differences"]) == 20
    assert said["differences"][0]["at"] == "/0"
    assert said["differences"][0]["actual"].endswith("x … 9,000 characters")


def test_problems_are_tests_that_failed() -> None:
    document = made("tap", STARTED, Problem("a#b", 'suite.toml: "x"'), run("1"))
    assert (
        document
        == """\
TAP version 13
1..3
ok 1 - s/1, x
not ok 2 - problem: a\\#b
  ---
  message: "suite.toml: \\"x\\""
  outcome: "problem"
  ...
not ok 3 - problem: xtest
  ---
  message: "the results end early: of 9 runs, 1 were judged"
  outcome: "problem"
  ...
"""
    )


def test_a_run_that_was_idle_is_skipped() -> None:
    idle = RunEnded({}, 0.0, 0, idle="nothing fell short the last time")
    assert made("tap", STARTED, idle) == (
        "TAP version 13\n1..0 # SKIP nothing fell short the last time\n"
    )

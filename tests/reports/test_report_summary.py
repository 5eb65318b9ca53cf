"""Summaries: outcomes, groups, exit status and headline, for one run and for several."""

from __future__ import annotations

import pytest
from support.events import DIFFERS, ENDED, INVALID, KNOWN, OUTGROWN, SKIPPED, STARTED, run
from support.golden import Golden
from support.tables import check_table

from harness.model.events import DependsOnOrder, Diagnostic, Event, Judged, RunEnded
from harness.model.verdict import Verdict
from harness.reports.summary import RunOutcome, headline, outcome_of, summary_of

INTERRUPTED = RunEnded({}, 1.0, 130, interrupted=True, not_run=2)
IDLE = RunEnded({}, 0.0, 0, idle="nothing failed")


@pytest.mark.parametrize(
    ("event", "outcome"),
    [
        (run("1"), RunOutcome.PASSED),
        (DIFFERS, RunOutcome.FAILED),
        (run("1", Verdict.NOT_STARTED), RunOutcome.FAILED),
        (run("1", Verdict.FLAKY), RunOutcome.FAILED),
        (KNOWN, RunOutcome.KNOWN),
        (OUTGROWN, RunOutcome.FAILED),
        (INVALID, RunOutcome.BROKEN),
        (SKIPPED, RunOutcome.SKIPPED),
        (run("1", Verdict.HARNESS_FAULT), RunOutcome.BROKEN),
    ],
)
def test_each_run_has_one_outcome(event: Judged, outcome: RunOutcome) -> None:
    assert outcome_of(event) is outcome


def test_a_case_that_passes_only_in_a_session_is_shown() -> None:
    found = DependsOnOrder("s/7", "x", "3", "it passes in a session with 3", ())
    (problem,) = summary_of([STARTED, run("7"), found, ENDED]).problems
    assert problem == Diagnostic("s/7 by x", "depends on order: it passes in a session with 3")


NAMED: dict[str, Event] = {
    **{"started": STARTED, "ended": ENDED, "idle": IDLE, "known": KNOWN, "invalid": INVALID},
    **{"passed": run("1"), "another passed": run("2"), "differs": DIFFERS, "skipped": SKIPPED},
    "stopped": RunEnded({}, 1.0, 1, stopped=True, not_run=3),
    "problem": Diagnostic("a", "b"),
    "depends on order": DependsOnOrder("s/1", "x", "2", "why", ()),
}


def test_exit_status_and_headline_agree(golden: Golden) -> None:
    def result(names: str) -> str:
        summary = summary_of(NAMED[name] for name in names.split(", ") if name)
        return f"{summary.exit}: {headline(summary)}"

    check_table(golden, __file__, "headlines.txt", result)


def test_a_run_that_did_not_end_normally_is_a_problem() -> None:
    summary = summary_of([STARTED, run("1"), INTERRUPTED, STARTED, run("2")])
    assert [problem.message for problem in summary.problems] == [
        *("interrupted; 2 cases not run", "the results end early: 1 of 9 runs judged")
    ]


def test_the_reason_for_an_idle_run_is_dropped_if_something_was_run() -> None:
    assert summary_of([STARTED, IDLE]).idle == "nothing failed"
    assert summary_of([STARTED, IDLE, STARTED, run("1"), ENDED]).idle == ""

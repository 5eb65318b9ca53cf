"""Summaries of reports: what counts as what, for one run and for several."""

from __future__ import annotations

import pytest
from told_events import ALL, DIFFERS, ENDED, INVALID, KNOWN, OUTGROWN, STARTED, run

from harness.documents.summary import Group, Outcome, headline, outcome_of, summary_of
from harness.events import Event, Problem, RunEnded
from harness.records import Verdict


@pytest.mark.parametrize(
    ("event", "outcome"),
    [
        (run("1"), Outcome.PASSED),
        (DIFFERS, Outcome.FAILED),
        (run("1", Verdict.NOT_STARTED), Outcome.FAILED),
        (run("1", Verdict.FLAKY), Outcome.FAILED),
        (KNOWN, Outcome.KNOWN),
        (OUTGROWN, Outcome.FAILED),
        (INVALID, Outcome.BROKEN),
        (run("1", Verdict.HARNESS_FAULT), Outcome.BROKEN),
    ],
)
def test_each_run_has_one_outcome(event: Event, outcome: Outcome) -> None:
    assert outcome_of(event) is outcome  # type: ignore[arg-type]  # only runs are listed


def test_groups_are_counted_in_natural_order() -> None:
    others = (run("1", suite="s10"), run("1", suite="s9"), run("1", suite="s9", subject="a"))
    summary = summary_of([STARTED, *others, *ALL[1:]])
    assert [(group.suite, group.subject) for group in summary.groups] == [
        *(("s", "x"), ("s9", "a"), ("s9", "x"), ("s10", "x")),
    ]
    assert summary.groups[0] == Group("s", "x", 3, 1, 3, 2, 2.25)
    assert (summary.runs, summary.count(Outcome.PASSED)) == (12, 6)
    assert (summary.started, summary.wall_s, summary.xtest) == (STARTED.started, 1.5, "0.1.0")
    assert headline(summary) == "6 of 12 passed: 3 failed, 2 broken; 1 known failure"


@pytest.mark.parametrize(
    ("events", "exit_status", "words"),
    [
        ([STARTED, run("1"), ENDED], 0, "all 1 passed"),
        ([STARTED, KNOWN, ENDED], 0, "0 of 1 passed; 1 known failure"),
        ([STARTED, DIFFERS, run("1"), ENDED], 1, "1 of 2 passed: 1 failed"),
        ([STARTED, run("1"), Problem("a", "b"), ENDED], 2, "all 1 passed, but there were problems"),
        ([STARTED, INVALID, ENDED], 2, "0 of 1 passed: 1 broken"),
        (
            [STARTED, DIFFERS, RunEnded({}, 1.0, 1, stopped=True, not_run=3)],
            1,
            "0 of 1 passed: 1 failed; 3 cases not run",
        ),
        ([STARTED, ENDED], 2, "nothing was run"),
        ([STARTED, RunEnded({}, 0.0, 0, idle="nothing fell short")], 0, "nothing was run"),
        ([], 2, "nothing was run"),
    ],
)
def test_the_exit_status_and_the_headline_belong_together(
    events: list[Event], exit_status: int, words: str
) -> None:
    summary = summary_of(events)
    assert (summary.exit, headline(summary)) == (exit_status, words)


def test_what_did_not_come_to_its_end_is_a_problem() -> None:
    cut_off = summary_of([STARTED, run("1"), run("2")])
    assert cut_off.troubles == (
        Problem("xtest", "the results end early: of 9 runs, 2 were judged"),
    )
    assert (cut_off.exit, headline(cut_off)) == (130, "all 2 passed, but there were problems")
    interrupted = RunEnded({}, 1.0, 130, interrupted=True, not_run=2)
    summary = summary_of([STARTED, run("1"), interrupted, STARTED, run("2")])
    assert [trouble.message for trouble in summary.troubles] == [
        *("interrupted; 2 cases not run", "the results end early: of 9 runs, 1 were judged"),
    ]
    assert summary_of([STARTED, ENDED._replace(interrupted=True)]).troubles == (
        Problem("xtest", "interrupted"),
    )


def test_why_a_run_was_idle_is_said_only_where_nothing_was_run() -> None:
    idle = RunEnded({}, 0.0, 0, idle="nothing fell short")
    assert summary_of([STARTED, idle]).idle == "nothing fell short"
    assert summary_of([STARTED, idle, STARTED, run("1"), ENDED]).idle == ""

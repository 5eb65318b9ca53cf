"""The score of a run: counts, exit status, and the failures that --max-failures counts."""

from __future__ import annotations

import pytest
from support.events import CRASHED, FAULT, INVALID, KNOWN, OUTGROWN, run

from harness.model.events import Judged, KnownFailure
from harness.model.verdict import Verdict
from harness.runner.scoring import RunScore

DIFFERS, PASSED = run("1", Verdict.DIFFERS), run("1")


def test_only_new_failures_count_for_max_failures_and_all_for_the_exit_status() -> None:
    score = RunScore()
    score.add(DIFFERS, is_earlier=True)
    score.add(PASSED._replace(cached=True), is_earlier=True)
    score.add(PASSED, completes_case=False)
    assert (score.new_failures, score.exit_code(faulty=False)) == (0, 1)
    score.add(CRASHED, completes_case=True)
    assert (score.earlier, score.cached, score.cases, score.new_failures) == (2, 1, 1, 1)
    assert score.counts == {"crashed": 1, "differs": 1, "passed": 2}


@pytest.mark.parametrize(
    ("event", "faulty", "status"),
    [
        (PASSED, False, 0),
        (PASSED, True, 2),
        (OUTGROWN, False, 1),
        (KNOWN, False, 0),
        (DIFFERS._replace(known=KnownFailure("why", holds=False)), False, 1),
        (INVALID, False, 2),
        (FAULT, False, 2),
    ],
)
def test_the_exit_status(event: Judged, faulty: bool, status: int) -> None:
    score = RunScore()
    score.add(event, completes_case=True)
    assert score.exit_code(faulty=faulty) == status
    assert score.unexpected_pass == (event is OUTGROWN)
    assert score.known == ({"differs": 1} if event is KNOWN else {})

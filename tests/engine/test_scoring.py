"""The score of a run: its exit status, and what is listed as a known failure."""

from __future__ import annotations

import pytest
from support.events import FAULT, INVALID, KNOWN, OUTGROWN, run

from harness.engine.execution import RunScore
from harness.model.events import KnownFailure, RunResult
from harness.model.tally import by_name
from harness.model.verdict import Verdict

DIFFERS, PASSED = run("1", Verdict.DIFFERS), run("1")


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
def test_the_exit_status(event: RunResult, faulty: bool, status: int) -> None:
    score = RunScore()
    score.add_new(event, completes_case=True)
    assert score.exit_code(faulty=faulty) == status
    assert score.unexpected_pass == (event is OUTGROWN)
    assert by_name(score.known_failures) == ({"differs": 1} if event is KNOWN else {})

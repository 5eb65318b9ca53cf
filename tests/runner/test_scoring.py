"""The score of a run: counts, exit status, and the failures that --max-failures counts."""

from __future__ import annotations

import pytest

from harness.model.events import Judged, KnownFailure
from harness.model.verdict import Verdict
from harness.runner.scoring import Score


def event(verdict: Verdict, *, known: bool | None = None) -> Judged:
    """A run with this verdict; `known`: it is listed as a failure, which it is or not."""
    failure = None if known is None else KnownFailure("why", holds=known)
    return Judged("s", "1", "x", "plain", verdict, "", known=failure)


def test_only_new_failures_count_for_max_failures_and_all_for_the_exit_status() -> None:
    score = Score()
    score.add(event(Verdict.DIFFERS), is_earlier=True)
    score.add(event(Verdict.PASSED)._replace(cached=True), is_earlier=True)
    score.add(event(Verdict.PASSED), completes_case=False)
    assert (score.new_failures, score.exit_code(faulty=False)) == (0, 1)
    score.add(event(Verdict.CRASHED), completes_case=True)
    assert (score.earlier, score.cached, score.cases, score.new_failures) == (2, 1, 1, 1)
    assert score.counts == {"crashed": 1, "differs": 1, "passed": 2}


@pytest.mark.parametrize(
    ("verdict", "known", "faulty", "status"),
    [
        (Verdict.PASSED, None, False, 0),
        (Verdict.PASSED, None, True, 2),
        (Verdict.PASSED, False, False, 1),
        (Verdict.DIFFERS, True, False, 0),
        (Verdict.DIFFERS, False, False, 1),
        (Verdict.INVALID_CASE, None, False, 2),
        (Verdict.HARNESS_FAULT, None, False, 2),
    ],
)
def test_the_exit_status(verdict: Verdict, known: bool | None, faulty: bool, status: int) -> None:
    score = Score()
    score.add(event(verdict, known=known), completes_case=True)
    assert score.exit_code(faulty=faulty) == status
    assert score.unexpected_pass == (verdict is Verdict.PASSED and known is False)
    assert score.known == ({"differs": 1} if known else {})

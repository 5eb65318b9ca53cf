"""Several runs as one judgement."""

from __future__ import annotations

from harness.judging.judge import combine
from harness.model.events import BoundedJudgement
from harness.model.transcript import Exited, Signalled, Transcript
from harness.model.verdict import Verdict

RIGHT = (Transcript(Exited(0), b"1"), BoundedJudgement(Verdict.PASSED, "as expected"))
CRASH = (Transcript(Signalled(11)), BoundedJudgement(Verdict.CRASHED, "ended by SIGSEGV"))
SHORT = (Transcript(Exited(1)), BoundedJudgement(Verdict.TOO_FEW, "1 value expected, none printed"))


def test_runs_that_agree_are_the_last_of_them() -> None:
    assert combine([CRASH]) is CRASH
    again = (Transcript(Signalled(11), b"2"), BoundedJudgement(Verdict.CRASHED, "ended by SIGSEGV"))
    assert combine([CRASH, again]) is again


def test_runs_with_different_verdicts_are_flaky_and_show_the_first_that_failed() -> None:
    assert combine([CRASH, RIGHT])[1].verdict is Verdict.FLAKY
    transcript, judgement = combine([RIGHT, CRASH, RIGHT, SHORT])
    assert transcript is CRASH[0]
    assert judgement.verdict is Verdict.FLAKY
    assert judgement.message == (
        "4 runs: 2 passed, 1 crashed, 1 too-few; crashed: ended by SIGSEGV"
    )

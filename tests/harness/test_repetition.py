"""Several runs as one judgement."""

from __future__ import annotations

from harness.judging.repetition import combined
from harness.records import Exited, Judgement, Signalled, Transcript, Verdict

RIGHT = (Transcript(Exited(0), b"1"), Judgement(Verdict.PASSED, "as expected"))
CRASH = (Transcript(Signalled(11)), Judgement(Verdict.CRASHED, "ended by SIGSEGV"))
SHORT = (Transcript(Exited(1)), Judgement(Verdict.TOO_FEW, "1 value expected, none printed"))


def test_runs_that_agree_are_the_last_of_them() -> None:
    assert combined([CRASH]) is CRASH
    again = (Transcript(Signalled(11), b"2"), Judgement(Verdict.CRASHED, "ended by SIGSEGV"))
    assert combined([CRASH, again]) is again


def test_runs_that_do_not_agree_are_flaky_and_show_the_first_that_fell_short() -> None:
    transcript, judgement = combined([RIGHT, CRASH, RIGHT, SHORT])
    assert transcript is CRASH[0]
    assert judgement.verdict is Verdict.FLAKY
    assert judgement.message == (
        "4 runs: 2 passed, 1 crashed, 1 too-few; crashed: ended by SIGSEGV"
    )

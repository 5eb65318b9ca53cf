"""Jobs: the limits of a run, and the verdict when the judge itself fails."""

from __future__ import annotations

import pytest

from harness.model.case import Case, Policy
from harness.model.limits import Limits
from harness.model.subject import Subject
from harness.model.transcript import Exited, Transcript
from harness.model.verdict import Verdict
from harness.runner import jobs
from harness.runner.jobs import judge_run, override_limits

CASE = Case("s", "1", b"1", b"1", [], policy=Policy(limits=Limits(wall_s=1, cpu_s=1, processes=1)))


def test_the_command_line_overrides_the_subject_which_overrides_the_suite() -> None:
    subject = Subject("x", ("x",), limits=(("wall_s", 2.0), ("cpu_s", 2.0)))
    assert override_limits(CASE, Subject("x", ("x",))) == CASE
    limits = override_limits(CASE, subject, 3.0).policy.limits
    assert (limits.wall_s, limits.cpu_s, limits.processes) == (3.0, 2.0, 1)


def test_a_bug_in_the_judge_is_a_harness_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "judge", lambda *_: [].pop())
    judgement = judge_run(CASE, Transcript(Exited(0)))
    assert judgement.verdict is Verdict.HARNESS_FAULT
    assert (
        judgement.message
        == "the judge failed: IndexError('pop from empty list'); please report this"
    )

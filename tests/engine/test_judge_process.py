"""Judging in another process: the same judgements, and bounded ones."""

from __future__ import annotations

import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from support.suites import target_in, write_suite

from harness.engine import judge_process
from harness.engine.judge_process import CaseJudge, is_quick, judge_here, judging_with
from harness.engine.plan import PlannedRun
from harness.judging.judge import judge
from harness.model.case import Case, Policy
from harness.model.comparison import Comparison, Matching
from harness.model.limits import Limit, Usage
from harness.model.transcript import Exited, NotStarted, Signalled, Transcript
from harness.model.verdict import Verdict
from harness.process.killable import Bounds, KillableProcess
from harness.suites.cases import read_case

CASE = Case("s", "1", b"1", b"1", [])
SLOW = Policy(Comparison(strings=Matching("(a+)+")))


@pytest.mark.parametrize(
    "transcript",
    [
        Transcript(Exited(0), b"[1,2,4]"),
        Transcript(Exited(3), b"", b"Traceback\nValueError: no\n", 0, 27),
        Transcript(Signalled(9), b"[1", limit=Limit.MEMORY, usage=Usage(1.25, 70.5)),
        Transcript(NotStarted("no such program")),
    ],
)
def test_another_process_judges_as_this_one(tmp_path: Path, transcript: Transcript) -> None:
    target = target_in(write_suite(tmp_path / "s", {"1": ("0", "[1,2,3]")}))
    (name,) = target.suite.names
    case = read_case(target.suite, name, 0)
    assert isinstance(case, Case)
    judging = CaseJudge({target.key: target}, judging_with(None))
    planned = PlannedRun(target, name, (), 0)
    question = judging.question(planned, case, transcript, lambda judgement: [judgement])
    with closing(KillableProcess(judging.answer, Bounds())) as process:
        (judgement,) = question.results(process.call(question.request()))
    assert judgement == judge(transcript, case, case.policy)


def test_only_small_outputs_without_patterns_are_judged_here() -> None:
    small, large = Transcript(Exited(0), b"2"), Transcript(Exited(0), b"2" * 5_000)
    equal = Transcript(Exited(0), b"1")
    assert is_quick(CASE, small) and not is_quick(CASE, large)
    assert not is_quick(CASE._replace(policy=SLOW), small)
    assert is_quick(CASE._replace(policy=SLOW), equal)
    assert not is_quick(CASE._replace(is_parsed=False), equal)
    assert not is_quick(CASE._replace(expected_text=b"1" * 5_000), small)


LARGE = """
from harness.model.case import Case
from harness.model.transcript import Exited, Transcript
from harness.process.killable import Bounds
from harness.engine import judge_process, units

units.BOUNDS = Bounds(memory=64 << 20)
transcript = Transcript(Exited(0), b"[" + b"[]," * (2 << 20) + b"0]")
case = Case("s", "1", b"1", b"1", [])
print(judge_process.judge_run(case, transcript, judge_process.judge_here).message)
"""


@pytest.mark.needs("samples")
def test_an_output_whose_values_need_too_much_memory_is_a_fault() -> None:
    # In a process of its own: a judge may use the memory that this one has freed.
    command = [sys.executable, "-P", "-c", LARGE]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == "judging stopped at 0.0625 GiB of memory\n"


def test_a_bug_in_the_judge_is_a_harness_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judge_process, "judge", lambda *_: [].pop())
    judgement = judge_here(CASE, Transcript(Exited(0)))
    message = "the judge failed: IndexError('pop from empty list'); please report this"
    assert (judgement.verdict, judgement.message) == (Verdict.HARNESS_FAULT, message)

"""The loop: what a source and its units are asked, and in which order."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain

import pytest

from harness.engine.units import (
    NO_MEMORY,
    LoopOptions,
    Outcome,
    Pause,
    Question,
    Source,
    Unit,
    run_units,
)
from harness.model.transcript import Job, NotStarted, Transcript
from harness.process.killable import Stopped


class Echo(Unit[str]):
    """Prints its name in each of its jobs; a `slow` one waits until nothing else runs."""

    def __init__(self, name: str, jobs: int = 1, *, slow: bool = False, asks: bool = False) -> None:
        self.name = name
        self.jobs = jobs
        self._slow = slow
        self._asks = asks

    def label(self, number: int) -> str:
        return f"{self.name}/{number}"

    def job(self, number: int) -> Job | Transcript:
        if self.name == "large":
            raise MemoryError
        return Job(("/bin/echo", self.label(number)), b"")

    def takes_long(self, _number: int) -> bool:
        return self._slow

    def ended(self, number: int, transcript: Transcript) -> Outcome[str]:
        if transcript is NO_MEMORY:
            assert transcript.ending == NotStarted("not enough memory")
            return Outcome(["no memory"])
        text = transcript.stdout.decode().strip()
        if not self._asks:
            return Outcome([text])

        def results(answer: bytes | Stopped) -> list[str]:
            return [answer.reason if isinstance(answer, Stopped) else answer.decode()]

        return Outcome(questions=[Question(text.encode, results)])


class Listed(Source[str]):
    """Returns these units and pauses, and appends what happens to `log`."""

    def __init__(self, *units: Unit[str] | Pause) -> None:
        self.log: list[str] = []
        self._units = list(units)

    def next(self) -> Unit[str] | Pause:
        return self._units.pop(0) if self._units else Pause.DONE

    def feedback(self, _unit: Unit[str], results: Sequence[str]) -> Iterable[str]:
        self.log += results
        return [each for each in results if each != "held/0"]

    def judge(self, request: bytes) -> bytes:
        if request.startswith(b"stuck"):
            raise MemoryError
        return b"judged " + request

    def summaries(self) -> Iterable[str]:
        return ["summary"]

    def close(self) -> None:
        self.log.append("closed")


def ran(*units: Unit[str] | Pause, parallel: int = 1) -> tuple[list[str], list[str]]:
    """Return the results of a source, and what it has heard."""
    source = Listed(*units)
    results = chain.from_iterable(run_units(source, LoopOptions(parallel)))
    return list(results), source.log


def test_results_come_from_each_job_of_each_unit_and_then_from_the_source() -> None:
    results, log = ran(Echo("a", 2), Echo("empty", 0), Echo("b"))
    assert results == ["a/0", "a/1", "b/0", "summary"]
    assert log == ["a/0", "a/1", "b/0", "closed"]


def test_a_source_may_hold_results_back() -> None:
    assert ran(Echo("held"), Echo("b")) == (["b/0", "summary"], ["held/0", "b/0", "closed"])


def test_a_source_that_waits_is_asked_again_and_one_that_is_done_is_not() -> None:
    units = Echo("a"), Pause.WAIT, Echo("b"), Pause.DONE, Echo("never")
    assert ran(*units, parallel=2)[0] == ["a/0", "b/0", "summary"]


def test_a_job_that_takes_long_to_make_waits_until_nothing_runs() -> None:
    units = Echo("a"), Echo("slow", slow=True), Echo("b")
    assert ran(*units, parallel=3)[0][0] == "a/0"


def test_questions_are_answered_in_another_process() -> None:
    results, _ = ran(Echo("a", asks=True), Echo("stuck", asks=True))
    assert results == ["judged a/0", "at 2 GiB of memory", "summary"]


def test_a_job_that_does_not_fit_in_memory_is_reported_to_its_unit() -> None:
    assert ran(Echo("large"), Echo("b"))[0] == ["no memory", "b/0", "summary"]


@pytest.mark.parametrize("parallel", [1, 3])
def test_closing_the_loop_closes_the_source(parallel: int) -> None:
    source = Listed(Echo("a"), Echo("b"))
    results = run_units(source, LoopOptions(parallel))
    next(results)
    results.close()
    assert source.log[-1] == "closed"

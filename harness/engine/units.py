"""Run units: what is run and judged together, such as a case in its deliveries.

A source yields units, and hears what became of them. The loop knows both by these classes only.
Source: docs/explanation/how-a-case-runs.md.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import closing, nullcontext
from enum import Enum
from functools import partial
from math import inf
from typing import Final, Generic, NamedTuple, TypeVar

from harness.engine.progress import WorkerSlots
from harness.errors import NoProcessLeft
from harness.model.subject import WorkspaceMode
from harness.model.transcript import Job, NotStarted, Transcript
from harness.process.killable import NO_PROCESS, OUT_OF_MEMORY, Bounds, KillableQueue, Stopped
from harness.process.loop import run
from harness.process.run_state import EndedRun
from harness.process.sandbox import Sandbox, run_in
from harness.process.workspace import Workspaces, in_private_folders

R = TypeVar("R")
T = TypeVar("T")

NO_MEMORY: Final = Transcript(NotStarted("not enough memory"))  # for making a job
_WORKSPACE: Final = "XTEST_WORKSPACE"  # the variable for all runs of all commands
BOUNDS: Final = Bounds()  # of one judgement


class Pause(Enum):
    """The reason why a source has no unit."""

    WAIT = "what becomes of earlier units decides what comes next"
    DONE = "no more units will come"


class Question(NamedTuple, Generic[R]):
    """A question for the judge process.

    `request` makes the bytes for `Source.judge`, when its turn comes. `results` makes results of
    the answer, or of the reason why there is none.
    """

    request: Callable[[], bytes]
    results: Callable[[bytes | Stopped], Sequence[R]]


class Outcome(NamedTuple, Generic[R]):
    """The results of a unit that are certain after a run, and what the judge process is asked.

    `more` are units that run next, such as a checker.
    """

    results: Sequence[R] = ()
    questions: Sequence[Question[R]] = ()
    more: Sequence[Unit[R]] = ()


class Unit(ABC, Generic[R]):
    """Jobs that run and are judged together, with results of type R."""

    __slots__ = ()

    jobs: int = 1  # their number
    cases: int = 1  # as the progress display counts them

    @abstractmethod
    def label(self, number: int) -> str:
        """Return the name of a job for people."""

    @abstractmethod
    def job(self, number: int) -> Job | Transcript:
        """Make a job when its turn comes, or return a transcript if it needs no process.

        Raises MemoryError.
        """

    def takes_long(self, _number: int) -> bool:
        """Return whether making a job may take seconds, in which nothing else is watched."""
        return False

    @abstractmethod
    def ended(self, number: int, transcript: Transcript) -> Outcome[R]:
        """Return what a job has shown; its transcript is `NO_MEMORY` if it could not be made."""


class Source(ABC, Generic[R]):
    """Yields units one by one, and hears what became of them."""

    @abstractmethod
    def next(self) -> Unit[R] | Pause:
        """Return the next unit, for which there is room."""

    def feedback(self, _unit: Unit[R], results: Sequence[R]) -> Iterable[R]:
        """Hear results of a unit, and return those that may be sent now."""
        return results

    def completes(self, _result: R) -> bool:
        """Return whether the progress display counts a case with this result."""
        return True

    def judge(self, request: bytes) -> bytes:
        """Answer a question; called in the judge process."""
        raise NotImplementedError

    def summaries(self) -> Iterable[R]:
        """Return results on the source as a whole, after its last unit."""
        return ()

    def close(self) -> None:
        """Release what is in use."""


class LoopOptions(NamedTuple):
    """Options of the loop that runs units.

    `deadline` is on the monotonic clock. Ended runs wait `gather_s` seconds for others, so that
    several are processed in a row. `workspaces` give each run a private view of its working folder.
    """

    parallel: int = 1
    sandbox: Sandbox | None = None
    deadline: float = inf
    gather_s: float = 0.0
    workspaces: Workspaces | None = None


def private_folders(since_ns: int | None = None) -> Workspaces | None:
    """Return what gives runs private working folders in this process, unless XTEST_WORKSPACE is
    "shared". The first run of all workers begins after the time `since_ns`."""
    if os.environ.get(_WORKSPACE) == WorkspaceMode.SHARED.value:
        return None
    return Workspaces(since_ns)


def run_units(
    source: Source[R], execution: LoopOptions, slots: WorkerSlots | None = None
) -> Generator[list[R], None, None]:
    """Run the units of a source, and yield results as they become certain, several at once.

    Closing the generator kills the programs that still run. Runs in progress take `slots`.
    """
    jobs = _Jobs(source, slots)
    judge = KillableQueue[_Asked[R], tuple[Unit[R], Sequence[R]]](source.judge, BOUNDS, _answered)
    runs = _run_jobs(jobs, execution, judge)
    # Closed explicitly: an exception must not leave programs running until it is collected.
    with closing(source), closing(judge), closing(runs):
        for ended in runs:
            if isinstance(ended, EndedRun):
                unit, number = ended.key
                jobs.end(ended.key)
                results, questions, more = unit.ended(number, ended.transcript)
                jobs.add(more)
                for question in questions:
                    try:
                        judge.submit((unit, question), question.request)
                    except MemoryError:
                        results = [*results, *question.results(OUT_OF_MEMORY)]
                    except NoProcessLeft:
                        results = [*results, *question.results(NO_PROCESS)]
            else:
                unit, results = ended
            certain = list(source.feedback(unit, results)) if results else []
            if slots is not None:
                for _ in filter(source.completes, certain):
                    slots.count_case()
            if certain:
                yield certain
        yield list(source.summaries())


_Key = tuple[Unit[R], int]  # a unit, and the number of its job
_Asked = tuple[Unit[R], Question[R]]


def _answered(asked: _Asked[R], answer: bytes | Stopped) -> tuple[Unit[R], Sequence[R]]:
    unit, question = asked
    return unit, question.results(answer)


def _run_jobs(
    jobs: _Jobs[R], execution: LoopOptions, judge: KillableQueue[_Asked[R], T]
) -> Generator[EndedRun[_Key[R]] | T, None, None]:
    workspaces = execution.workspaces
    next_job = (
        jobs.next if workspaces is None else partial(in_private_folders, workspaces, jobs.next)
    )
    start = run if execution.sandbox is None else partial(run_in, execution.sandbox)
    runs = start(
        next_job,
        execution.parallel,
        dict(os.environ),
        sole_parent=True,
        background=judge,
        deadline=execution.deadline,
        gather_s=execution.gather_s,
    )
    with nullcontext() if workspaces is None else closing(workspaces), closing(runs):
        yield from runs


class _Jobs(Generic[R]):
    """The jobs of units, made one at a time when there is room for them."""

    def __init__(self, source: Source[R], slots: WorkerSlots | None) -> None:
        self._source = source
        self._slots = slots
        self._unit: Unit[R] | None = None
        self._number = 0  # of the next job of the unit
        self._in_progress = 0
        self._is_done = False
        self._more: deque[Unit[R]] = deque()

    def next(self) -> tuple[_Key[R], Job | Transcript] | None:
        """Return the next job, or None if none may begin now."""
        unit = self._unit or self._next_unit()
        if unit is None:
            return None
        key = unit, self._number
        if self._in_progress and unit.takes_long(self._number):
            return None
        try:
            job = unit.job(self._number)
        except MemoryError:
            job = NO_MEMORY
        if self._slots is not None and isinstance(job, Job):
            self._slots.begin(key, unit.label(self._number), job.limits.wall_s, unit.cases)
        self._in_progress += 1
        self._number += 1
        if self._number == unit.jobs:
            self._unit = None
        return key, job

    def add(self, units: Iterable[Unit[R]]) -> None:
        """Run units before others."""
        self._more.extend(units)

    def end(self, key: _Key[R]) -> None:
        self._in_progress -= 1
        if self._slots is not None:
            self._slots.release(key)

    def _next_unit(self) -> Unit[R] | None:
        if self._more:
            self._unit, self._number = self._more.popleft(), 0
            return self._unit
        while not self._is_done:
            drawn = self._source.next()
            if isinstance(drawn, Pause):
                self._is_done = drawn is Pause.DONE
                return None
            if drawn.jobs:
                self._unit, self._number = drawn, 0
                return drawn
        return None

"""Run planned cases in this process, and yield their events as runs end.

A case is read when its turn comes, and forgotten when its last run has been judged.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing
from functools import partial
from math import inf
from typing import Final

from harness.delivery.registry import Delivery, differing_deliveries
from harness.errors import os_reason
from harness.judging.judge import Attempt, combine, judge_invalid
from harness.model.case import Case, InvalidCase
from harness.model.events import BoundedJudgement, Event, Judged, bounded, judged
from harness.model.subject import Subject
from harness.model.transcript import Job, NotStarted, Transcript
from harness.model.verdict import Verdict
from harness.process.sandbox import run_in
from harness.project.program_lookup import command_line
from harness.project.targets import Target
from harness.runner.ipc import CaseEvent
from harness.runner.jobs import (
    annotate,
    make_job,
    origin_of,
    read_planned_case,
    skipped_run,
    takes_long,
    usable_deliveries,
)
from harness.runner.judge_process import (
    JudgedRun,
    JudgeProcess,
    is_quick,
    judge_here,
    judging_with,
)
from harness.runner.plan import PlannedRun
from harness.runner.progress import WorkerSlots
from harness.runner.request import RunRequest

__all__ = ["run_cases"]

_NOT_RUN: Final = Transcript(NotStarted("nothing to run"))
_NO_MEMORY: Final = Transcript(NotStarted("not enough memory"))
_OUT_OF_MEMORY: Final = BoundedJudgement(
    Verdict.HARNESS_FAULT, "a limit of this machine: not enough memory"
)


class _CaseInProgress:
    """A case some of whose runs are still awaited."""

    __slots__ = ("_attempts", "_options", "_outcomes", "awaited", "case", "planned")

    def __init__(
        self,
        planned: PlannedRun,
        case: Case,
        deliveries: Sequence[Delivery],
        options: tuple[str, ...],
    ) -> None:
        self.planned = planned
        self.case = case
        self.awaited = len(deliveries)
        self._options = options
        self._outcomes: dict[Delivery, Verdict | None] = dict.fromkeys(deliveries)
        self._outcomes.update(planned.earlier)
        self._attempts: dict[Delivery, list[Attempt]] = {}

    def add(self, delivery: Delivery, attempt: Attempt, repeat: int) -> Iterator[Event]:
        """Add a run, and yield the events that it completes."""
        attempts = self._attempts.setdefault(delivery, [])
        attempts.append(attempt)
        if len(attempts) < repeat:
            return
        transcript, judgement = combine(attempts)
        self.awaited -= 1
        if judgement.verdict is Verdict.INVALID_CASE:  # it was parsed only now
            if not self.awaited:
                invalid = InvalidCase(self.case.suite, self.case.name, judgement.message)
                origin = origin_of(self.planned, Delivery.PLAIN, self._options)
                yield judged(invalid, None, judgement, origin)
            return
        origin = origin_of(self.planned, delivery, self._options)
        event = judged(self.case, transcript, judgement, origin)
        yield annotate(self.planned, event)
        if len(self._outcomes) == 1:
            return
        self._outcomes[delivery] = judgement.verdict
        verdicts = {way: verdict for way, verdict in self._outcomes.items() if verdict is not None}
        if len(verdicts) == len(self._outcomes):
            difference = differing_deliveries(event, verdicts)
            if difference is not None:
                yield difference


# The run of a case in a delivery; or a case that was judged without a run.
_RunKey = tuple[_CaseInProgress, Delivery]
_Key = _RunKey | tuple[PlannedRun, Judged]
_Job = Job | Transcript


class _Jobs(Iterator[tuple[_Key, _Job]]):
    """The jobs of cases. One that takes long to make is made when no run is `in_progress`: until
    then, the jobs end for now."""

    def __init__(self, jobs: Iterator[tuple[_Key, _Job | Callable[[], _Job]]]) -> None:
        self.in_progress = 0
        self._jobs = jobs
        self._held: list[tuple[_Key, Callable[[], _Job]]] = []

    def __next__(self) -> tuple[_Key, _Job]:
        key, job = self._held.pop() if self._held else next(self._jobs)
        if callable(job):
            if self.in_progress:
                self._held.append((key, job))
                raise StopIteration
            try:
                job = job()
            except MemoryError:
                job = _NO_MEMORY
        self.in_progress += 1
        return key, job


def run_cases(
    request: RunRequest, targets: Mapping[tuple[str, str], Target], slots: WorkerSlots | None
) -> Generator[CaseEvent, None, None]:
    """Run the cases of a request; closing the generator kills the subjects that still run.

    `targets` are found by the names of suite and subject.
    """
    drawn = _Jobs(_jobs(request))
    jobs = drawn if slots is None else slots.track(drawn, _display_name)
    # Closed explicitly: an exception must not leave subjects running until it is collected.
    with (
        closing(
            JudgeProcess[_RunKey, BoundedJudgement](targets, judging_with(request.check))
        ) as judge,
        closing(
            run_in(
                request.sandbox,
                jobs,
                request.parallel,
                dict(os.environ),
                sole_parent=True,
                background=judge,
                deadline=inf if request.deadline is None else request.deadline.at,
            )
        ) as runs,
    ):
        for ended in runs:
            if isinstance(ended, JudgedRun):
                yield from _add(ended, request, slots)
                continue
            key, transcript = ended
            drawn.in_progress -= 1
            if slots is not None:
                slots.release(key)
            if isinstance(key[1], Judged):
                if slots is not None:
                    slots.count_case()
                yield CaseEvent(key[0].at, key[1], is_last=True)
                continue
            case = key[0].case
            try:
                if transcript is _NO_MEMORY:
                    judgement = _OUT_OF_MEMORY
                elif is_quick(case, transcript):
                    judgement = judge_here(case, transcript)
                else:
                    judge.submit_run(key, key[0].planned, case, transcript)
                    continue
            except MemoryError:
                judgement = _OUT_OF_MEMORY
            yield from _add(JudgedRun(key, transcript, judgement), request, slots)


def _add(
    done: JudgedRun[_RunKey, BoundedJudgement], request: RunRequest, slots: WorkerSlots | None
) -> Iterator[CaseEvent]:
    (progress, delivery), transcript, judgement = done
    for each in progress.add(delivery, (transcript, judgement), request.repeat):
        yield CaseEvent(progress.planned.at, each, is_last=not progress.awaited)
    if slots is not None and not progress.awaited:
        slots.count_case()


def _display_name(key: _Key) -> str:
    planned = key[0].planned if isinstance(key[0], _CaseInProgress) else key[0]
    return f"{planned.target.suite.name}/{planned.name.text}"


def _jobs(request: RunRequest) -> Iterator[tuple[_Key, _Job | Callable[[], _Job]]]:
    """Yield the jobs of all valid cases.

    Cases that need no process are judged at once, but yielded like the others: a list of the
    invalid cases of a large suite would take unbounded memory.
    """
    programs: dict[Subject, tuple[str, ...] | str] = {}
    for planned in request.runs:
        is_checked = request.check is not None
        try:
            case = read_planned_case(planned, request.wall_s, is_checked=is_checked)
        except (MemoryError, OSError) as problem:
            yield _beyond_machine(planned, problem, request.options)
            continue
        if isinstance(case, InvalidCase):
            origin = origin_of(planned, Delivery.PLAIN, request.options)
            yield (planned, judged(case, None, bounded(judge_invalid(case)), origin)), _NOT_RUN
            continue
        subject = planned.target.subject
        if (skipped := skipped_run(planned)) is not None:
            yield (planned, skipped), _NOT_RUN
            continue
        if subject not in programs:
            programs[subject] = command_line(subject)
        argv = programs[subject]
        if isinstance(argv, str):
            missing = Transcript(NotStarted(argv))
            origin = origin_of(planned, Delivery.PLAIN, request.options)
            yield (planned, judged(case, missing, judge_here(case, missing), origin)), missing
            continue
        yield from _jobs_of_case(planned, case, argv, request)


def _beyond_machine(
    planned: PlannedRun, problem: MemoryError | OSError, options: tuple[str, ...]
) -> tuple[_Key, Transcript]:
    """Return the fault of a case that this machine has not enough memory or open files for."""
    fault = _OUT_OF_MEMORY
    if isinstance(problem, OSError):
        fault = fault._replace(message=f"a limit of this machine: {os_reason(problem)}")
    case = InvalidCase(planned.target.suite.name, planned.name.text, fault.message)
    origin = origin_of(planned, Delivery.PLAIN, options)
    return (planned, judged(case, None, fault, origin)), _NOT_RUN


def _jobs_of_case(
    planned: PlannedRun, case: Case, argv: tuple[str, ...], request: RunRequest
) -> Iterator[tuple[_Key, Job | Callable[[], _Job]]]:
    """Yield the jobs of a case: its deliveries, each as often as the request repeats it."""
    finished = dict(planned.earlier)
    deliveries = [each for each in usable_deliveries(planned, case) if each not in finished]
    progress = _CaseInProgress(planned, case, deliveries, request.options)
    context = planned.target.subject.context
    for delivery in deliveries:
        make = partial(make_job, argv, case, delivery, context)
        for _ in range(request.repeat):
            yield (progress, delivery), make if takes_long(delivery, case) else make()

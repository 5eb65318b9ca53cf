"""Run planned cases in this process, and yield their events as runs end.

A case is read when its turn comes, and forgotten when its last run has been judged.
"""

from __future__ import annotations

import os
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing
from typing import Final

from harness.delivery.registry import Delivery, differing_deliveries
from harness.judging.judge import Attempt, combine, judge_invalid
from harness.model.case import Case, InvalidCase
from harness.model.events import Event, Judged, bounded, judged
from harness.model.subject import Subject
from harness.model.transcript import Job, NotStarted, Transcript
from harness.model.verdict import Verdict
from harness.process.sandbox import run_in
from harness.project.program_lookup import command_line
from harness.project.targets import Target
from harness.runner.ipc import CaseEvent
from harness.runner.jobs import (
    make_job,
    mark_known_failure,
    origin_of,
    read_planned_case,
    usable_deliveries,
)
from harness.runner.judge_process import JudgedRun, JudgeProcess, is_quick, judge_here
from harness.runner.plan import PlannedRun
from harness.runner.progress import WorkerSlots
from harness.runner.request import RunRequest

__all__ = ["run_cases"]

_NOT_RUN: Final = Transcript(NotStarted("nothing to run"))


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
        yield mark_known_failure(self.planned, event)
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


def run_cases(
    request: RunRequest, targets: Mapping[tuple[str, str], Target], slots: WorkerSlots | None
) -> Generator[CaseEvent, None, None]:
    """Run the cases of a request; closing the generator kills the subjects that still run.

    `targets` are found by the names of suite and subject.
    """
    jobs = _jobs(request)
    if slots is not None:
        jobs = slots.track(jobs, _display_name)
    # Closed explicitly: an exception must not leave subjects running until it is collected.
    with (
        closing(JudgeProcess[_RunKey](targets, request.check)) as judge,
        closing(
            run_in(
                request.sandbox,
                jobs,
                request.parallel,
                dict(os.environ),
                sole_parent=True,
                background=judge,
            )
        ) as runs,
    ):
        for ended in runs:
            if isinstance(ended, JudgedRun):
                yield from _add(ended, request, slots)
                continue
            key, transcript = ended
            if slots is not None:
                slots.release(key)
            if isinstance(key[1], Judged):
                if slots is not None:
                    slots.count_case()
                yield CaseEvent(key[0].at, key[1], is_last=True)
                continue
            case = key[0].case
            if is_quick(case, transcript):
                judged_run = JudgedRun(key, transcript, judge_here(case, transcript))
                yield from _add(judged_run, request, slots)
            else:
                judge.submit(key, key[0].planned, case, transcript)


def _add(
    done: JudgedRun[_RunKey], request: RunRequest, slots: WorkerSlots | None
) -> Iterator[CaseEvent]:
    (progress, delivery), transcript, judgement = done
    for each in progress.add(delivery, (transcript, judgement), request.repeat):
        yield CaseEvent(progress.planned.at, each, is_last=not progress.awaited)
    if slots is not None and not progress.awaited:
        slots.count_case()


def _display_name(key: _Key) -> str:
    planned = key[0].planned if isinstance(key[0], _CaseInProgress) else key[0]
    return f"{planned.target.suite.name}/{planned.name.text}"


def _jobs(request: RunRequest) -> Iterator[tuple[_Key, Job | Transcript]]:
    """Yield the jobs of all valid cases.

    Cases that need no process are judged at once, and yielded all the same: collected in a list,
    the invalid cases of a large suite would take unbounded memory.
    """
    programs: dict[Subject, tuple[str, ...] | str] = {}
    for planned in request.runs:
        is_checked = request.check is not None
        case = read_planned_case(planned, request.wall_s, is_checked=is_checked)
        if isinstance(case, InvalidCase):
            origin = origin_of(planned, Delivery.PLAIN, request.options)
            yield (planned, judged(case, None, bounded(judge_invalid(case)), origin)), _NOT_RUN
            continue
        subject = planned.target.subject
        if subject not in programs:
            programs[subject] = command_line(subject)
        argv = programs[subject]
        if isinstance(argv, str):
            missing = Transcript(NotStarted(argv))
            origin = origin_of(planned, Delivery.PLAIN, request.options)
            yield (planned, judged(case, missing, judge_here(case, missing), origin)), missing
            continue
        yield from _jobs_of_case(planned, case, argv, request)


def _jobs_of_case(
    planned: PlannedRun, case: Case, argv: tuple[str, ...], request: RunRequest
) -> Iterator[tuple[_Key, Job]]:
    """Yield the jobs of a case: its deliveries, each as often as the request repeats it."""
    finished = dict(planned.earlier)
    deliveries = [each for each in usable_deliveries(planned, case) if each not in finished]
    progress = _CaseInProgress(planned, case, deliveries, request.options)
    context = planned.target.subject.context
    for delivery in deliveries:
        for _ in range(request.repeat):
            yield (progress, delivery), make_job(argv, case, delivery, context)

"""Turn planned runs and batches into jobs, one at a time, when there is room for them.

A case is read when its turn comes, and forgotten when its last run has been judged.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Final

from harness.delivery.registry import Delivery, differing_deliveries
from harness.errors import os_reason
from harness.judging.judge import Attempt, combine, judge_invalid
from harness.model.case import Case, InvalidCase
from harness.model.events import BoundedJudgement, Event, Judged, bounded, judged
from harness.model.sessions import SessionKind
from harness.model.subject import Subject
from harness.model.transcript import Job, NotStarted, Transcript
from harness.model.verdict import Verdict
from harness.process.zygote import Zygote
from harness.project.program_lookup import command_line
from harness.runner.fork_sessions import start_fork_session
from harness.runner.jobs import (
    annotate,
    make_job,
    origin_of,
    read_planned_case,
    skipped_run,
    takes_long,
    usable_deliveries,
)
from harness.runner.judge_process import judge_here
from harness.runner.plan import PlannedRun
from harness.runner.request import RunRequest
from harness.runner.session_batches import PROTOCOL_ENVIRONMENT, lay_out
from harness.runner.sessions import Batch, SessionRuns
from harness.suites.cases import parse_case
from harness.suites.shared_files import suite_variables

_NOT_RUN: Final = Transcript(NotStarted("nothing to run"))
NO_MEMORY: Final = Transcript(NotStarted("not enough memory"))
OUT_OF_MEMORY: Final = BoundedJudgement(
    Verdict.HARNESS_FAULT, "a limit of this machine: not enough memory"
)


class CaseInProgress:
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
RunKey = tuple[CaseInProgress, Delivery]
Key = RunKey | tuple[PlannedRun, Judged] | Batch
_Job = Job | Transcript


class CaseJobs(Iterator[tuple[Key, _Job]]):
    """The jobs of cases. One that takes long to make is made when no run is `in_progress`: until
    then, the jobs end for now."""

    def __init__(self, runs: SessionRuns, request: RunRequest) -> None:
        self.in_progress = 0
        self._runs = runs
        self._request = request
        self._programs: dict[Subject, tuple[str, ...] | str] = {}
        self._variables = cache(suite_variables)
        self._zygotes: dict[tuple[Subject, Path], Zygote] = {}
        self._jobs: Iterator[tuple[Key, _Job | Callable[[], _Job]]] = iter(())
        self._held: list[tuple[Key, Callable[[], _Job]]] = []

    def __next__(self) -> tuple[Key, _Job]:
        key, job = self._held.pop() if self._held else self._draw()
        if callable(job):
            if self.in_progress:
                self._held.append((key, job))
                raise StopIteration
            try:
                job = job()
            except MemoryError:
                job = NO_MEMORY
        self.in_progress += 1
        return key, job

    def _draw(self) -> tuple[Key, _Job | Callable[[], _Job]]:
        while (drawn := next(self._jobs, None)) is None:
            planned = next(self._runs)
            if not isinstance(planned, Batch):
                self._jobs = self._of_case(planned)
            elif (job := self._of_batch(planned)) is not None:
                return planned, job
        return drawn

    def close(self) -> None:
        """End the processes that fork."""
        for zygote in self._zygotes.values():
            zygote.close()

    def _of_batch(self, batch: Batch) -> _Job | None:
        """Return the job of a session, or None if there can be none."""
        argv = self._command_line(batch.target.subject)
        if isinstance(argv, str):
            return Transcript(NotStarted(argv))
        if batch.kind is not SessionKind.FORK:
            return _job_of_batch(batch, argv)
        subject, folder = batch.target.subject, batch.target.suite.folder
        variables = self._variables(folder)
        job = make_job(argv, batch.cases[0], Delivery.PLAIN, subject.context, variables)
        zygote = self._zygotes.get((subject, folder))
        if zygote is None or not zygote.is_alive:
            in_sandbox = self._request.sandbox is not None
            started = start_fork_session(job, os.environ, in_sandbox=in_sandbox)
            if isinstance(started, str):
                self._runs.refuse(batch, started)
                return None
            self._runs.count_session(batch)
            self._zygotes[subject, folder] = zygote = started
        return job._replace(launcher=zygote.launcher)

    def _command_line(self, subject: Subject) -> tuple[str, ...] | str:
        if subject not in self._programs:
            self._programs[subject] = command_line(subject)
        return self._programs[subject]

    def _of_case(self, planned: PlannedRun) -> Iterator[tuple[Key, _Job | Callable[[], _Job]]]:
        """Yield the jobs of a case.

        One that needs no process is judged at once, but yielded like the others: a list of the
        invalid cases of a large suite would take unbounded memory.
        """
        request = self._request
        is_checked = request.check is not None
        try:
            case = read_planned_case(planned, request.wall_s, is_checked=is_checked)
        except (MemoryError, OSError) as problem:
            yield _beyond_machine(planned, problem, request.options)
            return
        if isinstance(case, InvalidCase):
            origin = origin_of(planned, Delivery.PLAIN, request.options)
            yield (planned, judged(case, None, bounded(judge_invalid(case)), origin)), _NOT_RUN
            return
        if (skipped := skipped_run(planned, case)) is not None:
            yield (planned, skipped), _NOT_RUN
            return
        argv = self._command_line(planned.target.subject)
        if isinstance(argv, str):
            if case.policy.each and not case.is_parsed:
                parsed = parse_case(case, planned.target.suite, planned.name, planned.at)
                case = parsed if isinstance(parsed, Case) else case
            missing = Transcript(NotStarted(argv))
            origin = origin_of(planned, Delivery.PLAIN, request.options)
            yield (planned, judged(case, missing, judge_here(case, missing), origin)), missing
            return
        yield from self._jobs_of_case(planned, case, argv)

    def _jobs_of_case(
        self, planned: PlannedRun, case: Case, argv: tuple[str, ...]
    ) -> Iterator[tuple[Key, Job | Callable[[], _Job]]]:
        """Yield the jobs of a case: its deliveries, each as often as the request repeats it."""
        finished = dict(planned.earlier)
        deliveries = [each for each in usable_deliveries(planned, case) if each not in finished]
        progress = CaseInProgress(planned, case, deliveries, self._request.options)
        context = planned.target.subject.context
        variables = self._variables(planned.target.suite.folder)
        for delivery in deliveries:
            make = partial(make_job, argv, case, delivery, context, variables)
            for _ in range(self._request.repeat):
                yield (progress, delivery), make if takes_long(delivery, case) else make()


def _beyond_machine(
    planned: PlannedRun, problem: MemoryError | OSError, options: tuple[str, ...]
) -> tuple[Key, Transcript]:
    """Return the fault of a case that this machine has not enough memory or open files for."""
    fault = OUT_OF_MEMORY
    if isinstance(problem, OSError):
        fault = fault._replace(message=f"a limit of this machine: {os_reason(problem)}")
    case = InvalidCase(planned.target.suite.name, planned.name.text, fault.message)
    origin = origin_of(planned, Delivery.PLAIN, options)
    return (planned, judged(case, None, fault, origin)), _NOT_RUN


def _job_of_batch(batch: Batch, argv: tuple[str, ...]) -> Job:
    """Return the job of a session, which has the limits of a single case."""
    context = batch.target.subject.context
    if batch.kind is SessionKind.PROTOCOL and context is not None:
        context = context._replace(environment=(*context.environment, PROTOCOL_ENVIRONMENT))
    stdin = lay_out(batch.kind, batch.cases)
    job = Job(argv, stdin, batch.cases[0].policy.limits, None, context)
    return job._replace(variables=suite_variables(batch.target.suite.folder))

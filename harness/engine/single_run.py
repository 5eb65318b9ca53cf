"""Run single cases from inside another program's process, and return everything observed.

Jobs, judge and known failures are those of `xtest run`; nothing is remembered or reported. Programs
are started by a worker process, as there, so that the caller's process stays as it is. Runs of
several processes, such as workers of pytest-xdist, may share a folder: a lock on it lets a failure
that others may have caused be repeated alone.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from typing import Any, Final, NamedTuple

from harness.delivery.registry import Delivery
from harness.engine.checking import checker_job, with_answer
from harness.engine.ipc import TRANSCRIPTS, RecordSerializer
from harness.engine.jobs import (
    EMPTY_TRANSCRIPT,
    make_job,
    origin_of,
    with_effective_limits,
    with_known_failure,
)
from harness.engine.judge_process import Judge, judge_here, judge_run
from harness.engine.plan import PlannedRun
from harness.engine.retries import MAX_FUTILE_RETRIES, TIMEOUTS, is_unsettled
from harness.engine.units import private_folders
from harness.errors import Refused
from harness.jsonio.decoder import Number
from harness.judging.judge import judge_invalid
from harness.model.case import (
    Case,
    Companion,
    CompanionRole,
    ExitRange,
    InputKind,
    InvalidCase,
    Policy,
)
from harness.model.dialogue import (
    Action,
    Answer,
    Capture,
    Framing,
    Script,
    Step,
    TalkRules,
    Transport,
)
from harness.model.events import RunResult, run_result
from harness.model.judgement import Judgement
from harness.model.subject import ExecutionContext
from harness.model.transcript import Job, NotStarted, Transcript
from harness.model.verdict import Verdict
from harness.process.loop import in_order, run
from harness.process.serving import ProcessLost, ServingProcess
from harness.process.workspace import Workspaces, in_private_folders
from harness.project.program_lookup import command_line
from harness.suites.shared_files import suite_variables

_FOLDER_FLAGS: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_RECORDS: Final = RecordSerializer(
    *(*TRANSCRIPTS, ExecutionContext, Delivery, InputKind, Companion, CompanionRole, ExitRange),
    *(Script, Step, Action, Capture, TalkRules, Framing, Transport, Answer, Number),
)
_PLAIN_CASE: Final = Case("", "", b"", b"", [])


class SingleRun(NamedTuple):
    """A case, the transcript of its run, and the verdict; an invalid case was not run."""

    case: Case | InvalidCase
    transcript: Transcript
    judgement: Judgement
    is_repeated: bool = False  # alone, as others may have caused a failure


class SingleRuns:
    """Runs cases one at a time, in a worker process that the first run starts.

    If other processes run cases beside it, the first of all runs begins after the time `since_ns`.
    """

    def __init__(self, since_ns: int | None = None) -> None:
        self._futile = 0  # repetitions in a row that timed out again
        self._worker = ServingProcess(partial(_worker, since_ns))

    def run(
        self,
        planned: PlannedRun,
        case: Case | InvalidCase,
        delivery: Delivery,
        judge_as: Judge = judge_here,
    ) -> SingleRun:
        """Run a case in a delivery that its input allows, and judge it.

        `planned` has the subject, and the suite of the case or one with its settings. An exception
        on the way, such as KeyboardInterrupt, kills the subject and propagates.
        """
        if isinstance(case, InvalidCase):
            return SingleRun(case, EMPTY_TRANSCRIPT, judge_invalid(case))
        case = with_effective_limits(case, planned.target.subject)
        done = self._judged(planned, case, delivery, judge_as)
        if self._futile < MAX_FUTILE_RETRIES and is_unsettled(event_of(planned, delivery, done)):
            done = self._judged(planned, case, delivery, judge_as, is_alone=True)
            is_late_again = done.judgement.verdict in TIMEOUTS
            self._futile = self._futile + 1 if is_late_again else 0
        return done

    def close(self) -> None:
        self._worker.close()

    def _judged(
        self,
        planned: PlannedRun,
        case: Case,
        delivery: Delivery,
        judge_as: Judge,
        *,
        is_alone: bool = False,
    ) -> SingleRun:
        try:
            transcript = self._observe(planned, case, delivery, is_alone=is_alone)
        except ProcessLost as loss:
            fault = Judgement(Verdict.HARNESS_FAULT, f"a worker of xtest {loss}")
            return SingleRun(case, EMPTY_TRANSCRIPT, fault)
        return SingleRun(case, transcript, judge_run(case, transcript, judge_as), is_alone)

    def _observe(
        self, planned: PlannedRun, case: Case, delivery: Delivery, *, is_alone: bool
    ) -> Transcript:
        """Run a case, and ask its checker if it has one."""
        suite, subject = planned.target.suite, planned.target.subject
        argv = command_line(subject)
        if isinstance(argv, Refused):
            return Transcript(NotStarted(argv.reason))
        job = Job(argv, case.stdin, case.policy.limits, context=subject.context)
        job = job._replace(variables=suite_variables(suite.folder))
        transcript = self._run(job, delivery, case, is_alone=is_alone)
        if not case.policy.checker:
            return transcript
        asking = checker_job(suite, case, transcript)
        return with_answer(transcript, self._run(asking) if isinstance(asking, Job) else asking)

    def _run(
        self,
        job: Job,
        delivery: Delivery = Delivery.PLAIN,
        case: Case = _PLAIN_CASE,
        *,
        is_alone: bool = False,
    ) -> Transcript:
        surroundings = tuple(os.environ.items()), os.getcwd()
        job_fields = (job.argv, job.stdin, job.limits, job.context, job.variables)
        case_fields = (case.kind, case.policy.companions, case.script)
        request = (*surroundings, is_alone, delivery, *job_fields, *case_fields)
        answer = self._worker.call(_RECORDS.pack(request))
        transcript: Transcript = _RECORDS.unpack(answer)
        return transcript


def event_of(planned: PlannedRun, delivery: Delivery, done: SingleRun) -> RunResult:
    """Return the event that `xtest run` would have made of this run."""
    transcript = None if isinstance(done.case, InvalidCase) else done.transcript
    event = run_result(done.case, transcript, done.judgement, origin_of(planned, delivery))
    return with_known_failure(planned, event._replace(retried=done.is_repeated))


@contextmanager
def _worker(since_ns: int | None) -> Iterator[Callable[[bytes], bytes]]:
    with closing(Workspaces(since_ns)) as workspaces:
        yield partial(_handle, workspaces)


def _handle(workspaces: Workspaces, request: bytes) -> bytes:
    """Run a job in the surroundings of the parent process."""
    environment, folder, *rest = _RECORDS.unpack(request)
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    return _RECORDS.pack(_run_job(workspaces, *rest))


def _run_job(
    workspaces: Workspaces, is_alone: bool, delivery: Delivery, *fields: Any
) -> Transcript:
    argv, stdin, limits, context, variables, kind, companions, script = fields
    policy = Policy(limits=limits, companions=companions)
    case = Case("", "", stdin, b"", [], kind, policy=policy, script=script)
    job = make_job(argv, case, delivery, context, variables)
    return _run_locked(workspaces, job, is_alone=is_alone)


def _run_locked(workspaces: Workspaces, job: Job, *, is_alone: bool) -> Transcript:
    """Run a job beside others in its folder, or alone there."""
    next_job = in_order([(None, job)])
    if private_folders() is not None:
        next_job = partial(in_private_folders, workspaces, next_job)
    with (
        _locked(job.own_folder, is_alone=is_alone),
        closing(run(next_job, 1, os.environ, sole_parent=True)) as runs,
    ):
        ((_, transcript),) = runs
    return transcript


@contextmanager
def _locked(folder: str, *, is_alone: bool) -> Iterator[None]:
    """Be beside other runs in a folder during the block, or alone there, as far as it exists."""
    try:
        descriptor = os.open(folder, _FOLDER_FLAGS)
    except OSError:
        yield
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX if is_alone else fcntl.LOCK_SH)
        yield
    finally:
        os.close(descriptor)

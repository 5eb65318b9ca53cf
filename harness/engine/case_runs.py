"""Run planned cases in this process, and yield their events as runs end.

A case is read when its turn comes, and forgotten when its last run has been judged.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from math import inf
from pathlib import Path
from typing import Final, NamedTuple

from harness.delivery.registry import Delivery, deliveries_differ_event
from harness.engine.fork_sessions import start_fork_session
from harness.engine.ipc import CaseEvent, CaseEvents
from harness.engine.jobs import (
    EMPTY_TRANSCRIPT,
    event_without_run,
    make_job,
    origin_of,
    read_planned_case,
    skipped_run,
    takes_long,
    usable_deliveries,
    with_known_failure,
)
from harness.engine.judge_process import JudgedRun, JudgeProcess, is_quick, judge_here, judging_with
from harness.engine.plan import PlannedRun
from harness.engine.progress import WorkerSlots
from harness.engine.request import RunRequest, Targets
from harness.engine.session_batches import PROTOCOL_ENVIRONMENT, lay_out
from harness.engine.sessions import Answer, SessionBatch, SessionRuns
from harness.errors import Refused, os_reason
from harness.judging.judge import Attempt, combine, judge_invalid
from harness.model.case import Case, InvalidCase
from harness.model.events import Event, Judged, judged
from harness.model.judgement import Judgement
from harness.model.sessions import SessionKind
from harness.model.subject import Subject
from harness.model.transcript import Job, NotStarted, Transcript
from harness.model.verdict import Verdict
from harness.process.sandbox import run_in
from harness.process.zygote import Zygote
from harness.project.program_lookup import command_line
from harness.project.targets import Target
from harness.suites.cases import parse_case
from harness.suites.shared_files import suite_variables

_READ_AHEAD_BYTES: Final = 65_536
_GATHER_S: Final = 0.01  # too short to be noticed
_NO_MEMORY: Final = Transcript(NotStarted("not enough memory"))
_OUT_OF_MEMORY: Final = Judgement(
    Verdict.HARNESS_FAULT, "a limit of this machine: not enough memory"
)


@dataclass(eq=False, slots=True)
class _CaseInProgress:
    """A case with runs that have not ended; `awaited` is their number.

    `outcomes` has a verdict, or None so far, for each delivery.
    """

    planned: PlannedRun
    case: Case
    awaited: int
    outcomes: dict[Delivery, Verdict | None]
    attempts: dict[Delivery, list[Attempt]] = field(default_factory=dict)

    def add(self, delivery: Delivery, attempt: Attempt, request: RunRequest) -> list[Event]:
        """Add a run, and return the events that it completes."""
        attempts = self.attempts.setdefault(delivery, [])
        attempts.append(attempt)
        if len(attempts) < request.repeat:
            return []
        transcript, judgement = combine(attempts)
        self.awaited -= 1
        if judgement.verdict is Verdict.INVALID_CASE:  # it was parsed only now
            invalid = event_without_run(self.planned, judgement, request.options)
            return [] if self.awaited else [invalid]
        origin = origin_of(self.planned, delivery, request.options)
        event = judged(self.case, transcript, judgement, origin)
        events: list[Event] = [with_known_failure(self.planned, event)]
        if len(self.outcomes) > 1:
            self.outcomes[delivery] = judgement.verdict
            known = {way: verdict for way, verdict in self.outcomes.items() if verdict is not None}
            if len(known) == len(self.outcomes):
                difference = deliveries_differ_event(event, known)
                events += [] if difference is None else [difference]
        return events


# The run of a case in a delivery; or a case that was judged without a run.
_RunKey = tuple[_CaseInProgress, Delivery]
_Key = _RunKey | tuple[PlannedRun, Judged] | SessionBatch
_Judge = JudgeProcess[_RunKey | Answer, Judgement]
_Judged = JudgedRun[_RunKey | Answer, Judgement]
_Job = Job | Transcript


def run_cases(
    request: RunRequest,
    targets: Targets,
    slots: WorkerSlots | None = None,
    *,
    sole_parent: bool = True,
    in_hand: Callable[[], int] | None = None,
) -> CaseEvents:
    """Run the cases of a request; closing the generator kills the subjects that still run.

    `targets` are found by the names of suite and subject. `sole_parent`: nothing else in this
    process starts children. `in_hand` returns how many of the next runs no other worker can take;
    it is None if outcomes decide what is run next.
    """
    sessions = SessionRuns(request, targets)
    drawn = _CaseJobs(sessions, request, in_hand)
    jobs = drawn if slots is None else _show_in_flight(drawn, slots, targets)
    # Closed explicitly: an exception must not leave subjects running until it is collected.
    with (
        closing(drawn),
        closing(_Judge(targets, judging_with(request.check))) as judge,
        closing(
            run_in(
                request.sandbox,
                jobs,
                request.parallel,
                dict(os.environ),
                sole_parent=sole_parent,
                background=judge,
                deadline=inf if request.deadline is None else request.deadline.at,
                # Slots are released as soon as runs end.
                gather_s=_GATHER_S if slots is None and in_hand is not None else 0.0,
            )
        ) as runs,
    ):
        event_maker = _EventMaker(request, sessions, judge)
        for ended in runs:
            if isinstance(ended, JudgedRun):
                found = event_maker.judged(ended)
            else:
                drawn.in_progress -= 1
                if slots is not None:
                    slots.release(ended.key)
                found = event_maker.ended(ended.key, ended.transcript)
            for each in found:
                if slots is not None and each.is_last and isinstance(each.event, Judged):
                    slots.count_case()
                yield each
        for summary in sessions.summaries():
            yield CaseEvent(0, summary, is_last=False)


@dataclass(frozen=True, slots=True)
class _EventMaker:
    """Makes events of runs that have ended."""

    request: RunRequest
    sessions: SessionRuns
    judge: _Judge

    def ended(self, key: _Key, transcript: Transcript) -> Iterable[CaseEvent]:
        if isinstance(key, SessionBatch):
            return self._session_ended(key, transcript)
        if isinstance(key[0], _CaseInProgress):
            return self._judge_run(key, transcript)
        return self.sessions.settled(CaseEvent(key[0].at, key[1], is_last=True))

    def judged(self, done: _Judged) -> Iterable[CaseEvent]:
        key, transcript, judgement = done
        if isinstance(key, Answer):
            origin = origin_of(key.planned, Delivery.PLAIN, self.request.options)
            event = judged(key.case, transcript, judgement, origin)
            return self.sessions.judged(key, with_known_failure(key.planned, event))
        progress, delivery = key
        events = progress.add(delivery, (transcript, judgement), self.request)
        at, is_last = progress.planned.at, not progress.awaited
        settled = [self.sessions.settled(CaseEvent(at, each, is_last)) for each in events]
        return settled[0] if len(settled) == 1 else chain.from_iterable(settled)

    def _session_ended(self, batch: SessionBatch, transcript: Transcript) -> Iterator[CaseEvent]:
        for each in self.sessions.ended(batch, transcript):
            if isinstance(each, Answer):
                yield from self._judge_run(each, each.transcript)
            else:
                yield each

    def _judge_run(self, key: _RunKey | Answer, transcript: Transcript) -> Iterable[CaseEvent]:
        run = key if isinstance(key, Answer) else key[0]
        case = run.case
        try:
            if transcript is _NO_MEMORY:
                judgement = _OUT_OF_MEMORY
            elif is_quick(case, transcript):
                judgement = judge_here(case, transcript)
            else:
                self.judge.submit_run(key, run.planned, case, transcript)
                return ()
        except MemoryError:
            judgement = _OUT_OF_MEMORY
        return self.judged(JudgedRun(key, transcript, judgement))


def _show_in_flight(
    jobs: _CaseJobs, slots: WorkerSlots, targets: Targets
) -> Iterator[tuple[_Key, _Job]]:
    return slots.track(jobs, partial(_display_name, targets), _number_of_cases)


def _display_name(targets: Targets, key: _Key) -> str:
    if isinstance(key, SessionBatch):
        first, *others = key.planned
        more = f" and {len(others):,} more" if others else ""
    else:
        first, more = key[0].planned if isinstance(key[0], _CaseInProgress) else key[0], ""
    # A subject is named if there may be several.
    by = f" by {first.target.subject.name}" if len(targets) > 1 else ""
    return f"{first.target.suite.name}/{first.name.text}{more}{by}"


def _number_of_cases(key: _Key) -> int:
    return len(key.planned) if isinstance(key, SessionBatch) else 1


# The jobs of cases, made one at a time, when there is room for them.


class _NextJob(NamedTuple):
    """A job, or how it is made; one that `takes_long` to make waits until no run is in progress."""

    key: _Key
    job: _Job | Callable[[], _Job]
    takes_long: bool = False


class _Program(NamedTuple):
    """The command line of a subject, or why it cannot run, and the variables of a suite."""

    argv: tuple[str, ...] | Refused
    variables: tuple[tuple[str, str], ...]


class _CaseJobs(Iterator[tuple[_Key, _Job]]):
    """The jobs of cases; iteration stops while a job waits until no run is `in_progress`."""

    def __init__(
        self, runs: SessionRuns, request: RunRequest, in_hand: Callable[[], int] | None
    ) -> None:
        self.in_progress = 0
        self._runs = runs
        self._request = request
        self._in_hand = in_hand
        self._size = 0  # in bytes, of the cases that were read in a row
        # By the names of suite and subject.
        self._programs: dict[tuple[str, str], _Program] = {}
        self._zygotes: dict[tuple[Subject, Path], Zygote] = {}
        self._jobs: deque[_NextJob] = deque()

    def __next__(self) -> tuple[_Key, _Job]:
        while not self._jobs:
            self._size = 0
            self._read_next()
            # Reading several cases in a row is faster: no program evicts the processor's caches in
            # between.
            with suppress(StopIteration):  # a packed file may have become shorter
                while self._in_hand and self._in_hand() and self._size < _READ_AHEAD_BYTES:
                    self._read_next()
        if self._jobs[0].takes_long and self.in_progress:
            raise StopIteration
        key, job, _ = self._jobs.popleft()
        if callable(job):
            try:
                job = job()
            except MemoryError:
                job = _NO_MEMORY
        self.in_progress += 1
        return key, job

    def _read_next(self) -> None:
        planned = next(self._runs)
        if not isinstance(planned, SessionBatch):
            self._jobs.extend(self._of_case(planned))
        elif (of_batch := self._of_batch(planned)) is not None:
            self._jobs.append(_NextJob(planned, of_batch))

    def close(self) -> None:
        for zygote in self._zygotes.values():
            zygote.close()

    def _of_batch(self, batch: SessionBatch) -> _Job | None:
        """Return the job of a session, which has the limits of a single case, or None if there can
        be none."""
        argv, variables = self._program(batch.target)
        if isinstance(argv, Refused):
            return Transcript(NotStarted(argv.reason))
        subject, folder = batch.target.subject, batch.target.suite.folder
        context = subject.context
        if batch.kind is not SessionKind.FORK:
            if batch.kind is SessionKind.PROTOCOL and context is not None:
                context = context._replace(environment=(*context.environment, PROTOCOL_ENVIRONMENT))
            stdin, limits = lay_out(batch.kind, batch.cases), batch.cases[0].policy.limits
            return Job(argv, stdin, limits, None, context, variables=variables)
        job = make_job(argv, batch.cases[0], Delivery.PLAIN, context, variables)
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

    def _program(self, target: Target) -> _Program:
        key = target.key
        if key not in self._programs:
            variables = suite_variables(target.suite.folder)
            self._programs[key] = _Program(command_line(target.subject), variables)
        return self._programs[key]

    def _of_case(self, planned: PlannedRun) -> list[_NextJob]:
        """Return the jobs of a case.

        One that needs no process is judged at once, but returned like the others: a list of the
        invalid cases of a large suite would take unbounded memory.
        """
        request = self._request
        is_checked = request.check is not None
        try:
            case = read_planned_case(planned, request.wall_s, is_checked=is_checked)
        except (MemoryError, OSError) as problem:
            fault = _OUT_OF_MEMORY
            if isinstance(problem, OSError):
                fault = fault._replace(message=f"a limit of this machine: {os_reason(problem)}")
            event = event_without_run(planned, fault, request.options)
            return [_NextJob((planned, event), EMPTY_TRANSCRIPT)]
        if isinstance(case, InvalidCase):
            event = event_without_run(planned, judge_invalid(case), request.options)
            return [_NextJob((planned, event), EMPTY_TRANSCRIPT)]
        self._size += len(case.stdin) + len(case.expected_text)
        if (skipped := skipped_run(planned, case)) is not None:
            return [_NextJob((planned, skipped), EMPTY_TRANSCRIPT)]
        program = self._program(planned.target)
        if isinstance(program.argv, Refused):
            if case.policy.test_path and not case.is_parsed:
                parsed = parse_case(case, planned.target.suite, planned.name, planned.at)
                case = parsed if isinstance(parsed, Case) else case
            missing = Transcript(NotStarted(program.argv.reason))
            origin = origin_of(planned, Delivery.PLAIN, request.options)
            event = judged(case, missing, judge_here(case, missing), origin)
            return [_NextJob((planned, event), missing)]
        return self._jobs_of_case(planned, case, program.argv, program.variables)

    def _jobs_of_case(
        self,
        planned: PlannedRun,
        case: Case,
        argv: tuple[str, ...],
        variables: tuple[tuple[str, str], ...],
    ) -> list[_NextJob]:
        """Return the jobs of a case: its deliveries, each as often as the request repeats it."""
        finished = dict(planned.earlier)
        deliveries = [each for each in usable_deliveries(planned, case) if each not in finished]
        outcomes = dict.fromkeys(deliveries) | finished
        progress = _CaseInProgress(planned, case, len(deliveries), outcomes)
        context = planned.target.subject.context
        return [
            _NextJob(
                (progress, delivery),
                partial(make_job, argv, case, delivery, context, variables),
                takes_long(delivery, case),
            )
            for delivery in deliveries
            for _ in range(self._request.repeat)
        ]

"""Execute a plan: run its cases, here or in worker processes, and yield events as they come.

Showing, writing and counting those events happens elsewhere.
"""

from __future__ import annotations

import secrets
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import closing
from math import inf
from typing import Final

from harness.engine.case_source import CaseSource
from harness.engine.ipc import CaseEvent, CaseEvents, pack_event, unpack_event
from harness.engine.plan import PlannedRun
from harness.engine.request import RunPolicy, RunRequest, Targets, Workers
from harness.engine.retries import TimeoutRetries, is_unsettled
from harness.engine.scoring import RunScore, add_summary
from harness.engine.sessions.distrust import DistrustedSubjects
from harness.engine.sessions.source import SessionSource
from harness.engine.units import LoopOptions, Source, private_folders, run_units
from harness.engine.worker_pool import DrawnNumbers, Serializer, WorkerPool, suspects_text
from harness.model.events import (
    DependsOnOrder,
    Diagnostic,
    Event,
    Judged,
    RunEnded,
    RunStarted,
    SessionsEnded,
)
from harness.model.exit_codes import ExitCode
from harness.model.sessions import SessionMode, SessionOptions
from harness.model.tally import by_name
from harness.process.cgroups import enable_memory_controller
from harness.project.targets import Target
from harness.text import pluralize
from harness.version import VERSION

_SEEDS: Final = 1_000_000
_MOST_WORKERS: Final = 128  # more runs at once share workers
_READ_AHEAD: Final = 8  # cases, while many are left
_GATHER_S: Final = 0.01  # too short to be noticed


def execute_request(request: RunRequest) -> Iterator[Event]:
    """Execute a request, several runs at once, and yield each event as it happens.

    Runs end in any order. After a KeyboardInterrupt or `max_failures` failures the subjects that
    still run are killed, and the stream ends with a `RunEnded` that says so.
    """
    started = time.monotonic()
    score = RunScore()
    request, planned, targets = prepare_request(request)
    # Running nothing needs a reason.
    faulty = not (planned or request.why_nothing_ran or any(request.earlier.cases.values()))
    faulty |= bool(request.problems)
    interrupted = False
    lost: list[str] = []

    def run_alone(run: PlannedRun) -> CaseEvents:
        policy = request.policy._replace(parallel=1, sessions=SessionOptions(SessionMode.OFF))
        single = request._replace(runs=[run], policy=policy)
        with closing(_start_workers(single, targets, 1)) as one:
            yield from one.outcomes()

    # Forked before the first event is yielded: a reporter may start threads.
    pool = _start_workers(request, targets, planned.total())
    with closing(pool):
        yield _run_started(request, planned)
        yield from request.problems
        retries = TimeoutRetries(request, targets)
        try:
            yield from _count_earlier(request.earlier.events, score)
            yield from _count_new(retries.settled(pool.outcomes()), request, targets, score)
            lost = pool.losses()
            if lost:
                yield from _name_unfinished(request)
            if score.new_failures != request.policy.max_failures:
                yield from _count_new(retries.repeated(run_alone), request, targets, score)
        except KeyboardInterrupt:
            interrupted = True
        pool.stop()
        if interrupted:
            # Results that the workers sent before the interruption.
            yield from _count_new(retries.settled(pool.outcomes()), request, targets, score)
            yield from _count_new(retries.interrupted(), request, targets, score)
        yield from score.sessions.values()
        lost += pool.losses()
        faulty |= bool(lost)
        yield from (Diagnostic("xtest", loss) for loss in lost)
    stopped = not interrupted and score.new_failures == request.policy.max_failures
    not_run = planned.total() - score.cases
    if not_run > 0 and not (stopped or interrupted):
        yield from _count_left_out(request, score)
        if not (faulty or score.not_run):
            faulty = True
            problem = f"{pluralize(not_run, 'planned case')} did not run; run again"
            yield Diagnostic("xtest", problem)
    status = score.exit_code(faulty=faulty, failing=score.order_dependent > 0)
    yield RunEnded(
        counts=by_name(score.verdicts),
        wall_s=round(time.monotonic() - started, 6),
        exit=ExitCode.INTERRUPTED if interrupted else status,
        interrupted=interrupted,
        known=by_name(score.known_failures),
        unexpected_pass=score.unexpected_pass,
        stopped=stopped and not_run > 0,
        not_run=max(0, not_run),  # a packed file may have changed since its cases were counted
        why_nothing_ran="" if planned else request.why_nothing_ran,
        resumed=min(request.earlier.resumed, score.earlier),
        cached=score.cached,
        retried=score.retried,
        runs_that_wrote=score.runs_that_wrote,
        wrote=score.wrote,
        shared_folders=score.shared_folders,
    )


def _name_unfinished(request: RunRequest) -> Iterator[Diagnostic]:
    """Name what ran on workers that were lost: the board still shows it."""
    names = [] if request.board is None else request.board.running_names()
    if names:
        has_sandbox = request.policy.sandbox is not None
        yield Diagnostic("xtest", suspects_text(names, has_sandbox=has_sandbox))


def prepare_request(request: RunRequest) -> tuple[RunRequest, Counter[str], Targets]:
    """Count the cases of a request; return the request with the numbers of cases and the seed that
    sessions need, the number of cases of each suite, and the targets."""
    planned: Counter[str] = Counter()
    by_subject: Counter[str] = Counter()
    targets: dict[tuple[str, str], Target] = {}
    for run in request.runs:
        planned[run.target.suite.name] += 1
        by_subject[run.target.subject.name] += 1
        targets[run.target.key] = run.target
    if request.board is not None:
        request.board.planned = planned.total()
    seed = request.policy.sessions.seed
    sessions = request.policy.sessions._replace(
        planned=tuple(by_subject.items()), seed=secrets.randbelow(_SEEDS) if seed is None else seed
    )
    policy = request.policy._replace(sessions=sessions)
    return request._replace(policy=policy), planned, targets


def execute_cases(request: RunRequest) -> Iterator[CaseEvent]:
    """Execute a request in worker processes, and yield only what they send."""
    request, planned, targets = prepare_request(request)
    with closing(_start_workers(request, targets, planned.total())) as pool:
        yield from pool.outcomes()


def execute_cases_here(request: RunRequest) -> CaseEvents:
    """Execute a request, which has sessions, in this process, and yield only the results."""
    request, _, targets = prepare_request(request)
    distrusted = DistrustedSubjects(name for _, name in targets)
    workspaces = private_folders()
    cases = CaseSource(iter(request.runs), request.policy, targets)
    source = SessionSource(cases, distrusted, workspaces)
    return run_units(source, LoopOptions(workspaces=workspaces))


def uses_sessions(policy: RunPolicy, targets: Targets) -> bool:
    """Return whether some runs may share a process with others."""
    is_possible = policy.sessions.mode is not SessionMode.OFF and policy.repeat == 1
    return (
        is_possible
        and policy.check is None
        and any(target.subject.session is not None for target in targets.values())
    )


def _run_started(request: RunRequest, planned: Counter[str]) -> RunStarted:
    earlier, now = request.earlier, time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    selected = planned + Counter(earlier.cases)
    return RunStarted(
        xtest=VERSION,
        started=earlier.started or now,
        suites=tuple(dict.fromkeys((*earlier.cases, *planned))),
        runs=planned.total() + sum(earlier.cases.values()),
        parallel=request.policy.parallel,
        fingerprints=request.origin.fingerprints,
        resumed=earlier.resumed,
        suite_infos=tuple(
            each._replace(selected=selected[each.suite]) for each in request.origin.suite_infos
        ),
        subjects=request.origin.subjects,
        host=request.origin.host,
        command_line=request.origin.command_line,
        continued=now if earlier.started else "",
    )


def _count_earlier(earlier: Iterable[Event], score: RunScore) -> Iterator[Event]:
    for event in earlier:
        if isinstance(event, Judged):
            score.add_earlier(event)
        yield event


def _count_new(
    case_events: CaseEvents,
    request: RunRequest,
    targets: Targets,
    score: RunScore,
) -> Iterator[Event]:
    """Yield the events of this execution up to the last failure that is allowed."""
    # Closed explicitly: subjects that still run are killed before the end is reported.
    with closing(case_events):
        for index, event, is_last in case_events:
            if isinstance(event, SessionsEnded):
                add_summary(score.sessions, event)
                continue
            if not isinstance(event, Judged):
                score.order_dependent += isinstance(event, DependsOnOrder)
                yield event
                continue
            score.add_new(event, completes_case=is_last)
            if request.deadline is not None:
                request.deadline.record(CaseEvent(index, event, is_last))
            for on_judged in request.on_judged:
                on_judged(targets[event.suite, event.subject], index, event)
            yield event
            if score.new_failures == request.policy.max_failures:
                return


def _count_left_out(request: RunRequest, score: RunScore) -> Iterator[Event]:
    """Yield the events of what the deadline left out."""
    if request.deadline is not None:
        for event in request.deadline.left_out(request.runs, request.policy.repeat_args):
            score.add_new(event, completes_case=False)
            yield event


def _start_workers(request: RunRequest, targets: Targets, runs: int) -> Workers[CaseEvent]:
    start = request.start_workers or start_local_workers
    return start(request, targets, runs)


def start_local_workers(request: RunRequest, targets: Targets, runs: int) -> WorkerPool[CaseEvent]:
    """Start a worker on this machine for each run at once.

    Even a single run needs one, which kills the subject when this process is killed. A worker with
    one run knows that every orphan belongs to it.
    """
    enable_memory_controller()
    workers = min(request.policy.parallel, _MOST_WORKERS, runs)
    parallel = -(-request.policy.parallel // _MOST_WORKERS)

    has_sessions = uses_sessions(request.policy, targets)
    # After the last failure that is allowed, no run may start, and the outcome of a session decides
    # what is run next.
    is_free = request.policy.max_failures is None and not has_sessions
    policy = request.policy._replace(parallel=parallel)
    distrusted = DistrustedSubjects(name for _, name in targets) if has_sessions else None

    def work(numbers: DrawnNumbers, place: int) -> CaseEvents:
        slots = None if request.board is None else request.board.slots(place, workers)
        in_hand = (lambda: numbers.in_hand) if is_free else None
        runs = _take(request.runs, numbers)
        workspaces = None if policy.keeps_files else private_folders()
        cases = CaseSource(runs, policy, targets, in_hand)
        source: Source[CaseEvent] = cases
        if distrusted is not None:
            source = SessionSource(cases, distrusted, workspaces)
        execution = LoopOptions(
            parallel,
            policy.sandbox,
            deadline=inf if request.deadline is None else request.deadline.ends_at,
            # Slots are released as soon as runs end.
            gather_s=_GATHER_S if slots is None and is_free else 0.0,
            workspaces=workspaces,
        )
        return _up_to_last_failure(request, run_units(source, execution, slots))

    serializer = Serializer(pack_event, unpack_event)
    most_drawn = _READ_AHEAD if is_free else 1
    return WorkerPool(work, serializer, runs, workers, most_drawn=most_drawn)


def _up_to_last_failure(request: RunRequest, case_events: CaseEvents) -> CaseEvents:
    """Yield events up to the last failure that is allowed: after it, no run may start."""
    failures = 0
    with closing(case_events):
        for case_event in case_events:
            yield case_event
            event = case_event.event
            if isinstance(event, Judged) and event.failed:
                failures += not (request.policy.retry_timeouts and is_unsettled(event))
            if failures == request.policy.max_failures:
                return


def _take(runs: Iterable[PlannedRun], numbers: Iterator[int]) -> Iterator[PlannedRun]:
    """Yield the runs with these ascending numbers, taking a number only when a run is wanted."""
    wanted = next(numbers, None)
    for number, planned in enumerate(runs):
        if wanted is None:
            return
        if number == wanted:
            yield planned
            wanted = next(numbers, None)

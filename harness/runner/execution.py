"""Execute a plan: run its cases, here or in worker processes, and yield events as they come.

Showing, writing and counting those events happens elsewhere.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import closing, nullcontext
from typing import Final

from harness.model.events import Diagnostic, Event, Judged, RunEnded, RunStarted
from harness.model.exit_codes import ExitCode
from harness.project.targets import Target
from harness.runner.case_runs import run_cases
from harness.runner.ipc import CaseEvent, pack_event, unpack_event
from harness.runner.plan import PlannedRun
from harness.runner.progress import WorkerSlots
from harness.runner.request import RunRequest
from harness.runner.scoring import Score
from harness.runner.worker_pool import Serializer, WorkerPool
from harness.text import pluralize
from harness.version import VERSION

__all__ = ["events"]

_RUNS_PER_FORK: Final = 32  # a fork takes as long as a few runs

_Targets = Mapping[tuple[str, str], Target]  # by the names of suite and subject


def events(request: RunRequest) -> Iterator[Event]:
    """Execute a request, several runs at once, and yield each event as it happens.

    Runs end in any order. After a KeyboardInterrupt or `max_failures` failures the subjects that
    still run are killed, and the stream ends with a `RunEnded` that says so.
    """
    started = time.monotonic()
    score = Score()
    planned, targets = _count_planned(request.runs)
    idle_is_fine = bool(planned or request.idle or any(request.earlier.cases.values()))
    faulty = bool(request.problems) or not idle_is_fine
    interrupted = False
    if request.board is not None:
        request.board.planned = planned.total()
    # Forked before the first event is yielded: a reporter may start threads.
    pool = _start_workers(request, targets, planned.total())
    with closing(pool) if pool is not None else nullcontext():
        yield _run_started(request, planned, targets)
        yield from request.problems
        case_events = (
            run_cases(request, targets, _slots(request)) if pool is None else pool.outcomes()
        )
        try:
            yield from _count_earlier(request.earlier.events, score)
            yield from _count_new(case_events, request, targets, score)
        except KeyboardInterrupt:
            interrupted = True
        if pool is not None:
            pool.stop()
            if interrupted:
                # Results that the workers sent before the interruption.
                yield from _count_new(pool.outcomes(), request, targets, score)
            for loss in pool.losses():
                faulty = True
                yield Diagnostic("xtest", loss)
    stopped = not interrupted and score.new_failures == request.max_failures
    not_run = planned.total() - score.cases
    if not_run > 0 and not (stopped or interrupted or faulty):
        faulty = True
        yield Diagnostic("xtest", f"{pluralize(not_run, 'planned case')} did not run; run again")
    yield RunEnded(
        counts=score.counts,
        wall_s=round(time.monotonic() - started, 6),
        exit=ExitCode.INTERRUPTED if interrupted else score.exit_code(faulty=faulty),
        interrupted=interrupted,
        known=score.known,
        unexpected_pass=score.unexpected_pass,
        stopped=stopped and not_run > 0,
        not_run=max(0, not_run),  # a packed file may have changed since its cases were counted
        idle="" if planned else request.idle,
        resumed=min(request.earlier.resumed, score.earlier),
        cached=score.cached,
    )


def _count_planned(runs: Iterable[PlannedRun]) -> tuple[Counter[str], _Targets]:
    """Return the number of cases of each suite, and the targets."""
    planned: Counter[str] = Counter()
    targets: dict[tuple[str, str], Target] = {}
    for run in runs:
        planned[run.target.suite.name] += 1
        targets[run.target.suite.name, run.target.subject.name] = run.target
    return planned, targets


def _run_started(request: RunRequest, planned: Counter[str], targets: _Targets) -> RunStarted:
    earlier = request.earlier
    # A subject whose cases all finished earlier has no planned run, but it has a fingerprint.
    subjects = dict.fromkeys(
        (*(each.subject for each in request.basis), *(subject for _, subject in targets))
    )
    selected = planned + Counter(earlier.cases)
    return RunStarted(
        xtest=VERSION,
        started=earlier.started or time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        suites=tuple(dict.fromkeys((*earlier.cases, *planned))),
        runs=planned.total() + sum(earlier.cases.values()),
        parallel=request.parallel,
        basis=request.basis,
        resumed=earlier.resumed,
        about=tuple(each._replace(selected=selected[each.suite]) for each in request.about),
        subjects=tuple(subjects) if len(subjects) > 1 else (),
    )


def _count_earlier(earlier: Iterable[Event], score: Score) -> Iterator[Event]:
    for event in earlier:
        if isinstance(event, Judged):
            score.add_earlier(event)
        yield event


def _count_new(
    case_events: Generator[CaseEvent, None, None],
    request: RunRequest,
    targets: _Targets,
    score: Score,
) -> Iterator[Event]:
    """Yield the events of this execution up to the last failure that is allowed."""
    # Closed explicitly: subjects that still run are killed before the end is reported.
    with closing(case_events):
        for at, event, is_last in case_events:
            if not isinstance(event, Judged):
                yield event
                continue
            score.add(event, completes_case=is_last)
            if request.note is not None:
                request.note(targets[event.suite, event.subject], at, event)
            yield event
            if score.new_failures == request.max_failures:
                return


def _start_workers(
    request: RunRequest, targets: _Targets, runs: int
) -> WorkerPool[CaseEvent] | None:
    """Start as many worker processes as can be of use, or None if this process is enough."""
    workers = min(request.parallel, os.cpu_count() or 1, runs // _RUNS_PER_FORK)
    if workers < 2:
        return None

    def work(numbers: Iterator[int], place: int) -> Iterator[CaseEvent]:
        parallel = (request.parallel + workers - 1 - place) // workers
        share = request._replace(runs=_take(request.runs, numbers), parallel=parallel)
        return run_cases(share, targets, _slots(request, place, workers))

    return WorkerPool(work, Serializer(pack_event, unpack_event), runs, workers)


def _slots(request: RunRequest, place: int = 0, of: int = 1) -> WorkerSlots | None:
    return request.board.slots(place, of) if request.board is not None else None


def _take(runs: Iterable[PlannedRun], numbers: Iterator[int]) -> Iterator[PlannedRun]:
    """Yield the runs with these ascending numbers, taking a number only when a run is wanted."""
    wanted = next(numbers, None)
    for number, planned in enumerate(runs):
        if wanted is None:
            return
        if number == wanted:
            yield planned
            wanted = next(numbers, None)

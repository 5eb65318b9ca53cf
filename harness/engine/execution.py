"""Execute a plan: run its cases, here or in worker processes, and yield events as they come.

Showing, writing and counting those events happens elsewhere.
"""

from __future__ import annotations

import secrets
import time
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from contextlib import closing
from math import inf
from typing import Final

from harness.engine.case_source import CaseSource
from harness.engine.case_workload import CaseWorkload
from harness.engine.ipc import CaseEvent, CaseEvents
from harness.engine.plan import PlannedRun, targets_with_runs
from harness.engine.request import RunRequest, Targets
from harness.engine.running import WorkloadRun
from harness.engine.sessions.batches import DistrustedSubjects
from harness.engine.sessions.source import SessionSource
from harness.engine.units import LoopOptions, private_folders, run_units
from harness.engine.workload import WorkOptions
from harness.model.events import (
    DependsOnOrder,
    Diagnostic,
    Event,
    RunEnded,
    RunResult,
    RunStarted,
    SessionsEnded,
)
from harness.model.exit_codes import ExitCode
from harness.model.tally import RunTally, by_name
from harness.process.system import SYSTEM
from harness.project.targets import Target
from harness.text import pluralize
from harness.version import VERSION

_SEEDS: Final = 1_000_000


class RunScore(RunTally):
    """Counters of the runs that were judged so far.

    `earlier` runs finished before this execution. `cases` counts the cases that this execution
    completed, `new_failures` its unexpected results, `order_dependent` the cases that pass only in
    a session. `changed_cases` has the cases whose files changed between two runs, `sessions` the
    totals of the workers' session summaries, by subject.
    """

    def __init__(self) -> None:
        super().__init__()
        self.earlier = 0
        self.cases = 0
        self.new_failures = 0
        self.order_dependent = 0
        self.sessions: dict[str, SessionsEnded] = {}
        self.changed_cases: dict[tuple[str, str], None] = {}  # by suite and case
        self._contents: dict[tuple[str, str], str] = {}  # digests, by suite and case

    def add_earlier(self, event: RunResult) -> None:
        # Earlier failures do not count for --max-failures: a stopped run could never be resumed.
        self.add(event)
        self.earlier += 1

    def add_new(self, event: RunResult, *, completes_case: bool) -> None:
        self.add(event)
        self.cases += completes_case
        self.new_failures += event.failed

    def compare_content(self, event: RunResult) -> None:
        """Note the case of a run if an earlier run was judged by other content."""
        case = event.suite, event.case
        if event.content and self._contents.setdefault(case, event.content) != event.content:
            self.changed_cases[case] = None


def add_summary(sums: dict[str, SessionsEnded], event: SessionsEnded) -> None:
    """Add how the sessions of a subject went in a worker."""
    one = sums.setdefault(event.subject, event)
    if one is not event:
        sums[event.subject] = one._replace(
            sessions=one.sessions + event.sessions,
            passed=one.passed + event.passed,
            alone=one.alone + event.alone,
            repeated=one.repeated + event.repeated,
            differing=one.differing + event.differing,
            stopped=one.stopped or event.stopped,
            noise=one.noise or event.noise,
            stderr=one.stderr or event.stderr,
        )


def execute_request(request: RunRequest) -> Iterator[Event]:
    """Execute a request, several runs at once, and yield each event as it happens.

    Runs end in any order. After a KeyboardInterrupt or `max_failures` failures the subjects that
    still run are killed, and the stream ends with a `RunEnded` that says so.
    """
    started = time.monotonic()
    score = RunScore()
    request, planned, targets = _prepare_request(request)
    # Running nothing needs a reason.
    faulty = not (planned or request.why_nothing_ran or any(request.earlier.cases.values()))
    faulty |= bool(request.problems)
    interrupted = False
    # Workers are forked before the first event is yielded: a reporter may start threads.
    run = _start(request, planned, targets)
    with closing(run):
        yield _run_started(request, planned)
        yield from request.problems
        try:
            yield from _count_earlier(request.earlier.events, score)
            yield from _count_new(run.results(), request, targets, score)
            run.stop()
        except KeyboardInterrupt:
            interrupted = True
            # Results that the workers sent before the interruption.
            yield from _count_new(run.rest(), request, targets, score)
        yield from score.sessions.values()
        faulty |= bool(run.losses or score.changed_cases)
        yield from (Diagnostic("xtest", loss) for loss in run.losses)
        if score.changed_cases:
            yield Diagnostic("xtest", _changed_text(score.changed_cases, request))
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


def _prepare_request(request: RunRequest) -> tuple[RunRequest, Counter[str], Targets]:
    """Count the cases of a request; return the request with the numbers of cases and the seed that
    sessions need, the number of cases of each suite, and the targets."""
    planned: Counter[str] = Counter()
    by_subject: Counter[str] = Counter()
    targets: dict[tuple[str, str], Target] = {}
    for target, number in targets_with_runs(request.runs):
        planned[target.suite.name] += number
        by_subject[target.subject.name] += number
        targets[target.key] = target
    seed = request.policy.sessions.seed
    sessions = request.policy.sessions._replace(
        planned=tuple(by_subject.items()), seed=secrets.randbelow(_SEEDS) if seed is None else seed
    )
    policy = request.policy._replace(sessions=sessions)
    return request._replace(policy=policy), planned, targets


def execute_cases(request: RunRequest) -> Iterator[CaseEvent]:
    """Execute a request in worker processes, and yield only what they send."""
    with closing(_start(*_prepare_request(request))) as run:
        yield from run.results()


def execute_cases_here(request: RunRequest) -> CaseEvents:
    """Execute a request, which has sessions, in this process, and yield only the results."""
    request, _, targets = _prepare_request(request)
    distrusted = DistrustedSubjects(name for _, name in targets)
    workspaces = private_folders()
    cases = CaseSource(iter(request.runs), request.policy, targets)
    source = SessionSource(cases, distrusted, workspaces)
    with closing(run_units(source, LoopOptions(workspaces=workspaces))) as results:
        for several in results:
            yield from several


def _start(
    request: RunRequest, planned: Counter[str], targets: Targets
) -> WorkloadRun[PlannedRun, CaseEvent]:
    policy = request.policy
    options = WorkOptions(
        policy.parallel,
        board=request.board,
        ends_at=inf if request.deadline is None else request.deadline.ends_at,
    )
    return WorkloadRun(
        CaseWorkload(policy, targets),
        request.runs,
        planned.total(),
        options,
        start=request.start_workers,
        retries=policy.retry_timeouts,
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
        backend="" if SYSTEM.has_namespaces else SYSTEM.name,
        continued=now if earlier.started else "",
    )


def _count_earlier(earlier: Iterable[Event], score: RunScore) -> Iterator[Event]:
    for event in earlier:
        if isinstance(event, RunResult):
            score.add_earlier(event)
        yield event


def _count_new(
    case_events: CaseEvents,
    request: RunRequest,
    targets: Targets,
    score: RunScore,
) -> Iterator[Event]:
    """Yield the events of this execution up to the last failure that is allowed."""
    deadline, max_failures = request.deadline, request.policy.max_failures
    has_several = len({subject for _, subject in targets}) > 1
    # Closed explicitly: subjects that still run are killed before the end is reported.
    with closing(case_events):
        for index, event, is_last in case_events:
            if isinstance(event, RunResult):
                score.add_new(event, completes_case=is_last)
                if has_several:
                    score.compare_content(event)
                if deadline is not None:
                    deadline.record(CaseEvent(index, event, is_last))
                for on_judged in request.on_judged:
                    on_judged(targets[event.suite, event.subject], index, event)
                yield event
                if score.new_failures == max_failures:
                    return
            elif isinstance(event, SessionsEnded):
                add_summary(score.sessions, event)
            else:
                score.order_dependent += isinstance(event, DependsOnOrder)
                yield event


def _changed_text(cases: Collection[tuple[str, str]], request: RunRequest) -> str:
    """Return a message about cases whose files changed between the runs of two subjects."""
    suite, case = next(iter(cases))
    number = pluralize(len(cases), "case")
    remark = "" if request.policy.sandbox else "; a program can do this without --sandbox"
    return (
        f"{number} changed during the run, such as {suite}/{case}: not all subjects were judged by"
        f" the same files{remark}"
    )


def _count_left_out(request: RunRequest, score: RunScore) -> Iterator[Event]:
    """Yield the events of what the deadline left out."""
    if request.deadline is not None:
        for event in request.deadline.left_out(request.runs, request.policy.repeat_args):
            score.add_new(event, completes_case=False)
            yield event

"""Find the cases that pass in sessions, for commands that run all others in their own way."""

from __future__ import annotations

import marshal
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from itertools import chain
from typing import NamedTuple

from harness.engine.execution import add_summary, execute_cases, execute_cases_here
from harness.engine.ipc import CaseEvent, pack_events, unpack_events
from harness.engine.plan import PlannedRun
from harness.engine.progress import ProgressBoard
from harness.engine.request import RunPolicy, RunRequest
from harness.model.case import Case, right_outputs
from harness.model.events import DependsOnOrder, RunResult, SessionsEnded
from harness.model.sessions import SessionMode, SessionOptions
from harness.model.transcript import Exited, Transcript
from harness.model.verdict import Verdict
from harness.process.sandbox import Sandbox
from harness.process.serving import ProcessLost, ServingProcess
from harness.suites.cases import parse_case


class SessionPasses(NamedTuple):
    """The indexes of the cases that passed, by the names of suite and subject.

    `findings` are the cases that pass only in a session, `summaries` how the sessions went.
    """

    passed: dict[tuple[str, str], set[int]]
    findings: list[DependsOnOrder]
    summaries: list[SessionsEnded]

    def has(self, planned: PlannedRun) -> bool:
        """Return whether a case passed in a session, and when it was repeated."""
        return planned.case_index in self.passed.get(planned.target.key, ())

    def finding(self, planned: PlannedRun) -> str:
        """Return why a case passes only in a session, or "" otherwise."""
        suite, subject = planned.target.key
        key = f"{suite}/{planned.name.text}", subject
        return next(
            (each.message for each in self.findings if key == (each.where, each.subject)), ""
        )


def passes_in_workers(
    runs: Iterable[PlannedRun],
    sessions: SessionOptions,
    *,
    parallel: int,
    wall_s: float | None = None,
    sandbox: Sandbox | None = None,
    board: ProgressBoard | None = None,
) -> SessionPasses:
    """Run what sessions can settle, `parallel` processes at once; their progress is on the board,
    which then is as it was before they began."""
    request = _request(runs, RunPolicy(parallel, wall_s=wall_s, sandbox=sandbox, sessions=sessions))
    if not request.runs:
        return _collect(())
    planned, step = (0, "") if board is None else (board.planned, board.note)
    passes = _collect(execute_cases(request._replace(board=board)))
    if board is not None:
        board.restart(planned, step)
    return passes


def passes_here(runs: Iterable[PlannedRun], sessions: SessionOptions) -> SessionPasses:
    """Run what sessions can settle, one after another, for a process that does other work, too.

    A program that kills the worker process settles nothing.
    """
    request = _request(runs, RunPolicy(sessions=sessions))
    if not request.runs:
        return _collect(())

    @contextmanager
    def server() -> Iterator[Callable[[bytes], bytes]]:
        yield lambda _: marshal.dumps(list(pack_events(execute_cases_here(request))))

    process = ServingProcess(server)
    with closing(process), suppress(ProcessLost):
        messages = marshal.loads(process.call(b""))
        return _collect(chain.from_iterable(map(unpack_events, messages)))
    return _collect(())


def right_transcript(case: Case, planned: PlannedRun) -> Transcript:
    """Return a transcript, with the expected output, for a case that passed in a session."""
    if not case.is_parsed:
        parsed = parse_case(case, planned.target.suite, planned.name, planned.case_index)
        case = parsed if isinstance(parsed, Case) else case
    one = next(right_outputs(case))
    output = one.expected_text
    return Transcript(Exited(one.policy.exit.least), output, stdout_bytes=len(output))


def _request(runs: Iterable[PlannedRun], policy: RunPolicy) -> RunRequest:
    is_off = policy.sessions.mode is SessionMode.OFF
    possible = [run for run in runs if run.target.subject.session is not None and not is_off]
    return RunRequest(possible, policy._replace(sessions=policy.sessions._replace(partial=True)))


def _collect(events: Iterable[CaseEvent]) -> SessionPasses:
    passed: dict[tuple[str, str], set[int]] = defaultdict(set)
    findings = []
    summaries: dict[str, SessionsEnded] = {}
    for index, event, _ in events:
        if isinstance(event, RunResult):
            if event.verdict is Verdict.PASSED:
                passed[event.suite, event.subject].add(index)
        elif isinstance(event, DependsOnOrder):
            findings.append(event)
        elif isinstance(event, SessionsEnded):
            add_summary(summaries, event)
    return SessionPasses(passed, findings, list(summaries.values()))

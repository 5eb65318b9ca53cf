"""Run planned cases in this process, and yield their events as runs end."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterator, Mapping
from contextlib import closing
from math import inf

from harness.delivery.registry import Delivery
from harness.model.events import BoundedJudgement, Judged, judged
from harness.model.transcript import Transcript
from harness.process.sandbox import run_in
from harness.project.targets import Target
from harness.runner.case_jobs import (
    NO_MEMORY,
    OUT_OF_MEMORY,
    CaseInProgress,
    CaseJobs,
    Key,
    RunKey,
)
from harness.runner.ipc import CaseEvent
from harness.runner.jobs import annotate, origin_of
from harness.runner.judge_process import (
    JudgedRun,
    JudgeProcess,
    is_quick,
    judge_here,
    judging_with,
)
from harness.runner.progress import WorkerSlots
from harness.runner.request import RunRequest
from harness.runner.sessions import Answer, Batch, SessionRuns

_Judge = JudgeProcess[RunKey | Answer, BoundedJudgement]
_Judged = JudgedRun[RunKey | Answer, BoundedJudgement]


def run_cases(
    request: RunRequest,
    targets: Mapping[tuple[str, str], Target],
    slots: WorkerSlots | None = None,
    *,
    sole_parent: bool = True,
) -> Generator[CaseEvent, None, None]:
    """Run the cases of a request; closing the generator kills the subjects that still run.

    `targets` are found by the names of suite and subject. `sole_parent`: nothing else in this
    process starts children.
    """
    sessions = SessionRuns(request)
    drawn = CaseJobs(sessions, request)
    jobs = drawn if slots is None else slots.track(drawn, _display_name)
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
            )
        ) as runs,
    ):
        outcomes = _Outcomes(request, sessions, judge)
        for ended in runs:
            if isinstance(ended, JudgedRun):
                found = outcomes.judged(ended)
            else:
                drawn.in_progress -= 1
                if slots is not None:
                    slots.release(ended.key)
                found = outcomes.ended(ended.key, ended.transcript)
            for case_event in found:
                if (
                    slots is not None
                    and case_event.is_last
                    and isinstance(case_event.event, Judged)
                ):
                    slots.count_case()
                yield case_event
        for summary in sessions.summaries():
            yield CaseEvent(0, summary, is_last=False)


class _Outcomes:
    """Makes events of runs that have ended."""

    def __init__(self, request: RunRequest, sessions: SessionRuns, judge: _Judge) -> None:
        self._request = request
        self._sessions = sessions
        self._judge = judge

    def ended(self, key: Key, transcript: Transcript) -> Iterator[CaseEvent]:
        if isinstance(key, Batch):
            for each in self._sessions.ended(key, transcript):
                if isinstance(each, Answer):
                    yield from self._judge_run(each, each.transcript)
                else:
                    yield each
        elif isinstance(key[0], CaseInProgress):
            yield from self._judge_run(key, transcript)
        else:
            yield from self._sessions.settled(CaseEvent(key[0].at, key[1], is_last=True))

    def judged(self, done: _Judged) -> Iterator[CaseEvent]:
        key, transcript, judgement = done
        if isinstance(key, Answer):
            origin = origin_of(key.planned, Delivery.PLAIN, self._request.options)
            event = judged(key.case, transcript, judgement, origin)
            yield from self._sessions.judged(key, annotate(key.planned, event))
            return
        progress, delivery = key
        for each in progress.add(delivery, (transcript, judgement), self._request.repeat):
            is_last = not progress.awaited
            yield from self._sessions.settled(CaseEvent(progress.planned.at, each, is_last))

    def _judge_run(self, key: RunKey | Answer, transcript: Transcript) -> Iterator[CaseEvent]:
        planned, case = (
            (key.planned, key.case) if isinstance(key, Answer) else (key[0].planned, key[0].case)
        )
        try:
            if transcript is NO_MEMORY:
                judgement = OUT_OF_MEMORY
            elif is_quick(case, transcript):
                judgement = judge_here(case, transcript)
            else:
                self._judge.submit_run(key, planned, case, transcript)
                return
        except MemoryError:
            judgement = OUT_OF_MEMORY
        yield from self.judged(JudgedRun(key, transcript, judgement))


def _display_name(key: Key) -> str:
    if isinstance(key, Batch):
        first, *others = key.planned
        more = f" and {len(others):,} more" if others else ""
    else:
        first, more = key[0].planned if isinstance(key[0], CaseInProgress) else key[0], ""
    return f"{first.target.suite.name}/{first.name.text}{more}"

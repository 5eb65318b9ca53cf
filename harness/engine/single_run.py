"""Run one case inside another program's process, and return everything observed.

Jobs, judge and known failures are those of `xtest run`; nothing is remembered or reported.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

from harness.delivery.registry import Delivery
from harness.engine.jobs import (
    EMPTY_TRANSCRIPT,
    make_job,
    origin_of,
    with_effective_limits,
    with_known_failure,
)
from harness.engine.judge_process import Judge, judge_here, judge_run
from harness.engine.plan import PlannedRun
from harness.errors import Refused
from harness.judging.judge import judge_invalid
from harness.model.case import Case, InvalidCase
from harness.model.events import Judged, judged
from harness.model.judgement import Judgement
from harness.model.subject import Subject
from harness.model.transcript import NotStarted, Transcript
from harness.process.loop import run_one
from harness.process.own_process import preserved_process_state
from harness.project.program_lookup import command_line
from harness.suites.shared_files import suite_variables


class SingleRun(NamedTuple):
    """A case, the transcript of its run, and the verdict; an invalid case was not run."""

    case: Case | InvalidCase
    transcript: Transcript
    judgement: Judgement


def run_once(
    case: Case | InvalidCase,
    subject: Subject,
    delivery: Delivery,
    judge_as: Judge = judge_here,
    folder: Path | None = None,
) -> SingleRun:
    """Run a case, of the suite in a folder, in a delivery that its input allows, and judge it.

    An exception on the way, such as KeyboardInterrupt, kills the subject and propagates.
    """
    if isinstance(case, InvalidCase):
        return SingleRun(case, EMPTY_TRANSCRIPT, judge_invalid(case))
    case = with_effective_limits(case, subject)
    transcript = _run(case, subject, delivery, folder)
    return SingleRun(case, transcript, judge_run(case, transcript, judge_as))


def event_of(planned: PlannedRun, delivery: Delivery, done: SingleRun) -> Judged:
    """Return the event that `xtest run` would have made of this run."""
    transcript = None if isinstance(done.case, InvalidCase) else done.transcript
    event = judged(done.case, transcript, done.judgement, origin_of(planned, delivery))
    return with_known_failure(planned, event)


def _run(case: Case, subject: Subject, delivery: Delivery, folder: Path | None) -> Transcript:
    argv = command_line(subject)
    if isinstance(argv, Refused):
        return Transcript(NotStarted(argv.reason))
    variables = suite_variables(folder) if folder is not None else ()
    job = make_job(argv, case, delivery, subject.context, variables)
    with preserved_process_state():
        return run_one(job, os.environ)

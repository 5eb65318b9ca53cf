"""One run by itself, inside a process that is somebody else's: of a case that was read, with all
that was observed.

The same jobs, judge and lists of known failures as in a session; no plan, no memory, no reporters.
"""

from __future__ import annotations

import os
from contextlib import closing
from typing import NamedTuple

from harness.events import Judged, Origin, judged
from harness.judging.judge import judge_invalid
from harness.lookup import command_line
from harness.process.guest import as_guest
from harness.process.loop import run
from harness.records import Case, InvalidCase, Judgement, NotStarted, Subject, Transcript
from harness.runs.deliveries import Delivery
from harness.runs.plan import PlannedRun, repeat_command
from harness.runs.session import job_of, judgement_of, limited, with_known

__all__ = ["Single", "event_of", "single"]


class Single(NamedTuple):
    """A case, what was observed of its run, and the verdict. Of an invalid case nothing was."""

    case: Case | InvalidCase
    transcript: Transcript
    judgement: Judgement


_NOTHING = Transcript(NotStarted("there is nothing to run"))


def single(case: Case | InvalidCase, subject: Subject, delivery: Delivery) -> Single:
    """Run a case in a way that is possible for it, and judge it. An interruption or any other
    exception on the way kills what runs, and goes on."""
    if isinstance(case, InvalidCase):
        return Single(case, _NOTHING, judge_invalid(case))
    mine = limited(case, subject)
    seen = _observed(mine, subject, delivery)
    return Single(mine, seen, judgement_of(mine, seen))


def _observed(case: Case, subject: Subject, delivery: Delivery) -> Transcript:
    """What is observed of a run, which nobody judges."""
    argv = command_line(subject, None)
    if isinstance(argv, str):
        return Transcript(NotStarted(argv))
    job = job_of(argv, case, delivery, subject.setting)
    with as_guest(), closing(run(iter([(None, job)]), 1, dict(os.environ))) as runs:
        ((_, seen),) = runs
    return seen


def event_of(planned: PlannedRun, delivery: Delivery, done: Single) -> Judged:
    """The event that `xtest run` would have made of it."""
    words = repeat_command(planned, delivery)
    origin = Origin(planned.target.subject.name, delivery.value, words)
    seen = None if isinstance(done.case, InvalidCase) else done.transcript
    return with_known(planned, judged(done.case, seen, done.judgement, origin))

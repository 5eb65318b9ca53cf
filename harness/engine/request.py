"""Declare what one execution of a plan is asked to do."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from harness.engine.plan import PlannedRun
from harness.engine.progress import ProgressBoard
from harness.engine.remaining import Deadline
from harness.engine.workload import StartWorkers
from harness.model.case import Case
from harness.model.events import Diagnostic, Event, RunFingerprint, RunResult
from harness.model.sessions import SessionOptions
from harness.model.subject import SubjectInfo
from harness.model.suite_info import SuiteInfo
from harness.process.sandbox import Sandbox
from harness.project.targets import Target
from harness.suites.loading import Suite

Targets = Mapping[tuple[str, str], Target]  # by the names of suite and subject
# Returns what is wrong with a case beyond its text; empty if nothing is.
Check = Callable[[Case], str]
# Called with every judged run: its target, the index of the case in its suite, and the event.
OnJudged = Callable[[Target, int, RunResult], None]


def schema_check(suites: Sequence[Suite]) -> Check:
    """Return a check of cases against the schemas of their suites. Raises UsageError."""
    # Importing jsonschema takes 90 ms, longer than a small run.
    from harness.suites.schema_checks import suite_schema_check  # pylint: disable=import-outside-toplevel

    return suite_schema_check(suites)


class EarlierRuns(NamedTuple):
    """Runs that finished in an earlier execution and are repeated in this stream of events.

    `cases` counts, for each suite of the whole plan, the cases that need no run now. The first
    `resumed` events come from the results file, whose run began at `started` (empty if none is
    resumed). `notes` say which results in the file are left out, and what runs again.
    """

    events: Iterable[Event]
    cases: Mapping[str, int]
    resumed: int = 0
    started: str = ""
    notes: tuple[str, ...] = ()


class RunPolicy(NamedTuple):
    """Settings that decide the outcomes of runs: all that a worker gets, here or on a cluster.

    `wall_s` overrides the limit of the suites. `repeat_args` are the arguments of the command line
    that a single run depends on, for the command that repeats it. With
    `keeps_files`, runs share their working folders, and files that they write there stay. With
    `gives_up`, several timeouts in a row end the runs of a subject on a suite.
    """

    parallel: int = 1
    wall_s: float | None = None
    check: Check | None = None
    repeat: int = 1
    retry_timeouts: bool = False
    sandbox: Sandbox | None = None
    max_failures: int | None = None
    repeat_args: tuple[str, ...] = ()
    sessions: SessionOptions = SessionOptions()
    keeps_files: bool = False
    gives_up: bool = False


class RunOrigin(NamedTuple):
    """Where a run comes from, for its results file."""

    host: str = ""
    command_line: tuple[str, ...] = ()
    fingerprints: tuple[RunFingerprint, ...] = ()
    suite_infos: tuple[SuiteInfo, ...] = ()
    subjects: tuple[SubjectInfo, ...] = ()


class RunRequest(NamedTuple):
    """A plan, how to execute it, and who hears of it.

    `runs` is iterated several times: to count the cases, and to run them. `why_nothing_ran`
    explains a plan without runs that is not an error. `start_workers` starts workers elsewhere than
    on this machine.
    """

    runs: Iterable[PlannedRun]
    policy: RunPolicy = RunPolicy()
    origin: RunOrigin = RunOrigin()
    problems: tuple[Diagnostic, ...] = ()
    why_nothing_ran: str = ""
    earlier: EarlierRuns = EarlierRuns((), {})
    on_judged: tuple[OnJudged, ...] = ()
    board: ProgressBoard | None = None
    deadline: Deadline | None = None
    start_workers: StartWorkers | None = None

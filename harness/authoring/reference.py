"""Run a program on cases for commands that use its outputs: new, accept and selftest."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from functools import partial
from typing import NamedTuple, TypeVar

from harness.delivery.registry import Delivery
from harness.engine.jobs import make_job, read_planned_case
from harness.engine.judge_process import JudgedRun, JudgeProcess, Judging
from harness.engine.plan import Plan, PlannedRun, Selection
from harness.engine.progress import ProgressBoard
from harness.engine.request import Check
from harness.errors import Refused, UsageError
from harness.model.case import Case, InvalidCase
from harness.model.sessions import SessionMode, SessionOptions
from harness.model.subject import Subject
from harness.process.loop import run
from harness.project.builds import build
from harness.project.program_lookup import command_line
from harness.project.subjects import need_project, subject_on, suite_arguments
from harness.project.targets import Target, pair_suites, targets_of
from harness.results.selection import SelectedRuns, select_runs
from harness.results.store import cache_folder
from harness.suites.discovery import resolve_suites
from harness.suites.loading import Suite
from harness.suites.shared_files import suite_variables
from harness.text import escape_nonprintable

T = TypeVar("T")


class ReferenceRequest(NamedTuple):
    """The cases to run, the subject that runs them, and how; by the names of the options.

    Runs in progress are noted on the board.
    """

    suites: tuple[str, ...]
    board: ProgressBoard
    subjects: tuple[str, ...] = ()
    selection: Selection = Selection()
    jobs: int | None = None  # None for one per processor
    wall: float | None = None  # seconds, None for the limit of each suite
    sessions: SessionOptions = SessionOptions(SessionMode.OFF)


class ReferenceCase(NamedTuple):
    """A case to run, and its place in the plan."""

    planned: PlannedRun
    case: Case


def plan_reference(
    request: ReferenceRequest, command: tuple[str, ...] | None, verb: str
) -> tuple[list[Target], SelectedRuns]:
    """Return the targets, and the plan of their cases with all problems. Raises UsageError.

    `command` is what follows --, or None; `verb` is the command of xtest, for messages.
    """
    if request.subjects:
        subject_of = reference_subject(request.subjects, command)
        targets, problems = pair_suites(
            resolve_suites(suite_arguments(request.suites)),
            lambda found, suite: [Target(suite, found.argument, subject_of(suite), False)],
        )
    else:
        targets, problems = targets_of(suite_arguments(request.suites), command, verb)
    for target in targets:
        argv = command_line(target.subject)
        if isinstance(argv, Refused):
            raise UsageError(argv.reason)
    folder = cache_folder(os.environ)
    selected = select_runs(targets, request.selection, (Delivery.PLAIN,), folder)
    return targets, selected._replace(problems=(*problems, *selected.problems))


def reference_subject(
    words: Sequence[str], command: tuple[str, ...] | None
) -> Callable[[Suite], Subject]:
    """Build the one subject of xtest.toml that `words` select.

    Return a function from a suite to the subject as it runs there. Both raise UsageError.
    """
    option = f"--subject {escape_nonprintable(', '.join(words))}"
    if command is not None:
        raise UsageError(f"{option}: cannot be combined with a command after --")
    project = need_project(option)
    subjects = project.select_subjects(words)
    if len(subjects) > 1:
        names = ", ".join(subject.name for subject in subjects)
        raise UsageError(f"{option}: selects {names}; name one of them")
    for name, failure in build(project, [subjects[0].name]).items():
        raise UsageError(f"{name}: {failure}")
    return partial(subject_on, project, subjects[0])


def read_cases(
    plan: Plan, target: Target, request: ReferenceRequest
) -> Iterator[tuple[PlannedRun, Case | InvalidCase]]:
    """Yield the planned cases of a target; the judge process parses large ones later."""
    for planned in plan:
        if planned.target is target:
            yield planned, read_planned_case(planned, request.wall, is_checked=False)


def run_reference(
    cases: Iterable[ReferenceCase], target: Target, request: ReferenceRequest, judging: Judging[T]
) -> Iterator[JudgedRun[ReferenceCase, T]]:
    """Run cases of a target; yield each with its judgement, in any order."""
    argv, context = command_line(target.subject), target.subject.context
    variables = suite_variables(target.suite.folder)
    assert not isinstance(argv, Refused), argv.reason  # `plan_reference` reports it
    jobs = ((one, make_job(argv, one.case, Delivery.PLAIN, context, variables)) for one in cases)
    slots = request.board.slots()
    tracked = slots.track(jobs, lambda one: f"{one.case.suite}/{one.case.name}")
    judge = JudgeProcess[ReferenceCase, T]({target.key: target}, judging)
    runs = run(
        *(tracked, request.jobs or os.cpu_count() or 1, dict(os.environ)),
        sole_parent=True,
        background=judge,
    )
    # Close them explicitly: after an exception, subjects must not run until garbage collection.
    with closing(judge), closing(runs):
        for ended in runs:
            if isinstance(ended, JudgedRun):
                yield ended
            else:
                one, transcript = ended
                slots.release(one)
                judge.submit_run(one, one.planned, one.case, transcript)


def schema_check(suites: Sequence[Suite]) -> Check | None:
    """Return a check of cases, or None if no suite has an output schema. Raises UsageError."""
    if not any(suite.settings.output for suite in suites):
        return None
    # jsonschema takes 90 ms.
    from harness.suites.schema_checks import suite_schema_check  # pylint: disable=import-outside-toplevel

    return suite_schema_check(suites)

"""Run a program on cases for commands that use its outputs: new, accept and selftest."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from typing import NamedTuple, TypeVar

from harness.delivery.registry import Delivery
from harness.engine.jobs import make_job, read_planned_case
from harness.engine.judge_process import JudgedRun, JudgeProcess, Judging
from harness.engine.plan import Plan, PlannedRun
from harness.engine.progress import ProgressBoard
from harness.engine.request import Check
from harness.errors import Refused
from harness.model.case import Case, InvalidCase
from harness.model.sessions import SessionOptions
from harness.process.sandbox import Sandbox, run_in
from harness.project.program_lookup import command_line
from harness.project.targets import Target
from harness.suites.loading import Suite
from harness.suites.shared_files import suite_variables

T = TypeVar("T")


class ReferenceRuns(NamedTuple):
    """How a reference runs; runs in progress are noted on the board."""

    parallel: int
    wall_s: float | None  # None for the limit of each suite
    sandbox: Sandbox | None
    sessions: SessionOptions
    board: ProgressBoard


class ReferenceCase(NamedTuple):
    """A case to run, and its place in the plan."""

    planned: PlannedRun
    case: Case


def read_cases(
    plan: Plan, target: Target, how: ReferenceRuns
) -> Iterator[tuple[PlannedRun, Case | InvalidCase]]:
    """Yield the planned cases of a target; the judge process parses large ones later."""
    for planned in plan:
        if planned.target is target:
            yield planned, read_planned_case(planned, how.wall_s, is_checked=False)


def run_reference(
    cases: Iterable[ReferenceCase], target: Target, how: ReferenceRuns, judging: Judging[T]
) -> Iterator[JudgedRun[ReferenceCase, T]]:
    """Run cases of a target; yield each with its judgement, in any order."""
    argv, context = command_line(target.subject), target.subject.context
    variables = suite_variables(target.suite.folder)
    assert not isinstance(argv, Refused), argv.reason  # reported before
    jobs = ((one, make_job(argv, one.case, Delivery.PLAIN, context, variables)) for one in cases)
    slots = how.board.slots()
    tracked = slots.track(jobs, lambda one: f"{one.case.suite}/{one.case.name}")
    judge = JudgeProcess[ReferenceCase, T]({target.key: target}, judging)
    runs = run_in(
        how.sandbox, tracked, how.parallel, dict(os.environ), sole_parent=True, background=judge
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

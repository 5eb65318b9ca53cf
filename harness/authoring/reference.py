"""Run a program on cases for commands that use its outputs: new, accept and selftest."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from typing import NamedTuple

from harness.delivery.registry import Delivery
from harness.errors import UsageError
from harness.model.case import Case, InvalidCase
from harness.model.case_names import CaseName
from harness.model.subject import Subject
from harness.model.transcript import Job, Transcript
from harness.process.loop import run
from harness.project.program_lookup import find_program, no_program_text
from harness.project.subjects import matching_suites
from harness.project.targets import Target, targets_of
from harness.runner.plan import Plan, Selection
from harness.runner.request import Check
from harness.runner.selection import SelectedRuns, select_runs
from harness.runner.store import cache_folder
from harness.suites.bundled import schemas_folder
from harness.suites.cases import read_case
from harness.suites.loading import Suite

__all__ = [
    "ReferenceCase",
    "ReferenceRequest",
    "run_reference",
    "read_cases",
    "schema_check",
    "plan_reference",
]


class ReferenceRequest(NamedTuple):
    """Suites, a selection of cases, the number of parallel runs, and a wall limit in seconds."""

    suites: tuple[str, ...]
    selection: Selection = Selection()
    jobs: int | None = None
    wall: float | None = None


class ReferenceCase(NamedTuple):
    """A case to run, its index in its suite, and whether it has no expected output yet."""

    at: int
    name: CaseName
    case: Case
    is_new: bool = False


def plan_reference(
    request: ReferenceRequest, command: tuple[str, ...] | None, verb: str
) -> tuple[list[Target], SelectedRuns]:
    """Return the targets, and the cases to run with the problems of both. Raises UsageError."""
    if command == ():
        raise UsageError("a command is missing after --")
    targets, problems = targets_of(matching_suites(request.suites), command, verb)
    for target in targets:
        if find_program(target.subject.command[0]) is None:
            raise UsageError(no_program_text(target.subject.command[0]))
    folder = cache_folder(os.environ)
    selected = select_runs(targets, request.selection, (Delivery.PLAIN,), folder)
    return targets, selected._replace(problems=(*problems, *selected.problems))


def read_cases(plan: Plan, target: Target) -> Iterator[tuple[int, CaseName, Case | InvalidCase]]:
    """Yield the cases of a target in a plan: index, name and case."""
    for planned in plan:
        if planned.target is target:
            yield planned.at, planned.name, read_case(target.suite, planned.name, planned.at)


def run_reference(
    cases: Iterable[ReferenceCase], subject: Subject, request: ReferenceRequest
) -> Iterator[tuple[ReferenceCase, Transcript]]:
    """Run the cases; yield each with its transcript, in the order in which the runs end."""
    program = find_program(subject.command[0]) or subject.command[0]
    argv = (program, *subject.command[1:])
    limited = (one._replace(case=_with_wall_limit(one.case, request.wall)) for one in cases)
    jobs = ((one, Job(argv, one.case.stdin, one.case.policy.limits)) for one in limited)
    parallel = request.jobs or os.cpu_count() or 1
    runs = run(jobs, parallel, dict(os.environ), sole_parent=True)
    # Close it explicitly: after an exception, subjects must not run until garbage collection.
    with closing(runs):
        yield from runs


def schema_check(suites: Sequence[Suite]) -> Check | None:
    """Return a check of cases, or None if no suite has an output schema. Raises UsageError."""
    if not any(suite.settings.output for suite in suites):
        return None
    # jsonschema takes 90 ms.
    from harness.suites.schema_checks import suite_schema_check  # pylint: disable=import-outside-toplevel

    return suite_schema_check(suites, schemas_folder())


def _with_wall_limit(case: Case, wall_s: float | None) -> Case:
    if wall_s is None:
        return case
    limits = case.policy.limits._replace(wall_s=wall_s)
    return case._replace(policy=case.policy._replace(limits=limits))

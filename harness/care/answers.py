"""The answers of programs to some cases, each fed plain: for commands that do not report a run, but
do something with what a program prints.

Starts the programs, through the process package; what is done with it all is decided elsewhere.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from typing import NamedTuple

from harness.events import Problem
from harness.lookup import find_program, no_program_text
from harness.process.loop import run
from harness.records import Case, InvalidCase, Job, Subject, Transcript
from harness.runs.deliveries import Delivery
from harness.runs.memory import memory_folder
from harness.runs.plan import Plan, Selection, Target
from harness.runs.selecting import choose
from harness.runs.session import Check
from harness.several.subjects import suites_meant
from harness.suites.bundled import schemas_folder
from harness.suites.corpus import CorpusError, Suite, read_case
from harness.suites.naming import CaseName
from harness.suites.targets import targets_of
from harness.usage import UsageFault

__all__ = ["Asked", "Asking", "Wanted", "answers", "read_cases", "schema_check", "wanted"]


class Asking(NamedTuple):
    """What is asked of which programs: suites, which of their cases, how many runs at once, and the
    seconds that override the suites' limit."""

    suites: tuple[str, ...]
    selection: Selection = Selection()
    jobs: int | None = None
    wall: float | None = None


class Asked(NamedTuple):
    """A case that is put to a program, its place among those of its suite, and whether it expects
    nothing yet."""

    at: int
    name: CaseName
    case: Case
    is_new: bool = False


class Wanted(NamedTuple):
    """The suites with their programs, which cases of them, what is wrong with what was asked, and
    what to say where nothing is selected and that is no fault."""

    targets: list[Target]
    plan: Plan
    problems: list[Problem]
    idle: str


def wanted(asking: Asking, command: tuple[str, ...] | None, verb: str) -> Wanted:
    """What was asked for, looked up. Raises UsageFault."""
    if command == ():
        raise UsageFault("no command stands behind --")
    targets, problems = targets_of(suites_meant(asking.suites), command, verb)
    for target in targets:
        if find_program(target.subject.command[0]) is None:
            raise UsageFault(no_program_text(target.subject.command[0]))
    folder = memory_folder(os.environ)
    chosen = choose(targets, asking.selection, (Delivery.PLAIN,), folder)
    return Wanted(targets, chosen.plan, [*problems, *chosen.problems], chosen.idle)


def read_cases(plan: Plan, target: Target) -> Iterator[tuple[int, CaseName, Case | InvalidCase]]:
    """The cases of a target that are in a plan, one after the other."""
    for planned in plan:
        if planned.target is target:
            yield planned.at, planned.name, read_case(target.suite, planned.name, planned.at)


def answers(
    asked: Iterable[Asked], subject: Subject, asking: Asking
) -> Iterator[tuple[Asked, Transcript]]:
    """Each case, with the limits that it was given, and what was observed, in the order in which
    the runs end."""
    program = find_program(subject.command[0]) or subject.command[0]
    argv = (program, *subject.command[1:])
    limited = (one._replace(case=_limited(one.case, asking.wall)) for one in asked)
    jobs = ((one, Job(argv, one.case.stdin, one.case.policy.limits)) for one in limited)
    parallel = asking.jobs or os.cpu_count() or 1
    runs = run(jobs, parallel, dict(os.environ), sole_parent=True)
    # Closed by name: an exception on the way must not leave subjects running until it is forgotten.
    with closing(runs):
        yield from runs


def schema_check(suites: Sequence[Suite]) -> Check | None:
    """What tells how a case breaks its suite's output schema; None: no suite has one. Raises
    UsageFault."""
    if not any(suite.settings.output for suite in suites):
        return None
    # jsonschema costs more than a small run: only suites with a schema pay.
    from harness.suites.contract import contracts_of  # pylint: disable=import-outside-toplevel

    try:
        return contracts_of(suites, schemas_folder())
    except CorpusError as problem:
        raise UsageFault(str(problem)) from None


def _limited(case: Case, wall_s: float | None) -> Case:
    if wall_s is None:
        return case
    limits = case.policy.limits._replace(wall_s=wall_s)
    return case._replace(policy=case.policy._replace(limits=limits))

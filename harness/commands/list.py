"""`xtest list`: the suites, their programs and titles, and their cases if they are asked for."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

import click

from harness.commands.common import HELP, refuse_command, selection_options
from harness.corpus import Suite
from harness.events import Problem
from harness.memory import memory_folder
from harness.naming import CaseName
from harness.plan import Plan, Selection, Target
from harness.records import Subject
from harness.report.text import listing_lines
from harness.selecting import choose, selection_of
from harness.session import EXIT_FAULT, EXIT_OK
from harness.targets import bundled_names, read_suites, targets_of
from harness.usage import UsageFault

__all__ = ["command"]


@click.command("list", context_settings=HELP)
@click.argument("suites", nargs=-1, metavar="[SUITE]...")
@click.option("--cases", "with_cases", is_flag=True, help="The names of the cases, too.")
@selection_options
@click.pass_obj
# One argument for each option.
def command(  # pylint: disable=too-many-arguments,too-many-locals
    subject: tuple[str, ...] | None,
    *,
    suites: tuple[str, ...],
    with_cases: bool,
    cases: tuple[str, ...],
    tags: tuple[str, ...],
    shard: str | None,
    failed: bool,
    new: bool,
) -> int:
    """List suites (the bundled ones, unless some are named): name, cases, program, title.

    With options that select cases, only these are counted. What --failed and --new mean depends on
    the subject: xtest list [SUITE]... --failed [-- COMMAND...]
    """
    selection = selection_of(cases, tags, shard, failed=failed, new=new)
    targets, problems = _targets(suites or tuple(bundled_names()), subject, selection)
    if selection == Selection():
        _print([target.suite for target in targets], None, with_cases=with_cases)
        return _told(problems, "")
    choice = choose(targets, selection, (), memory_folder(os.environ))
    chosen = _by_suite(choice.plan)
    listed = [target.suite for target in targets if target.suite.name in chosen]
    _print(listed, chosen, with_cases=with_cases)
    nothing = "" if chosen else f"nothing to list: {choice.idle or 'no case was selected'}"
    status = _told([*problems, *choice.problems], nothing)
    return status if chosen or choice.idle else EXIT_FAULT


def _targets(
    arguments: Sequence[str], subject: tuple[str, ...] | None, selection: Selection
) -> tuple[list[Target], list[Problem]]:
    """The suites; against a subject where the selection depends on one."""
    if selection.asks_memory:
        if subject == ():
            raise UsageFault("no command stands behind --")
        return targets_of(arguments, subject)
    refuse_command("list", subject)
    targets: list[Target] = []
    problems: list[Problem] = []
    for found, read in read_suites(arguments):
        if isinstance(read, Suite):
            targets.append(Target(read, found.argument, Subject("", ()), is_default_subject=True))
        else:
            problems.append(read)
    return targets, problems


def _by_suite(plan: Plan) -> dict[str, list[CaseName]]:
    """The cases of a plan, by the names of their suites."""
    chosen: dict[str, list[CaseName]] = {}
    for run in plan:
        chosen.setdefault(run.target.suite.name, []).append(run.name)
    return chosen


def _print(
    suites: list[Suite], chosen: dict[str, list[CaseName]] | None, *, with_cases: bool
) -> None:
    for line in listing_lines(suites, with_cases=with_cases, chosen=chosen):
        print(line)


def _told(problems: Sequence[Problem], nothing: str) -> int:
    """Say what is wrong, and that there is nothing to list; returns the exit status."""
    for problem in problems:
        print(f"xtest: {problem.where}: {problem.message}", file=sys.stderr)
    if nothing:
        print(f"xtest: {nothing}", file=sys.stderr)
    return EXIT_FAULT if problems else EXIT_OK

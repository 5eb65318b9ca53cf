"""`xtest list`: the suites, their programs and titles, and their cases if they are asked for."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

import click

from harness.commands.common import HELP, refuse_command, selection_options
from harness.events import Problem
from harness.lookup import find_config, need_config
from harness.records import Subject
from harness.report.text import listing_lines
from harness.runs.memory import memory_folder
from harness.runs.plan import Plan, Selection, Target
from harness.runs.selecting import choose, selection_of
from harness.runs.session import EXIT_FAULT, EXIT_OK
from harness.several.subjects import configured_suites, configured_targets, read_project
from harness.suites.corpus import Suite
from harness.suites.naming import CaseName
from harness.suites.targets import bundled_names, read_suites, targets_of
from harness.usage import UsageFault
from harness.words import visible

__all__ = ["command"]


@click.command("list", context_settings=HELP)
@click.argument("suites", nargs=-1, metavar="[SUITE]...")
@click.option("--cases", "with_cases", is_flag=True, help="The names of the cases, too.")
@click.option(
    "--subject",
    "subjects",
    multiple=True,
    metavar="NAME",
    help="What this subject of xtest.toml serves; a glob, or @TAG; repeatable.",
)
@selection_options
@click.pass_obj
# One argument for each option.
def command(  # pylint: disable=too-many-arguments,too-many-locals
    subject: tuple[str, ...] | None,
    *,
    suites: tuple[str, ...],
    subjects: tuple[str, ...],
    with_cases: bool,
    cases: tuple[str, ...],
    tags: tuple[str, ...],
    shard: str | None,
    failed: bool,
    new: bool,
) -> int:
    """List suites: name, cases, program, title. Unless some are named, these are those of
    xtest.toml, or the bundled ones where there is none.

    With options that select cases, only these are counted. What --failed and --new mean depends on
    the subject: xtest list [SUITE]... --failed [-- COMMAND...]
    """
    selection = selection_of(cases, tags, shard, failed=failed, new=new)
    targets, problems = _targets(suites, subject, subjects, selection)
    listed = {target.suite.name: target.suite for target in targets}
    if selection == Selection():
        _print(list(listed.values()), None, with_cases=with_cases)
        return _told(problems, "")
    choice = choose(targets, selection, (), memory_folder(os.environ))
    chosen = _by_suite(choice.plan)
    some = [suite for name, suite in listed.items() if name in chosen]
    _print(some, chosen, with_cases=with_cases)
    nothing = "" if chosen else f"nothing to list: {choice.idle or 'no case was selected'}"
    status = _told([*problems, *choice.problems], nothing)
    return status if chosen or choice.idle else EXIT_FAULT


def _targets(
    given: tuple[str, ...],
    subject: tuple[str, ...] | None,
    words: tuple[str, ...],
    selection: Selection,
) -> tuple[list[Target], list[Problem]]:
    """The suites; against subjects where these matter."""
    if subject is not None and (words or not selection.asks_memory):
        refuse_command("list", subject)
    if subject == ():
        raise UsageFault("no command stands behind --")
    path = need_config(f"--subject {visible(words[0])}") if words else find_config()
    project = read_project(path) if path is not None else None
    if project is not None and subject is None and (words or selection.asks_memory):
        return configured_targets(project, given, words)
    arguments = given if project is None else configured_suites(project, given)
    arguments = arguments or tuple(bundled_names())
    if selection.asks_memory:
        return targets_of(arguments, subject)
    targets: list[Target] = []
    problems: list[Problem] = []
    for found, read in read_suites(arguments):
        if isinstance(read, Suite):
            targets.append(Target(read, found.argument, Subject("", ()), is_default_subject=True))
        else:
            problems.append(read)
    return targets, problems


def _by_suite(plan: Plan) -> dict[str, list[CaseName]]:
    """The cases of a plan, each once, by the names of their suites."""
    chosen: dict[str, dict[int, CaseName]] = {}
    for run in plan:
        chosen.setdefault(run.target.suite.name, {})[run.at] = run.name
    return {name: [cases[at] for at in sorted(cases)] for name, cases in chosen.items()}


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

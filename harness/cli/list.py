"""`xtest list`: list suites and cases."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

import click

from harness.cli.common import (
    HELP,
    refuse_command,
    require_command,
    selection_options,
    subject_option,
)
from harness.cli.completers import complete_suites
from harness.model.case_names import CaseName
from harness.model.events import Diagnostic
from harness.model.exit_codes import ExitCode
from harness.model.subject import Subject
from harness.project.config import find_config, need_config
from harness.project.subjects import configured_suites, configured_targets, read_project
from harness.project.targets import Target, bundled_names, read_suites, targets_of
from harness.reports.terminal.event_text import listing_lines
from harness.runner.plan import Plan, Selection
from harness.runner.selection import select_runs, selection_of
from harness.runner.store import cache_folder
from harness.suites.loading import Suite
from harness.text import escape_ci_commands, escape_nonprintable

__all__ = ["command"]


@click.command("list", context_settings=HELP)
@click.argument("suites", nargs=-1, metavar="[SUITE]...", shell_complete=complete_suites)
@click.option("--cases", "with_cases", is_flag=True, help="List the names of the cases, too.")
@subject_option
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
    """List suites with their number of cases, program and title: xtest list [SUITE]...

    The default is the suites of xtest.toml, or the bundled suites without one. Options that select
    cases restrict the count. --failed and --new depend on the subject: xtest list [SUITE]...
    --failed [-- COMMAND...]
    """
    selection = selection_of(cases, tags, shard, failed=failed, new=new)
    targets, problems = _targets(suites, subject, subjects, selection)
    listed = {target.suite.name: target.suite for target in targets}
    if selection == Selection():
        _print(list(listed.values()), None, with_cases=with_cases)
        return _report_diagnostics(problems, "")
    selected = select_runs(targets, selection, (), cache_folder(os.environ))
    chosen = _by_suite(selected.plan)
    some = [suite for name, suite in listed.items() if name in chosen]
    _print(some, chosen, with_cases=with_cases)
    nothing = "" if chosen else f"nothing to list: {selected.idle or 'no case selected'}"
    status = _report_diagnostics([*problems, *selected.problems], nothing)
    return status if chosen or selected.idle else ExitCode.FAULT


def _targets(
    given: tuple[str, ...],
    subject: tuple[str, ...] | None,
    words: tuple[str, ...],
    selection: Selection,
) -> tuple[list[Target], list[Diagnostic]]:
    """Return the targets; their subjects are empty unless the selection depends on them."""
    if subject is not None and (words or not selection.needs_last_run):
        refuse_command("list", subject)
    require_command(subject)
    path = need_config(f"--subject {escape_nonprintable(words[0])}") if words else find_config()
    project = read_project(path) if path is not None else None
    if project is not None and subject is None and (words or selection.needs_last_run):
        return configured_targets(project, given, words)
    arguments = given if project is None else configured_suites(project, given)
    arguments = arguments or tuple(bundled_names())
    if selection.needs_last_run:
        return targets_of(arguments, subject)
    targets: list[Target] = []
    problems: list[Diagnostic] = []
    for found, read in read_suites(arguments):
        if isinstance(read, Suite):
            targets.append(Target(read, found.argument, Subject("", ()), is_default_subject=True))
        else:
            problems.append(read)
    return targets, problems


def _by_suite(plan: Plan) -> dict[str, list[CaseName]]:
    """Return the distinct cases of a plan by suite."""
    chosen: dict[str, dict[int, CaseName]] = {}
    for run in plan:
        chosen.setdefault(run.target.suite.name, {})[run.at] = run.name
    return {name: [cases[at] for at in sorted(cases)] for name, cases in chosen.items()}


def _print(
    suites: list[Suite], chosen: dict[str, list[CaseName]] | None, *, with_cases: bool
) -> None:
    for line in listing_lines(suites, with_cases=with_cases, chosen=chosen):
        print(escape_ci_commands(line))


def _report_diagnostics(problems: Sequence[Diagnostic], nothing: str) -> int:
    """Print what is wrong, and return the exit status."""
    for problem in problems:
        print(f"xtest: {problem.where}: {problem.message}", file=sys.stderr)
    if nothing:
        print(f"xtest: {nothing}", file=sys.stderr)
    return ExitCode.FAULT if problems else ExitCode.OK

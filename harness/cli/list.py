"""`xtest list`: list suites and cases."""

from __future__ import annotations

import os
import sys

import click

from harness.engine.plan import Plan, Selection
from harness.errors import UsageError
from harness.files import cache_folder
from harness.model.case_names import CaseName
from harness.model.events import Diagnostic
from harness.model.exit_codes import ExitCode
from harness.options import arguments, messages
from harness.options.command import Command, require_command
from harness.options.targets import print_stray_note
from harness.project.subjects import (
    configured_suites,
    configured_targets,
    discover_suites,
    find_project,
    need_project,
)
from harness.project.targets import Target, pair_suites, program_targets, targets_of
from harness.reports.terminal.suites import listing_lines, settings_json, settings_lines
from harness.reports.text.display import style_and_width
from harness.results.selection import select_runs
from harness.text import escape_ci_json, escape_nonprintable


@click.command("list", cls=Command, takes_command=True)
@arguments.suites_argument
@click.option("--cases", "with_cases", is_flag=True, help="List the names of the cases, too.")
@click.option(
    "--settings", "with_settings", is_flag=True, help="List each setting and its file instead."
)
@arguments.format_option("Readable text, or, with --settings, one JSON object [text].")
@arguments.subject_option
@arguments.selection_options
@click.pass_obj
def command(
    subject: tuple[str, ...] | None,
    *,
    suites: tuple[str, ...],
    subjects: tuple[str, ...],
    with_cases: bool,
    with_settings: bool,
    form: str,
    selection: Selection,
) -> int:
    """List suites with their number of cases, program and title: xtest list [SUITE]...

    The default is the suites of xtest.toml. Options that select cases restrict the count. --failed
    and --new depend on the subject: xtest list [SUITE]... --failed [-- COMMAND...]
    """
    if form == "json" and not with_settings:
        raise UsageError("--format json requires --settings")
    targets, problems = _targets(suites, subject, subjects, selection)
    listed = {target.suite.name: target.suite for target in targets}
    chosen: dict[str, list[CaseName]] | None = None
    why_nothing_ran = ""
    if selection != Selection():
        selected = select_runs(targets, selection, (), cache_folder(os.environ))
        chosen, why_nothing_ran = _by_suite(selected.plan), selected.why_nothing_ran
        problems += selected.problems
        listed = {name: suite for name, suite in listed.items() if name in chosen}
    style, width = style_and_width(sys.stdout)
    if form == "json":
        print(escape_ci_json(settings_json(listed.values())))
    elif with_settings:
        messages.print_lines(settings_lines(listed.values(), width))
    else:
        messages.print_lines(
            listing_lines([*listed.values()], chosen, style, width, with_cases=with_cases)
        )
    messages.print_problems(problems)
    print_stray_note(targets)
    if chosen == {}:
        messages.print_message(f"nothing to list: {why_nothing_ran or 'no case selected'}")
    return ExitCode.FAULT if problems or (chosen == {} and not why_nothing_ran) else ExitCode.OK


def _targets(
    named_suites: tuple[str, ...],
    subject: tuple[str, ...] | None,
    selectors: tuple[str, ...],
    selection: Selection,
) -> tuple[list[Target], list[Diagnostic]]:
    """Return the targets, and problems. Their subjects matter only to a selection by last runs."""
    if subject is not None and not selection.needs_last_run:
        raise UsageError("list takes a command after -- only with --failed or --new")
    if subject is not None and selectors:
        raise UsageError("--subject cannot be combined with a command after --")
    require_command(subject)
    option = f"--subject {escape_nonprintable(selectors[0])}" if selectors else ""
    project = need_project(option) if selectors else find_project()
    if project is not None and subject is None and (selectors or selection.needs_last_run):
        return configured_targets(project, named_suites, selectors)
    suites = discover_suites(project, named_suites, "list")
    if selection.needs_last_run:
        verb = "list --failed" if selection.failed else "list --new"
        return targets_of(configured_suites(project, named_suites), subject, verb)
    return pair_suites(suites, program_targets)


def _by_suite(plan: Plan) -> dict[str, list[CaseName]]:
    chosen: dict[str, dict[int, CaseName]] = {}
    for run in plan:
        chosen.setdefault(run.target.suite.name, {})[run.case_index] = run.name
    return {name: [cases[at] for at in sorted(cases)] for name, cases in chosen.items()}

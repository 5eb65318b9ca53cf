"""`xtest shrink`: make the input of a case small. Source: docs/howto/fuzz.md."""

from __future__ import annotations

from typing import Any

import click

from harness.errors import UsageError
from harness.fuzz.campaign import Campaign, run_cases
from harness.fuzz.command import FuzzOptions, conclude, prepare, subject_words, workload
from harness.model.case_names import pattern_of
from harness.model.exit_codes import ExitCode
from harness.options import arguments
from harness.options.command import Command
from harness.options.completers import complete_cases, complete_files, complete_subjects
from harness.options.execution import ExecutionOptions
from harness.suites.cases import BrokenCase, read_input
from harness.suites.loading import Suite
from harness.text import quote


@click.command("shrink", cls=Command, takes_command=True)
@arguments.required_suites_argument
@arguments.subject_option
@click.option(
    "--reference",
    metavar="NAME",
    shell_complete=complete_subjects,
    help="The subject of xtest.toml that is right.",
)
@click.option(
    "--case",
    "case",
    required=True,
    metavar="NAME",
    shell_complete=complete_cases,
    help="The case to shrink.",
)
@click.option(
    "--to",
    default="",
    metavar="SUITE",
    shell_complete=complete_files,
    help="Save the result as a case of this folder.",
)
@arguments.jobs_option
@arguments.wall_option
@arguments.rebuild_option
@arguments.retry_option("-j1")
@arguments.sandbox_options
@arguments.session_options
@click.pass_obj
@arguments.with_execution
def command(
    subject: tuple[str, ...] | None, /, *, execution: ExecutionOptions, case: str, **options: Any
) -> int:
    """Make the input of a case small: xtest shrink SUITE --case N --subject A [--subject B]

    What the case shows stays: with one subject, its crash, timeout or wrong output; with several,
    where they disagree.
    """
    given = FuzzOptions(**options)
    suites, setup = prepare(given, subject, execution)
    if len(suites) != 1:
        raise UsageError("shrink requires one suite")
    targets = suites[0]
    suite = targets[0].suite
    index, stdin = _input(suite, case)
    work = workload(targets, setup, given, execution, 0)
    campaign = Campaign()
    run_cases(work, [(index, stdin)], execution, campaign)
    repeat = ("xtest", "shrink", targets[0].argument, *subject_words(given), "--case", case)
    conclude(campaign, targets, given, repeat)
    if campaign.losses:
        return ExitCode.FAULT
    if not campaign.findings:
        print(f"{suite.name}/{case}: shows nothing to keep")
        return ExitCode.OK
    return ExitCode.FAILED


def _input(suite: Suite, case: str) -> tuple[int, bytes]:
    """Return the index of a case and its input. Raises UsageError."""
    for index, name in enumerate(suite.names):
        if pattern_of(name) == case:
            try:
                return index, read_input(suite, name, index)
            except BrokenCase as problem:
                raise UsageError(f"{suite.name}/{name.text}: {problem}") from None
    raise UsageError(f"--case {quote(case)}: no such case in {quote(suite.name)}")

"""`xtest shrink`: make the input of a case small. Source: docs/howto/fuzz.md."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import click

from harness.errors import UsageError
from harness.fuzz.campaign import Ranges, run_campaign
from harness.fuzz.command import (
    FuzzOptions,
    conclude,
    prepare,
    reference_option,
    subject_words,
    suite_for_findings,
    workload,
)
from harness.fuzz.making import make_inputs
from harness.jsonio.fast import decode
from harness.model.case_names import pattern_of
from harness.model.exit_codes import ExitCode
from harness.options import arguments
from harness.options.arguments import ExecutionOptions
from harness.options.command import Command
from harness.options.completers import complete_cases, complete_files
from harness.options.setup import Setup
from harness.project.targets import Target
from harness.suites.cases import BrokenCase, read_input
from harness.suites.loading import Suite
from harness.text import escape_nonprintable, quote

# A changed input has no expected output.
_REMEDY: Final = "name the program that is right: --subject NAME --reference NAME"


@click.command("shrink", cls=Command, takes_command=True)
@arguments.required_suites_argument
@arguments.subject_option
@reference_option
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
@arguments.execution_options
@arguments.session_mode_option
@arguments.cluster_options
@click.pass_obj
@arguments.with_execution
def command(
    subject: tuple[str, ...] | None, /, *, execution: ExecutionOptions, case: str, **values: Any
) -> int:
    """Make the input of a case small: xtest shrink SUITE --case N --subject A [--subject B]

    What the case shows stays: with several subjects, where they disagree; with one, its crash,
    timeout, or output that is not JSON or breaks the output schema.
    """
    options = FuzzOptions(**values)
    suites, setup = prepare(options, subject, execution, "shrink")
    if len(suites) != 1:
        raise UsageError("shrink requires one suite")
    with suite_for_findings(options) as options:
        return _shrink(suites[0], setup, options, execution, case)


def _shrink(
    targets: Sequence[Target],
    setup: Setup,
    options: FuzzOptions,
    execution: ExecutionOptions,
    case: str,
) -> int:
    suite = targets[0].suite
    existing = (_input(suite, case),)
    work = workload(targets, setup, options, execution, make_inputs(suite, 0), existing=existing)
    with setup.cluster as cluster:
        campaign = run_campaign(work, Ranges(1, 1), execution, cluster, examples=1)
    if not campaign.findings and not campaign.losses and len(targets) == 1:
        shown = f"{suite.name}/{case}: {targets[0].subject.shown} does not fail on its own"
        raise UsageError(f"{escape_nonprintable(shown)}; {_REMEDY}")
    repeat = ("xtest", "shrink", targets[0].argument, *subject_words(options), "--case", case)
    conclude(campaign, targets, options, repeat=repeat, case=case)
    if campaign.status is ExitCode.OK:
        print(f"{suite.name}/{case}: the subjects agree on it")
    return campaign.status


def _input(suite: Suite, case: str) -> bytes:
    """Return the input of a case. Raises UsageError."""
    for index, name in enumerate(suite.names):
        if pattern_of(name) == case:
            try:
                stdin = read_input(suite, name, index)
            except BrokenCase as problem:
                raise UsageError(f"{suite.name}/{name.text}: {problem}") from None
            if decode(stdin).fault is not None:
                raise UsageError(f"{suite.name}/{name.text}: not JSON; shrink changes JSON")
            return stdin
    raise UsageError(f"--case {quote(case)}: no such case in {quote(suite.name)}")

"""`xtest run`: run suites, show what happens, and write results and reports."""

from __future__ import annotations

from typing import Any

import click

from harness.options import arguments
from harness.options.command import Command, require_command, section
from harness.options.run_options import RunOptions, run_options
from harness.options.runs import run_suites


@click.command("run", cls=Command, takes_command=True)
@arguments.suites_argument
@section("Cases", arguments.subject_option)
@section(
    "Order and stopping",
    click.option("--watch", is_flag=True, help="Run again when files change, until Ctrl-C."),
)
@run_options
@click.pass_obj
@arguments.with_execution
def command(subject: tuple[str, ...] | None, /, watch: bool, **options: Any) -> int:
    """Run suites against a program: xtest run [SUITE]... [-- COMMAND...]

    A SUITE is a folder of N-in.json / N-out.json pairs, a folder of such folders, or the name of a
    bundled suite. The default is the suites of xtest.toml.
    """
    require_command(subject)
    if watch:
        # Importing watchfiles takes 80 ms.
        from harness.cli.watch import watch_runs  # pylint: disable=import-outside-toplevel

        return watch_runs(RunOptions(**options), subject)
    return run_suites(RunOptions(**options), subject)

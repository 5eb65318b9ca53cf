"""`xtest demo`: run the bundled suites against their own programs."""

from __future__ import annotations

from typing import Any

import click

from harness.options import arguments
from harness.options.command import Command
from harness.options.completers import complete_bundled_suites
from harness.options.run_options import RunOptions, run_options
from harness.options.runs import run_suites


@click.command("demo", cls=Command)
@click.argument("suites", nargs=-1, metavar="[NAME]...", shell_complete=complete_bundled_suites)
@run_options
@arguments.with_execution
def command(**options: Any) -> int:
    """Run the bundled suites, or some of them: xtest demo [NAME]..."""
    return run_suites(RunOptions(**options), None, bundled=True)

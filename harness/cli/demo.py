"""`xtest demo`: run the bundled suites against their own programs."""

from __future__ import annotations

from typing import Any

import click

from harness.cli.run import run_suites
from harness.cli.run_options import RunOptions, run_options
from harness.options import common
from harness.options.completers import complete_bundled_suites


@click.command("demo", cls=common.Command)
@click.argument("suites", nargs=-1, metavar="[NAME]...", shell_complete=complete_bundled_suites)
@run_options
def command(**options: Any) -> int:
    """Run the bundled suites, or some of them: xtest demo [NAME]..."""
    return run_suites(RunOptions(**options, bundled=True), None)

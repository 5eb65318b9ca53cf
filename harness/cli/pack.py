"""`xtest pack`: write a suite's pairs of files as one file. Source: docs/import.md."""

from __future__ import annotations

from pathlib import Path

import click

from harness.authoring.packing import pack
from harness.options import arguments
from harness.options.command import Command
from harness.options.completers import complete_suites


@click.command("pack", cls=Command)
@click.argument("suite", shell_complete=complete_suites)
@click.option(
    "-o",
    "--output",
    type=click.Path(),
    callback=arguments.refuse_empty,
    metavar="FILE",
    help="Where to write [standard output].",
)
@click.option("--force", is_flag=True, help="Replace FILE.")
def command(suite: str, output: str | None, force: bool) -> None:
    """Write a suite's pairs of files as one file, one case per line.

    To use the file as a suite, name it cases.jsonl, in a folder with a copy of suite.toml.
    """
    summary = pack(suite, None if output is None else Path(output), force=force)
    if summary:
        print(summary)

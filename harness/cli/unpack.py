"""`xtest unpack`: write a packed suite as pairs of files. Source: docs/import.md."""

from __future__ import annotations

from pathlib import Path

import click

from harness.authoring.packing import unpack
from harness.options import arguments
from harness.options.command import Command
from harness.options.completers import complete_suites_or_files


@click.command("unpack", cls=Command)
@click.argument("packed", metavar="FILE|SUITE", shell_complete=complete_suites_or_files)
@click.option(
    "-o",
    "--output",
    type=click.Path(),
    callback=arguments.refuse_empty,
    required=True,
    metavar="FOLDER",
    help="Where to write the pairs.",
)
@click.option(
    "--force", is_flag=True, help="Write into a FOLDER that is not empty, and overwrite files."
)
def command(packed: str, output: str, force: bool) -> None:
    """Write a packed file or suite as pairs of files, byte for byte."""
    print(unpack(packed, Path(output), force=force))

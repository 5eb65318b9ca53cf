"""`xtest unpack`: write a packed suite as pairs of files. Source: docs/packed.md."""

from __future__ import annotations

from pathlib import Path

import click

from harness.authoring.packing import unpack
from harness.cli.common import HELP, refuse_command
from harness.cli.completers import complete_files, complete_suites_or_files
from harness.errors import UsageError
from harness.model.exit_codes import ExitCode
from harness.suites.bundled import test_cases_folder
from harness.suites.loading import CorpusError

__all__ = ["command"]


@click.command("unpack", context_settings=HELP)
@click.argument("packed", metavar="FILE|SUITE", shell_complete=complete_suites_or_files)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    required=True,
    metavar="FOLDER",
    shell_complete=complete_files,
    help="Where to write the pairs.",
)
@click.option(
    "--force", is_flag=True, help="Write into a FOLDER that is not empty, and overwrite files."
)
@click.pass_obj
def command(subject: tuple[str, ...] | None, packed: str, output: Path, force: bool) -> int:
    """Write a packed file or suite as pairs of files, byte for byte."""
    refuse_command("unpack", subject)
    try:
        print(unpack(packed, test_cases_folder(), output, force=force))
    except CorpusError as problem:
        raise UsageError(str(problem)) from None
    return ExitCode.OK

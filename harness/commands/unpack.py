"""`xtest unpack`: the pairs of files of a packed suite."""

from __future__ import annotations

from pathlib import Path

import click

from harness.commands.common import HELP, refuse_command
from harness.runs.session import EXIT_OK
from harness.suites.bundled import test_cases_folder
from harness.suites.corpus import CorpusError
from harness.suites.pack_command import PackRefusal, unpack
from harness.usage import UsageFault

__all__ = ["command"]


@click.command("unpack", context_settings=HELP)
@click.argument("packed", metavar="FILE|SUITE")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    required=True,
    metavar="FOLDER",
    help="Where to write the pairs.",
)
@click.option("--force", is_flag=True, help="Write into a FOLDER that has files, over same names.")
@click.pass_obj
def command(subject: tuple[str, ...] | None, packed: str, output: Path, force: bool) -> int:
    """Make pairs of files of a packed file, or of a packed suite's, byte for byte."""
    refuse_command("unpack", subject)
    try:
        print(unpack(packed, test_cases_folder(), output, force=force))
    except (CorpusError, PackRefusal) as problem:
        raise UsageFault(str(problem)) from None
    return EXIT_OK

"""`xtest pack`, `xtest unpack` and `xtest import`: write suites in other forms.

Sources: docs/packed.md, docs/import.md.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import click

from harness.authoring import packing
from harness.authoring.importing import IMPORTERS, import_suite
from harness.cli import common
from harness.cli.completers import complete_suites, complete_suites_or_files
from harness.model.exit_codes import ExitCode
from harness.text import escape_ci_commands, escape_nonprintable, pluralize

_PATH: Final = click.Path(path_type=Path)


@click.command("pack", cls=common.Command)
@click.argument("suite", shell_complete=complete_suites)
@click.option(
    "-o",
    "--output",
    type=_PATH,
    metavar="FILE",
    help="Where to write [standard output].",
)
@click.option("--force", is_flag=True, help="Replace FILE.")
def pack(suite: str, output: Path | None, force: bool) -> None:
    """Write a suite's pairs of files as one file, one case per line.

    To use the file as a suite, name it cases.jsonl, in a folder with a copy of suite.toml.
    """
    summary = packing.pack(suite, output, force=force)
    if summary:
        print(summary)


@click.command("unpack", cls=common.Command)
@click.argument("packed", metavar="FILE|SUITE", shell_complete=complete_suites_or_files)
@click.option(
    "-o",
    "--output",
    type=_PATH,
    required=True,
    metavar="FOLDER",
    help="Where to write the pairs.",
)
@click.option(
    "--force", is_flag=True, help="Write into a FOLDER that is not empty, and overwrite files."
)
def unpack(packed: str, output: Path, force: bool) -> None:
    """Write a packed file or suite as pairs of files, byte for byte."""
    print(packing.unpack(packed, output, force=force))


@click.command("import", cls=common.Command)
@click.argument("form", metavar="FORMAT", type=click.Choice(list(IMPORTERS)))
@click.argument("source", type=_PATH)
@click.option(
    "--to",
    "folder",
    type=_PATH,
    required=True,
    help="The folder to write.",
)
def import_command(form: str, source: Path, folder: Path) -> int:
    """Write a suite from cases of another format: xtest import FORMAT SOURCE --to FOLDER

    FORMAT is folders, json-schema, exercism, toml-test or problem. It lists the cases that it
    leaves out, with reasons. The suite is packed; xtest unpack turns it into files.
    """
    number, left = import_suite(form, source, folder)
    for each in left:
        print(escape_ci_commands(f"not taken  {escape_nonprintable(each.where)}: {each.reason}"))
    where = f" written to {escape_nonprintable(str(folder))}" if number else ""
    rest = f"; {len(left):,} not taken" if left else ""
    print(f"{pluralize(number, 'case')}{where}{rest}")
    return ExitCode.OK if number else ExitCode.FAULT

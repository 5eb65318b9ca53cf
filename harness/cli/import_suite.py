"""`xtest import`: write a suite from cases of another format. Source: docs/import.md."""

from __future__ import annotations

from pathlib import Path

import click

from harness.authoring.importing import IMPORTERS, import_suite
from harness.errors import UsageError
from harness.model.exit_codes import ExitCode
from harness.options import arguments
from harness.options.command import Command
from harness.text import escape_ci_commands, escape_nonprintable, pluralize


@click.command("import", cls=Command)
@click.argument("form", metavar="FORMAT", type=click.Choice(list(IMPORTERS)))
@click.argument("source", type=click.Path(path_type=Path))
@click.option(
    "--to",
    "folder",
    type=click.Path(),
    callback=arguments.refuse_empty,
    required=True,
    help="The folder to write.",
)
def command(form: str, source: Path, folder: str) -> int:
    """Write a suite from cases of another format: xtest import FORMAT SOURCE --to FOLDER

    FORMAT is folders, json-schema, exercism, toml-test or problem. Cases that cannot be
    imported are listed with the reason. The suite is packed; xtest unpack turns it into files.
    """
    number, skipped = import_suite(form, source, Path(folder))
    if not number and not skipped:
        raise UsageError(
            f"{escape_nonprintable(str(source))}: contains no cases in the {form} format"
        )
    for each in skipped:
        print(escape_ci_commands(f"not imported  {escape_nonprintable(each.where)}: {each.reason}"))
    where = f" written to {escape_nonprintable(folder)}" if number else ""
    rest = f"; {len(skipped):,} not imported" if skipped else ""
    print(f"{pluralize(number, 'case')}{where}{rest}")
    return ExitCode.OK if number else ExitCode.FAULT

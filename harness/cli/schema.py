"""`xtest schema`: print the JSON Schema of a file that people or programs write or read."""

from __future__ import annotations

import json

import click

from harness.authoring.project_files import format_names, format_schema
from harness.errors import UsageError
from harness.options.command import Command
from harness.options.completers import completer
from harness.text import did_you_mean, quote


@click.command("schema", cls=Command)
@click.argument(
    "name",
    required=False,
    metavar="[NAME]",
    shell_complete=completer(lambda _ctx, _word: format_names()),
)
def command(name: str | None) -> None:
    """Print the JSON Schema of a file format: xtest schema suite

    Without NAME, list the formats, such as those of suite.toml, xtest.toml, results and reports.
    """
    names = format_names()
    if name is None:
        width = max(map(len, names))
        for each in names:
            print(f"{each:{width}}  {json.loads(format_schema(each))['title']}")
    elif name in names:
        print(format_schema(name).decode(), end="")
    else:
        raise UsageError(f"schema {quote(name)}: no such format; {did_you_mean(name, names)}")

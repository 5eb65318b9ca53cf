"""`xtest schema`: print the JSON Schema of a file that people or programs write or read."""

from __future__ import annotations

import json

import click
from click.shell_completion import CompletionItem

from harness.cli import common
from harness.errors import UsageError
from harness.project.editor_schemas import format_names, format_schema
from harness.text import did_you_mean, quote


def _complete(
    _ctx: click.Context, _parameter: click.Parameter, incomplete: str
) -> list[CompletionItem[str]]:
    return [CompletionItem(name) for name in format_names() if name.startswith(incomplete)]


@click.command("schema", context_settings=common.HELP)
@click.argument("name", required=False, metavar="[NAME]", shell_complete=_complete)
@common.without_command
def command(name: str | None) -> int:
    """Print the JSON Schema of a file format: xtest schema suite

    Without NAME, it lists the formats: those of suite.toml and xtest.toml, of results and reports.
    """
    names = format_names()
    if name is None:
        width = max(map(len, names))
        for each in names:
            print(f"{each:{width}}  {json.loads(format_schema(each))['title']}")
        return 0
    if name not in names:
        raise UsageError(f"schema {quote(name)}: no such format; {did_you_mean(name, names)}")
    print(format_schema(name).decode(), end="")
    return 0

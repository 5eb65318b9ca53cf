"""`xtest init`, `xtest schema` and `xtest completion`: set up a project, editors and shells."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from pathlib import Path

import click
from click.shell_completion import get_completion_class

from harness.authoring.project_files import (
    SCHEMAS_FOLDER,
    format_names,
    format_schema,
    render_config,
    write_schemas,
)
from harness.cli import common
from harness.cli.completers import complete_formats
from harness.errors import CANNOT_WRITE, UsageError, usage_errors
from harness.files import atomic_write, write_new_files
from harness.model.case_names import CONFIG_FILE
from harness.project.xtest_toml import find_config
from harness.suites.discovery import find_suites
from harness.suites.loading import CorpusError
from harness.text import did_you_mean, escape_nonprintable, pluralize, quote


@click.command("init", cls=common.Command, takes_command=True)
@click.option("--force", is_flag=True, help="Overwrite an existing xtest.toml.")
@click.pass_obj
def init(subject: tuple[str, ...] | None, /, force: bool) -> None:
    """Write a commented xtest.toml into this folder: xtest init [-- COMMAND...]

    It lists the suites below this folder, and COMMAND as the first subject. The folder .xtest gets
    the schemas by which editors complete and check xtest.toml and suite.toml.
    """
    common.require_command(subject)
    suites = []
    with suppress(CorpusError):  # no suite below this folder, or an unreadable folder
        suites = [os.path.relpath(folder) for folder in find_suites(".")]
    try:
        text = render_config(suites, subject or ()).encode()
    except UnicodeEncodeError:
        raise UsageError(
            "init: xtest.toml cannot hold a folder name or command that is not UTF-8"
        ) from None
    hidden = find_config()
    _write_config(text, force=force)
    if hidden is not None and os.path.dirname(hidden) != os.getcwd():
        above = escape_nonprintable(os.path.relpath(hidden))
        common.print_note(f"in this folder, it is used instead of {above}")
    have = f"{pluralize(len(suites), 'suite')}, {pluralize(1 if subject else 0, 'subject')}"
    print(f"written: {CONFIG_FILE} ({have})")


def _write_config(text: bytes, *, force: bool) -> None:
    path = Path(CONFIG_FILE)
    with usage_errors(CONFIG_FILE, CANNOT_WRITE):
        try:
            if force:
                atomic_write(path, lambda file: file.write(text))
            else:
                write_new_files({path: text})
        except FileExistsError:
            raise UsageError(f"{CONFIG_FILE} exists; init --force overwrites it") from None
    with usage_errors(SCHEMAS_FOLDER, CANNOT_WRITE):
        write_schemas()


@click.command("schema", cls=common.Command)
@click.argument("name", required=False, metavar="[NAME]", shell_complete=complete_formats)
def schema(name: str | None) -> None:
    """Print the JSON Schema of a file format: xtest schema suite

    Without NAME, it lists the formats: those of suite.toml and xtest.toml, of results and reports.
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


@click.command("completion", cls=common.Command)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]), metavar="bash|zsh|fish")
def completion(shell: str) -> None:
    """Print the completion script for a shell: source <(xtest completion bash)

    zsh: source <(xtest completion zsh), after compinit. fish: xtest completion fish | source.
    To have it in every shell, put that line into ~/.bashrc, ~/.zshrc or ~/.config/fish/config.fish.
    """
    script = get_completion_class(shell)
    assert script is not None, "click.Choice accepts only shells that click completes"
    root = click.get_current_context().find_root().command
    click.echo(script(root, {}, "xtest", "_XTEST_COMPLETE").source())

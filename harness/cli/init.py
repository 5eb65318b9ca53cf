"""`xtest init`: write the first xtest.toml of a project."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

import click

from harness.authoring.project_files import SCHEMAS_FOLDER, render_config, write_schemas
from harness.errors import CANNOT_WRITE, UsageError, usage_errors
from harness.files import write_in, write_new_files
from harness.model.case_names import CONFIG_FILE
from harness.options import messages
from harness.options.command import Command, require_command
from harness.project.xtest_toml import find_config
from harness.suites.discovery import find_suites
from harness.suites.loading import CorpusError
from harness.text import escape_nonprintable, pluralize


@click.command("init", cls=Command, takes_command=True)
@click.option("--force", is_flag=True, help="Overwrite an existing xtest.toml.")
@click.pass_obj
def command(subject: tuple[str, ...] | None, /, force: bool) -> None:
    """Write a commented xtest.toml into this folder: xtest init [-- COMMAND...]

    It lists the suites below this folder, and COMMAND as the first subject. The folder .xtest gets
    the schemas with which editors complete and check xtest.toml and suite.toml.
    """
    require_command(subject)
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
    _write(text, force=force)
    if hidden is not None and os.path.dirname(hidden) != os.getcwd():
        above = escape_nonprintable(os.path.relpath(hidden))
        messages.print_note(f"this folder no longer uses {above}, but its own xtest.toml")
    have = f"{pluralize(len(suites), 'suite')}, {pluralize(1 if subject else 0, 'subject')}"
    lacks = [name for name, has in (("suites", suites), ("programs", subject)) if not has]
    todo = f"; name your {' and '.join(lacks)} in it" if lacks else ""
    print(f"written: {CONFIG_FILE} ({have}){todo}")


def _write(text: bytes, *, force: bool) -> None:
    path = Path(CONFIG_FILE)
    if not force and os.path.lexists(path):
        raise UsageError(f"{CONFIG_FILE} exists; init --force overwrites it")
    with usage_errors(SCHEMAS_FOLDER, CANNOT_WRITE):
        write_schemas()
    with usage_errors(CONFIG_FILE, CANNOT_WRITE):
        if force:
            write_in(Path(), CONFIG_FILE, [text])
        else:
            write_new_files({path: text})

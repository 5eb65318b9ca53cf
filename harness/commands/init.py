"""`xtest init`: writes the first xtest.toml of a project."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Final

import click

from harness.care.wholefile import write_whole
from harness.care.writing import write_new
from harness.commands.common import HELP
from harness.lookup import find_config
from harness.several.starting import first_config
from harness.suites.bundled import test_cases_folder
from harness.suites.corpus import CorpusError, find_suites
from harness.suites.naming import CONFIG_FILE
from harness.usage import UsageFault
from harness.words import count_of, visible

__all__ = ["command"]

_HERE: Final = "."


@click.command("init", context_settings=HELP)
@click.option("--force", is_flag=True, help="Also over an xtest.toml that is there.")
@click.pass_obj
def command(subject: tuple[str, ...] | None, /, force: bool) -> int:
    """Write a commented xtest.toml into this folder: xtest init [-- COMMAND...]

    It has the suites below this folder, and COMMAND as its first subject.
    """
    if subject == ():
        raise UsageFault("no command stands behind --")
    suites = _suites()
    try:
        text = first_config(suites, subject or ()).encode()
    except UnicodeEncodeError:
        raise UsageFault(
            "init: xtest.toml is UTF-8, and a name here or the command is not"
        ) from None
    hidden = find_config()
    _write(text, force=force)
    if hidden is not None and os.path.dirname(hidden) != os.getcwd():
        above = visible(os.path.relpath(hidden))
        print(f"xtest: note: in this folder, it stands for {above}", file=sys.stderr)
    have = f"{count_of(len(suites), 'suite')}, {count_of(1 if subject else 0, 'subject')}"
    print(f"written: {CONFIG_FILE} ({have})")
    return 0


def _suites() -> list[str]:
    """The suites below this folder; the folder itself, where it is one."""
    try:
        return [os.path.relpath(folder) for _, folder in find_suites(_HERE, test_cases_folder())]
    except CorpusError:  # there is none, or somewhere we may not look
        return []


def _write(text: bytes, *, force: bool) -> None:
    path = Path(CONFIG_FILE)
    try:
        if force:
            write_whole(path, lambda file: file.write(text))
        else:
            write_new({path: text})
    except FileExistsError:
        raise UsageFault(f"{CONFIG_FILE} is there already; init --force writes it anew") from None
    except OSError as problem:
        why = (problem.strerror or "cannot be written").lower()
        raise UsageFault(f"{CONFIG_FILE}: {why}") from None

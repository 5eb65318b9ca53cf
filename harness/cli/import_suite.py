"""`xtest import`: write a suite from cases of another format. Source: docs/import.md."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import click

from harness.authoring.importing.registry import IMPORTERS
from harness.authoring.importing.suite import import_suite
from harness.authoring.importing.update import Change, update_suite
from harness.errors import UsageError
from harness.model.case_names import natural
from harness.model.exit_codes import ExitCode
from harness.options import arguments
from harness.options.command import Command
from harness.suites.packed import PackedCase
from harness.text import escape_ci_commands, escape_nonprintable, pluralize

_ARCHIVES = (".zip", ".kpp", ".tar", ".gz", ".tgz", ".xz", ".bz2", ".7z")
_NAMES = list(IMPORTERS)


@click.command(
    "import",
    cls=Command,
    help="Write a suite from cases of another format: xtest import FORMAT SOURCE --to FOLDER\n\n"
    f"FORMAT is {', '.join(_NAMES[:-1])} or {_NAMES[-1]}. What cannot be imported is listed with"
    " the reason. The suite is packed, unless --pairs asks for files.",
)
@click.argument("form", metavar="FORMAT", type=click.Choice(_NAMES))
@click.argument("source", type=click.Path(path_type=Path))
@click.option(
    "--to",
    "folder",
    type=click.Path(),
    callback=arguments.refuse_empty,
    required=True,
    help="The folder to write.",
)
@click.option("--pairs", is_flag=True, help="Write a pair of files for each case.")
@click.option(
    "--update",
    is_flag=True,
    help="Bring an imported suite up to date, list what changes, and keep what was edited.",
)
def command(form: str, source: Path, folder: str, *, pairs: bool, update: bool) -> int:
    if os.path.isfile(source) and source.suffix.lower() in _ARCHIVES:
        shown = escape_nonprintable(str(source))
        raise UsageError(f"{shown}: an archive; unpack it, and name its folder")
    if update:
        cases, changes, skipped = update_suite(form, source, Path(folder))
        _print_changes(changes)
    else:
        cases, skipped = import_suite(form, source, Path(folder), as_pairs=pairs)
    if not cases and not skipped:
        raise UsageError(
            f"{escape_nonprintable(str(source))}: contains no cases in the {form} format"
        )
    for each in skipped:
        where = escape_nonprintable(each.where)
        print(escape_ci_commands(f"not imported  {where}: {escape_nonprintable(each.reason)}"))
    _print_tags(cases)
    where = f" written to {escape_nonprintable(folder)}" if cases else ""
    rest = f"; {len(skipped):,} not imported" if skipped else ""
    print(f"{pluralize(len(cases), 'case')}{where}{rest}")
    return ExitCode.OK if cases else ExitCode.FAULT


def _print_tags(cases: Sequence[PackedCase]) -> None:
    """Print how many cases have each tag: what `--tag` and `skip` can select."""
    counts = Counter(tag for case in cases if case.own for tag in case.own.tags or ())
    tags = sorted(counts, key=natural)
    if tags:
        print(f"tags: {', '.join(f'{escape_nonprintable(tag)} ({counts[tag]:,})' for tag in tags)}")


def _print_changes(changes: list[Change]) -> None:
    for each in changes:
        case = escape_nonprintable(each.case)
        note = f": {escape_nonprintable(each.note)}" if each.note else ""
        print(escape_ci_commands(f"{each.kind:<12}  {case}{note}"))
    counts = Counter(each.kind for each in changes)
    print(", ".join(f"{many:,} {kind}" for kind, many in counts.items()) or "nothing changed")

"""`xtest known`: list or write known failures of an implementation. Source: docs/known.md."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import click

from harness.authoring.known_changes import AbsentCases, known_changes, known_text
from harness.errors import UsageError, usage_errors
from harness.files import atomic_write
from harness.model.events import RunResult
from harness.model.exit_codes import ExitCode
from harness.options.command import Command
from harness.options.completers import complete_files, complete_subjects
from harness.options.targets import reference_subject
from harness.project.known_file import KnownCases, read_known_file
from harness.project.subjects import (
    Project,
    configured_suites,
    known_key,
    known_path,
)
from harness.reports.source import source_of
from harness.suites.discovery import resolve_suites
from harness.suites.loading import CorpusError, Suite, read_suite
from harness.text import escape_ci_commands, escape_nonprintable, pluralize, quote, to_utf8_text


@click.command("known", cls=Command)
@click.argument("files", nargs=-1, required=True, metavar="FILE...", shell_complete=complete_files)
@click.option(
    "--subject",
    "name",
    required=True,
    metavar="NAME",
    shell_complete=complete_subjects,
    help="The subject of xtest.toml.",
)
@click.option("--write", is_flag=True, help="Write the file that the subject's key `known` names.")
@click.option(
    "--reason", default="not examined yet", help="The reason in new entries [not examined yet]."
)
@click.option("--link", default="", metavar="URL", help="The link in new entries.")
def command(files: tuple[str, ...], name: str, write: bool, reason: str, link: str) -> int:
    """List or write the known failures of a subject: xtest known FILE... --subject NAME

    Each FILE was written by xtest run --results. New failures are added; cases that pass, or that
    their suites do not have, are removed; cases that did not run stay. Without --write, the exit
    status is 1 if the file is out of date.
    """
    if not reason:
        raise UsageError("--reason: the text is empty; say why the cases fail")
    project, (name, *_) = reference_subject((name,), None)
    path = known_path(project, name)
    tables = read_known_file(path, known_key(project, name))
    updated, changes = known_changes(
        tables,
        _runs_of(name, files),
        to_utf8_text(reason),
        to_utf8_text(link),
        _absent_cases(project, tables),
    )
    for change in changes:
        text = f"{change.kind:<7}  {change.suite}/{change.case}  {change.message}"
        print(escape_ci_commands(escape_nonprintable(text)))
    number = pluralize(sum(len(table.cases) for table in updated), "known failure")
    writes = write and (bool(changes) or not os.path.exists(path))
    ending = "written" if writes else "out of date; add --write" if changes else "up to date"
    if writes:
        with usage_errors(escape_nonprintable(os.path.relpath(path))):
            os.makedirs(os.path.dirname(path), exist_ok=True)
            atomic_write(Path(path), [known_text(name, updated).encode()])
    print(f"{escape_nonprintable(os.path.relpath(path))}: {number}, {ending}")
    return ExitCode.FAILED if changes and not write else ExitCode.OK


def _absent_cases(project: Project, tables: Sequence[KnownCases]) -> AbsentCases:
    """Return the listed cases and suites that the project does not have."""

    def absent(suite: Suite) -> Iterator[tuple[str, str]]:
        listed = [case for table in tables if table.suite == suite.name for case in table.cases]
        names = set(suite.name_texts if listed else ())
        return ((suite.name, case) for case in listed if case not in names)

    cases: list[tuple[str, str]] = []
    absent_suites = set[str]()
    with suppress(CorpusError):
        suites = resolve_suites(configured_suites(project, ()))
        absent_suites = {table.suite for table in tables} - {one.name for one in suites}
        for one in suites:
            with suppress(CorpusError):  # of a suite that cannot be read, nothing is known
                cases += absent(read_suite(one.name, one.folder))
    return AbsentCases(cases, absent_suites)


def _runs_of(name: str, files: tuple[str, ...]) -> list[RunResult]:
    events = source_of(files, shown={})()  # not titles
    runs = [each for each in events if isinstance(each, RunResult) and each.subject == name]
    if not runs:
        raise UsageError(f"known: {quote(name)} has no runs in these files")
    return runs

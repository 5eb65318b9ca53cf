"""`xtest report`: make reports of earlier runs from their results files."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from pathlib import Path

import click

from harness.analysis.summary import summary_of
from harness.errors import UsageError, usage_errors
from harness.model.events import Event, RunStarted
from harness.model.exit_codes import ExitCode
from harness.model.suite_info import Audience
from harness.options import arguments, messages
from harness.options.command import Command
from harness.options.completers import (
    complete_files,
    complete_reported_subjects,
    complete_reported_suites,
    complete_reports,
    complete_suites,
)
from harness.project.roster import Roster, read_roster
from harness.project.subjects import suite_arguments
from harness.reports.filter import ReportFilter, filter_source
from harness.reports.gradebook import gradebook
from harness.reports.per_subject import file_stems, sources_by_subject
from harness.reports.registry import FORMATS, STDOUT, ReportRequest, parse_report_option
from harness.reports.source import Source, names_in, source_of
from harness.reports.text.phrases import partial_note
from harness.reports.visibility import present_visibility
from harness.reports.writer import check_reports, make_reports, write_document
from harness.suites.discovery import resolve_suites
from harness.suites.loading import CorpusError
from harness.text import escape_nonprintable, pluralize

_OPTION = "--to"
_GRADEBOOK = "csv"  # wide with a roster; it has no room for remarks


@click.command("report", cls=Command)
@click.argument("files", nargs=-1, required=True, metavar="FILE...", shell_complete=complete_files)
@arguments.repeatable(
    _OPTION,
    "reports",
    "NAME[=FILE]",
    complete_reports,
    f"{', '.join(FORMATS)}; to standard output without FILE",
    required=True,
)
@arguments.repeatable(
    "--subject",
    "subjects",
    "NAME",
    complete_reported_subjects,
    "Only runs of this subject: a name or a glob",
)
@arguments.repeatable(
    "--suite",
    "suites",
    "NAME",
    complete_reported_suites,
    "Only runs of this suite: a name or a glob",
)
@arguments.repeatable(
    "--draw",
    "drawn",
    "SUITE",
    complete_suites,
    "Draw pictures for html with the renderer of this suite",
)
@arguments.audience_option
@click.option(
    "--roster",
    metavar="FILE",
    shell_complete=complete_files,
    help="Titles of subjects; csv has a row for each row of this CSV file, a column for each"
    " suite.",
)
@click.option(
    "--each",
    "folder",
    metavar="FOLDER",
    shell_complete=complete_files,
    help="Write the reports of each subject into FOLDER; give --to without FILE.",
)
def command(
    *,
    files: tuple[str, ...],
    reports: tuple[str, ...],
    subjects: tuple[str, ...],
    suites: tuple[str, ...],
    drawn: tuple[str, ...],
    audience: str,
    roster: str | None,
    folder: str | None,
) -> int:
    """Make reports of earlier runs: xtest report FILE... --to NAME[=FILE]

    Each FILE was written by xtest run --results. If several runs judged the same case, the latest
    counts. The exit status is 0 if the reports were made, whatever they say.
    """
    draws = _folders(drawn)
    listed = None if roster is None else read_roster(roster)
    revise = _revision(listed, files if _hides_cases(reports, audience) else ())
    selected = ReportFilter(_shown_subjects(files, subjects, revise), suites)
    # Check the names of subjects and suites before anything is written.
    source = filter_source(source_of(files, revise=revise), selected)
    if any(word.partition("=")[0] == _GRADEBOOK for word in reports):
        _note_omissions(source)
    if folder is not None:
        sources = sources_by_subject(files, selected, revise)
        return _report_each(sources, _format_names(reports), folder, draws, Audience(audience))
    wanted = check_reports(reports, _OPTION, sources=files, default_file=STDOUT)
    if listed is not None:
        wanted = _without_gradebooks(wanted, source, listed)
    return messages.print_failures(make_reports(wanted, source, draws, Audience(audience)))


def _revision(roster: Roster | None, files: Sequence[str]) -> Callable[[Event], Event]:
    """Return a function that gives events the titles of a roster, and of files, the visibility that
    their suites declare now."""
    titles = {} if roster is None else roster.titles
    visibility = present_visibility(files)

    def revise(event: Event) -> Event:
        if isinstance(event, RunStarted):
            subjects = (
                each._replace(title=titles.get(each.name, each.title)) for each in event.subjects
            )
            event = event._replace(subjects=tuple(subjects))
        return visibility(event)

    return revise


def _shown_subjects(
    files: Sequence[str], globs: Sequence[str], revise: Callable[[Event], Event]
) -> tuple[str, ...]:
    """Return the shown names of the subjects that globs match, by shown name or command line."""
    names = names_in(files, revise) if globs else {}
    wanted: list[str] = []
    for glob in globs:
        matches = ReportFilter((glob,)).matches_subject
        shown = [shown for name, shown in names.items() if matches(name) or matches(shown)]
        wanted += shown or [glob]
    return tuple(wanted)


def _note_omissions(source: Source) -> None:
    """Print a note on each run that ended early, and on cases that no run judged."""
    summary = summary_of(source())
    for problem in summary.problems:
        if problem.where == "xtest":
            messages.print_note(problem.message)
    left = summary.matrix.all_left_out
    if left > summary.not_run:
        uncounted = pluralize(left - summary.not_run, "case")
        messages.print_note(f"{uncounted} without a result: not counted")
    if note := partial_note(summary.matrix, left):
        messages.print_note(note.removeprefix("; "))


def _without_gradebooks(
    requests: tuple[ReportRequest, ...], source: Source, roster: Roster
) -> tuple[ReportRequest, ...]:
    """Write the wide gradebooks of the requests; return the others."""
    wide = [each for each in requests if each.name == _GRADEBOOK]
    lines, notes = gradebook(source, roster) if wide else ([], [])
    for note in notes:
        messages.print_note(note)
    for request in wide:
        write_document(request, lambda: iter(lines))
    return tuple(each for each in requests if each not in wide)


def _hides_cases(reports: Sequence[str], audience: str) -> bool:
    """Return whether reports hide cases, or a format leaves this to its reader."""
    names = (word.partition("=")[0] for word in reports)
    return audience != Audience.STAFF.value or any(
        name in FORMATS and FORMATS[name].hides_cases for name in names
    )


def _format_names(words: Sequence[str]) -> list[str]:
    names = [parse_report_option(word, _OPTION, default_file=STDOUT).name for word in words]
    for word in words:
        if "=" in word:
            raise UsageError(f"{_OPTION} {word}: --each names the files; leave out =FILE")
    return names


def _report_each(
    sources: Mapping[str, Source],
    names: Sequence[str],
    folder: str,
    drawn: Mapping[str, Path],
    audience: Audience,
) -> int:
    """Write the reports of each subject into the folder, and return the exit status."""
    with usage_errors(f"--each {escape_nonprintable(folder)}", "cannot be created"):
        os.makedirs(folder, exist_ok=True)
    status: int = ExitCode.OK
    ids = {subject: _id_of(subject, source) for subject, source in sources.items()}
    stems = file_stems([*ids.values()])
    for subject in sources:
        stem = stems[ids[subject]]
        paths = {name: os.path.join(folder, f"{stem}.{FORMATS[name].suffix}") for name in names}
        requests = [
            ReportRequest(_OPTION, name, path, may_be_link=False) for name, path in paths.items()
        ]
        failures = make_reports(requests, sources[subject], drawn, audience)
        status = max(status, messages.print_failures(failures))
    return status


def _id_of(subject: str, source: Source) -> str:
    """Return the name of a subject for files: that in xtest.toml, if a title is shown."""
    starts = (event.subjects for event in source() if isinstance(event, RunStarted))
    infos = (each for subjects in islice(starts, 1) for each in subjects)
    return next((each.id for each in infos if each.name == subject and each.id), subject)


def _folders(drawn: tuple[str, ...]) -> dict[str, Path]:
    """Return the folders of suites by name. Raises UsageError."""
    try:
        suites = resolve_suites(suite_arguments(drawn))
    except CorpusError as problem:
        raise UsageError(f"--draw {problem}") from None
    return {suite.name: suite.folder for suite in suites}

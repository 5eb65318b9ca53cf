"""`xtest matrix`: run all subjects, or read results files, and print which subject passes what.

Standard output has only the matrix; progress and diagnostics go to standard error.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, TextIO

import click

from harness.analysis.grades import Gradebook
from harness.analysis.summary import Summary, incomplete_reason
from harness.engine.progress import ProgressBoard
from harness.errors import UsageError
from harness.model.case_names import PACKED_FILE
from harness.model.events import Diagnostic, Event, RunEnded, RunResult, RunStarted
from harness.model.subject import NOT_BUILT, SubjectInfo
from harness.model.verdict import Verdict
from harness.options import arguments, messages
from harness.options.command import Command, section
from harness.options.completers import complete_files
from harness.options.run_options import RunOptions, result_options
from harness.options.runs import run_suites
from harness.project.config import SubjectConfig
from harness.project.identity import rename_subjects, shown_names
from harness.project.subjects import find_project, need_project
from harness.reports.source import ResultsFiles, names_in
from harness.reports.terminal.console import ConsoleReporter, Reporter, Verbosity
from harness.reports.terminal.matrix import FORMATS, MatrixDisplay
from harness.reports.text.display import style_and_width
from harness.suites.loading import CorpusError, read_suite
from harness.text import escape_ci_commands, escape_ci_json, escape_nonprintable, to_utf8_text

_ALL_SUBJECTS: Final = "*"
_DISPLAY_OPTIONS: Final = ("with_cases", "with_agreement")  # of a MatrixDisplay


@click.command("matrix", cls=Command)
@arguments.suites_argument
@section("Cases", arguments.subject_option, arguments.selection_options)
@section(
    "How subjects run",
    arguments.jobs_option,
    arguments.wall_option,
    arguments.deadline_option,
    arguments.retry_option(),
    arguments.deliver_option,
    arguments.repeat_option,
    arguments.check_option,
    arguments.rebuild_option,
    arguments.sandbox_options,
)
@result_options
@arguments.repeatable(
    "--from", "files", "FILE", complete_files, "Run nothing, and read files written with --results"
)
@click.option("--cases", "with_cases", is_flag=True, help="Show each case, too.")
@click.option(
    "--agreement",
    "with_agreement",
    is_flag=True,
    help="Show how often subjects have the same outcome, even if there are more than 8.",
)
@click.option(
    "--points", "with_points", is_flag=True, help="Show points, even if no suite declares them."
)
@click.option(
    "--versions",
    "by_version",
    is_flag=True,
    help="With --from: show each version of a subject on its own.",
)
@click.option(
    "--format",
    "layout",
    type=click.Choice(list(FORMATS)),
    default="text",
    help="Readable text, one JSON object, or Markdown [text].",
)
@arguments.with_execution
def command(
    files: tuple[str, ...], layout: str, *, with_points: bool, by_version: bool, **options: Any
) -> int:
    """Show which subjects of xtest.toml pass which suites: xtest matrix [SUITE]...

    Runs every subject on the suites that it serves (all suites of xtest.toml by default), and
    prints how many cases each passes, and how often they have the same outcome.
    """
    shown = {name: options.pop(name) for name in _DISPLAY_OPTIONS}
    run_options = RunOptions(**options)
    if files:
        # A shell expands --from *.jsonl to several words.
        files, run_options = (*files, *run_options.suites), run_options._replace(suites=())
        if run_options.reports:
            raise UsageError("--from runs nothing; for reports: xtest report FILE --to NAME=FILE")
        if run_options != RunOptions():
            raise UsageError("--from runs nothing; omit options that select or run cases")
    elif by_version:
        raise UsageError("--versions requires --from; a run has one version of each subject")
    subjects = _configured_subjects(files)
    names = shown_names(SubjectInfo(each.name, (), title=each.title) for each in subjects)
    summary = Summary([*names.values()])
    languages = {names[subject.name]: subject.language for subject in subjects}
    if files:
        status = _add_results(summary, files, languages if by_version else None)
    else:
        status = _run_subjects(summary, run_options)
    summary.close()
    if summary.matrix.cases or layout == "json":  # otherwise, a diagnostic explains why nothing ran
        points = summary.book if with_points or summary.book.has_points else None
        display = MatrixDisplay(languages, **shown, book=points)
        if display.with_cases and layout == "json":
            display = display._replace(files=_input_files(summary.book))
        _print_matrix(summary, display, layout, run_options.stream)
    return status


def _print_matrix(summary: Summary, display: MatrixDisplay, layout: str, stream: TextIO) -> None:
    style, width = style_and_width(stream)
    escape = escape_ci_json if layout == "json" else escape_ci_commands
    for line in FORMATS[layout](summary.matrix, display._replace(style=style, width=width)):
        print(escape(line), file=stream)


def _input_files(book: Gradebook) -> dict[tuple[str, str], str]:
    """Return the paths of inputs by suite and case, for suites that this machine has."""
    files = {}
    for name in book.suites:
        folder = book.rules(name).suite_info.folder or os.devnull  # unknown
        with suppress(CorpusError):  # the results are from another machine
            suite = read_suite(name, Path(folder))
            for case in suite.names:
                file = PACKED_FILE if suite.packed is not None else suite.files[case][0]
                files[name, case.text] = to_utf8_text(os.path.join(folder, file))
    return files


def _configured_subjects(files: Sequence[str]) -> tuple[SubjectConfig, ...]:
    """Return the subjects of xtest.toml; with --from, they only give the order and languages."""
    project = find_project() if files else need_project("matrix")
    subjects = project.config.subjects if project is not None else ()
    if project is not None and not files and not subjects:
        raise UsageError(f"{project.where}: no subjects; add a table [subjects.NAME]")
    return subjects


def _run_subjects(summary: Summary, options: RunOptions) -> int:
    if not options.subjects:
        options = options._replace(subjects=(_ALL_SUBJECTS,))
    quiet = ConsoleReporter(sys.stderr, Verbosity.QUIET, heartbeat=True)
    reporter = _MatrixReporter(summary, quiet)
    return run_suites(options, None, reporter, graded=True)


def _with_versions(events: Iterator[Event], languages: dict[str, str]) -> Iterator[Event]:
    """Yield the events with versions in names of subjects, and add these names to `languages`."""
    named: dict[str, str] = {}
    for event in events:
        if isinstance(event, RunStarted):
            named = {
                each.name: f"{each.name} {each.version}" for each in event.subjects if each.version
            }
            languages |= {name: languages.get(base, "") for base, name in named.items()}
        yield rename_subjects(event, named)


def _read_results(results: ResultsFiles) -> Iterator[Event]:
    """Yield the events of results files, and print a note on each run that is incomplete."""
    begun = ""  # the file of a run whose end was not read
    for (number, _), event in results.events():
        if isinstance(event, RunStarted):
            _note_early_end(begun)
            begun = results.files[number]
        elif isinstance(event, RunEnded):
            begun = ""
            if reason := incomplete_reason(event):
                messages.print_note(f"{escape_nonprintable(results.files[number])}: {reason}")
        yield event
    _note_early_end(begun)


def _note_early_end(file: str) -> None:
    if file:
        messages.print_note(f"{escape_nonprintable(file)}: the results of a run end early")


def _add_results(summary: Summary, files: Sequence[str], languages: dict[str, str] | None) -> int:
    """Add the latest runs in files, and return the exit status.

    Versions of a subject are distinguished if `languages`, by subject, is not None.
    """
    results = ResultsFiles(files, names_in(files), by_version=languages is not None)
    events = _read_results(results)
    if languages is not None:
        events = _with_versions(events, languages)
    for event in events:
        summary.add(event)
    if not summary.matrix.cases:
        raise UsageError(f"matrix: {escape_nonprintable(files[0])}: contains no judged runs")
    return summary.counts.total().exit_code(faulty=False)


class _MatrixReporter:
    """A reporter that fills a summary, and passes events on to another reporter.

    A program that cannot be started is reported once: in the matrix, it looks like one that fails
    every case.
    """

    def __init__(self, summary: Summary, reporter: Reporter) -> None:
        self._summary = summary
        self._reporter = reporter
        self._not_started: set[tuple[str, str]] = set()

    def show(self, event: Event) -> None:
        self._summary.add(event)
        if isinstance(event, RunStarted):
            for subject in event.subjects:
                if subject.build_failure:
                    self._not_started.add((subject.name, NOT_BUILT))
                    self._reporter.show(Diagnostic(subject.name, subject.build_failure))
        if isinstance(event, RunResult):
            failure = (event.subject, event.message)
            if event.verdict is Verdict.NOT_STARTED and failure not in self._not_started:
                self._not_started.add(failure)
                self._reporter.show(Diagnostic(*failure))
        self._reporter.show(event)

    def board(self, places: int) -> ProgressBoard | None:
        return self._reporter.board(places)

    def close(self) -> None:
        self._reporter.close()

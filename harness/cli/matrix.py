"""`xtest matrix`: run all subjects, or read results files, and print which subject passes what.

Standard output has only the matrix; progress and diagnostics go to standard error.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple, TextIO

import click

from harness.analysis.matrix import Matrix
from harness.cli.common import (
    HELP,
    check_option,
    jobs_option,
    refuse_command,
    report_option,
    resume_options,
    sandbox_options,
    selection_options,
    subject_option,
    wall_option,
)
from harness.cli.completers import complete_files, complete_suites
from harness.cli.run import RunOptions, output_stream, run_suites
from harness.errors import UsageError
from harness.model.event_lines import parse_event
from harness.model.events import Diagnostic, Event, Judged
from harness.model.exit_codes import ExitCode
from harness.model.verdict import Verdict
from harness.project.config import find_config, need_config
from harness.project.subjects import read_project
from harness.reports.terminal.console import Reporter, Verbosity, reporter_for, style_and_width
from harness.reports.terminal.matrix import FORMATS, MatrixDisplay, matrix_lines
from harness.runner.progress import ProgressBoard
from harness.text import escape_ci_commands, escape_nonprintable

__all__ = ["command"]

_ALL_SUBJECTS: Final = "*"


class _MatrixOptions(NamedTuple):
    layout: str
    cases: bool
    same_outcome: bool


@click.command("matrix", context_settings=HELP)
@click.argument("suites", nargs=-1, metavar="[SUITE]...", shell_complete=complete_suites)
@subject_option
@selection_options
@jobs_option
@wall_option
@sandbox_options
@check_option
@resume_options
@report_option
@click.option(
    "--from",
    "files",
    multiple=True,
    metavar="FILE",
    shell_complete=complete_files,
    help="Run nothing: count what runs have written with --results; repeatable.",
)
@click.option("--cases", "with_cases", is_flag=True, help="Show each case, too.")
@click.option(
    "--agreement",
    "with_agreement",
    is_flag=True,
    help="Show how often subjects have the same outcome, also for more than 8.",
)
@click.option("--format", "layout", type=click.Choice(list(FORMATS)), default="text", help="[text]")
@click.pass_obj
def command(
    subject: tuple[str, ...] | None,
    /,
    files: tuple[str, ...],
    with_cases: bool,
    with_agreement: bool,
    layout: str,
    **options: Any,
) -> int:
    """Show which subject of xtest.toml passes what: xtest matrix [SUITE]...

    Runs every subject on the suites that it serves (all suites of xtest.toml by default), and
    prints how many cases each passes, and how often they have the same outcome.
    """
    refuse_command("matrix", subject)
    shown = _MatrixOptions(layout, with_cases, with_agreement)
    wanted = RunOptions(**options)
    if not files:
        return _run_matrix(wanted, shown)
    if wanted.reports:
        raise UsageError("--from runs nothing; for reports: xtest report FILE --to NAME=FILE")
    if wanted != RunOptions():
        raise UsageError("--from runs nothing: it takes no suites and no options of a run")
    return _read_matrix(files, shown)


def _run_matrix(options: RunOptions, shown: _MatrixOptions) -> int:
    project = read_project(need_config("xtest matrix"))
    subjects = project.config.subjects
    if not subjects:
        raise UsageError(f"{project.where}: no subjects; add a table [subjects.NAME]")
    matrix = Matrix([subject.name for subject in subjects])
    if not options.subjects:
        options = options._replace(subjects=(_ALL_SUBJECTS,))
    reporter = _MatrixReporter(matrix, reporter_for(sys.stderr, Verbosity.QUIET))
    status = run_suites(options, None, reporter)
    languages = {subject.name: subject.language for subject in subjects}
    _print(matrix, languages, shown, output_stream(options))
    return status


def _read_matrix(files: Sequence[str], shown: _MatrixOptions) -> int:
    # An xtest.toml, if there is one, only gives the order of the subjects.
    path = find_config()
    subjects = read_project(path).config.subjects if path is not None else ()
    matrix = Matrix([subject.name for subject in subjects])
    status: int = ExitCode.OK
    for event in _read_events(files):
        if isinstance(event, Judged):
            matrix.add(event)
            status = max(status, _status(event))
    if not matrix.subjects:
        raise UsageError(f"--from {escape_nonprintable(files[0])}: nothing was judged there")
    _print(matrix, {subject.name: subject.language for subject in subjects}, shown, sys.stdout)
    return status


class _MatrixReporter:
    """A reporter that fills a matrix, and passes events on to another reporter.

    A program that cannot be started is shown once: in a matrix, it looks like one that is always
    wrong.
    """

    def __init__(self, matrix: Matrix, reporter: Reporter) -> None:
        self._matrix = matrix
        self._reporter = reporter
        self._not_started: set[tuple[str, str]] = set()

    def show(self, event: Event) -> None:
        """Count an event, and pass it on."""
        if isinstance(event, Judged):
            self._matrix.add(event)
            failure = (event.subject, event.message)
            if event.verdict is Verdict.NOT_STARTED and failure not in self._not_started:
                self._not_started.add(failure)
                self._reporter.show(Diagnostic(*failure))
        self._reporter.show(event)

    def board(self, places: int) -> ProgressBoard | None:
        """Return the progress board of the other reporter."""
        return self._reporter.board(places)

    def close(self) -> None:
        """Close the other reporter."""
        self._reporter.close()


def _print(
    matrix: Matrix, languages: Mapping[str, str], shown: _MatrixOptions, stream: TextIO
) -> None:
    if not matrix.subjects and shown.layout != "json":
        return  # a diagnostic said why nothing ran
    style, width = style_and_width(stream)
    display = MatrixDisplay(languages, shown.cases, shown.same_outcome, style, width)
    for line in matrix_lines(matrix, display, shown.layout):
        print(line if shown.layout == "json" else escape_ci_commands(line), file=stream)


def _status(event: Judged) -> int:
    if event.verdict.is_fault:
        return ExitCode.FAULT
    return ExitCode.FAILED if event.failed else ExitCode.OK


def _read_events(files: Sequence[str]) -> Iterator[Event]:
    for file in files:
        try:
            with open(file, encoding="utf-8", errors="replace") as lines:
                yield from _parse_lines(file, lines)
        except OSError as problem:
            reason = (problem.strerror or "cannot be read").lower()
            raise UsageError(f"--from {escape_nonprintable(file)}: {reason}") from None


def _parse_lines(file: str, lines: Iterator[str]) -> Iterator[Event]:
    shown = escape_nonprintable(file)
    for number, line in enumerate(lines, 1):
        try:
            yield parse_event(line)
        except ValueError as problem:
            if line.endswith("\n"):
                raise UsageError(
                    f"--from {shown}, line {number:,}: {problem}; not a results file of xtest"
                ) from None
            # The run was killed while it wrote this line.
            print(f"xtest: note: {shown}: its last line is incomplete", file=sys.stderr)

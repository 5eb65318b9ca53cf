"""`xtest history`: show what began to fail or to pass over earlier runs."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from functools import partial
from importlib import import_module
from typing import Final, NamedTuple

import click

from harness.analysis.history import History, RunOrder
from harness.analysis.score_changes import score_changes
from harness.analysis.summary import summary_of
from harness.errors import UsageError
from harness.model.events import RunStarted
from harness.model.exit_codes import ExitCode
from harness.options import arguments, messages
from harness.options.command import Command
from harness.options.completers import complete_files
from harness.project.identity import rename_subjects, shown_names
from harness.reports.analysis_json import history_json, scores_json
from harness.reports.registry import STDOUT, ReportRequest
from harness.reports.source import names_in, source_of
from harness.reports.terminal.history import history_lines, score_lines
from harness.reports.text.display import style_and_width
from harness.reports.writer import check_reports, write_document
from harness.results.results_file import find_run_starts, read_events
from harness.text import escape_ci_json, escape_nonprintable

_REPORT: Final = "html"  # the format of reports
_PAGE: Final = "harness.reports.pages.history"  # imported when it is used, as all formats are
_HINTS: Final = {
    RunOrder.VERSION: "add version to [subjects.NAME] in xtest.toml",
    RunOrder.COMMIT: "neither subjects nor suites were in a Git repository",
}


class _StoredRun(NamedTuple):
    """A run in a results file: its first event, the file, and the offset of its first byte."""

    heading: RunStarted
    file: str
    offset: int


@click.command("history", cls=Command)
@click.argument("files", nargs=-1, required=True, metavar="FILE...", shell_complete=complete_files)
@click.option(
    "--by",
    type=click.Choice([order.value for order in RunOrder]),
    default=RunOrder.TIME.value,
    help="Order runs by time, or by version or commit of their subjects [time].",
)
@arguments.format_option()
@click.option(
    "--scores",
    is_flag=True,
    help="Compare the points of two FILEs, OLD and NEW: show who gained or lost points.",
)
@arguments.repeatable(
    "--report", "reports", "NAME=FILE", complete_files, f"Write a report: {_REPORT}"
)
def command(
    files: tuple[str, ...], by: str, form: str, reports: tuple[str, ...], *, scores: bool
) -> int:
    """Show which cases began to fail or pass, and when: xtest history FILE...

    Each FILE was written by xtest run --results, and may contain several runs. The exit status is 1
    if something began to fail in the newest run; with --scores, if a subject lost points.
    """
    if scores and reports:
        raise UsageError("--scores cannot be combined with --report; --format json writes JSON")
    requests = _requests(reports, files)
    if scores:
        return _show_score_changes(files, form)
    order = RunOrder(by)
    runs = sorted(_runs(files), key=lambda run: order.key(run.heading))
    if not runs:
        raise UsageError("history: these files contain no runs")
    history = _read_history(runs)
    if order is not RunOrder.TIME and not any(getattr(run, by) for run in history.runs):
        raise UsageError(f"history --by {by}: no run has a {by}; {_HINTS[order]}")
    for report in requests:
        document = import_module(_PAGE).document
        write_document(report, partial(document, history, order))
    if not any(report.file == STDOUT for report in requests):
        if form == "json":
            print(escape_ci_json(json.dumps(history_json(history), indent=2)))
        else:
            style, width = style_and_width(sys.stdout)
            messages.print_lines(history_lines(history, style, order, width))
    return ExitCode.FAILED if history.has_new_failures else ExitCode.OK


def _show_score_changes(files: tuple[str, ...], form: str) -> int:
    if len(files) != 2:
        raise UsageError("--scores compares two files: xtest history --scores OLD NEW")
    shown = names_in(files)
    old, new = (summary_of(source_of([file], shown)()) for file in files)
    changes = score_changes(old, new)
    if form == "json":
        print(escape_ci_json(json.dumps(scores_json(changes), indent=2)))
    else:
        messages.print_lines(score_lines(changes, *style_and_width(sys.stdout)))
    return ExitCode.FAILED if any(each.change < 0 for each in changes) else ExitCode.OK


def _runs(files: tuple[str, ...]) -> Iterator[_StoredRun]:
    """Yield the runs in the files, and print a note for a file without one."""
    for file in dict.fromkeys(files):
        runs = [_StoredRun(event, file, place.offset) for place, event in find_run_starts(file)]
        if not runs:
            messages.print_note(f"{escape_nonprintable(file)}: contains no runs")
        yield from runs


def _requests(requested: tuple[str, ...], files: tuple[str, ...]) -> tuple[ReportRequest, ...]:
    requests = check_reports(requested, "--report", sources=files)
    for report in requests:
        if report.name != _REPORT:
            raise UsageError(
                f"{report}: history writes only {_REPORT}; write {_REPORT}={report.file}"
            )
    return requests


def _read_history(runs: list[_StoredRun]) -> History:
    history = History()
    shown = shown_names(subject for run in runs for subject in run.heading.subjects)
    for run in runs:
        history.begin(run.heading, escape_nonprintable(run.file))
        for place, event in read_events(run.file, run.offset):
            if isinstance(event, RunStarted) and place.offset != run.offset:
                break  # the next run of the file
            history.add(rename_subjects(event, shown))
    return history

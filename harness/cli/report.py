"""`xtest report`: make reports of earlier runs from their results files."""

from __future__ import annotations

from pathlib import Path

import click

from harness.cli.common import HELP, refuse_command
from harness.cli.completers import (
    complete_files,
    complete_reported_subjects,
    complete_reported_suites,
    complete_reports,
    complete_suites,
)
from harness.errors import UsageError
from harness.project.subjects import matching_suites
from harness.reports.filter import ReportFilter, filter_source
from harness.reports.registry import FORMATS, STDOUT
from harness.reports.source import source_of
from harness.reports.writer import check_reports, make_reports
from harness.runner.results_file import InvalidResultsFile
from harness.suites.bundled import test_cases_folder
from harness.suites.discovery import find_all
from harness.suites.loading import CorpusError

__all__ = ["command"]

_OPTION = "--to"


@click.command("report", context_settings=HELP)
@click.argument("files", nargs=-1, required=True, metavar="FILE...", shell_complete=complete_files)
@click.option(
    _OPTION,
    "reports",
    multiple=True,
    required=True,
    metavar="NAME[=FILE]",
    shell_complete=complete_reports,
    help=f"{', '.join(FORMATS)}; to standard output without FILE; repeatable.",
)
@click.option(
    "--subject",
    "subjects",
    multiple=True,
    metavar="NAME",
    shell_complete=complete_reported_subjects,
    help="Only runs of this subject: a name or a glob; repeatable.",
)
@click.option(
    "--suite",
    "suites",
    multiple=True,
    metavar="NAME",
    shell_complete=complete_reported_suites,
    help="Only runs of this suite: a name or a glob; repeatable.",
)
@click.option(
    "--draw",
    "drawn",
    multiple=True,
    metavar="SUITE",
    shell_complete=complete_suites,
    help="Let the renderer of this suite draw pictures for html; repeatable.",
)
@click.pass_obj
def command(
    subject: tuple[str, ...] | None,
    *,
    files: tuple[str, ...],
    reports: tuple[str, ...],
    subjects: tuple[str, ...],
    suites: tuple[str, ...],
    drawn: tuple[str, ...],
) -> int:
    """Make reports of earlier runs: xtest report FILE... --to NAME[=FILE]

    Each FILE was written by xtest run --results. If several runs judged the same case, the last one
    counts. The exit status is 0 if the reports were made, whatever they say.
    """
    refuse_command("report", subject)
    wanted = check_reports(reports, _OPTION, sources=files, bare=STDOUT)
    try:
        source = filter_source(source_of(files), ReportFilter(subjects, suites))
        return make_reports(wanted, _OPTION, source, _folders(drawn))
    except InvalidResultsFile as problem:
        raise UsageError(f"report: {problem}") from None


def _folders(drawn: tuple[str, ...]) -> dict[str, Path]:
    """Return the folders of suites by name. Raises UsageError."""
    try:
        found = find_all(matching_suites(drawn), test_cases_folder())
    except CorpusError as problem:
        raise UsageError(f"--draw {problem}") from None
    return {suite.name: suite.folder for suite in found}

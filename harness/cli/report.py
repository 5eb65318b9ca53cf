"""`xtest report`: make reports of earlier runs from their results files."""

from __future__ import annotations

from pathlib import Path

import click

from harness.cli import common
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


@click.command("report", context_settings=common.HELP)
@click.argument("files", nargs=-1, required=True, metavar="FILE...", shell_complete=complete_files)
@common.repeatable(
    _OPTION,
    "reports",
    "NAME[=FILE]",
    complete_reports,
    f"{', '.join(FORMATS)}; to standard output without FILE",
    required=True,
)
@common.repeatable(
    "--subject",
    "subjects",
    "NAME",
    complete_reported_subjects,
    "Only runs of this subject: a name or a glob",
)
@common.repeatable(
    "--suite",
    "suites",
    "NAME",
    complete_reported_suites,
    "Only runs of this suite: a name or a glob",
)
@common.repeatable(
    "--draw",
    "drawn",
    "SUITE",
    complete_suites,
    "Let the renderer of this suite draw pictures for html",
)
@common.without_command
def command(
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
    wanted = check_reports(reports, _OPTION, sources=files, bare=STDOUT)
    try:
        source = filter_source(source_of(files), ReportFilter(subjects, suites))
        return make_reports(wanted, source, _folders(drawn))
    except InvalidResultsFile as problem:
        raise UsageError(f"report: {problem}") from None


def _folders(drawn: tuple[str, ...]) -> dict[str, Path]:
    """Return the folders of suites by name. Raises UsageError."""
    try:
        found = find_all(matching_suites(drawn), test_cases_folder())
    except CorpusError as problem:
        raise UsageError(f"--draw {problem}") from None
    return {suite.name: suite.folder for suite in found}

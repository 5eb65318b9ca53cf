"""`xtest report`, as click reads it; results files are read here, and nothing is run."""

from __future__ import annotations

import click

from harness.commands.common import HELP, refuse_command
from harness.documents.choosing import Choice, chosen_of
from harness.documents.formats import FORMATS, STDOUT
from harness.documents.making import checked_reports, make_reports
from harness.documents.source import source_of
from harness.runs.resultsfile import BadResults
from harness.usage import UsageFault

__all__ = ["command"]

_OPTION = "--to"


@click.command("report", context_settings=HELP)
@click.argument("files", nargs=-1, required=True, metavar="FROM...")
@click.option(
    _OPTION,
    "reports",
    multiple=True,
    required=True,
    metavar="NAME[=FILE]",
    help=f"{', '.join(FORMATS)}; without FILE to standard output; repeatable.",
)
@click.option(
    "--subject",
    "told_subjects",
    multiple=True,
    metavar="NAME",
    help="Only what was run against this subject; a glob; repeatable.",
)
@click.option(
    "--suite",
    "told_suites",
    multiple=True,
    metavar="NAME",
    help="Only what was run of this suite; a glob; repeatable.",
)
@click.pass_obj
def command(
    subject: tuple[str, ...] | None,
    /,
    files: tuple[str, ...],
    reports: tuple[str, ...],
    told_subjects: tuple[str, ...],
    told_suites: tuple[str, ...],
) -> int:
    """Make reports of runs that are over: xtest report FROM... --to NAME[=FILE]

    Each FROM has been written by xtest run --results. What several runs judged counts as the last
    one judged it. Exit status 0: the reports were made, whatever they say.
    """
    refuse_command("report", subject)
    wanted = checked_reports(reports, _OPTION, sources=files, bare=STDOUT)
    try:
        source = chosen_of(source_of(files), Choice(told_subjects, told_suites))
        return make_reports(wanted, _OPTION, source)
    except BadResults as problem:
        raise UsageFault(f"report: {problem}") from None

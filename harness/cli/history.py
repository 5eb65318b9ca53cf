"""`xtest history`: show what began to fail or to pass over earlier runs."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import NamedTuple

import click

from harness.analysis.history import History
from harness.cli import common
from harness.cli.completers import complete_files
from harness.errors import UsageError
from harness.model.events import RunStarted
from harness.model.exit_codes import ExitCode
from harness.reports.analysis_json import history_json
from harness.reports.terminal.display import display_for
from harness.reports.terminal.history import history_lines
from harness.runner.results_file import InvalidResultsFile, read_events
from harness.text import escape_ci_commands, escape_nonprintable

__all__ = ["command"]


class _Run(NamedTuple):
    """A run in a results file: its start time, the file, and its first byte."""

    started: str
    file: str
    offset: int


@click.command("history", context_settings=common.HELP)
@click.argument("files", nargs=-1, required=True, metavar="FILE...", shell_complete=complete_files)
@common.format_option()
@common.without_command
def command(files: tuple[str, ...], form: str) -> int:
    """Show what began to fail or to pass over earlier runs, and when: xtest history FILE...

    Each FILE was written by xtest run --results, and may hold several runs. The exit status is 1 if
    something began to fail in the newest run.
    """
    try:
        runs = sorted(_runs(files), key=lambda run: run.started)
        if not runs:
            raise UsageError("history: these files contain no run")
        history = _read_history(runs)
    except InvalidResultsFile as problem:
        raise UsageError(f"history: {problem}") from None
    if form == "json":
        print(json.dumps(history_json(history), indent=2))
    else:
        for line in history_lines(history, display_for(sys.stdout).style):
            print(escape_ci_commands(line))
    return ExitCode.FAILED if history.has_new_failures else ExitCode.OK


def _runs(files: tuple[str, ...]) -> Iterator[_Run]:
    """Yield the runs in the files. A file without a complete first line has none: print a note."""
    for file in dict.fromkeys(files):
        empty = True
        for place, event in read_events(file):
            if isinstance(event, RunStarted):
                yield _Run(event.started, file, place.offset)
            elif empty:
                where = f"{escape_nonprintable(file)}, line {place.line:,}"
                raise InvalidResultsFile(f"{where}: a results file must begin with run-started")
            empty = False
        if empty:
            common.print_note(f"{escape_nonprintable(file)}: contains no run")


def _read_history(runs: list[_Run]) -> History:
    history = History()
    for run in runs:
        begun = False
        for _, event in read_events(run.file, run.offset):
            if isinstance(event, RunStarted):
                if begun:
                    break  # the next run of the file
                begun = True
                history.begin(event, escape_nonprintable(run.file))
            history.add(event)
    return history

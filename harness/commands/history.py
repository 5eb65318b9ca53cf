"""`xtest history`, as click reads it; the files are read here, and nothing is run."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import NamedTuple

import click

from harness.commands.common import HELP, refuse_command
from harness.events import RunStarted
from harness.report.console import look_for
from harness.runs.resultsfile import BadResults, read_events
from harness.several.history import History, history_json, history_lines
from harness.usage import UsageFault
from harness.words import visible

__all__ = ["command"]


class _Run(NamedTuple):
    """Where a run stands: when it began, the file, and the byte that it begins at."""

    started: str
    file: str
    offset: int


@click.command("history", context_settings=HELP)
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option(
    "--format",
    "form",
    type=click.Choice(("text", "json")),
    default="text",
    help="For people, or for programs [text].",
)
@click.pass_obj
def command(subject: tuple[str, ...] | None, /, files: tuple[str, ...], form: str) -> int:
    """Tell what began to fail or to pass over earlier runs, and since when: xtest history FILE...

    Each FILE has been written by xtest run --results; it may hold several runs. Exit status 1: in
    the newest run something began to fail.
    """
    refuse_command("history", subject)
    try:
        runs = sorted(_runs(files), key=lambda run: run.started)
        if not runs:
            raise UsageFault("history: there is no run in any of these files")
        history = _gathered(runs)
    except BadResults as problem:
        raise UsageFault(f"history: {problem}") from None
    if form == "json":
        print(history_json(history))
    else:
        style, _, _ = look_for(sys.stdout)
        print("\n".join(history_lines(history, style)))
    return 1 if history.fell_behind else 0


def _runs(files: tuple[str, ...]) -> Iterator[_Run]:
    """The runs in the files. One that was cut off in its first line is none, which is told."""
    for file in dict.fromkeys(files):
        empty = True
        for place, event in read_events(file):
            if isinstance(event, RunStarted):
                yield _Run(event.started, file, place.offset)
            elif empty:
                said = f"line {place.line:,}: a results file begins with run-started"
                raise BadResults(f"{visible(file)}, {said}")
            empty = False
        if empty:
            print(f"xtest: note: {visible(file)}: no run is in it", file=sys.stderr)


def _gathered(runs: list[_Run]) -> History:
    history = History()
    for run in runs:
        begun = False
        for _, event in read_events(run.file, run.offset):
            if isinstance(event, RunStarted):
                if begun:
                    break  # the next run in this file has its own turn
                begun = True
                history.begin(event, visible(run.file))
            history.add(event)
    return history

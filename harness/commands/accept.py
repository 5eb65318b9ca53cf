"""`xtest accept`, as click reads it."""

from __future__ import annotations

from typing import Any

import click

from harness.care.acceptance import Layout
from harness.care.accepting import AcceptOptions, accept
from harness.care.answers import Asking
from harness.commands.common import HELP, selection_options
from harness.runs.selecting import selection_of

__all__ = ["command"]


@click.command("accept", context_settings=HELP)
@click.argument("suites", nargs=-1, required=True, metavar="SUITE...")
@selection_options
@click.option("--all", "everything", is_flag=True, help="Write all of it, and ask nobody.")
@click.option("--dry-run", is_flag=True, help="Show what would change, and write nothing.")
@click.option("--missing", is_flag=True, help="Write outputs for inputs that have none, too.")
@click.option("--full", is_flag=True, help="Show every difference, however many there are.")
@click.option(
    "--layout",
    type=click.Choice([layout.value for layout in Layout]),
    help="A value a line, indented, or as it was printed [as the file is].",
)
@click.option(
    "-j", "--jobs", type=click.IntRange(1, 512), metavar="N", help="Run N at once [the processors]."
)
@click.option(
    "--wall",
    type=click.FloatRange(0, min_open=True),
    metavar="S",
    help="Seconds for a whole answer.",
)
@click.pass_obj
# One argument for each option.
def command(  # pylint: disable=too-many-arguments,too-many-positional-arguments
    subject: tuple[str, ...] | None,
    /,
    suites: tuple[str, ...],
    everything: bool,
    dry_run: bool,
    missing: bool,
    full: bool,
    layout: str | None,
    jobs: int | None,
    wall: float | None,
    **selecting: Any,
) -> int:
    """Make what a program prints the expected output: xtest accept SUITE... [-- COMMAND...]

    Shows what would change, case by case, and writes what you confirm.
    """
    options = AcceptOptions(
        Asking(suites, selection_of(**selecting), jobs, wall),
        everything=everything,
        dry_run=dry_run,
        missing=missing,
        full=full,
        layout=None if layout is None else Layout(layout),
    )
    return accept(options, subject)

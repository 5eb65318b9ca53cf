"""`xtest selftest`, as click reads it."""

from __future__ import annotations

from typing import Any

import click

from harness.care.answers import Asking
from harness.care.selftesting import selftest
from harness.commands.common import HELP, selection_options
from harness.runs.selecting import selection_of

__all__ = ["command"]


@click.command("selftest", context_settings=HELP)
@click.argument("suites", nargs=-1, required=True, metavar="SUITE...")
@selection_options
@click.option(
    "-j", "--jobs", type=click.IntRange(1, 512), metavar="N", help="Run N at once [the processors]."
)
@click.option(
    "--wall",
    type=click.FloatRange(0, min_open=True),
    metavar="S",
    help="Seconds for a whole answer.",
)
@click.option("-v", "--verbose", is_flag=True, help="Every fault, and what each case is there for.")
@click.pass_obj
# One argument for each option.
def command(  # pylint: disable=too-many-arguments,too-many-positional-arguments
    subject: tuple[str, ...] | None,
    /,
    suites: tuple[str, ...],
    jobs: int | None,
    wall: float | None,
    verbose: bool,
    **selecting: Any,
) -> int:
    """Tell how much a suite catches: xtest selftest SUITE... [-- COMMAND...]

    COMMAND is a program that is right. Faults are put on its answers, one after the other, and
    those that no case notices are told.
    """
    return selftest(Asking(suites, selection_of(**selecting), jobs, wall), subject, verbose=verbose)

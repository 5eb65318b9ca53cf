"""`xtest list`: the suites, their programs and titles, and their cases if they are asked for."""

from __future__ import annotations

import sys

import click

from harness.commands.common import HELP, refuse_command
from harness.corpus import Suite
from harness.report.text import listing_lines
from harness.session import EXIT_FAULT, EXIT_OK
from harness.targets import bundled_names, read_suites

__all__ = ["command"]


@click.command("list", context_settings=HELP)
@click.argument("suites", nargs=-1, metavar="[SUITE]...")
@click.option("--cases", is_flag=True, help="The names of the cases, too.")
@click.pass_obj
def command(subject: tuple[str, ...] | None, suites: tuple[str, ...], cases: bool) -> int:
    """List suites (the bundled ones, unless some are named): name, cases, program, title."""
    refuse_command("list", subject)
    status = EXIT_OK
    listed: list[Suite] = []
    for _, read in read_suites(suites or tuple(bundled_names())):
        if isinstance(read, Suite):
            listed.append(read)
        else:
            print(f"xtest: {read.where}: {read.message}", file=sys.stderr)
            status = EXIT_FAULT
    for line in listing_lines(listed, with_cases=cases):
        print(line)
    return status

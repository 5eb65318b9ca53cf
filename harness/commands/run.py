"""`xtest run`, as click reads it."""

from __future__ import annotations

from typing import Any

import click

from harness.commands.common import HELP, report_option, selection_options
from harness.runs.options import RunOptions

__all__ = ["command"]


@click.command("run", context_settings=HELP)
@click.argument("suites", nargs=-1, metavar="[SUITE]...")
@selection_options
@click.option(
    "--subject",
    "subjects",
    multiple=True,
    metavar="NAME",
    help="Run this subject of xtest.toml; a glob, or @TAG; repeatable.",
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
@click.option(
    "--deliver",
    metavar="NAME[,NAME...]",
    help='How inputs are fed: "slow", "cut", ..., or "all" that the suite declares [plain].',
)
@click.option(
    "--repeat",
    type=click.IntRange(1, 1000),
    default=1,
    metavar="N",
    help="Run everything N times: different verdicts are flaky.",
)
@click.option(
    "--max-failures", type=click.IntRange(1), metavar="N", help="Stop when N runs fell short."
)
@click.option("--fail-fast", is_flag=True, help="The same as --max-failures 1.")
@click.option("--sandbox", is_flag=True, help="Run subjects under bubblewrap, without network.")
@click.option("--check", is_flag=True, help="Hold the cases against the suite's schemas first.")
@click.option(
    "--results",
    default="",
    metavar="FILE",
    help="Write each event as a line of JSON.",
)
@report_option
@click.option(
    "--resume", is_flag=True, help="Go on with the FILE of --results: only what is not done there."
)
@click.option("--cached", is_flag=True, help="Do not run again what passed as it is now.")
@click.option(
    "--depends",
    multiple=True,
    metavar="PATH",
    help="A file or folder that the subject is made of, for these two; repeatable.",
)
@click.option("--full", is_flag=True, help="All of a failure: differences and standard error.")
@click.option("-v", "--verbose", is_flag=True, help="A line for each run that passed, too.")
@click.option("-q", "--quiet", is_flag=True, help="Only the last line.")
@click.pass_obj
def command(subject: tuple[str, ...] | None, /, **options: Any) -> int:
    """Run suites against a subject: xtest run [SUITE]... [-- COMMAND...]

    A SUITE is a folder of N-in.json / N-out.json pairs, a folder of such folders, or the name of a
    bundled suite; none means those of xtest.toml, or every bundled suite where there is none.
    """
    # Imported to run: a shell that completes this, or who asks for help, is spared it.
    from harness.runs.running import run_suites  # pylint: disable=import-outside-toplevel

    return run_suites(RunOptions(**options), subject)

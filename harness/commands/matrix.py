"""`xtest matrix`, as click reads it."""

from __future__ import annotations

from typing import Any

import click

from harness.commands.common import HELP, refuse_command, report_option, selection_options
from harness.report.matrix import FORMATS
from harness.runs.options import RunOptions
from harness.several.matrixing import MatrixOptions, read_matrix, run_matrix
from harness.usage import UsageFault

__all__ = ["command"]


@click.command("matrix", context_settings=HELP)
@click.argument("suites", nargs=-1, metavar="[SUITE]...")
@click.option(
    "--subject",
    "subjects",
    multiple=True,
    metavar="NAME",
    help="Only this subject of xtest.toml; a glob, or @TAG; repeatable.",
)
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
@click.option("--sandbox", is_flag=True, help="Run subjects under bubblewrap, without network.")
@click.option("--check", is_flag=True, help="Hold the cases against the suites' schemas first.")
@click.option("--results", default="", metavar="FILE", help="Write each event as a line of JSON.")
@report_option
@click.option(
    "--resume", is_flag=True, help="Go on with the FILE of --results: only what is not done there."
)
@click.option("--cached", is_flag=True, help="Do not run again what passed as it is now.")
@click.option(
    "--depends",
    multiple=True,
    metavar="PATH",
    help="A file or folder that subjects are made of, for these two; repeatable.",
)
@click.option(
    "--from",
    "files",
    multiple=True,
    metavar="FILE",
    help="Run nothing: count what runs have written with --results; repeatable.",
)
@click.option("--cases", "with_cases", is_flag=True, help="Each case, too.")
@click.option(
    "--agreement",
    "with_agreement",
    is_flag=True,
    help="How far subjects agree, also where there are more than 8.",
)
@click.option(
    "--format",
    "layout",
    type=click.Choice(list(FORMATS)),
    default="text",
    help="[text]",
)
@click.pass_obj
def command(
    subject: tuple[str, ...] | None,
    /,
    files: tuple[str, ...],
    with_cases: bool,
    with_agreement: bool,
    layout: str,
    **options: Any,
) -> int:
    """Which subject of xtest.toml passes what: xtest matrix [SUITE]...

    Runs the subjects on the suites that they serve (all that xtest.toml has, unless some are
    named), and prints how many cases each passes, and how far they agree.
    """
    refuse_command("matrix", subject)
    shown = MatrixOptions(layout, with_cases, with_agreement)
    wanted = RunOptions(**options)
    if not files:
        return run_matrix(wanted, shown)
    if wanted.reports:
        raise UsageFault(
            "--from runs nothing: xtest report FILE --to NAME=FILE makes reports of it"
        )
    if wanted != RunOptions():
        raise UsageFault("--from runs nothing: it takes no suites, and no options of a run")
    return read_matrix(files, shown)

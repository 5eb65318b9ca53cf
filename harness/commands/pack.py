"""`xtest pack`: one file of a suite's pairs of files."""

from __future__ import annotations

from pathlib import Path

import click

from harness.commands.common import HELP, refuse_command
from harness.runs.session import EXIT_OK
from harness.suites.bundled import test_cases_folder
from harness.suites.corpus import CorpusError
from harness.suites.pack_command import PackRefusal, pack
from harness.usage import UsageFault

__all__ = ["command"]


@click.command("pack", context_settings=HELP)
@click.argument("suite")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Where to write [standard output].",
)
@click.option("--force", is_flag=True, help="Replace FILE.")
@click.pass_obj
def command(subject: tuple[str, ...] | None, suite: str, output: Path | None, force: bool) -> int:
    """Make one file of a suite's pairs of files, a case a line.

    In a folder of its own, beside a copy of suite.toml and named cases.jsonl, it is the same suite.
    """
    refuse_command("pack", subject)
    try:
        said = pack(suite, test_cases_folder(), output, force=force)
    except (CorpusError, PackRefusal) as problem:
        raise UsageFault(str(problem)) from None
    if said:
        print(said)
    return EXIT_OK

"""`xtest compare`, as click reads it."""

from __future__ import annotations

from typing import Any

import click

from harness.commands.common import HELP, naming_options
from harness.runs.selecting import selection_of
from harness.several.comparing import CompareOptions, compare
from harness.usage import UsageFault

__all__ = ["command"]


@click.command("compare", context_settings=HELP)
@click.argument("subjects", nargs=-1, metavar="SUBJECT...")
@naming_options
@click.option("--reference", metavar="SUBJECT", help="This one is right; others are held to it.")
@click.option(
    "--limit",
    type=click.IntRange(1, 1000),
    default=10,
    metavar="N",
    help="Show the N smallest inputs that separate the subjects [10].",
)
@click.option("--full", is_flag=True, help="Show every difference, however many there are.")
@click.option(
    "--format",
    "shape",
    type=click.Choice(["text", "json"]),
    default="text",
    help="Lines for people, or one JSON object [text].",
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
@click.option("--sandbox", is_flag=True, help="Run subjects under bubblewrap, without network.")
@click.pass_obj
def command(
    inputs: tuple[str, ...] | None,
    /,
    cases: tuple[str, ...],
    tags: tuple[str, ...],
    shard: str | None,
    shape: str,
    **options: Any,
) -> int:
    """Who answers otherwise: xtest compare 'node a.js' ./b [SUBJECT]... -- SUITE|FOLDER...

    Every SUBJECT, a command in one word of the shell or a name of xtest.toml, is given every input.
    No outputs need to be expected: inputs on which they disagree are shown, the smallest first.
    """
    if not inputs:
        raise UsageFault(
            "compare needs inputs behind --, a suite or a folder:"
            " xtest compare 'node a.js' ./b -- SUITE"
        )
    selection = selection_of(cases, tags, shard, failed=False, new=False)
    return compare(
        CompareOptions(inputs=inputs, selection=selection, as_json=shape == "json", **options)
    )

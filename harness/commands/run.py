"""`xtest run`: options in, an order to the session, events to the reporters, an exit status out."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from pathlib import Path

import click

from harness.commands.common import HELP, UsageFault, bundled_names, targets_of
from harness.corpus import CorpusError
from harness.deliveries import Delivery, parse_deliveries
from harness.events import Event, Problem, RunEnded, event_line
from harness.plan import Plan, Selection, Target, idle_patterns
from harness.process.reaper import missing_protection
from harness.process.sandbox import Sandbox
from harness.report.console import Loudness, reporter_for
from harness.session import EXIT_FAULT, Check, Order, events

__all__ = ["command"]


@click.command("run", context_settings=HELP)
@click.argument("suites", nargs=-1, metavar="[SUITE]...")
@click.option(
    "--case",
    "cases",
    multiple=True,
    metavar="NAMES",
    help='Only these: "7", "40-59", "bad-*"; repeatable.',
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
@click.option("--sandbox", is_flag=True, help="Run subjects under bubblewrap, without network.")
@click.option("--check", is_flag=True, help="Hold the cases against the suite's schemas first.")
@click.option(
    "--results",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write each event as a line of JSON.",
)
@click.option("-v", "--verbose", is_flag=True, help="A line for each run that passed, too.")
@click.option("-q", "--quiet", is_flag=True, help="Only the last line.")
@click.pass_obj
# One argument for each option.
def command(  # pylint: disable=too-many-arguments,too-many-positional-arguments,too-many-locals
    subject: tuple[str, ...] | None,
    suites: tuple[str, ...],
    cases: tuple[str, ...],
    jobs: int | None,
    wall: float | None,
    deliver: str | None,
    repeat: int,
    sandbox: bool,
    check: bool,
    results: Path | None,
    verbose: bool,
    quiet: bool,
) -> int:
    """Run suites against a subject: xtest run [SUITE]... [-- COMMAND...]

    A SUITE is a folder of N-in.json / N-out.json pairs, a folder of such folders, or the name of a
    bundled suite; none means every bundled suite.
    """
    if subject == ():
        raise UsageFault("no command stands behind --")
    arguments = suites or tuple(bundled_names())
    targets, problems = targets_of(arguments, subject)
    selection = Selection(cases)
    problems += (
        Problem(f"--case {pattern}", "means no case")
        for pattern in idle_patterns(targets, selection)
    )
    order = Order(
        runs=Plan(targets, selection, _deliveries(deliver)),
        problems=tuple(problems),
        parallel=jobs or os.cpu_count() or 1,
        wall_s=wall,
        check=_schema_check(targets) if check else None,
        repeat=repeat,
        sandbox=_sandbox() if sandbox else None,
    )
    for missing in missing_protection():
        print(f"xtest: note: {missing}", file=sys.stderr)
    loudness = Loudness.QUIET if quiet else Loudness.VERBOSE if verbose else Loudness.NORMAL
    return _show(events(order), loudness, results)


def _deliveries(option: str | None) -> tuple[Delivery, ...] | None:
    """The deliveries that are asked for; None: all that each suite declares."""
    if option is None:
        return (Delivery.PLAIN,)
    if option == "all":
        return None
    try:
        return parse_deliveries(option)
    except ValueError as problem:
        raise UsageFault(f"--deliver {option}: {problem}") from None


def _sandbox() -> Sandbox:
    from harness.commands.sandbox import tried_sandbox  # pylint: disable=import-outside-toplevel

    return tried_sandbox()


def _schema_check(targets: Sequence[Target]) -> Check:
    # jsonschema costs more than a small run: only those who ask for it pay.
    from harness.bundled import schemas_folder  # pylint: disable=import-outside-toplevel
    from harness.contract import contracts_of  # pylint: disable=import-outside-toplevel

    try:
        return contracts_of([target.suite for target in targets], schemas_folder())
    except CorpusError as problem:
        raise UsageFault(str(problem)) from None


def _show(stream: Iterator[Event], loudness: int, results: Path | None) -> int:
    """Send every event to the results file and to the reporter. Returns the exit status."""
    status = EXIT_FAULT
    reporter = reporter_for(sys.stdout, loudness)
    with ExitStack() as open_things:
        open_things.enter_context(closing(reporter))
        file = None
        if results is not None:
            try:
                file = open_things.enter_context(results.open("w", encoding="ascii", buffering=1))
            except OSError as problem:
                raise UsageFault(
                    f"--results {results}: {(problem.strerror or '').lower()}"
                ) from None
        for event in stream:
            if file is not None:
                file.write(event_line(event))
            reporter.show(event)
            if isinstance(event, RunEnded):
                status = event.exit
    return status

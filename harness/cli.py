"""The command line: words in, an order to the session, events to the reporters, an exit status out.

What a command means is decided elsewhere; here options are read, and faults of usage are told.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Final

import click

from harness.bundled import schemas_folder, test_cases_folder
from harness.corpus import CorpusError, Found, Suite, find_all, read_suite
from harness.deliveries import Delivery, parse_deliveries
from harness.events import Event, Problem, RunEnded, event_line
from harness.naming import natural
from harness.pack_command import PackRefusal, pack, unpack
from harness.plan import Plan, Selection, Target, idle_patterns
from harness.process.loop import run
from harness.process.reaper import missing_protection
from harness.process.sandbox import BWRAP, Sandbox
from harness.records import Exited, Job, Subject
from harness.report.console import Loudness, reporter_for
from harness.report.text import listing_lines
from harness.session import EXIT_FAULT, EXIT_OK, Check, Order, events
from harness.version import VERSION
from harness.words import visible as visible_text

__all__ = ["run_command_line"]

_HELP: Final = {"help_option_names": ["-h", "--help"]}


class UsageFault(click.ClickException):
    """The caller asked for what cannot be done; exit status 2."""

    exit_code = EXIT_FAULT

    def show(self, file: object = None) -> None:
        """Print the message on standard error."""
        print(f"xtest: {self.format_message()}", file=sys.stderr)


def run_command_line(arguments: Sequence[str], command: tuple[str, ...] | None) -> int:
    """Run xtest. `command` is what stood behind `--`; None: there was no `--`. Returns the exit
    status: 0 all passed, 1 a subject fell short, 2 a fault of usage, corpus or ours, 130."""
    words = list(arguments)
    if not words or (words[0].startswith("-") and words[0] not in ("-h", "--help", "--version")):
        words.insert(0, "run")
    try:
        status = _xtest.main(words, prog_name="xtest", standalone_mode=False, obj=command)
    except click.UsageError as problem:
        problem.show()
        return EXIT_FAULT
    except click.ClickException as problem:
        problem.show()
        return problem.exit_code
    except click.Abort:
        raise KeyboardInterrupt from None
    return int(status or 0)


@click.group(context_settings=_HELP)
@click.version_option(VERSION, prog_name="xtest", message="xtest %(version)s")
def _xtest() -> None:
    """Judge programs that read JSON on standard input and print JSON on standard output.

    `xtest` alone runs every bundled suite against its bundled program. `xtest run SUITE -- COMMAND`
    runs a suite against your program, in any language. Without a command after --, the program that
    the suite's suite.toml names is run.
    """


@_xtest.command("run", context_settings=_HELP)
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
def _run(  # pylint: disable=too-many-arguments,too-many-positional-arguments,too-many-locals
    command: tuple[str, ...] | None,
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
    if command == ():
        raise UsageFault("no command stands behind --")
    arguments = suites or tuple(_bundled_names())
    targets, problems = _targets(arguments, command)
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


@_xtest.command("list", context_settings=_HELP)
@click.argument("suites", nargs=-1, metavar="[SUITE]...")
@click.option("--cases", is_flag=True, help="The names of the cases, too.")
@click.pass_obj
def _list(command: tuple[str, ...] | None, suites: tuple[str, ...], cases: bool) -> int:
    """List suites (the bundled ones, unless some are named): name, cases, program, title."""
    if command is not None:
        raise UsageFault("list takes no command behind --")
    status = EXIT_OK
    listed: list[Suite] = []
    for _, read in _read_suites(suites or tuple(_bundled_names())):
        if isinstance(read, Suite):
            listed.append(read)
        else:
            print(f"xtest: {read.where}: {read.message}", file=sys.stderr)
            status = EXIT_FAULT
    for line in listing_lines(listed, with_cases=cases):
        print(line)
    return status


@_xtest.command("pack", context_settings=_HELP)
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
def _pack(command: tuple[str, ...] | None, suite: str, output: Path | None, force: bool) -> int:
    """Make one file of a suite's pairs of files, a case a line.

    In a folder of its own, beside a copy of suite.toml and named cases.jsonl, it is the same suite.
    """
    if command is not None:
        raise UsageFault("pack takes no command behind --")
    try:
        said = pack(suite, test_cases_folder(), output, force=force)
    except (CorpusError, PackRefusal) as problem:
        raise UsageFault(str(problem)) from None
    if said:
        print(said)
    return EXIT_OK


@_xtest.command("unpack", context_settings=_HELP)
@click.argument("packed", metavar="FILE|SUITE")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    required=True,
    metavar="FOLDER",
    help="Where to write the pairs.",
)
@click.option("--force", is_flag=True, help="Write into a FOLDER that has files, over same names.")
@click.pass_obj
def _unpack(command: tuple[str, ...] | None, packed: str, output: Path, force: bool) -> int:
    """Make pairs of files of a packed file, or of a packed suite's, byte for byte."""
    if command is not None:
        raise UsageFault("unpack takes no command behind --")
    try:
        print(unpack(packed, test_cases_folder(), output, force=force))
    except (CorpusError, PackRefusal) as problem:
        raise UsageFault(str(problem)) from None
    return EXIT_OK


def _bundled_names() -> list[str]:
    folder = test_cases_folder()
    return sorted((entry.name for entry in folder.iterdir() if entry.is_dir()), key=natural)


def _targets(
    arguments: Sequence[str], command: tuple[str, ...] | None
) -> tuple[list[Target], list[Problem]]:
    """What is run against what. Raises UsageFault where a suite lacks a program."""
    targets: list[Target] = []
    problems: list[Problem] = []
    for found, read in _read_suites(arguments):
        if isinstance(read, Suite):
            targets.append(_target(found, read, command))
            problems += (Problem(read.name, fault) for fault in read.faults)
        else:
            problems.append(read)
    return targets, problems


def _target(found: Found, suite: Suite, command: tuple[str, ...] | None) -> Target:
    if command is not None:
        subject = Subject(command[0], command)
        return Target(suite, found.argument, subject, is_default_subject=False)
    program = suite.settings.program
    if not program:
        raise UsageFault(
            f"{suite.name}: no suite.toml names its program, so say which one to run:"
            f" xtest run {found.argument} -- COMMAND"
        )
    subject = Subject(program, (program,))
    return Target(suite, found.argument, subject, is_default_subject=True)


def _read_suites(arguments: Sequence[str]) -> Iterator[tuple[Found, Suite | Problem]]:
    """The suites that the arguments mean; of those that cannot be used, the problem."""
    try:
        everything = find_all(arguments, test_cases_folder())
    except CorpusError as problem:
        raise UsageFault(str(problem)) from None
    for found in everything:
        try:
            yield found, read_suite(found.name, found.folder)
        except CorpusError as problem:
            yield found, Problem(found.name, str(problem))


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
    """The sandbox, tried out. Raises UsageFault where it cannot be had: there is no silent way
    around it."""
    bwrap = shutil.which(BWRAP)
    if bwrap is None:
        raise UsageFault(f"--sandbox needs {BWRAP}, which is not there (Debian: bubblewrap)")
    visible = (sys.prefix, sys.base_prefix)
    made = Sandbox(bwrap, os.getcwd(), os.path.expanduser("~"), visible)
    trial = iter([(None, Job(made.wrap(("/bin/true",)), b""))])
    ((_, seen),) = run(trial, 1, os.environ)
    if seen.ending != Exited(0):
        said = visible_text(seen.stderr.decode("utf-8", "replace").strip())
        raise UsageFault(f"--sandbox: {BWRAP} does not work here: {said or seen.ending}")
    return made


def _schema_check(targets: Sequence[Target]) -> Check:
    # jsonschema costs more than a small run: only those who ask for it pay.
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

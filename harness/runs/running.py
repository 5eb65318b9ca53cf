"""What `xtest run` does: options in, an order to the session, events to reporters, a status out.

Knows no command line: click reads one for it, or the quick road of harness/runs/options.py does.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, suppress

from harness.events import Basis, Event, Problem, RunEnded
from harness.lookup import find_config, need_config
from harness.process.reaper import missing_protection
from harness.report.console import Loudness, Reporter, reporter_for
from harness.runs.memory import Memory, memory_folder
from harness.runs.options import RunOptions
from harness.runs.plan import Selection, Target
from harness.runs.selecting import asked_deliveries, choose, selection_of
from harness.runs.session import EXIT_FAULT, Check, Order, events
from harness.suites.naming import CONFIG_FILE
from harness.suites.targets import bundled_names, targets_of
from harness.usage import UsageFault
from harness.words import shell_line, visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO

    from harness.about import About
    from harness.documents.making import RunReports
    from harness.process.sandbox import Sandbox
    from harness.runs.resultsfile import Sink
    from harness.several.subjects import Project

__all__ = ["run_shown", "run_suites", "stream_for"]


def run_suites(options: RunOptions, command: tuple[str, ...] | None) -> int:
    """Run what the options say, against the command that stood behind `--` (None: there was no
    `--`). Returns the exit status; raises UsageFault."""
    return run_shown(options, command, _reporter(options))


def run_shown(options: RunOptions, command: tuple[str, ...] | None, reporter: Reporter) -> int:
    """The same, shown by another reporter."""
    if command == ():
        raise UsageFault("no command stands behind --")
    _refuse_contradictions(options)
    if not options.reports:
        return _run(options, command, reporter, None)
    # A run without reports is spared the reading of these.
    from harness.documents.making import RunReports  # pylint: disable=import-outside-toplevel

    reports = RunReports(options.reports, options.results, continued=options.resume)
    with closing(reports):
        return reports.make(_run(options, command, reporter, reports))


def _run(
    options: RunOptions,
    command: tuple[str, ...] | None,
    reporter: Reporter,
    reports: RunReports | None,
) -> int:
    targets, problems = _targets(options, command, reports)
    folder = memory_folder(os.environ)
    chosen = choose(
        targets, _selection(options), asked_deliveries(options.deliver, "--deliver"), folder
    )
    memory = Memory(folder)
    lasting = _lasting(options)
    order = Order(
        runs=chosen.plan,
        problems=(*problems, *chosen.problems),
        parallel=options.jobs or os.cpu_count() or 1,
        wall_s=options.wall,
        check=_schema_check(targets) if options.check else None,
        repeat=options.repeat,
        sandbox=_sandbox() if options.sandbox else None,
        max_failures=1 if options.fail_fast else options.max_failures,
        note=memory.note,
        idle=chosen.idle,
        options=lasting,
        basis=_bases(options, targets, lasting),
        about=_about(options, targets),
        board=reporter.board(options.jobs or os.cpu_count() or 1),
    )
    for missing in missing_protection():
        print(f"xtest: note: {missing}", file=sys.stderr)
    try:
        with ExitStack() as open_things:
            if options.resume or options.cached:
                order, sink = _gone_on(order, options, targets, open_things)
            else:
                sink = None
            if sink is None and options.results:
                sink = open_things.enter_context(closing(_results_file(options.results)))
            if reports is not None:
                sink = reports.sink(sink, open_things)
            open_things.enter_context(closing(reporter))
            return _show(events(order), reporter, sink, options.results)
    finally:
        # Also of a run that was interrupted, or whose reader has gone.
        memory.write()


def _refuse_contradictions(options: RunOptions) -> None:
    if options.resume and not options.results:
        raise UsageFault("--resume goes on with the FILE of --results, and there is none")
    if options.depends and not (options.results or options.cached):
        raise UsageFault("--depends is for --results and --cached, and neither is there")
    if options.resume and (options.failed or options.new):
        option = "--failed" if options.failed else "--new"
        raise UsageFault(
            f"--resume goes on with what was selected, and {option} selects something else as"
            f" cases are run; leave {option} out: what is done is not run again"
        )


def _gone_on(
    order: Order, options: RunOptions, targets: Sequence[Target], open_things: ExitStack
) -> tuple[Order, Sink | None]:
    """An order for what is left of another one, and the results file that is gone on with."""
    # Imported where it is asked for: all others are spared it.
    # pylint: disable=import-outside-toplevel
    from harness.runs.continuing import Situation, continued

    assert order.note is not None
    situation = Situation(order.runs, targets, order.basis, order.check, order.options, order.note)
    results = options.results if options.resume else None
    cache = memory_folder(os.environ) if options.cached else None
    going = continued(situation, results, cache, open_things)
    return order._replace(runs=going.left, earlier=going.earlier, note=going.note), going.sink


def _bases(
    options: RunOptions, targets: Sequence[Target], lasting: tuple[str, ...]
) -> tuple[Basis, ...]:
    """What the verdicts rest on, where somebody may want to know it later."""
    if not (options.results or options.cached):
        return ()
    from harness.runs.basis import bases_of  # pylint: disable=import-outside-toplevel

    return bases_of(targets, lasting, options.depends, os.environ)


def _about(options: RunOptions, targets: Sequence[Target]) -> tuple[About, ...]:
    """What a report says of the suites, where one may be made."""
    if not (options.results or options.reports):
        return ()
    from harness.runs.abouts import about_suites  # pylint: disable=import-outside-toplevel

    return about_suites([target.suite for target in targets])


def _targets(
    options: RunOptions, command: tuple[str, ...] | None, reports: RunReports | None
) -> tuple[list[Target], list[Problem]]:
    """What is run against what: by the command line, and by the xtest.toml where that is silent.
    Subjects are built, unless reports cannot be made of them."""
    project, targets, problems = _found(options, command)
    if reports is not None:
        reports.check_subjects(list(dict.fromkeys(target.subject.name for target in targets)))
    if project is None:
        return targets, problems
    from harness.several.subjects import built  # pylint: disable=import-outside-toplevel

    return built(project, targets), problems


def _found(
    options: RunOptions, command: tuple[str, ...] | None
) -> tuple[Project | None, list[Target], list[Problem]]:
    """What is run against what, and the project whose subjects are yet to be built."""
    if command is not None and options.subjects:
        raise UsageFault(
            f"--subject means subjects of {CONFIG_FILE}, and there is a command behind --:"
            " choose one"
        )
    if options.subjects:
        need_config(f"--subject {visible(options.subjects[0])}")
    # A command and folders: nothing is asked of xtest.toml.
    is_said = command is not None and bool(options.suites)
    path = None if is_said and all(map(os.path.isdir, options.suites)) else find_config()
    if path is None:
        return None, *targets_of(options.suites or _bundled_for(command), command)
    # A run without xtest.toml is spared the reading of it.
    from harness.several import subjects  # pylint: disable=import-outside-toplevel

    project = subjects.read_project(path)
    if command is not None:
        suites = subjects.configured_suites(project, options.suites)
        return None, *targets_of(suites or _bundled_for(command), command)
    return project, *subjects.configured_targets(project, options.suites, options.subjects)


def _bundled_for(command: tuple[str, ...] | None) -> list[str]:
    """The bundled suites, where nothing else is named. Raises UsageFault: one command cannot be all
    of their programs, so that a suite was forgotten."""
    if command:
        raise UsageFault(
            "no suite is named, and each of the bundled ones is for a program of its own:"
            f" xtest run SUITE -- {shell_line(command)}"
        )
    return bundled_names()


def _selection(options: RunOptions) -> Selection:
    part = options.shard
    return selection_of(options.cases, options.tags, part, failed=options.failed, new=options.new)


def _lasting(options: RunOptions) -> tuple[str, ...]:
    """The options that decide what comes of a single run, too."""
    words: tuple[str, ...] = ()
    if options.wall is not None:
        words += ("--wall", repr(options.wall).removesuffix(".0"))
    if options.repeat != 1:
        words += ("--repeat", str(options.repeat))
    words += ("--sandbox",) if options.sandbox else ()
    return (*words, "--check") if options.check else words


def _reporter(options: RunOptions) -> Reporter:
    loudness = Loudness.VERBOSE if options.verbose else Loudness.NORMAL
    loudness = Loudness.QUIET if options.quiet else loudness
    return reporter_for(stream_for(options), loudness, full=options.full)


def stream_for(options: RunOptions) -> TextIO:
    """Where people are told of a run: standard output, unless a report goes there."""
    if not options.reports:
        return sys.stdout
    from harness.documents.making import takes_stdout  # pylint: disable=import-outside-toplevel

    return sys.stderr if takes_stdout(options.reports) else sys.stdout


def _sandbox() -> Sandbox:
    from harness.runs.sandboxing import tried_sandbox  # pylint: disable=import-outside-toplevel

    return tried_sandbox()


def _schema_check(targets: Sequence[Target]) -> Check:
    # jsonschema costs more than a small run: only those who ask for it pay.
    from harness.suites.bundled import schemas_folder  # pylint: disable=import-outside-toplevel
    from harness.suites.contract import contracts_of  # pylint: disable=import-outside-toplevel
    from harness.suites.corpus import CorpusError  # pylint: disable=import-outside-toplevel

    try:
        return contracts_of([target.suite for target in targets], schemas_folder())
    except CorpusError as problem:
        raise UsageFault(str(problem)) from None


def _show(stream: Iterator[Event], reporter: Reporter, sink: Sink | None, results: str) -> int:
    """Send every event to the results file and to the reporter. Returns the exit status; raises
    UsageFault where the file takes no more."""
    status = EXIT_FAULT
    for event in stream:
        if sink is not None:
            try:
                sink.write(event)
            except OSError as problem:
                with suppress(OSError):
                    sink.close()  # or it would be tried again, and be told as something else
                raise _unwritten(results, problem) from None
        reporter.show(event)
        if isinstance(event, RunEnded):
            status = event.exit
    return status


def _results_file(path: str) -> Sink:
    from harness.runs.resultsfile import ResultsFile  # pylint: disable=import-outside-toplevel

    try:
        return ResultsFile(path)
    except OSError as problem:
        raise _unwritten(path, problem) from None


def _unwritten(results: str, problem: OSError) -> UsageFault:
    """What to say of events that cannot be written."""
    where = f"--results {visible(results)}" if results else "--report keeps the events of the run"
    return UsageFault(f"{where}: {(problem.strerror or '').lower()}")

"""What `xtest run` does: options in, an order to the session, events to reporters, a status out.

Knows no command line: click reads one for it, or the quick road of harness/options.py does.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing

from harness.deliveries import Delivery, parse_deliveries
from harness.events import Event, RunEnded, event_line
from harness.memory import Memory, memory_folder
from harness.options import RunOptions
from harness.plan import Selection, Target
from harness.process.reaper import missing_protection
from harness.report.console import Loudness, Reporter, reporter_for
from harness.selecting import choose, selection_of
from harness.session import EXIT_FAULT, Check, Order, events
from harness.targets import bundled_names, targets_of
from harness.usage import UsageFault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harness.process.sandbox import Sandbox

__all__ = ["run_suites"]


def run_suites(options: RunOptions, command: tuple[str, ...] | None) -> int:
    """Run what the options say, against the command that stood behind `--` (None: there was no
    `--`). Returns the exit status; raises UsageFault."""
    if command == ():
        raise UsageFault("no command stands behind --")
    arguments = options.suites or tuple(bundled_names())
    targets, problems = targets_of(arguments, command)
    folder = memory_folder(os.environ)
    chosen = choose(targets, _selection(options), _deliveries(options.deliver), folder)
    memory = Memory(folder)
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
        options=_lasting(options),
    )
    for missing in missing_protection():
        print(f"xtest: note: {missing}", file=sys.stderr)
    try:
        return _show(events(order), _reporter(options), options.results)
    finally:
        # Also of a run that was interrupted, or whose reader has gone.
        memory.write()


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
    return reporter_for(sys.stdout, loudness, full=options.full)


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
    from harness.sandboxing import tried_sandbox  # pylint: disable=import-outside-toplevel

    return tried_sandbox()


def _schema_check(targets: Sequence[Target]) -> Check:
    # jsonschema costs more than a small run: only those who ask for it pay.
    from harness.bundled import schemas_folder  # pylint: disable=import-outside-toplevel
    from harness.contract import contracts_of  # pylint: disable=import-outside-toplevel
    from harness.corpus import CorpusError  # pylint: disable=import-outside-toplevel

    try:
        return contracts_of([target.suite for target in targets], schemas_folder())
    except CorpusError as problem:
        raise UsageFault(str(problem)) from None


def _show(stream: Iterator[Event], reporter: Reporter, results: str) -> int:
    """Send every event to the results file and to the reporter. Returns the exit status."""
    status = EXIT_FAULT
    with ExitStack() as open_things:
        open_things.enter_context(closing(reporter))
        file = None
        if results:
            try:
                file = open_things.enter_context(open(results, "w", encoding="ascii", buffering=1))
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

"""Declare and check the options of `xtest run`, which other commands share."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple, TextIO

import click

from harness.engine.plan import Selection
from harness.engine.remaining import Deadline
from harness.errors import UsageError, usage_errors
from harness.model.sessions import SessionMode, SessionOptions
from harness.model.suite_info import Audience
from harness.options import common
from harness.reports.registry import STDOUT
from harness.reports.writer import writes_to_stdout
from harness.results.results_file import is_results_file
from harness.text import escape_nonprintable

if TYPE_CHECKING:  # it imports watchfiles, which takes 80 ms
    from harness.cli.watched_round import RoundObserver


class RunOptions(NamedTuple):
    """The options of `xtest run` by name, and those that only other commands set."""

    suites: tuple[str, ...] = ()
    selection: Selection = Selection()
    jobs: int | None = None
    wall: float | None = None
    retry_timeouts: bool | None = None
    deliver: str | None = None
    repeat: int = 1
    max_failures: int | None = None
    fail_fast: bool = False
    sandbox: str | None = None
    shown: tuple[str, ...] = ()
    check: bool = False
    results: str = ""
    append: bool = False
    replace: bool = False
    resume: bool = False
    cached: bool = False
    depends: tuple[str, ...] = ()
    cluster: str = ""
    cluster_tls: str = ""
    ships: bool = False
    full: bool = False
    verbose: bool = False
    quiet: bool = False
    subjects: tuple[str, ...] = ()
    reports: tuple[str, ...] = ()
    audience: str = Audience.STAFF.value
    deadline: Deadline | None = None
    sessions: SessionOptions = SessionOptions()
    bundled: bool = False  # only bundled suites are named
    graded: bool = False  # points are computed from the events
    builds: bool = True  # subjects are built first
    observer: RoundObserver | None = None

    @property
    def stream(self) -> TextIO:
        """Standard output, or standard error if a report goes to standard output."""
        return sys.stderr if writes_to_stdout(self.reports) else sys.stdout

    @property
    def parallel(self) -> int:
        """The number of runs at once on this machine."""
        return self.jobs or os.cpu_count() or 1

    @property
    def outcome_words(self) -> tuple[str, ...]:
        """The options of the command line that a verdict depends on."""
        shared = outcome_words(self.wall, self.sandbox, self.shown, self.sessions)
        repeat = ("--repeat", str(self.repeat)) if self.repeat != 1 else ()
        return (*shared, *repeat, *(("--check",) if self.check else ()))

    def rerun_words(self, argv: tuple[str, ...] | None) -> tuple[str, ...]:
        """Return the command line that repeats a run, without its results and reports.

        `argv` is the subject's command, or None.
        """
        words = ["xtest", "demo" if self.bundled else "run", *self.suites, *self.selection.words]
        if self.deliver is not None:
            words += ["--deliver", self.deliver]
        for subject in self.subjects:
            words += ["--subject", subject]
        return (*words, *self.outcome_words, *(() if argv is None else ("--", *argv)))


def outcome_words(
    wall: float | None, sandbox: str | None, shown: Sequence[str], sessions: SessionOptions
) -> Iterator[str]:
    """Yield the words of these options, which verdicts depend on."""
    if wall is not None:
        yield from ("--wall", repr(wall).removesuffix(".0"))
    if sandbox is not None:
        yield "--sandbox" if sandbox == common.AUTO else f"--sandbox={sandbox}"
    for path in shown:
        yield from ("--show", path)
    if sessions.mode is SessionMode.TRUST:
        yield from ("--sessions", sessions.mode.value)


# Where runs happen, and what becomes of their results.
result_options = common.combined(
    common.section("Sessions", common.session_options),
    common.section("Several machines", common.cluster_options),
    common.section(
        "Results and reports", common.resume_options, common.report_option, common.audience_option
    ),
)
# All but the options that choose subjects.
run_options = common.combined(
    common.section("Cases", common.selection_options),
    common.section(
        "Order and stopping",
        click.option(
            "--failed-first", is_flag=True, help="First run the cases that failed last time."
        ),
        click.option(
            "--max-failures", type=click.IntRange(1), metavar="N", help="Stop after N failed runs."
        ),
        click.option("--fail-fast", is_flag=True, help="Stop after the first failed run."),
        common.deadline_option,
    ),
    common.section(
        "How subjects run",
        common.jobs_option,
        common.wall_option,
        common.retry_option("-j1, --fail-fast or --max-failures"),
        common.deliver_option,
        common.repeat_option,
        common.check_option,
        common.sandbox_options,
    ),
    result_options,
    common.section(
        "On the terminal",
        click.option(
            "--full", is_flag=True, help="Show all differences, up to 200, and more of stderr."
        ),
        click.option("-v", "--verbose", is_flag=True, help="Show passed runs, too."),
        click.option("-q", "--quiet", is_flag=True, help="Show only the summary line."),
    ),
)


def refuse_contradictions(options: RunOptions) -> None:
    """Raise UsageError for options that exclude each other, and for an unusable results file."""
    _check_results(options)
    if options.audience != Audience.STAFF.value and not options.reports:
        raise UsageError("--audience requires --report NAME=FILE; the terminal shows all cases")
    users = (options.results, options.cached, options.sandbox, options.ships, options.observer)
    if options.depends and not any(users):
        raise UsageError(
            "--depends requires --results, --cached, --sandbox, --ship or xtest run --watch"
        )
    if options.resume and options.selection.needs_last_run:
        option = "--failed" if options.selection.failed else "--new"
        raise UsageError(
            f"--resume cannot be combined with {option}: the selection of a resumed run must not"
            f" change; omit {option}: finished runs are not repeated anyway"
        )


def _check_results(options: RunOptions) -> None:
    """Raise UsageError for a results file that cannot be written, or that exists without an option
    that says what to do with it."""
    uses = ("append", "replace", "resume")
    given = [f"--{name}" for name in uses if getattr(options, name)]
    if given and not options.results:
        raise UsageError(f"{given[0]} requires --results FILE")
    if len(given) > 1:
        raise UsageError(f"{given[0]} cannot be combined with {given[1]}")
    if not options.results:
        return
    file, shown = options.results, f"--results {escape_nonprintable(options.results)}"
    if file == STDOUT:
        raise UsageError(f"{shown}: name a file; --report NAME={STDOUT} prints a report")
    if os.path.isdir(file):
        raise UsageError(f"{shown}: is a folder; name a file")
    if not os.path.isdir(os.path.dirname(file) or os.curdir):
        raise UsageError(f"{shown}: its folder does not exist; create it first")
    if not (os.path.isfile(file) and os.path.getsize(file)):
        return
    if not given:
        raise UsageError(
            f"{shown}: the file exists; add --append, --replace or --resume, or name another"
        )
    with usage_errors(shown):
        if not is_results_file(file):
            raise UsageError(f"{shown}: not a results file; delete it first, or name another")

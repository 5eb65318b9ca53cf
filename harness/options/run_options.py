"""Declare and check the options of runs of suites."""

from __future__ import annotations

import os
import sys
from typing import NamedTuple, TextIO

import click

from harness.engine.plan import Selection
from harness.engine.remaining import Deadline
from harness.errors import UsageError, usage_errors
from harness.model.suite_info import Audience
from harness.options import arguments
from harness.options.arguments import ExecutionOptions
from harness.options.command import combined, section
from harness.reports.registry import STDOUT
from harness.reports.writer import writes_to_stdout
from harness.results.results_file import is_results_file
from harness.text import escape_nonprintable


class RunOptions(NamedTuple):
    """The options of `xtest run` by name."""

    suites: tuple[str, ...] = ()
    selection: Selection = Selection()
    execution: ExecutionOptions = ExecutionOptions()
    deliver: str | None = None
    repeat: int = 1
    max_failures: int | None = None
    fail_fast: bool = False
    check: bool = False
    results: str = ""
    append: bool = False
    replace: bool = False
    resume: bool = False
    cached: bool = False
    depends: tuple[str, ...] = ()
    full: bool = False
    verbose: bool = False
    quiet: bool = False
    subjects: tuple[str, ...] = ()
    reports: tuple[str, ...] = ()
    audience: str = Audience.STAFF.value
    deadline: Deadline | None = None

    @property
    def stream(self) -> TextIO:
        """Standard output, or standard error if a report goes to standard output."""
        return sys.stderr if self.reports and writes_to_stdout(self.reports) else sys.stdout

    @property
    def outcome_args(self) -> tuple[str, ...]:
        """The options of the command line that a verdict depends on."""
        repeat = ("--repeat", str(self.repeat)) if self.repeat != 1 else ()
        return (*self.execution.outcome_args, *repeat, *(("--check",) if self.check else ()))

    def rerun_args(self, verb: str, argv: tuple[str, ...] | None) -> tuple[str, ...]:
        """Return the command line that repeats a run, without its results and reports.

        `verb` is the command of xtest, `argv` the subject's command, or None.
        """
        args = ["xtest", verb, *self.suites, *self.selection.args]
        if self.deliver is not None:
            args += ["--deliver", self.deliver]
        for subject in self.subjects:
            args += ["--subject", subject]
        if verb == "run" and not self.execution.give_up:
            args.append("--no-give-up")
        return (*args, *self.outcome_args, *(() if argv is None else ("--", *argv)))


# Where runs happen, and what becomes of their results.
result_options = combined(
    section("Sessions", arguments.session_options),
    section("Several machines", arguments.cluster_options),
    section(
        "Results and reports",
        arguments.resume_options,
        arguments.report_option,
        arguments.audience_option,
    ),
)
# All but the options that choose subjects.
run_options = combined(
    section("Cases", arguments.selection_options),
    section(
        "Order and stopping",
        click.option(
            "--failed-first", is_flag=True, help="First run the cases that failed last time."
        ),
        click.option(
            "--max-failures", type=click.IntRange(1), metavar="N", help="Stop after N failed runs."
        ),
        click.option("--fail-fast", is_flag=True, help="Stop after the first failed run."),
        arguments.deadline_option,
    ),
    section(
        "How subjects run",
        arguments.jobs_option,
        arguments.wall_option,
        arguments.retry_option("--fail-fast or --max-failures"),
        arguments.give_up_option,
        arguments.deliver_option,
        arguments.repeat_option,
        arguments.workspace_option,
        arguments.check_option,
        arguments.rebuild_option,
        arguments.sandbox_options,
    ),
    result_options,
    section(
        "On the terminal",
        click.option(
            "--full", is_flag=True, help="Show all differences, up to 200, and more of stderr."
        ),
        click.option("-v", "--verbose", is_flag=True, help="Show passed runs, too."),
        click.option("-q", "--quiet", is_flag=True, help="Show only the summary line."),
    ),
)


def refuse_contradictions(options: RunOptions, *, watched: bool) -> None:
    """Raise UsageError for options that exclude each other, and for an unusable results file."""
    _check_results(options)
    if options.audience != Audience.STAFF.value and not options.reports:
        raise UsageError("--audience requires --report NAME=FILE; the terminal shows all cases")
    sandbox, ships = options.execution.sandbox, options.execution.ships
    users = (options.results, options.cached, sandbox, ships, watched)
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
    used = [f"--{name}" for name in uses if getattr(options, name)]
    if used and not options.results:
        raise UsageError(f"{used[0]} requires --results FILE")
    if len(used) > 1:
        raise UsageError(f"{used[0]} cannot be combined with {used[1]}")
    if not options.results:
        return
    file, shown = options.results, f"--results {escape_nonprintable(options.results)}"
    if file == STDOUT:
        raise UsageError(f"{shown}: name a file; --report NAME={STDOUT} prints a report")
    if not has_results(file):
        return
    if not used:
        raise UsageError(
            f"{shown}: the file exists; add --append, --replace or --resume, or name another"
        )
    with usage_errors(shown):
        if not is_results_file(file):
            raise UsageError(f"{shown}: not a results file; delete it first, or name another")


def has_results(file: str) -> bool:
    """Return whether the file of --results exists and is not empty.

    Raises UsageError if it cannot be written.
    """
    shown = f"--results {escape_nonprintable(file)}"
    if os.path.isdir(file):
        raise UsageError(f"{shown}: is a folder; name a file")
    if not os.path.isdir(os.path.dirname(file) or os.curdir):
        raise UsageError(f"{shown}: its folder does not exist; create it first")
    return os.path.isfile(file) and os.path.getsize(file) > 0

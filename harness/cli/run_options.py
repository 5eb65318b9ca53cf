"""Declare the options of `xtest run`, which `xtest demo` and `xtest matrix` share."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, NamedTuple, TextIO

import click

from harness.cli import common
from harness.model.sessions import SessionOptions
from harness.model.suite_info import Audience
from harness.reports.writer import writes_to_stdout
from harness.runner.deadline import Deadline
from harness.runner.plan import Selection

if TYPE_CHECKING:  # it imports watchfiles, which takes 80 ms
    from harness.cli.watched_round import RoundObserver


class RunOptions(NamedTuple):
    """The options of `xtest run`, by their names, and what another command wants of the run."""

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


# All but the options that choose subjects.
run_options = common.together(
    common.section("Cases", common.selection_options),
    common.section(
        "Order and end",
        click.option("--failed-first", is_flag=True, help="Run cases that failed last time first."),
        click.option(
            "--max-failures", type=click.IntRange(1), metavar="N", help="Stop after N failed runs."
        ),
        click.option("--fail-fast", is_flag=True, help="Stop after the first failed run."),
        common.deadline_option,
    ),
    common.section(
        "How subjects run",
        *(common.jobs_option, common.wall_option, common.retry_option, common.deliver_option),
        *(common.repeat_option, common.check_option, common.sandbox_options),
    ),
    common.section("Sessions", common.session_options),
    common.section("Several machines", common.cluster_options),
    common.section(
        "Results and reports",
        *(common.resume_options, common.report_option, common.audience_option),
    ),
    common.section(
        "On the terminal",
        click.option(
            "--full", is_flag=True, help="Show all differences, up to 200, and more of stderr."
        ),
        click.option("-v", "--verbose", is_flag=True, help="Show passed runs, too."),
        click.option("-q", "--quiet", is_flag=True, help="Show only the summary line."),
    ),
)

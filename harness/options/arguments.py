"""Declare the arguments and options that several commands share; hold the values of some."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import wraps
from typing import Any, Final, NamedTuple

import click
from click.core import ParameterSource

from harness.engine.remaining import Deadline
from harness.errors import UsageError
from harness.model.protection import SandboxKind
from harness.model.sessions import SessionMode, SessionOptions
from harness.model.subject import WorkspaceMode
from harness.model.suite_info import Audience
from harness.options.command import MOST_JOBS, Decorator, combined
from harness.options.completers import (
    Completer,
    complete_cases,
    complete_deliveries,
    complete_files,
    complete_reports,
    complete_subjects,
    complete_suites,
    complete_tags,
)
from harness.reports.registry import FORMATS
from harness.results.selection import selection_of
from harness.text import quote
from harness.tomlio.tables import CEILING

AUTO: Final = "auto"  # the value of --sandbox for the first that works


class ExecutionOptions(NamedTuple):
    """Options that decide how and where subjects run, by their names.

    A command declares the options that make sense for it; the others keep their defaults.
    """

    jobs: int | None = None  # None for one per processor
    wall: float | None = None  # seconds, None for the limit of each suite
    retry_timeouts: bool | None = None  # None: unless a number of failures ends the run
    give_up: bool = False  # on subjects that time out again and again
    sandbox: str | None = None
    shown: tuple[str, ...] = ()
    workspace: WorkspaceMode = WorkspaceMode.PRIVATE
    sessions: SessionOptions = SessionOptions()
    cluster: str = ""
    cluster_tls: str = ""
    ships: bool = False
    rebuild: bool = False  # subjects that have not changed since their last build, too

    @property
    def parallel(self) -> int:
        """The number of runs at once on this machine."""
        return self.jobs or os.cpu_count() or 1

    def retries(self, *, stops_early: bool = False) -> bool:
        """Return whether timeouts are repeated alone.

        With `-j1`, too: programs of others may take the processor. `stops_early`: a number of
        failures ends the run.
        """
        return not stops_early if self.retry_timeouts is None else self.retry_timeouts

    @property
    def outcome_args(self) -> tuple[str, ...]:
        """The words of these options that verdicts depend on."""
        args: list[str] = []
        if self.wall is not None:
            args += ("--wall", repr(self.wall).removesuffix(".0"))
        if self.sandbox is not None:
            args.append("--sandbox" if self.sandbox == AUTO else f"--sandbox={self.sandbox}")
        for path in self.shown:
            args += ("--show", path)
        if self.workspace is WorkspaceMode.SHARED:
            args += ("--workspace", self.workspace.value)
        if self.sessions.mode is SessionMode.TRUST:
            args += ("--sessions", self.sessions.mode.value)
        return tuple(args)


class Seconds(click.ParamType):  # type: ignore[type-arg]  # generic only in newer versions
    """A positive number of seconds, in the range of suite.toml."""

    name = "seconds"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        with suppress(ValueError):
            number = float(value)
            if 0 < number < CEILING:  # false for "nan"
                return number
        self.fail(f"{value!r} is not a number above 0 and below 1e9, such as 2.5.", param, ctx)


def refuse_empty(ctx: click.Context, option: click.Parameter, value: str) -> str:
    """Return the value of an option. Raises UsageError for "", as from an unset shell variable."""
    source = ctx.get_parameter_source(option.name or "")
    if value == "" and source is ParameterSource.COMMANDLINE:
        raise UsageError(f"{option.opts[-1]} requires a value that is not empty")
    return value


def repeatable(
    option: str, name: str, metavar: str, completer: Completer, text: str, *, required: bool = False
) -> Decorator:
    """Return an option that may be given several times, and passes a tuple as `name`."""
    return click.option(
        option,
        name,
        multiple=True,
        required=required,
        metavar=metavar,
        shell_complete=completer,
        help=f"{text}; repeatable.",
    )


suites_argument = click.argument(
    "suites", nargs=-1, metavar="[SUITE]...", shell_complete=complete_suites
)
required_suites_argument = click.argument(
    "suites", nargs=-1, required=True, metavar="SUITE...", shell_complete=complete_suites
)
jobs_option = click.option(
    "-j",
    "--jobs",
    type=click.IntRange(1, MOST_JOBS),
    metavar="N",
    help="Run N processes at once [one per processor].",
)
wall_option = click.option(
    "--wall",
    type=Seconds(),
    metavar="S",
    help="Seconds that each run may take, instead of the suite's limit.",
)


def retry_option(exceptions: str = "") -> Decorator:
    """Return the option to repeat timeouts; the help names the options that change its default."""
    default = f"yes, except with {exceptions}" if exceptions else "yes"
    return click.option(
        "--retry-timeouts/--no-retry-timeouts",
        default=None,
        help=f"At the end, repeat runs that timed out, one by one [{default}].",
    )


give_up_option = click.option(
    "--give-up/--no-give-up",
    default=True,
    help="After 5 timeouts in a row of a subject in a suite without points, do not run its other"
    " cases there [yes].",
)
workspace_option = click.option(
    "--workspace",
    type=click.Choice([mode.value for mode in WorkspaceMode]),
    callback=lambda _ctx, _option, mode: WorkspaceMode(mode),
    default=WorkspaceMode.PRIVATE.value,
    metavar="MODE",
    help="What becomes of files that a run writes into its working folder: private discards them,"
    " shared keeps them [private].",
)
rebuild_option = click.option(
    "--rebuild", is_flag=True, help="Build subjects that have not changed since their build, too."
)
check_option = click.option(
    "--check", is_flag=True, help="Check the cases against the suites' schemas first."
)
subject_option = repeatable(
    "--subject",
    "subjects",
    "NAME",
    complete_subjects,
    "Only this subject of xtest.toml: a name, a glob or @TAG",
)
# For commands that run one subject.
one_subject_option = click.option(
    "--subject",
    "subjects",
    metavar="NAME",
    multiple=True,
    shell_complete=complete_subjects,
    help="The subject of xtest.toml to run, instead of a COMMAND.",
)
deliver_option = click.option(
    "--deliver",
    metavar="NAME[,NAME...]",
    shell_complete=complete_deliveries,
    help='Feed inputs in these ways, such as "slow,cut", or "all" for those that the suite declares'
    " [plain].",
)
repeat_option = click.option(
    "--repeat",
    type=click.IntRange(1, 1000),
    default=1,
    metavar="N",
    help="Run everything N times; cases with different verdicts are flaky.",
)
report_option = repeatable(
    "--report", "reports", "NAME=FILE", complete_reports, f"Write a report: {', '.join(FORMATS)}"
)

deadline_option = click.option(
    "--deadline",
    type=Seconds(),
    metavar="S",
    callback=lambda _ctx, _option, after_s: None if after_s is None else Deadline(after_s),
    help="Stop all runs S seconds after the start, and report the rest as not-run.",
)
audience_option = click.option(
    "--audience",
    type=click.Choice([audience.value for audience in Audience]),
    default=Audience.STAFF.value,
    metavar="WHO",
    help="Leave out cases that readers of the reports may not see; WHO: staff, student,"
    " student-after-due-date, student-after-published [staff].",
)


def format_option(text: str = "Readable text, or one JSON object [text].") -> Decorator:
    return click.option(
        "--format", "form", type=click.Choice(("text", "json")), default="text", help=text
    )


def _gather(name: str, make: Callable[..., object], *options: str) -> Decorator:
    """Return a decorator that replaces options of a command by `make(**options)`, as `name`."""

    def decorate(command: Any) -> Any:
        @wraps(command)
        def gather(*subject: Any, **arguments: Any) -> int:
            own = {option: arguments.pop(option) for option in options if option in arguments}
            status: int = command(*subject, **{name: make(**own)}, **arguments)
            return status

        return gather

    return decorate


def with_execution(command: Any) -> Any:
    """Replace the options on how subjects run, of those that the command has, by ExecutionOptions.

    It comes right above the function, so that `sessions` is one of them.
    """
    return _gather("execution", ExecutionOptions, *ExecutionOptions._fields)(command)


_with_selection = _gather(
    "selection", selection_of, "cases", "tags", "shard", "failed", "new", "failed_first"
)
_naming_options = combined(
    repeatable(
        "--case",
        "cases",
        "PATTERN",
        complete_cases,
        'Only these cases: "7", "1,5,40-59", "bad-*", "~words of the title"',
    ),
    repeatable(
        "--tag",
        "tags",
        "TAG",
        complete_tags,
        "Only cases with this tag of suite.toml, or without it: '!TAG'",
    ),
)
_shard_option = click.option(
    "--shard", metavar="I/N", help="Only the I-th of N equal parts of the selected cases."
)
# The command gets a Selection as `selection`; that of `case_options` needs no earlier runs.
case_options = combined(_naming_options, _shard_option, _with_selection)
selection_options = combined(
    _naming_options,
    click.option("--failed", is_flag=True, help="Only cases that failed last time."),
    click.option("--new", is_flag=True, help="Only cases that never ran or have changed since."),
    _shard_option,
    _with_selection,
)
sandbox_options = combined(
    click.option(
        "--sandbox",
        type=click.Choice((AUTO, *(kind.value for kind in SandboxKind))),
        is_flag=False,
        flag_value=AUTO,
        metavar="[=KIND]",
        help="Run subjects in a sandbox: bwrap, landlock, or whichever works [auto].",
    ),
    repeatable(
        "--show",
        "shown",
        "PATH",
        complete_files,
        "With --sandbox: let subjects see this file or folder",
    ),
)
# The options of commands that run each input once.
execution_options = combined(
    jobs_option, wall_option, rebuild_option, retry_option(), sandbox_options
)


def _sample_size(_context: object, _option: object, text: str | None) -> int | None:
    if text is None:
        return None
    if text == "all":
        return sys.maxsize
    digits = text.lstrip("0")
    if not digits.isdecimal() or not text.isascii():
        raise click.BadParameter(f'{quote(text)} is neither a number above 0 nor "all"')
    return int(digits[:18])  # more than all cases; int() refuses thousands of digits


# The command gets SessionOptions as `sessions`.
_session_mode_option = click.option(
    "--sessions",
    "mode",
    type=click.Choice([mode.value for mode in SessionMode]),
    callback=lambda _ctx, _option, mode: SessionMode(mode),
    default=SessionMode.VERIFY.value,
    metavar="MODE",
    help="How far to trust subjects that declare a session: off, verify, trust [verify].",
)
session_mode_option = combined(_session_mode_option, _gather("sessions", SessionOptions, "mode"))
session_options = combined(
    _session_mode_option,
    click.option(
        "--session-sample",
        "sample",
        callback=_sample_size,
        metavar="N",
        help="Rerun about N of the cases that passed in sessions, each in a fresh process, or"
        ' "all" [about 300].',
    ),
    click.option(
        "--session-seed",
        "seed",
        type=click.IntRange(0),
        metavar="N",
        help="Rerun the same cases as an earlier run; N is its seed. Exact only with -j1.",
    ),
    _gather("sessions", SessionOptions, "mode", "sample", "seed"),
)


def results_option(help_text: str) -> Decorator:
    return click.option(
        "--results",
        default="",
        callback=refuse_empty,
        metavar="FILE",
        shell_complete=complete_files,
        help=help_text,
    )


append_option = click.option(
    "--append", is_flag=True, help="Add this run to the FILE of --results."
)
resume_option = click.option(
    "--resume", is_flag=True, help="Skip runs that are already in the FILE of --results."
)
resume_options = combined(
    results_option("Write every event to FILE, as JSON Lines; FILE must be new or empty."),
    append_option,
    click.option("--replace", is_flag=True, help="Replace the FILE of --results."),
    resume_option,
    click.option(
        "--cached",
        is_flag=True,
        help="Skip runs that passed earlier with --cached and have not changed.",
    ),
    repeatable(
        "--depends",
        "depends",
        "PATH",
        complete_files,
        "With --results, --cached, --sandbox or --ship, or xtest run --watch: a file or folder"
        " that the subject depends on",
    ),
)
cluster_options = combined(
    click.option(
        "--cluster",
        default="",
        callback=refuse_empty,
        metavar="WHERE",
        help="Run cases on a Dask cluster: local:N, tcp://HOST:PORT, slurm:FILE.yaml, ...",
    ),
    click.option(
        "--cluster-tls",
        default="",
        callback=refuse_empty,
        metavar="FOLDER",
        shell_complete=complete_files,
        help="Encrypt the connections of --cluster, with ca.pem, cert.pem and key.pem of FOLDER.",
    ),
    click.option(
        "--ship",
        "ships",
        is_flag=True,
        help="With --cluster: send suites and subjects to workers, which need not have the files.",
    ),
)

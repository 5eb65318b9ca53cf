"""Declare the arguments and options that several commands share, and print their notes."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any, Final, TypeVar

import click

from harness.cli.completers import (
    Completer,
    complete_cases,
    complete_files,
    complete_reports,
    complete_subjects,
    complete_suites,
    complete_tags,
)
from harness.errors import UsageError
from harness.model.events import Diagnostic
from harness.model.protection import SandboxKind
from harness.reports.registry import FORMATS
from harness.runner.selection import selection_of
from harness.text import escape_nonprintable

__all__ = [
    "HELP",
    "case_options",
    "check_option",
    "format_option",
    "jobs_option",
    "print_note",
    "print_problem",
    "print_problems",
    "repeatable",
    "report_option",
    "require_command",
    "required_suites_argument",
    "resume_options",
    "sandbox_options",
    "selection_options",
    "subject_option",
    "suites_argument",
    "wall_option",
    "without_command",
]

F = TypeVar("F", bound=Callable[..., object])

HELP: Final = {"help_option_names": ["-h", "--help"]}


def print_problem(message: str) -> None:
    print(f"xtest: {message}", file=sys.stderr)


def print_note(message: str) -> None:
    print_problem(f"note: {message}")


def print_problems(problems: Iterable[Diagnostic]) -> None:
    for problem in problems:
        print_problem(escape_nonprintable(f"{problem.where}: {problem.message}"))


def without_command(function: Callable[..., int]) -> Callable[..., int]:
    """Make a click command that runs no subject refuse a command line after --."""

    @click.pass_context
    @wraps(function)
    def refuse_command(ctx: click.Context, /, **options: Any) -> int:
        if ctx.obj is not None:
            raise UsageError(f"{ctx.info_name} takes no command after --")
        return function(**options)

    return refuse_command


def require_command(command: tuple[str, ...] | None) -> None:
    if command == ():
        raise UsageError("the command after -- is missing")


def repeatable(
    option: str, name: str, metavar: str, completer: Completer, text: str, *, required: bool = False
) -> Callable[[F], F]:
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
    type=click.IntRange(1, 512),
    metavar="N",
    help="Run N at once [the number of processors].",
)
wall_option = click.option(
    "--wall",
    type=click.FloatRange(0, min_open=True),
    metavar="S",
    help="Seconds that each run may take, instead of the suite's limit.",
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
report_option = repeatable(
    "--report", "reports", "NAME=FILE", complete_reports, f"Write a report: {', '.join(FORMATS)}"
)


def format_option(text: str = "Lines for people, or one JSON object [text].") -> Callable[[F], F]:
    return click.option(
        "--format", "form", type=click.Choice(("text", "json")), default="text", help=text
    )


def resume_options(command: F) -> F:
    return _add(command, _RESUME)


def sandbox_options(command: F) -> F:
    return _add(command, _SANDBOX)


def selection_options(command: Callable[..., int]) -> Callable[..., int]:
    """Add the options that select cases; the command gets their Selection as `selection`."""
    return _add(_with_selection(command), (*_NAMING, *_REMEMBERED, _shard_option))


def case_options(command: Callable[..., int]) -> Callable[..., int]:
    """Add those options that select cases without looking at earlier runs."""
    return _add(_with_selection(command), (*_NAMING, _shard_option))


def _with_selection(command: Callable[..., int]) -> Callable[..., int]:
    @wraps(command)
    def select(
        *subject: Any,
        cases: tuple[str, ...],
        tags: tuple[str, ...],
        shard: str | None,
        failed: bool = False,
        new: bool = False,
        **options: Any,
    ) -> int:
        selection = selection_of(cases, tags, shard, failed=failed, new=new)
        return command(*subject, selection=selection, **options)

    return select


def _add(command: F, options: tuple[Callable[[F], F], ...]) -> F:
    for option in reversed(options):
        command = option(command)
    return command


_NAMING: Final = (
    repeatable(
        "--case", "cases", "NAMES", complete_cases, 'Only these cases: "7", "40-59", "bad-*"'
    ),
    repeatable(
        "--tag",
        "tags",
        "TAG",
        complete_tags,
        "Only cases with this tag of suite.toml, or without it: '!TAG'",
    ),
)
_REMEMBERED: Final = (
    click.option("--failed", is_flag=True, help="Only cases that failed last time."),
    click.option("--new", is_flag=True, help="Only cases that never ran or have changed since."),
)
_shard_option = click.option(
    "--shard", metavar="I/N", help="Only the I-th of N equal parts of the selected cases."
)
_SANDBOX: Final = (
    click.option(
        "--sandbox",
        type=click.Choice(("auto", *(kind.value for kind in SandboxKind))),
        is_flag=False,
        flag_value="auto",
        metavar="[=KIND]",
        help="Run subjects in a sandbox: bwrap, landlock, or what works [auto].",
    ),
    repeatable(
        "--show",
        "shown",
        "PATH",
        complete_files,
        "With --sandbox: a file or folder that subjects see, too",
    ),
)
_RESUME: Final = (
    click.option(
        "--results",
        default="",
        metavar="FILE",
        shell_complete=complete_files,
        help="Write every event to FILE, one line of JSON each.",
    ),
    click.option(
        "--resume", is_flag=True, help="Run only what the FILE of --results does not have yet."
    ),
    click.option("--cached", is_flag=True, help="Skip what passed before and has not changed."),
    repeatable(
        "--depends",
        "depends",
        "PATH",
        complete_files,
        "With --resume or --cached: a file or folder that the subject depends on",
    ),
)

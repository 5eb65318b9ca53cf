"""Declare the options that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeVar

import click

from harness.cli.completers import (
    complete_cases,
    complete_files,
    complete_reports,
    complete_subjects,
    complete_tags,
)
from harness.errors import UsageError
from harness.model.protection import SandboxKind
from harness.reports.registry import FORMATS

__all__ = [
    "HELP",
    "case_options",
    "check_option",
    "depends_option",
    "jobs_option",
    "refuse_command",
    "report_option",
    "require_command",
    "resume_options",
    "sandbox_options",
    "selection_options",
    "subject_option",
    "wall_option",
]

F = TypeVar("F", bound=Callable[..., object])

HELP: Final = {"help_option_names": ["-h", "--help"]}


def refuse_command(name: str, command: tuple[str, ...] | None) -> None:
    """Raise UsageError if a command that runs no subject was given one after --."""
    if command is not None:
        raise UsageError(f"{name} takes no command after --")


def require_command(command: tuple[str, ...] | None) -> None:
    """Raise UsageError if nothing follows --."""
    if command == ():
        raise UsageError("the command after -- is missing")


def selection_options(command: F) -> F:
    """Add the options that select cases: `cases`, `tags`, `failed`, `new` and `shard`."""
    return _add(command, (*_NAMING, *_REMEMBERED, *_SHARD_OPTIONS))


def case_options(command: F) -> F:
    """Add the options that select cases without looking at earlier runs."""
    return _add(command, (*_NAMING, *_SHARD_OPTIONS))


def resume_options(command: F) -> F:
    """Add `results`, `resume`, `cached` and `depends`."""
    return _add(command, _RESUME)


def sandbox_options(command: F) -> F:
    """Add `sandbox` and `shown`."""
    return _add(command, _SANDBOX)


def _add(command: F, options: tuple[Callable[[F], F], ...]) -> F:
    for option in reversed(options):
        command = option(command)
    return command


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
_SANDBOX: Final = (
    click.option(
        "--sandbox",
        type=click.Choice(("auto", *(kind.value for kind in SandboxKind))),
        is_flag=False,
        flag_value="auto",
        metavar="[=KIND]",
        help="Run subjects in a sandbox: bwrap, landlock, or what works [auto].",
    ),
    click.option(
        "--show",
        "shown",
        multiple=True,
        metavar="PATH",
        shell_complete=complete_files,
        help="With --sandbox: a file or folder that subjects see, too; repeatable.",
    ),
)
check_option = click.option(
    "--check", is_flag=True, help="Check the cases against the suites' schemas first."
)
subject_option = click.option(
    "--subject",
    "subjects",
    multiple=True,
    metavar="NAME",
    shell_complete=complete_subjects,
    help="Only this subject of xtest.toml: a name, a glob or @TAG; repeatable.",
)
report_option = click.option(
    "--report",
    "reports",
    multiple=True,
    metavar="NAME=FILE",
    shell_complete=complete_reports,
    help=f"Write a report: {', '.join(FORMATS)}; repeatable.",
)
depends_option = click.option(
    "--depends",
    multiple=True,
    metavar="PATH",
    shell_complete=complete_files,
    help="With --resume or --cached: a file or folder that the subject depends on; repeatable.",
)

_NAMING: Final = (
    click.option(
        "--case",
        "cases",
        multiple=True,
        metavar="NAMES",
        shell_complete=complete_cases,
        help='Only these cases: "7", "40-59", "bad-*"; repeatable.',
    ),
    click.option(
        "--tag",
        "tags",
        multiple=True,
        metavar="TAG",
        shell_complete=complete_tags,
        help="Only cases with this tag of suite.toml, or without it: '!TAG'; repeatable.",
    ),
)
_REMEMBERED: Final = (
    click.option("--failed", is_flag=True, help="Only cases that failed last time."),
    click.option("--new", is_flag=True, help="Only cases that never ran or have changed since."),
)
_SHARD_OPTIONS: Final = (
    click.option(
        "--shard", metavar="I/N", help="Only the I-th of N equal parts of the selected cases."
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
    depends_option,
)

"""What several commands share: how help is asked for, commands refused, and cases selected."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeVar

import click

from harness.documents.formats import FORMATS
from harness.usage import UsageFault

__all__ = ["HELP", "naming_options", "refuse_command", "report_option", "selection_options"]

F = TypeVar("F", bound=Callable[..., object])

HELP: Final = {"help_option_names": ["-h", "--help"]}


def refuse_command(name: str, command: tuple[str, ...] | None) -> None:
    """Raises UsageFault where a command that runs no subject was given one."""
    if command is not None:
        raise UsageFault(f"{name} takes no command behind --")


def selection_options(command: F) -> F:
    """Give a command the options that select cases. It gets them as `cases`, `tags`, `shard`,
    `failed` and `new`, which are what `harness.runs.selecting.selection_of` takes."""
    for option in reversed((*_NAMING, *_REMEMBERED, *_SHARD)):
        command = option(command)
    return command


def naming_options(command: F) -> F:
    """The same without those that ask what is remembered: `cases`, `tags` and `shard`."""
    for option in reversed((*_NAMING, *_SHARD)):
        command = option(command)
    return command


def report_option(command: F) -> F:
    """Give a command the option that asks for reports of a run. It gets it as `reports`."""
    return click.option(
        "--report",
        "reports",
        multiple=True,
        metavar="NAME=FILE",
        help=f"Make a report of it: {', '.join(FORMATS)}; repeatable.",
    )(command)


_NAMING: Final = (
    click.option(
        "--case",
        "cases",
        multiple=True,
        metavar="NAMES",
        help='Only these: "7", "40-59", "bad-*"; repeatable.',
    ),
    click.option(
        "--tag",
        "tags",
        multiple=True,
        metavar="TAG",
        help="Only cases with this tag of suite.toml; '!TAG': without it; repeatable.",
    ),
)
_REMEMBERED: Final = (
    click.option("--failed", is_flag=True, help="Only what fell short the last time."),
    click.option("--new", is_flag=True, help="Only what never ran, or has changed since it did."),
)
_SHARD: Final = (
    click.option("--shard", metavar="I/N", help="Only the I-th of N equal parts of all these."),
)

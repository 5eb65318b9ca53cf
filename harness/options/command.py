"""Declare the class of commands, whose help has sections, and refuse what no command can use."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import click

from harness.errors import UsageError
from harness.files import is_installed
from harness.results.results_file import InvalidResultsFile
from harness.text import escape_nonprintable

Decorator = Callable[[Any], Any]

MOST_JOBS: Final = 512


class Command(click.Command):
    """A command whose help groups the options by their `section`.

    It refuses a command line after -- unless it `takes_command`.
    """

    def __init__(self, *, takes_command: bool = False, **attributes: Any) -> None:
        super().__init__(**attributes)
        self._takes_command = takes_command

    def invoke(self, ctx: click.Context) -> Any:
        if ctx.obj is not None and not self._takes_command:
            raise UsageError(f"{ctx.info_name} takes no command after --")
        _require_current_folder()
        try:
            return super().invoke(ctx)
        except InvalidResultsFile as problem:
            name = ctx.command_path.removeprefix("xtest ")
            raise UsageError(f"{name}: {problem}") from None
        except FileNotFoundError:
            _require_current_folder()  # a subject may have removed it
            raise

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        sections: dict[str, list[tuple[str, str]]] = {}
        for option in self.get_params(ctx):
            record = option.get_help_record(ctx) if isinstance(option, click.Option) else None
            if record is not None:
                sections.setdefault(_SECTION_OF.get(option, _OTHERS), []).append(record)
        for title in sorted(sections, key=_OTHERS.__eq__):  # the others last
            with formatter.section(title):
                formatter.write_dl(sections[title])


def _require_current_folder() -> None:
    try:
        os.getcwd()
    except FileNotFoundError:
        raise UsageError("the current folder no longer exists; change to another one") from None


_OTHERS: Final = "Options"
_SECTION_OF: Final[dict[click.Parameter, str]] = {}


def combined(*decorators: Decorator) -> Decorator:
    """Return one decorator that applies several, in the order of the arguments."""

    def add(command: Any) -> Any:
        for decorator in reversed(decorators):
            command = decorator(command)
        return command

    return add


def section(title: str, *options: Decorator) -> Decorator:
    """Return one decorator for several options, which the help of a Command shows under a title."""

    def add(command: Any) -> Any:
        before = list(getattr(command, "__click_params__", ()))
        command = combined(*options)(command)
        for parameter in command.__click_params__:
            if parameter not in before:
                _SECTION_OF[parameter] = title
        return command

    return add


def refuse_installed(suite: str, folder: Path) -> None:
    """Raise UsageError for a suite that is installed with xtest, which must not be changed."""
    if is_installed(folder):
        raise UsageError(
            f"{escape_nonprintable(suite)}: comes with xtest; copy its folder to change it"
        )


def require_command(command: tuple[str, ...] | None) -> None:
    if command is not None and not any(command[:1]):
        raise UsageError("the command after -- is missing")

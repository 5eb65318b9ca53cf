"""The command line: the table of the commands, and how its faults are told.

A command is a module of harness/commands, imported when it is asked for: `xtest run` pays for no
other. What a command means is decided there.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Final

import click

from harness.commands.common import HELP
from harness.session import EXIT_FAULT
from harness.version import VERSION

__all__ = ["run_command_line"]

# In the order of the help; each is a module of this name.
_COMMANDS: Final = ("run", "list", "pack", "unpack")


def run_command_line(arguments: Sequence[str], command: tuple[str, ...] | None) -> int:
    """Run xtest. `command` is what stood behind `--`; None: there was no `--`. Returns the exit
    status: 0 all passed, 1 a subject fell short, 2 a fault of usage, corpus or ours, 130."""
    words = list(arguments)
    if not words or (words[0].startswith("-") and words[0] not in ("-h", "--help", "--version")):
        words.insert(0, "run")
    try:
        status = _xtest.main(words, prog_name="xtest", standalone_mode=False, obj=command)
    except click.UsageError as problem:
        problem.show()
        return EXIT_FAULT
    except click.ClickException as problem:
        problem.show()
        return problem.exit_code
    except click.Abort:
        raise KeyboardInterrupt from None
    return int(status or 0)


class _Commands(click.Group):
    """The commands by name, each imported when it is wanted."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names, in the order of the help."""
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of a name; None: there is none."""
        if cmd_name not in _COMMANDS:
            return None
        module = import_module(f"harness.commands.{cmd_name}")
        found: click.Command = module.command
        return found


@click.group(cls=_Commands, context_settings=HELP)
@click.version_option(VERSION, prog_name="xtest", message="xtest %(version)s")
def _xtest() -> None:
    """Judge programs that read JSON on standard input and print JSON on standard output.

    `xtest` alone runs every bundled suite against its bundled program. `xtest run SUITE -- COMMAND`
    runs a suite against your program, in any language. Without a command after --, the program that
    the suite's suite.toml names is run.
    """

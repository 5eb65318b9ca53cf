"""The commands of xtest, a module each, as click reads them; here is their table.

A module is imported when its command is asked for. What a command means is decided elsewhere.
"""

from __future__ import annotations

from importlib import import_module
from typing import Final

import click
from click.shell_completion import CompletionItem

from harness.commands.common import HELP
from harness.version import VERSION
from harness.words import cut, quoted, shell_line

__all__ = ["group", "run_words"]

# In the order of the help; each is a module of this name. What it does is said here, too, for
# shells that complete: to import all of them takes too long for a key that was pressed.
_COMMANDS: Final = {
    "run": "run suites against a program",
    "report": "make reports of runs that are over",
    "matrix": "which subject passes what",
    "compare": "who answers otherwise",
    "history": "what began to fail or to pass",
    "list": "list suites and cases",
    "init": "write an xtest.toml",
    "lint": "what is wrong in suites",
    "new": "write a case",
    "accept": "write outputs anew",
    "selftest": "which faults a suite would not notice",
    "pack": "make one file of a suite",
    "unpack": "make a suite of one file",
    "completion": "what makes a shell complete xtest",
}

_NAME: Final = 60  # characters of a wrong name that are shown


def run_words(words: list[str], command: tuple[str, ...] | None) -> int:
    """Run the command that words ask for. Faults of these words are told here: exit status 2."""
    if words[:1] == ["help"]:
        words = [*words[1:2], "--help"]
    try:
        status = group.main(words, prog_name="xtest", standalone_mode=False, obj=command)
    except click.NoSuchOption as problem:
        from harness.commands.hints import hinted  # pylint: disable=import-outside-toplevel  # for faults

        hinted(problem, words).show()
        return 2
    except click.ClickException as problem:
        problem.show()
        return 2
    except click.Abort:
        raise KeyboardInterrupt from None
    return int(status or 0)


class _Commands(click.Group):
    """The commands by name, each imported when it is wanted."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names, in the order of the help."""
        # Not list(...): here that is the module of `xtest list`, once it is imported.
        return [*_COMMANDS]

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem[str]]:
        """The commands, none of which is imported for this, or the options."""
        if incomplete.startswith("-"):
            return super().shell_complete(ctx, incomplete)
        return [
            CompletionItem(name, help=said)
            for name, said in _COMMANDS.items()
            if name.startswith(incomplete)
        ]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of a name; None: there is none."""
        if cmd_name not in _COMMANDS:
            return None
        found: click.Command = import_module(f"harness.commands.{cmd_name}").command
        if ctx.resilient_parsing:
            # Nothing is run: a shell asks what may stand here.
            # pylint: disable-next=import-outside-toplevel
            from harness.commands.completing import made_completable

            made_completable(found)
        return found

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that the first word names. Raises UsageError: there is none."""
        if args[0] in _COMMANDS:
            return super().resolve_command(ctx, args)
        raise click.UsageError(_no_command(args[0]), ctx)


def _no_command(name: str) -> str:
    """That there is none of this name: a slip, or a suite in front of which `run` is missing."""
    from difflib import get_close_matches  # pylint: disable=import-outside-toplevel  # for faults

    near = get_close_matches(name, _COMMANDS, n=1)
    hint = f'did you mean "{near[0]}"? ' if near else ""
    said = f"No such command {quoted(name, _NAME)}; {hint}"
    return f"{said}to run a suite: xtest run {shell_line((cut(name, _NAME),))}"


@click.group("xtest", cls=_Commands, context_settings=HELP)
@click.version_option(VERSION, prog_name="xtest", message="xtest %(version)s")
def group() -> None:
    """Judge programs that read JSON on standard input and print JSON on standard output.

    `xtest` alone runs every bundled suite against its bundled program. `xtest run SUITE -- COMMAND`
    runs a suite against your program, in any language. Without a command after --, the program that
    the suite's suite.toml names is run.
    """

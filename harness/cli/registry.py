"""Declare the commands, and run the one that a command line names; only its module is imported."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence
from difflib import get_close_matches
from importlib import import_module
from io import StringIO
from typing import Any, Final

import click
from click.shell_completion import CompletionItem

from harness.errors import UsageError
from harness.files import terminal_size, test_cases_folder
from harness.interruption import clean_up_when_stopped
from harness.model.exit_codes import ExitCode
from harness.options import messages
from harness.reports.registry import FORMATS
from harness.text import (
    did_you_mean,
    quote,
    shell_line,
    shorten_to_width,
    truncate,
    truncate_to_width,
)
from harness.version import VERSION

# In the order of `xtest --help`. The summaries repeat the beginnings of the commands' docstrings:
# importing all commands takes 300 ms.
_SECTIONS: Final = {
    "Run": {
        "run": "Run suites against a program",
        "matrix": "Show which subjects of xtest.toml pass which suites",
        "compare": "Show where programs differ",
        "fest": "Run a test fest: score teams' suites and programs",
        "fuzz": "Find inputs on which programs disagree",
        "shrink": "Make the input of a case small",
        "demo": "Run the bundled suites, or some of them",
    },
    "Corpus": {
        "list": "List suites with their number of cases, program and title",
        "new": "Add a case to a suite",
        "record": "Write a conversation as a case",
        "accept": "Update expected outputs to what a program prints",
        "lint": "Find errors and probable mistakes in suites",
        "selftest": "Measure how many faulty outputs a suite catches",
        "import": "Write a suite from cases of another format",
        "pack": "Write a suite's pairs of files as one file, one case per line",
        "unpack": "Write a packed file or suite as pairs of files, byte for byte",
    },
    "Results": {
        "report": "Make reports of earlier runs",
        "history": "Show which cases began to fail or pass, and when",
        "known": "List or write the known failures of a subject",
    },
    "Setup": {
        "init": "Write a commented xtest.toml into this folder",
        "doctor": "Show which features this machine supports",
        "schema": "Print the JSON Schema of a file format",
        "completion": "Print the completion script for a shell",
    },
}
_COMMANDS: Final = tuple(name for section in _SECTIONS.values() for name in section)
# Where a command is declared, if not in the module of its name in this package.
_MODULES: Final = {
    "import": "harness.cli.import_suite",  # `import` is a keyword of Python
    "fest": "harness.fest.command",
    "fuzz": "harness.fuzz.command",
    "shrink": "harness.fuzz.shrink_command",
}
_GLOBAL: Final = ("-h", "--help", "--version")
COMPLETION_VARIABLE: Final = (
    "_XTEST_COMPLETE"  # as in harness/options/completers.py, which imports much more
)
_NAME_COLUMN: Final = 12
_NAME: Final = 60  # characters of a word of the command line in a message
_NOT_AN_INTEGER: Final = "is not a valid integer range"
# Options by their names in pytest and other test runners.
_ALIASES: Final = {
    "--timeout": "--wall",
    "--exitfirst": "--fail-fast",
    "--lf": "--failed",
    "--last-failed": "--failed",
    "--maxfail": "--max-failures",
    "--parallel": "--jobs",
    "--time": "--wall",
    "--time-limit": "--wall",
    "--workers": "--jobs",
}
# Commands by their names in other tools.
_SYNONYMS: Final = {
    **dict.fromkeys(("check", "exec", "grade", "judge", "test", "verify"), "run"),
    **{"add": "new", "approve": "accept", "bless": "accept", "diff": "compare", "update": "accept"},
    **{"validate": "lint", "version": "--version", "watch": "run --watch"},
}
_HELP_WIDTH: Final = 80  # characters at most


def run_command_line(args: list[str], command: tuple[str, ...] | None) -> int:
    """Run the command that `args` name, and return the exit status.

    `args` is the command line before --, `command` the subject's after it, or None without --.
    """
    if args[:1] == ["help"]:
        args = [*args[1:2], "--help"]
    # click would take the next word for the optional value of the option.
    args = ["--sandbox=auto" if word == "--sandbox" else word for word in args]
    try:
        width = min(_HELP_WIDTH, terminal_size(sys.stdout).columns) - 2
        context: dict[str, Any] = {"obj": command, "terminal_width": width}
        return int(group.main(args, "xtest", standalone_mode=False, **context) or 0)
    except click.NoSuchOption as problem:
        _show(_suggest_option(problem, args))
    except click.BadParameter as problem:
        _show(_reword_value(problem))
    except click.ClickException as problem:
        _show(problem)
    except UsageError as problem:
        messages.print_message(str(problem))
    except click.Abort:
        raise KeyboardInterrupt from None
    except SystemExit:
        if COMPLETION_VARIABLE in os.environ:
            raise
        # click turns a broken pipe into exit status 1, which would blame the subject.
        raise BrokenPipeError from None
    return ExitCode.FAULT


class _Commands(click.Group):
    """A group that imports the module of a command when it is used; `run` may be left out."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        is_empty = not args and not ctx.resilient_parsing
        if is_empty or (args[:1] and args[0].startswith("-") and args[0] not in _GLOBAL):
            if not ctx.resilient_parsing:
                self._refuse_early_flag(ctx, args)
            args = ["run", *args]
        return super().parse_args(ctx, args)

    def _refuse_early_flag(self, ctx: click.Context, args: Sequence[str]) -> None:
        """Raise UsageError if a command comes after an option without a value: -v run SUITE."""
        flag, *others = args or [""]
        if not others or others[0] not in _COMMANDS or os.path.isdir(others[0]):
            return
        options = getattr(self.get_command(ctx, others[0]), "params", [])
        if any(flag in option.opts and option.is_flag for option in options):
            line = ("xtest", others[0], flag, *others[1:])
            raise UsageError(f"options come after the command: {shell_line(line)}")

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem[str]]:
        """Return commands or options, also the options of `run`."""
        items = super().shell_complete(ctx, incomplete)
        run = self.get_command(ctx, "run")
        if incomplete.startswith("-") and run is not None:
            items += run.shell_complete(click.Context(run, ctx, "run"), incomplete)
        return items

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*_COMMANDS]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for title, commands in _SECTIONS.items():
            with formatter.section(title):
                formatter.write_dl(list(commands.items()), col_max=_NAME_COLUMN)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        module = _MODULES.get(cmd_name, f"harness.cli.{cmd_name}")
        command: click.Command = import_module(module).command
        clean_up_when_stopped()  # nothing was started before
        gc.freeze()
        gc.enable()  # main has disabled it
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] in _COMMANDS or ctx.resilient_parsing:
            return super().resolve_command(ctx, args)
        raise click.UsageError(_unknown_command(args[0]), ctx)


def _unknown_command(name: str) -> str:
    hint = f'did you mean "{_SYNONYMS[name]}"?' if name in _SYNONYMS else ""
    hint = hint or did_you_mean(name, _COMMANDS)
    if os.path.isdir(name) or os.path.isdir(test_cases_folder() / name):
        hint = f"to run this suite: {shell_line(('xtest', 'run', truncate(name, _NAME)))}"
    elif os.path.isfile(name):
        hint = f"to run this program: xtest run SUITE -- {shell_line((truncate(name, _NAME),))}"
    return f"No such command {quote(name)}; {hint}"


def _show(problem: click.ClickException) -> None:
    text = StringIO()
    problem.show(text)
    messages.print_to_stderr(text.getvalue().removesuffix("\n"))


def _suggest_option(problem: click.NoSuchOption, args: Sequence[str]) -> click.ClickException:
    """Return the error to show, with a better hint than click's own if there is one."""
    hint = _option_hint(problem, args)
    if not hint:
        return problem
    name = shorten_to_width(problem.option_name, _NAME)
    return click.UsageError(f"No such option '{name}'. {hint}", problem.ctx)


def _reword_value(problem: click.BadParameter) -> click.BadParameter:
    """Return the error about an option's value; "not a valid integer range" gets an example."""
    if _NOT_AN_INTEGER not in problem.message:
        return problem
    message = problem.message.replace(_NOT_AN_INTEGER, "is not a whole number such as 4")
    return click.BadParameter(message, problem.ctx, problem.param, problem.param_hint)


def _option_hint(problem: click.NoSuchOption, args: Sequence[str]) -> str:
    name = problem.option_name
    options = [] if problem.ctx is None else problem.ctx.command.params
    known = [word for option in options for word in option.opts]
    report = name.removeprefix("--")
    if report in FORMATS and "--report" in known:
        return f"Did you mean --report {shell_line((f'{report}={_value_of(name, args)}',))}?"
    if _ALIASES.get(name) in known:
        return f"Did you mean '{_ALIASES[name]}'?"
    # Only `xtest` itself has --version, its commands do not.
    if get_close_matches(name, ["--version", *known], n=1) == ["--version"]:
        return "Did you mean 'xtest --version'?"
    return ""


def _value_of(name: str, args: Sequence[str]) -> str:
    """Return the value of an option on the command line, or FILE without one."""
    for word, following in zip(args, (*args[1:], ""), strict=True):
        value = following if word == name and not following.startswith("-") else ""
        value = word.partition("=")[2] if word.startswith(f"{name}=") else value
        if value:
            return truncate_to_width(value, _NAME)
    return "FILE"


@click.group("xtest", cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(VERSION, prog_name="xtest", message="xtest %(version)s")
def group() -> None:
    """Test programs that read JSON on standard input and print JSON on standard output.

    `xtest run SUITE -- COMMAND` runs a suite against your program, in any language. Without
    `-- COMMAND`, it runs the subjects (programs under test) of xtest.toml, or the program that
    suite.toml names. `xtest` alone runs the suites of xtest.toml.
    """

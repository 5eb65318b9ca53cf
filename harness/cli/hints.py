"""Improve click's messages: suggest an option for an unknown one, and give examples of values."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from typing import Final

import click

from harness.reports.registry import FORMATS
from harness.text import shell_line, shorten_to_width, truncate_to_width

_SHOWN: Final = 60  # characters of a word of the command line
_VERSION: Final = "--version"
_INTEGER: Final = "is not a valid integer range"
# Names in pytest and other test runners.
_ALIASES: Final = {
    "--timeout": "--wall",
    "--exitfirst": "--fail-fast",
    "--lf": "--failed",
    "--last-failed": "--failed",
    "--maxfail": "--max-failures",
    "--parallel": "--jobs",
    "--workers": "--jobs",
}


def suggest_option(problem: click.NoSuchOption, words: Sequence[str]) -> click.ClickException:
    """Return the error to show, with a better hint than click's own if there is one."""
    hint = _hint(problem, words)
    if not hint:
        return problem
    name = shorten_to_width(problem.option_name, _SHOWN)
    return click.UsageError(f"No such option '{name}'. {hint}", problem.ctx)


def reword_value(problem: click.BadParameter) -> click.BadParameter:
    """Return the error about an option's value; "not a valid integer range" gets an example."""
    if _INTEGER not in problem.message:
        return problem
    message = problem.message.replace(_INTEGER, "is not a whole number such as 4")
    return click.BadParameter(message, problem.ctx, problem.param, problem.param_hint)


def _hint(problem: click.NoSuchOption, words: Sequence[str]) -> str:
    name = problem.option_name
    options = [] if problem.ctx is None else problem.ctx.command.params
    known = [word for option in options for word in option.opts]
    report = name.removeprefix("--")
    if report in FORMATS and "--report" in known:
        return f"Did you mean --report {shell_line((f'{report}={_value(name, words)}',))}?"
    if _ALIASES.get(name) in known:
        return f"Did you mean '{_ALIASES[name]}'?"
    # Only `xtest` itself has --version, its commands do not.
    if get_close_matches(name, [_VERSION, *known], n=1) == [_VERSION]:
        return f"Did you mean 'xtest {_VERSION}'?"
    return ""


def _value(name: str, words: Sequence[str]) -> str:
    """Return the value of an option on the command line, or FILE without one."""
    for word, following in zip(words, (*words[1:], ""), strict=True):
        value = following if word == name and not following.startswith("-") else ""
        value = word.partition("=")[2] if word.startswith(f"{name}=") else value
        if value:
            return truncate_to_width(value, _SHOWN)
    return "FILE"

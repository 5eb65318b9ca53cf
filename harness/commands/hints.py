"""What to say of an option that there is not: the one that was meant, under the name it has here.

Pure. Source: the names that tools of this kind give to the same things.
"""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from typing import Final

import click

from harness.documents.formats import FORMATS
from harness.words import clip, shell_line, visible

__all__ = ["hinted"]

_SHOWN: Final = 60  # characters of a word of the caller's
_VERSION: Final = "--version"
# What others call an option of ours.
_ELSEWHERE: Final = {
    "--timeout": "--wall",
    "--exitfirst": "--fail-fast",
    "--lf": "--failed",
    "--last-failed": "--failed",
    "--maxfail": "--max-failures",
    "--parallel": "--jobs",
    "--workers": "--jobs",
}


def hinted(problem: click.NoSuchOption, words: Sequence[str]) -> click.ClickException:
    """The problem as it is told, with a hint where there is a better one than click's own. `words`
    are those of the command line."""
    hint = _hint(problem, words)
    if not hint:
        return problem
    name = clip(visible(problem.option_name), _SHOWN)
    return click.UsageError(f"No such option '{name}'. {hint}", problem.ctx)


def _hint(problem: click.NoSuchOption, words: Sequence[str]) -> str:
    name = problem.option_name
    known = _options(problem.ctx)
    report = name.removeprefix("--")
    if report in FORMATS and "--report" in known:
        return f"Did you mean --report {shell_line((f'{report}={_value(name, words)}',))}?"
    if _ELSEWHERE.get(name) in known:
        return f"Did you mean '{_ELSEWHERE[name]}'?"
    # Only xtest itself has one; its command may well not stand there.
    if get_close_matches(name, [_VERSION, *known], n=1) == [_VERSION]:
        return f"Did you mean 'xtest {_VERSION}'?"
    return ""


def _options(context: click.Context | None) -> list[str]:
    if context is None:
        return []
    return [word for option in context.command.params for word in option.opts]


def _value(name: str, words: Sequence[str]) -> str:
    """What stands behind an option; FILE where that is nothing."""
    for word, following in zip(words, (*words[1:], ""), strict=True):
        if word == name and following and not following.startswith("-"):
            return clip(following, _SHOWN)
        if word.startswith(f"{name}="):
            return clip(word.partition("=")[2], _SHOWN) or "FILE"
    return "FILE"

"""The page of the command line, read off the commands themselves.

Nothing is said here that `--help` does not say, but for the page that tells more.
Source: harness/commands/.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

import click
from site_text import code, plain, table

from harness.commands import group

__all__ = ["MORE", "command_line_page"]

# The page that tells more of a command.
MORE: Final = {
    "run": "../suites.md",
    "matrix": "../subjects.md",
    "report": "../reports.md",
    "compare": "../compare.md",
    "history": "../history.md",
    "list": "../selecting.md",
    "init": "../subjects.md",
    "lint": "../care.md",
    "new": "../care.md",
    "accept": "../care.md",
    "selftest": "../care.md",
    "pack": "../packed.md",
    "unpack": "../packed.md",
    "completion": "../completion.md",
}

_HEAD: Final = """\
# Command line

What `xtest --help` and `xtest COMMAND --help` say; this page is made from the commands themselves. Options stand in front
of `--`, and the program under test behind it. What the exit status says: [exit statuses](exit-statuses.md).

"""


def command_line_page() -> str:
    """The page as Markdown: a chapter for each command, in the order of the help."""
    context = click.Context(group, info_name="xtest")
    return _HEAD + "\n".join(
        [*_help(group.help or ""), *_all_commands(context), *_chapters(context)]
    )


def _all_commands(context: click.Context) -> Iterator[str]:
    rows = (
        (f"[{code(name)}](#xtest-{name})", _in_short(command.help or ""))
        for name, command in _commands(context)
    )
    yield table(("command", ""), rows)


def _chapters(context: click.Context) -> Iterator[str]:
    for name, command in _commands(context):
        settings = command.context_settings
        with click.Context(command, context, info_name=name, **settings) as inner:
            usage = " ".join(("xtest", name, *command.collect_usage_pieces(inner)))
            yield f"## xtest {name}\n\n```text\n{usage}\n```\n"
            yield from _help(command.help or "")
            yield _options(command, inner)
            if name in MORE:
                yield f"More: [{MORE[name].removeprefix('../')}]({MORE[name]})\n"


def _commands(context: click.Context) -> Iterator[tuple[str, click.Command]]:
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if command is not None and not command.hidden:
            yield name, command


def _options(command: click.Command, context: click.Context) -> str:
    records = (parameter.get_help_record(context) for parameter in command.get_params(context))
    rows = [(code(names), _inline(words)) for names, words in filter(None, records)]
    return table(("option", ""), rows)


def _help(text: str) -> Iterator[str]:
    """The paragraphs of a help text. What is shown of a command line is code."""
    for paragraph in re.split(r"\n\s*\n", text):
        yield _inline(" ".join(paragraph.split())) + "\n"


def _in_short(text: str) -> str:
    """What the first sentence of a help text says, without the command line that it shows."""
    first = re.split(r"\n\s*\n", text)[0]
    return plain(re.split(r": xtest |\.(?:\s|$)", " ".join(first.split()))[0])


def _inline(words: str) -> str:
    head, sign, shown = words.partition(": xtest ")
    if sign:
        return f"{_inline(head)}: {code(f'xtest {shown}')}"
    parts = words.split("`")
    return "".join(code(part) if at % 2 else plain(part) for at, part in enumerate(parts))

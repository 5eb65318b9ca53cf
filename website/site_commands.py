"""Generate the page of the command line from the commands' own help."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

import click
from site_text import code, plain, table

from harness.cli.registry import group

# The page that describes a command.
MORE: Final = {
    "run": "../suites.md",
    "demo": "../suites.md",
    "matrix": "../subjects.md",
    "report": "../reports.md",
    "compare": "../compare.md",
    "history": "../site.md",
    "known": "../known.md",
    "import": "../import.md",
    "list": "../selecting.md",
    "init": "../subjects.md",
    "lint": "../care.md",
    "new": "../care.md",
    "record": "../dialogues.md",
    "accept": "../care.md",
    "selftest": "../care.md",
    "fest": "../howto/test-fest.md",
    "fuzz": "../howto/fuzz.md",
    "shrink": "../howto/fuzz.md",
    "doctor": "../running.md",
    "pack": "../import.md",
    "unpack": "../import.md",
    "schema": "../editors.md",
    "completion": "../editors.md",
}

_HEAD: Final = """\
# Command line

The output of `xtest --help` and `xtest COMMAND --help`. Options come before `--`, the program under test after it.
See also [exit statuses](exit-statuses.md).

"""


def command_line_page() -> str:
    """Return the page as Markdown, with the commands in the order of the help."""
    context = click.Context(group, info_name="xtest", **group.context_settings)
    return _HEAD + "\n".join(
        [*_paragraphs(group.help or ""), *_all_commands(context), *_chapters(context)]
    )


def _all_commands(context: click.Context) -> Iterator[str]:
    rows = (
        (f"[{code(name)}](#xtest-{name})", _summary(command.help or ""))
        for name, command in _commands(context)
    )
    yield table(("command", ""), rows)


def _chapters(context: click.Context) -> Iterator[str]:
    for name, command in _commands(context):
        yield from _chapter(command, context, name, "##")
        if name in MORE:
            yield f"See [{MORE[name].removeprefix('../')}]({MORE[name]})\n"


def _chapter(
    command: click.Command, context: click.Context, name: str, level: str
) -> Iterator[str]:
    """Yield the chapter of a command, and those of its own commands one level below."""
    with click.Context(command, context, info_name=name) as inner:
        usage = " ".join((inner.command_path, *command.collect_usage_pieces(inner)))
        yield f"{level} {inner.command_path}\n\n```text\n{usage}\n```\n"
        yield from _paragraphs(command.help or "")
        yield _options(command, inner)
        if isinstance(command, click.Group):
            for name_in_it, each in _commands(inner):
                yield from _chapter(each, inner, name_in_it, f"{level}#")


def _commands(context: click.Context) -> Iterator[tuple[str, click.Command]]:
    parent = context.command
    assert isinstance(parent, click.Group)
    for name in parent.list_commands(context):
        command = parent.get_command(context, name)
        if command is not None and not command.hidden:
            yield name, command


def _options(command: click.Command, context: click.Context) -> str:
    records = (parameter.get_help_record(context) for parameter in command.get_params(context))
    rows = [(code(names), _inline(words)) for names, words in filter(None, records)]
    return table(("option", ""), rows)


def _paragraphs(text: str) -> Iterator[str]:
    for paragraph in re.split(r"\n\s*\n", text):
        yield _inline(" ".join(paragraph.split())) + "\n"


def _summary(text: str) -> str:
    """Return the first sentence of a help text, up to its example of a command line."""
    first = re.split(r"\n\s*\n", text)[0]
    return plain(re.split(r": xtest |\.(?:\s|$)", " ".join(first.split()))[0])


def _inline(text: str) -> str:
    """Return a sentence as Markdown: words in backticks, and a command line at its end, as code."""
    head, separator, command = text.partition(": xtest ")
    if separator:
        return f"{_inline(head)}: {code(f'xtest {command}')}"
    parts = text.split("`")
    return "".join(code(part) if index % 2 else plain(part) for index, part in enumerate(parts))

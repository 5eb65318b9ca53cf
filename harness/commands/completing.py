"""What may stand next on a command line of xtest, for shells that complete it.

click knows the commands and their options; here is what it cannot know: suites, cases, tags,
subjects and the like, by the names of the parameters that take them. Source: docs/completion.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Final

import click
from click.shell_completion import CompletionItem, ShellComplete

from harness.usage import UsageFault
from harness.words import clip, visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harness.events import RunStarted

    _ParamType = click.ParamType[str]
else:
    _ParamType = click.ParamType  # older ones take no argument

__all__ = ["VARIABLE", "candidate_lines", "made_completable"]

VARIABLE: Final = "_XTEST_COMPLETE"  # by which click itself would be asked

_MOST: Final = 1000  # more than a person looks through
_HELP: Final = 100
_GLOBAL: Final = ("-h", "--help", "--version")
_BROKEN: Final = (UsageFault, OSError, ValueError)

# What a parameter may be, as it stands so far: the words before it are in the context.
_Choices = Callable[[click.Context, str], Iterable[CompletionItem[str]]]


def candidate_lines(cli: click.Command, words: Sequence[str]) -> list[str]:
    """What the last of these words may become, a line each: what it is ("plain", "file", "dir"),
    its text and what is said of it, with tabs between them. Of files and folders the shell knows
    more; the text is what stands in front of the name."""
    *before, incomplete = words or ("",)
    if before and before[0].startswith("-") and before[0] not in _GLOBAL:
        before.insert(0, "run")
    found = list(_completions(cli, before, incomplete))
    if not before and incomplete.startswith("-"):
        found += _completions(cli, ["run"], incomplete)
    # Of an option and its value in one word, click completes the value.
    name, equals, _ = incomplete.partition("=")
    ahead = f"{name}=" if equals and name.startswith("--") else ""
    lines = (_line(item, ahead) for item in found)
    return list(dict.fromkeys(line for line in lines if line))[:_MOST]


def _completions(
    cli: click.Command, before: list[str], incomplete: str
) -> list[CompletionItem[str]]:
    shell = ShellComplete(cli, {"obj": tuple(before)}, "xtest", VARIABLE)
    try:
        return shell.get_completions(before, incomplete)
    except click.ClickException:
        return []  # what stands before is wrong: that is told when it is run


def _line(item: CompletionItem[str], ahead: str) -> str:
    """An item as a line; the empty text: it cannot be one."""
    text = f"{ahead}{item.value}" if item.type == "plain" else f"{ahead}{item.prefix or ''}"
    help_text = clip(" ".join((item.help or "").split()), _HELP)
    return f"{item.type}\t{text}\t{help_text}" if visible(text) == text else ""


def made_completable(command: click.Command) -> None:
    """Have each parameter of a command say what it may be."""
    for parameter in command.params:
        table = _OPTIONS if isinstance(parameter, click.Option) else _ARGUMENTS
        choices = table.get(parameter.name or "")
        if choices is not None:
            parameter.type = _Chosen(choices)


class _Chosen(_ParamType):
    """A type that says what it may be; which values it takes is not its to know."""

    name = "text"

    def __init__(self, choices: _Choices) -> None:
        self._choices = choices

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem[str]]:
        """What the value may become."""
        found: list[CompletionItem[str]] = []
        try:
            for item in self._choices(ctx, incomplete):
                if item.type != "plain" or item.value.startswith(incomplete):
                    found.append(item)
                if len(found) == _MOST:
                    break
        except _BROKEN:
            pass  # a suite or an xtest.toml that cannot be read: told when it is run
        return found


# What parameters may be. The modules that know are imported when they are asked.
# pylint: disable=import-outside-toplevel


def _suites(_ctx: click.Context, incomplete: str) -> Iterator[CompletionItem[str]]:
    yield CompletionItem("", type="dir")
    from harness.suites.bundled import test_cases_folder
    from harness.suites.corpus import CorpusError, read_settings
    from harness.suites.targets import bundled_names

    for name in _configured_suites():
        yield CompletionItem(name)
    for name in bundled_names():
        if name.startswith(incomplete):
            try:
                title = read_settings(test_cases_folder() / name).title
            except (CorpusError, *_BROKEN):
                title = ""
            yield CompletionItem(name, help=title)


def _configured_suites() -> Sequence[str]:
    from harness.lookup import find_config

    path = find_config()
    if path is None:
        return ()
    from harness.several.subjects import configured_suites, read_project

    try:
        return configured_suites(read_project(path), ())
    except _BROKEN:
        return ()


def _suites_or_files(ctx: click.Context, incomplete: str) -> Iterator[CompletionItem[str]]:
    yield CompletionItem("", type="file")
    yield from _suites(ctx, incomplete)


def _read(ctx: click.Context) -> Iterator[tuple[frozenset[str], Iterable[str]]]:
    """The tags and the names of the cases of the suites that are meant."""
    from harness.suites.corpus import Suite
    from harness.suites.targets import bundled_names, read_suites

    arguments = _given_suites(ctx)
    for _, suite in read_suites(arguments or _configured_suites() or bundled_names()):
        if isinstance(suite, Suite):
            rules = suite.settings.rules
            tags = frozenset(tag for rule in rules for tag in rule.tags or ())
            yield tags, (name.text for name in suite.names)


def _given_suites(ctx: click.Context) -> tuple[str, ...]:
    return _given(ctx, "suites") or _given(ctx, "suite")


def _given(ctx: click.Context, argument: str) -> tuple[str, ...]:
    """What stands for an argument so far."""
    words = list(ctx.obj or ())[1:]
    if words and words[-1].startswith("-"):
        # An option whose value is to come makes click's parser stop before the arguments.
        words.pop()
        ctx = ctx.command.make_context(
            ctx.info_name, words, parent=ctx.parent, resilient_parsing=True
        )
    given = ctx.params.get(argument) or ()
    return (given,) if isinstance(given, str) else tuple(given)


def _cases(ctx: click.Context, _incomplete: str) -> Iterator[CompletionItem[str]]:
    for _, names in _read(ctx):
        yield from map(CompletionItem, names)


def _tags(ctx: click.Context, incomplete: str) -> Iterator[CompletionItem[str]]:
    without = "!" if incomplete.startswith("!") else ""
    for tag in sorted({tag for tags, _ in _read(ctx) for tag in tags}):
        yield CompletionItem(f"{without}{tag}")


def _subjects(_ctx: click.Context, incomplete: str) -> Iterator[CompletionItem[str]]:
    from harness.lookup import find_config
    from harness.several.subjects import read_project

    path = find_config()
    if path is None:
        return
    subjects = read_project(path).config.subjects
    for subject in subjects:
        yield CompletionItem(subject.name, help=subject.language)
    if incomplete.startswith("@"):
        tags = dict.fromkeys(tag for subject in subjects for tag in subject.tags)
        yield from (CompletionItem(f"@{tag}") for tag in tags)


def _beginnings(ctx: click.Context) -> Iterator[RunStarted]:
    """How the results files that are named begin; more of them is not read for a key."""
    from harness.events import RunStarted
    from harness.runs.resultsfile import BadResults, read_events

    for file in _given(ctx, "files"):
        with suppress(BadResults, StopIteration):  # told when the report is made
            _, first = next(read_events(file))
            if isinstance(first, RunStarted):
                yield first


def _told_subjects(ctx: click.Context, _incomplete: str) -> Iterator[CompletionItem[str]]:
    names = [basis.subject for first in _beginnings(ctx) for basis in first.basis]
    yield from map(CompletionItem, dict.fromkeys(names))


def _told_suites(ctx: click.Context, _incomplete: str) -> Iterator[CompletionItem[str]]:
    names = [suite for first in _beginnings(ctx) for suite in first.suites]
    yield from map(CompletionItem, dict.fromkeys(names))


def _subjects_or_programs(ctx: click.Context, incomplete: str) -> Iterator[CompletionItem[str]]:
    yield CompletionItem("", type="file")
    yield from _subjects(ctx, incomplete)


def _deliveries(_ctx: click.Context, incomplete: str) -> Iterator[CompletionItem[str]]:
    from harness.runs.deliveries import DELIVERIES

    done, comma, _ = incomplete.rpartition(",")
    named = done.split(",")
    if not comma:
        yield CompletionItem("all", help="all that the suite declares")
    for delivery in DELIVERIES:
        if delivery.value not in named:
            yield CompletionItem(f"{done}{comma}{delivery.value}", help=delivery.description)


def _reports(ctx: click.Context, incomplete: str) -> Iterator[CompletionItem[str]]:
    from harness.documents.formats import FORMATS

    name, equals, _ = incomplete.partition("=")
    if equals:
        yield CompletionItem("", type="file", prefix=f"{name}=")
        return
    for name, known in FORMATS.items():
        needs_no_file = known.bare or ctx.info_name == "report"
        yield from (CompletionItem(name),) if needs_no_file else ()
        yield CompletionItem(f"{name}=")


def _rules(_ctx: click.Context, _incomplete: str) -> Iterator[CompletionItem[str]]:
    from harness.care.lint import Rule

    yield from (CompletionItem(rule.value) for rule in Rule)


def _files(_ctx: click.Context, _incomplete: str) -> Iterator[CompletionItem[str]]:
    yield CompletionItem("", type="file")


_OPTIONS: Final[dict[str, _Choices]] = {
    "cases": _cases,
    "deliver": _deliveries,
    "depends": _files,
    "files": _files,
    "ignore": _rules,
    "output": _files,
    "reference": _subjects_or_programs,
    "reports": _reports,
    "results": _files,
    "subjects": _subjects,
    "tags": _tags,
    "told_subjects": _told_subjects,
    "told_suites": _told_suites,
}
_ARGUMENTS: Final[dict[str, _Choices]] = {
    "files": _files,
    "packed": _suites_or_files,
    "subjects": _subjects_or_programs,
    "suite": _suites,
    "suites": _suites,
}

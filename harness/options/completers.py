"""Complete suites, cases, tags, subjects and other names in the shell. Source: docs/editors.md.

Nothing is run to complete a word. A suite or an xtest.toml that cannot be read completes nothing:
the error is reported when the command runs.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from glob import escape, iglob
from itertools import chain, islice
from typing import Final

import click
from click.shell_completion import CompletionItem, split_arg_string

from harness.delivery.registry import Delivery
from harness.errors import UsageError
from harness.files import test_cases_folder
from harness.model.events import RunStarted
from harness.project.identity import shown_names
from harness.project.subjects import configured_names, configured_suites, find_project
from harness.project.targets import bundled_names, pair_suites, program_targets
from harness.reports.registry import FORMATS
from harness.results.results_file import InvalidResultsFile, read_events
from harness.suites.discovery import resolve_suites
from harness.suites.loading import Suite, read_settings

COMPLETION_VARIABLE: Final = "_XTEST_COMPLETE"  # set by the scripts of `xtest completion`
_MOST: Final = 1000  # candidates
# Characters that a shell does not take as they are.
_SPECIAL: Final = r"[\s\"#$&'()*;<>?\[\\\]^`{|}]"
_UNREADABLE: Final = (UsageError, OSError, ValueError)

Item = CompletionItem[str]
Completer = Callable[[click.Context, click.Parameter, str], list[Item]]
Candidates = Callable[[click.Context, str], Iterable[Item | str]]


def completer(candidates: Candidates, *, files: bool = False) -> Completer:
    """Return a callback for click, which completes with the candidates that begin with the word.

    With `files`, the shell completes names of files, too.
    """

    def complete(ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[Item]:
        if _follows_equals_sign():
            return [CompletionItem(incomplete, type="file")]
        completions = [CompletionItem(incomplete, type="file")] if files else []
        with suppress(*_UNREADABLE):
            each = candidates(ctx, incomplete)
            items = (CompletionItem(one) if isinstance(one, str) else one for one in each)
            matching = (
                item
                for item in items
                if (item.type != "plain" or item.value.startswith(incomplete))
                and "\n" not in item.value
            )
            completions.extend(islice(matching, _MOST))
        if _is_bash():
            # bash itself quotes only files, and click's script removes one of two backslashes.
            for item in completions:
                if item.type == "plain":
                    item.value = re.sub(_SPECIAL, r"\\\\\g<0>", item.value)
        return completions

    return complete


def _words() -> list[str]:
    return split_arg_string(os.environ.get("COMP_WORDS", ""))


def _programs_on_path() -> Iterator[str]:
    for folder in os.environ.get("PATH", "").split(os.pathsep):
        with suppress(OSError):
            yield from os.listdir(folder)


def _is_bash() -> bool:
    return os.environ.get(COMPLETION_VARIABLE) == "bash_complete"


def _follows_equals_sign() -> bool:
    """Return whether bash split the incomplete word at its "="."""
    if not _is_bash():
        return False
    index = int(os.environ["COMP_CWORD"])
    return "=" in _words()[index - 1 : index + 1]


def _configured_names() -> Iterator[str]:
    """Yield the entries of xtest.toml, and the names of the suites below them, but not their
    paths."""
    with suppress(*_UNREADABLE):
        project = find_project()
        own = configured_suites(project, ())
        names = configured_names(project)
        yield from (name for name in names if name in own or not os.path.isdir(name))


def _suites_to_run(ctx: click.Context) -> list[Suite]:
    """Return the suites of the incomplete command line, or else the default ones."""
    arguments = _given(ctx, "suites") or _given(ctx, "suite")
    arguments = arguments or configured_suites(find_project(), ()) or tuple(bundled_names())
    targets, _ = pair_suites(resolve_suites(arguments), program_targets)
    return [target.suite for target in targets]


def _given(ctx: click.Context, argument: str) -> tuple[str, ...]:
    """Return the values of an argument on the incomplete command line."""
    # click leaves arguments unparsed, in ctx.args, while an option still lacks its value.
    values = ctx.params.get(argument) or ctx.args
    return (values,) if isinstance(values, str) else tuple(values)


def _first_events(ctx: click.Context) -> Iterator[RunStarted]:
    for file in _given(ctx, "files"):
        with suppress(InvalidResultsFile, StopIteration):
            _, first = next(read_events(file))
            if isinstance(first, RunStarted):
                yield first


def _suites(_ctx: click.Context, incomplete: str) -> Iterator[Item | str]:
    """Yield folders, the suites of xtest.toml and the bundled suites; programs after --."""
    if "--" not in _words():
        yield from _suite_names(incomplete)
        return
    yield CompletionItem(incomplete, type="file")
    yield from _programs_on_path() if _words()[-2:-1] == ["--"] else ()


def _suite_names(incomplete: str) -> Iterator[Item | str]:
    # In zsh, a request to complete folders hides the other candidates if no folder matches.
    if any(os.path.isdir(path) for path in iglob(f"{escape(incomplete)}*")):
        yield CompletionItem(incomplete, type="dir")
    yield from _configured_names()
    yield from _bundled_suites()


def _bundled_suites() -> Iterator[Item]:
    for name in bundled_names():
        title = ""
        with suppress(*_UNREADABLE):
            title = read_settings(test_cases_folder() / name).title
        yield CompletionItem(name, help=title)


def _compared(ctx: click.Context, incomplete: str) -> Iterable[Item | str]:
    """Return the subjects of xtest.toml, and files; suites after --."""
    if "--" in _words():
        return _suite_names(incomplete)
    return chain([CompletionItem(incomplete, type="file")], _subjects(ctx, incomplete))


def _subjects(_ctx: click.Context, incomplete: str) -> Iterator[Item | str]:
    """Yield the subjects of xtest.toml, and their tags after @."""
    project = find_project()
    subjects = project.config.subjects if project is not None else ()
    for subject in subjects:
        yield CompletionItem(subject.name, help=subject.language)
    if incomplete.startswith("@"):
        yield from dict.fromkeys(f"@{tag}" for subject in subjects for tag in subject.tags)


complete_files = completer(lambda _ctx, _incomplete: (), files=True)
complete_suites = completer(_suites)
complete_bundled_suites = completer(lambda _ctx, _incomplete: _bundled_suites())
complete_suites_or_files = completer(_suites, files=True)
complete_compared = completer(_compared)
complete_subjects = completer(_subjects)
complete_subjects_or_programs = completer(_subjects, files=True)


complete_cases = completer(
    lambda ctx, _word: dict.fromkeys(
        text for suite in _suites_to_run(ctx) for text in suite.name_texts
    )
)
complete_reported_subjects = completer(
    lambda ctx, _word: shown_names(
        subject for first in _first_events(ctx) for subject in first.subjects
    ).values()
)
complete_reported_suites = completer(
    lambda ctx, _word: dict.fromkeys(
        suite for first in _first_events(ctx) for suite in first.suites
    )
)


@completer
def complete_tags(ctx: click.Context, incomplete: str) -> Iterator[str]:
    negation = "!" if incomplete.startswith("!") else ""
    suites = _suites_to_run(ctx)
    tags = {tag for suite in suites for rule in suite.settings.rules for tag in rule.tags or ()}
    return (f"{negation}{tag}" for tag in sorted(tags))


@completer
def complete_deliveries(_ctx: click.Context, incomplete: str) -> Iterator[Item]:
    done, comma, _ = incomplete.rpartition(",")
    if not comma:
        yield CompletionItem("all", help="all that the suite declares")
    for delivery in Delivery:
        if delivery.value not in done.split(","):
            yield CompletionItem(f"{done}{comma}{delivery.value}", help=delivery.description)


@completer
def complete_reports(ctx: click.Context, incomplete: str) -> Iterator[Item | str]:
    name, equals, _ = incomplete.partition("=")
    if equals:
        yield CompletionItem(incomplete, type="file", prefix=f"{name}=")
        return
    for name, known in FORMATS.items():
        if known.default_file or ctx.info_name == "report":
            yield name
        yield f"{name}="

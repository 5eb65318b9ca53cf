"""Pair the suites that arguments name with the subjects to run."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

from harness.errors import UsageError
from harness.files import test_cases_folder
from harness.model.case_names import CONFIG_FILE, natural
from harness.model.events import Diagnostic
from harness.model.subject import Subject
from harness.project.xtest_toml import find_config, parse_config, read_regular_file
from harness.suites.discovery import DiscoveredSuite, nearby_suites, resolve_suites
from harness.suites.loading import CorpusError, Suite, read_suite
from harness.suites.strays import likely_name
from harness.text import did_you_mean, escape_nonprintable, pluralize, quote, shell_line

_SHOWN: Final = 8  # suites in a message


class Target(NamedTuple):
    """A suite, the argument that names it, and a subject to run on it.

    `is_default_subject` is true if the subject is the program that the suite.toml names.
    """

    suite: Suite
    argument: str
    subject: Subject
    is_default_subject: bool = False

    @property
    def key(self) -> tuple[str, str]:
        """The names of suite and subject, together unique in a run."""
        return self.suite.name, self.subject.name

    @property
    def command_folder(self) -> str:
        """The folder to which a command of the command line is relative, or "" for others."""
        is_elsewhere = self.is_default_subject or self.subject.context is not None
        return "" if is_elsewhere else os.getcwd()


def targets_by_subject(targets: Iterable[Target]) -> dict[str, list[Target]]:
    by_subject: dict[str, list[Target]] = {}
    for target in targets:
        by_subject.setdefault(target.subject.name, []).append(target)
    return by_subject


def bundled_names() -> list[str]:
    """Return the names of the bundled suites, in natural order."""
    folder = test_cases_folder()
    return sorted((entry.name for entry in folder.iterdir() if entry.is_dir()), key=natural)


def bundled_targets(names: Sequence[str]) -> tuple[list[Target], list[Diagnostic]]:
    """Return the targets of these bundled suites, or of all, and problems. Raises UsageError."""
    known = bundled_names()
    for name in names:
        if name not in known:
            raise UsageError(f"{quote(name)}: no such bundled suite; {did_you_mean(name, known)}")
    chosen = dict.fromkeys(names or known)
    suites = [DiscoveredSuite(name, test_cases_folder() / name, name) for name in chosen]
    return pair_suites(suites, program_targets)


def no_suite_text(verb: str, command: tuple[str, ...] = ()) -> str:
    """Return the message for `xtest VERB` without a suite where no xtest.toml names any."""
    here = f"no suite given, and no {CONFIG_FILE} in this folder or above lists any"
    misnamed = None
    with suppress(OSError):  # the folder was removed
        misnamed = next(filter(_is_misnamed_config, sorted(os.listdir(os.curdir))), None)
    here += "" if misnamed is None else f" ({quote(misnamed)} is not read; rename it)"
    demo = "xtest demo runs the bundled suites"
    nearby = nearby_suites()
    if not nearby:
        return f"{here}; no suites below; to test a program: xtest run FOLDER -- ./program; {demo}"
    args = command or (() if verb != "run" or all(map(_has_program, nearby)) else ("COMMAND",))
    ending = ("--", *args) if args else ()
    folders = [f"./{each}" if each.startswith("-") else each for each in nearby[:_SHOWN]]
    lines = [f"    {shell_line(('xtest', verb, folder, *ending))}" for folder in folders]
    if len(nearby) > 1:
        everything = shell_line(("xtest", verb, ".", *ending))
        lines.append(f"    {everything}  # all {pluralize(len(nearby), 'suite')}")
    init = f"xtest init writes an {CONFIG_FILE} that lists them; {demo}"
    return "\n".join([f"{here}; suites below:", *lines, init])


def _is_misnamed_config(file: str) -> bool:
    return likely_name(file) == CONFIG_FILE


def _has_program(folder: str) -> bool:
    with suppress(CorpusError):
        return bool(read_suite(folder, Path(folder)).settings.program)
    return False


def targets_of(
    arguments: Sequence[str], command: tuple[str, ...] | None, verb: str = "run"
) -> tuple[list[Target], list[Diagnostic]]:
    """Return the targets for arguments, and the problems of their suites. Raises UsageError.

    `command` replaces the programs of the suites; `verb` is the command of xtest, for messages.
    """

    def pair(discovered: DiscoveredSuite, suite: Suite) -> list[Target]:
        if command is not None:
            return [Target(suite, discovered.argument, Subject(shell_line(command), command))]
        if not suite.settings.program:
            raise no_program(suite, verb, discovered.argument)
        return program_targets(discovered, suite)

    return pair_suites(resolve_suites(arguments), pair)


def no_program(suite: Suite, verb: str, argument: str) -> UsageError:
    """Return the error for a suite without a program, for `xtest VERB ARGUMENT`."""
    command = f"xtest {verb} {shell_line((argument,))}"
    return UsageError(
        f"{escape_nonprintable(suite.name)}: no program to run; name one in suite.toml, or after"
        f" --: {command} -- COMMAND{_subject_hint()}"
    )


def _subject_hint() -> str:
    """Return how to name a subject of xtest.toml: by its name if it is the only one."""
    path = find_config()
    if path is None:
        return ""
    with suppress(UsageError):
        subjects = parse_config(read_regular_file(path, path), path).subjects
        if len(subjects) == 1 and not subjects[0].folders:
            return f", or with --subject {shell_line((subjects[0].name,))}"
    return f", or with --subject one of {CONFIG_FILE}"


def pair_suites(
    suites: Sequence[DiscoveredSuite],
    pair: Callable[[DiscoveredSuite, Suite], list[Target]],
    *,
    inputs: bool = False,
) -> tuple[list[Target], list[Diagnostic]]:
    """Read suites; return the targets that `pair` makes of each, and the problems of the suites.

    If `pair` raises UsageError, that is a problem too, or an error if there is only one suite. For
    `inputs` see `read_suite`.
    """
    targets: list[Target] = []
    problems: list[Diagnostic] = []
    for discovered in suites:
        try:
            suite = read_suite(discovered.name, discovered.folder, inputs=inputs)
        except CorpusError as problem:
            message = str(problem).removeprefix(f"{discovered.name}: ")
            problems.append(Diagnostic(discovered.name, message))
        else:
            try:
                targets += pair(discovered, suite)
            except UsageError as problem:
                if len(suites) == 1:
                    raise
                message = str(problem).removeprefix(f"{suite.name}: ")
                problems.append(Diagnostic(suite.name, message))
            problems += (Diagnostic(suite.name, fault) for fault in suite.faults)
    return targets, problems


def program_targets(discovered: DiscoveredSuite, suite: Suite) -> list[Target]:
    """Return the one target of a suite and its own program."""
    program = suite.settings.program
    return [
        Target(suite, discovered.argument, Subject(program, (program,)), is_default_subject=True)
    ]

"""What several commands share: options' faults, and the suites that arguments mean.

The faults of usage are told here in one way; what a command does is in its own module.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import Final

import click

from harness.bundled import test_cases_folder
from harness.corpus import CorpusError, Found, Suite, find_all, read_suite
from harness.events import Problem
from harness.naming import natural
from harness.plan import Target
from harness.records import Subject
from harness.session import EXIT_FAULT

__all__ = ["HELP", "UsageFault", "bundled_names", "read_suites", "refuse_command", "targets_of"]

HELP: Final = {"help_option_names": ["-h", "--help"]}


class UsageFault(click.ClickException):
    """The caller asked for what cannot be done; exit status 2."""

    exit_code = EXIT_FAULT

    def show(self, file: object = None) -> None:
        """Print the message on standard error."""
        print(f"xtest: {self.format_message()}", file=sys.stderr)


def refuse_command(name: str, command: tuple[str, ...] | None) -> None:
    """Raises UsageFault where a command that runs no subject was given one."""
    if command is not None:
        raise UsageFault(f"{name} takes no command behind --")


def bundled_names() -> list[str]:
    """The bundled suites, in natural order."""
    folder = test_cases_folder()
    return sorted((entry.name for entry in folder.iterdir() if entry.is_dir()), key=natural)


def targets_of(
    arguments: Sequence[str], command: tuple[str, ...] | None
) -> tuple[list[Target], list[Problem]]:
    """What is run against what. Raises UsageFault where a suite lacks a program."""
    targets: list[Target] = []
    problems: list[Problem] = []
    for found, read in read_suites(arguments):
        if isinstance(read, Suite):
            targets.append(_target(found, read, command))
            problems += (Problem(read.name, fault) for fault in read.faults)
        else:
            problems.append(read)
    return targets, problems


def _target(found: Found, suite: Suite, command: tuple[str, ...] | None) -> Target:
    if command is not None:
        subject = Subject(command[0], command)
        return Target(suite, found.argument, subject, is_default_subject=False)
    program = suite.settings.program
    if not program:
        raise UsageFault(
            f"{suite.name}: no suite.toml names its program, so say which one to run:"
            f" xtest run {found.argument} -- COMMAND"
        )
    subject = Subject(program, (program,))
    return Target(suite, found.argument, subject, is_default_subject=True)


def read_suites(arguments: Sequence[str]) -> Iterator[tuple[Found, Suite | Problem]]:
    """The suites that the arguments mean; of those that cannot be used, the problem."""
    try:
        everything = find_all(arguments, test_cases_folder())
    except CorpusError as problem:
        raise UsageFault(str(problem)) from None
    for found in everything:
        try:
            yield found, read_suite(found.name, found.folder)
        except CorpusError as problem:
            yield found, Problem(found.name, str(problem))

"""Pair the suites that arguments name with the subjects to run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from harness.errors import UsageError
from harness.model.case_names import natural
from harness.model.events import Diagnostic
from harness.model.subject import Subject
from harness.suites.bundled import test_cases_folder
from harness.suites.discovery import DiscoveredSuite, find_all
from harness.suites.loading import CorpusError, Suite, read_suite

__all__ = ["bundled_names", "own_target", "read_suites", "targets_of"]


class Target(NamedTuple):
    """A suite, the argument that names it, and a subject to run on it.

    `is_default_subject` is true of the program that the suite.toml names.
    """

    suite: Suite
    argument: str
    subject: Subject
    is_default_subject: bool

    @property
    def key(self) -> tuple[str, str]:
        """The names of suite and subject, which are unique in a run."""
        return self.suite.name, self.subject.name


def bundled_names() -> list[str]:
    """Return the names of the bundled suites, in natural order."""
    folder = test_cases_folder()
    return sorted((entry.name for entry in folder.iterdir() if entry.is_dir()), key=natural)


def targets_of(
    arguments: Sequence[str], command: tuple[str, ...] | None, verb: str = "run"
) -> tuple[list[Target], list[Diagnostic]]:
    """Return the targets for arguments, and the faults of their suites.

    `command` replaces the programs of the suites; `verb` is the command in the hint for a suite
    without one. Raises UsageError.
    """
    targets: list[Target] = []
    problems: list[Diagnostic] = []
    for found, read in read_suites(arguments):
        if isinstance(read, Suite):
            targets.append(_target(found, read, command, verb))
            problems += (Diagnostic(read.name, fault) for fault in read.faults)
        else:
            problems.append(read)
    return targets, problems


def _target(
    found: DiscoveredSuite, suite: Suite, command: tuple[str, ...] | None, verb: str
) -> Target:
    if command is not None:
        subject = Subject(command[0], command)
        return Target(suite, found.argument, subject, is_default_subject=False)
    if not suite.settings.program:
        raise UsageError(
            f"{suite.name}: its suite.toml names no program; name one:"
            f" xtest {verb} {found.argument} -- COMMAND"
        )
    return own_target(found, suite)


def own_target(found: DiscoveredSuite, suite: Suite) -> Target:
    """Return the target of a suite and its own program."""
    program = suite.settings.program
    return Target(suite, found.argument, Subject(program, (program,)), is_default_subject=True)


def read_suites(arguments: Sequence[str]) -> Iterator[tuple[DiscoveredSuite, Suite | Diagnostic]]:
    """Yield the suites that arguments name, or the problem of a suite that cannot be used."""
    try:
        everything = find_all(arguments, test_cases_folder())
    except CorpusError as problem:
        raise UsageError(str(problem)) from None
    for found in everything:
        try:
            yield found, read_suite(found.name, found.folder)
        except CorpusError as problem:
            yield found, Diagnostic(found.name, str(problem))

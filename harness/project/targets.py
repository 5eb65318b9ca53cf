"""Pair the suites that arguments name with the subjects to run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from harness.errors import UsageError
from harness.model.case_names import natural
from harness.model.events import Diagnostic
from harness.model.subject import Subject
from harness.suites.bundled import test_cases_folder
from harness.suites.discovery import DiscoveredSuite, find_all
from harness.suites.loading import CorpusError, Suite, read_suite

__all__ = ["Target", "bundled_names", "pair_suites", "program_targets", "targets_of"]


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

    def pair(found: DiscoveredSuite, suite: Suite) -> list[Target]:
        if command is not None:
            subject = Subject(command[0], command)
            return [Target(suite, found.argument, subject, is_default_subject=False)]
        if not suite.settings.program:
            raise UsageError(
                f"{suite.name}: its suite.toml names no program; name one:"
                f" xtest {verb} {found.argument} -- COMMAND"
            )
        return program_targets(found, suite)

    return pair_suites(find_all(arguments, test_cases_folder()), pair)


def pair_suites(
    suites: Iterable[DiscoveredSuite],
    pair: Callable[[DiscoveredSuite, Suite], list[Target]],
    read: Callable[[DiscoveredSuite], Suite] = lambda found: read_suite(found.name, found.folder),
) -> tuple[list[Target], list[Diagnostic]]:
    """Read suites; return the targets that `pair` makes of each, and the faults of the suites."""
    targets: list[Target] = []
    problems: list[Diagnostic] = []
    for found in suites:
        try:
            suite = read(found)
        except CorpusError as problem:
            problems.append(Diagnostic(found.name, str(problem)))
        else:
            targets += pair(found, suite)
            problems += (Diagnostic(suite.name, fault) for fault in suite.faults)
    return targets, problems


def program_targets(found: DiscoveredSuite, suite: Suite) -> list[Target]:
    """Return the one target of a suite and its own program."""
    program = suite.settings.program
    return [Target(suite, found.argument, Subject(program, (program,)), is_default_subject=True)]

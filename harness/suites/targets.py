"""From arguments to suites, and to what each is run against.

The corpus is listed here for every command; what a command does with it is in its own module.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from harness.events import Problem
from harness.records import Subject
from harness.runs.plan import Target
from harness.suites.bundled import test_cases_folder
from harness.suites.corpus import CorpusError, Found, Suite, find_all, read_suite
from harness.suites.naming import natural
from harness.usage import UsageFault

__all__ = ["bundled_names", "own_target", "read_suites", "targets_of"]


def bundled_names() -> list[str]:
    """The bundled suites, in natural order."""
    folder = test_cases_folder()
    return sorted((entry.name for entry in folder.iterdir() if entry.is_dir()), key=natural)


def targets_of(
    arguments: Sequence[str], command: tuple[str, ...] | None, verb: str = "run"
) -> tuple[list[Target], list[Problem]]:
    """What is run against what. Raises UsageFault where a suite lacks a program, and says how to
    name one to the command `verb`."""
    targets: list[Target] = []
    problems: list[Problem] = []
    for found, read in read_suites(arguments):
        if isinstance(read, Suite):
            targets.append(_target(found, read, command, verb))
            problems += (Problem(read.name, fault) for fault in read.faults)
        else:
            problems.append(read)
    return targets, problems


def _target(found: Found, suite: Suite, command: tuple[str, ...] | None, verb: str) -> Target:
    if command is not None:
        subject = Subject(command[0], command)
        return Target(suite, found.argument, subject, is_default_subject=False)
    if not suite.settings.program:
        raise UsageFault(
            f"{suite.name}: no suite.toml names its program, so say which one to run:"
            f" xtest {verb} {found.argument} -- COMMAND"
        )
    return own_target(found, suite)


def own_target(found: Found, suite: Suite) -> Target:
    """A suite and the program that it names."""
    program = suite.settings.program
    return Target(suite, found.argument, Subject(program, (program,)), is_default_subject=True)


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

"""Declare what a machine must offer to run subjects, and check that it does."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from harness.errors import UsageError
from harness.model.protection import Protection
from harness.model.subject import Subject
from harness.process.cgroups import accounting
from harness.process.sandbox import Sandbox, find_sandbox
from harness.project.program_lookup import command_line, missing_program
from harness.project.targets import Target
from harness.runner.cluster.shared_folders import SharedFolders
from harness.runner.cluster.shipping import Moved
from harness.text import escape_nonprintable


class Place(NamedTuple):
    """What a machine must offer to run subjects: files, programs and protections."""

    folders: SharedFolders
    subjects: tuple[Subject, ...]  # whose programs are found here
    required: tuple[tuple[str, Protection], ...]  # by the names of suites
    sandbox: Sandbox | None

    def enter(self) -> tuple[Moved, Sandbox | None]:
        """Go to the folder of the user; return where files are, and the sandbox of this machine.

        Raises UsageError with what is missing here.
        """
        moved = self.folders.enter()
        for subject in map(moved.subject, self.subjects):
            missing = start_problem(subject)
            if missing and not subject.fault:
                raise UsageError(f"{escape_nonprintable(subject.name)}: {missing}")
        sandbox = self._find_sandbox(moved)
        promised = accounting().protections | frozenset(sandbox.protections if sandbox else ())
        for suite, protection in self.required:
            if protection not in promised:
                raise UsageError(f"{suite}: its suite.toml requires {protection.value}")
        return moved, sandbox

    def _find_sandbox(self, moved: Moved) -> Sandbox | None:
        if self.sandbox is None:
            return None
        found = find_sandbox(self.sandbox.kind, moved.exposure(self.sandbox.exposure))
        if isinstance(found, str):
            raise UsageError(found)
        return found


def place_of(targets: Collection[Target], folders: SharedFolders, sandbox: Sandbox | None) -> Place:
    """Return what a machine must offer for these targets."""
    subjects = {target.subject.name: target.subject for target in targets}.values()
    suites = {target.suite.name: target.suite for target in targets}.values()
    required = [(each.name, one) for each in suites for one in each.settings.sandbox.require]
    # A program that is missing here, too, is a verdict.
    found = [each for each in subjects if not (each.fault or start_problem(each))]
    return Place(folders, tuple(found), tuple(required), sandbox)


def start_problem(subject: Subject) -> str:
    """Return why a subject cannot start on this machine, or ""."""
    argv = command_line(subject)
    folder = subject.context.folder if subject.context is not None else ""
    return argv if isinstance(argv, str) else missing_program(argv[0], folder)

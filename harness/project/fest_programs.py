"""Find the teams and programs of a test fest: folders of fest.toml, or subjects of xtest.toml."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from glob import escape, glob
from pathlib import Path
from typing import Final, NamedTuple

from harness.errors import UsageError
from harness.model.case_names import natural
from harness.model.fest import Role
from harness.model.subject import ExecutionContext, Subject
from harness.project.builds import BuildStep, build_steps, build_targets
from harness.project.config import SubjectConfig, chosen_subjects
from harness.project.fest_config import Fest
from harness.project.subjects import Project, need_project, subject_on
from harness.project.targets import Target
from harness.suites.loading import Suite, corpus_errors, read_settings
from harness.text import escape_nonprintable, quote, to_utf8_text

_KEYS: Final = {Role.WHEAT: "wheats", Role.CHAFF: "chaffs", Role.TEAM: "subjects"}


class Entrant(NamedTuple):
    """A program of a fest; the suite of its target has the settings of all cases."""

    role: Role
    target: Target

    @property
    def name(self) -> str:
        return self.target.subject.name


def fest_suite(fest: Fest) -> Suite:
    """Return a suite without cases: the settings in the folder of a fest. Raises CorpusError."""
    folder = Path(fest.folder)
    with corpus_errors():
        settings = read_settings(folder)
    return Suite(os.path.basename(fest.folder), folder, settings._replace(known=()), {})


def test_folders(fest: Fest) -> dict[str, Path]:
    """Return the folder of cases of each team. Raises UsageError."""
    return _folders(fest, "tests", fest.config.tests)


def find_entrants(fest: Fest, suite: Suite, *, builds: bool = True) -> list[Entrant]:
    """Return all programs of a fest, built if `builds` and xtest.toml says how.

    Raises UsageError.
    """
    return [
        Entrant(role, target)
        for role, key in _KEYS.items()
        for target in _targets(fest, suite, key, builds=builds)
    ]


def entrant_builds(fest: Fest) -> list[BuildStep]:
    """Return the build commands of the programs of a fest. Raises UsageError."""
    steps: dict[str, BuildStep] = {}
    for key in _KEYS.values():
        words = getattr(fest.config, key)
        if isinstance(words, tuple) and words:
            project, subjects = _chosen(fest, words, key)
            found = build_steps(project, {each.name for each in subjects})
            steps.update((step.subject, step) for step in found)
    return list(steps.values())


def _targets(fest: Fest, suite: Suite, key: str, *, builds: bool) -> Iterator[Target]:
    programs = getattr(fest.config, key)
    if isinstance(programs, tuple):
        if programs:
            project, subjects = _chosen(fest, programs, key)
            targets = [
                Target(
                    suite, fest.folder, subject_on(project, each, suite), is_default_subject=False
                )
                for each in subjects
            ]
            yield from build_targets(project, targets) if builds else targets
        return
    for name, folder in _folders(fest, key, programs).items():
        command, path = fest.config.program, str(folder)
        context = ExecutionContext(path)
        fault = _escape_fault(folder, command[0])
        subject = Subject(name, command, context, fault=fault, depends=(escape(path),))
        yield Target(suite, fest.folder, subject, is_default_subject=False)


def _chosen(
    fest: Fest, words: tuple[str, ...], key: str
) -> tuple[Project, Sequence[SubjectConfig]]:
    """Return the project, and the subjects that words of a key mean. Raises UsageError."""
    project = need_project(f"{fest.where}: {key}")
    try:
        return project, chosen_subjects(project.config, words)
    except UsageError as problem:
        reason = str(problem).removeprefix("--subject ")
        raise UsageError(f"{fest.where}: {key}: {reason}") from None


def _folders(fest: Fest, key: str, pattern: str) -> dict[str, Path]:
    """Return the folders that a glob matches, by name, in natural order. Raises UsageError."""
    found: dict[str, Path] = {}
    for path in sorted(glob(pattern, root_dir=fest.folder), key=natural):
        folder = Path(fest.folder, os.path.normpath(path))
        if not folder.is_dir():
            continue
        name = to_utf8_text(folder.name)
        other = found.setdefault(name, folder)
        if other is not folder:
            one, two = (escape_nonprintable(str(each)) for each in (other, folder))
            raise UsageError(f"{fest.where}: {key}: two folders have one name: {one}, {two}")
    if not found and key != "chaffs":
        raise UsageError(f"{fest.where}: {key} = {quote(pattern)} matches no folder")
    return found


def _escape_fault(folder: Path, program: str) -> str:
    """Return why a program is not the folder's own, or "": a link could lead to that of others."""
    if folder.is_symlink():
        return "its folder is a symbolic link"
    real = os.path.realpath(folder)
    is_inside = os.path.realpath(os.path.join(real, program)).startswith(f"{real}/")
    if "/" in program and not os.path.isabs(program) and not is_inside:
        return f"{escape_nonprintable(program)} is a link that leaves its folder"
    return ""

"""Find the suites that a command line names, and pair them with the subjects that run them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from contextlib import suppress
from itertools import chain, islice
from pathlib import Path
from typing import NamedTuple

from harness.errors import UsageError
from harness.model.case_names import CONFIG_FILE
from harness.model.events import Diagnostic
from harness.options import messages
from harness.project.config import SubjectConfig
from harness.project.known_file import KnownCases, read_known_file, with_known_failures
from harness.project.subjects import (
    Project,
    absent_suite_notes,
    configured_suites,
    configured_targets,
    early_program_notes,
    find_project,
    idle_skip_notes,
    known_key,
    known_path,
    missing_known_files,
    need_project,
    subject_on,
    suite_arguments,
)
from harness.project.targets import (
    Target,
    bundled_targets,
    no_suite_text,
    pair_suites,
    targets_of,
)
from harness.reports.writer import is_earlier_report
from harness.results.results_file import is_results_file
from harness.suites.discovery import DiscoveredSuite, resolve_suites
from harness.suites.loading import Suite
from harness.suites.strays import stray_note
from harness.text import escape_nonprintable, pluralize


class FoundTargets(NamedTuple):
    """Targets, the problems of their suites, and the xtest.toml that was looked up, if any."""

    targets: Sequence[Target]
    problems: Sequence[Diagnostic]
    project: Project | None


def find_targets(
    suites: Sequence[str],
    command: tuple[str, ...] | None,
    subjects: Sequence[str] = (),
    *,
    bundled: bool = False,
    verb: str = "run",
) -> FoundTargets:
    """Return the targets of a run. Raises UsageError.

    `command` is what follows --, or None for the subjects of xtest.toml that serve the suites (only
    those that `subjects` select), or the programs of the suites. `verb` is the command of xtest,
    for messages.
    """
    if command is not None and subjects:
        raise UsageError(
            f"--subject selects subjects of {CONFIG_FILE} and cannot be combined with a command"
            " after --"
        )
    if bundled:
        return FoundTargets(*bundled_targets(suites), None)
    targets = _find_targets(suites, command, subjects, verb)
    print_stray_note(targets.targets)
    return targets


def _find_targets(
    suites: Sequence[str], command: tuple[str, ...] | None, subjects: Sequence[str], verb: str
) -> FoundTargets:
    project = None
    if subjects:
        project = need_project(f"--subject {escape_nonprintable(subjects[0])}")
    elif command is None or not suites or not all(map(os.path.isdir, suites)):
        project = find_project()
    if project is not None and command is None:
        targets, problems = configured_targets(project, suites, subjects)
        notes = (
            early_program_notes(project, suites),
            missing_known_files(project, targets),
            absent_suite_notes(project, suites, targets),
            idle_skip_notes(project, suites, targets),
        )
        for note in chain.from_iterable(notes):
            messages.print_note(note)
        return FoundTargets(targets, problems, project)
    if project is not None:
        suites = configured_suites(project, suites)
    if not suites:
        raise UsageError(no_suite_text(verb, command or ()))
    return FoundTargets(*targets_of(suites, command, verb), project)


def is_output(path: Path) -> bool:
    """Return whether xtest wrote a file or folder: results, or a report."""
    with suppress(OSError):
        return is_earlier_report(path) or path.is_file() and is_results_file(str(path))
    return False


def find_reference_targets(
    suites: Sequence[str], command: tuple[str, ...] | None, subjects: Sequence[str], verb: str
) -> FoundTargets:
    """Return each suite with the one subject whose outputs are taken as right. Raises UsageError.

    It is the `command` after --, the one that `subjects` select, or the suite's own program. `verb`
    is the command of xtest, for messages.
    """
    arguments = suite_arguments(suites)
    if not subjects:
        targets, problems = targets_of(arguments, command, verb)
        print_stray_note(targets)
        return FoundTargets(targets, problems, None)
    project, config = reference_subject(subjects, command)
    known: tuple[KnownCases, ...] = ()
    if config.known:
        path = known_path(project, config.name)
        known = read_known_file(path, known_key(project, config.name))

    def pair(discovered: DiscoveredSuite, suite: Suite) -> list[Target]:
        target = Target(suite, discovered.argument, subject_on(project, config, suite), False)
        return [with_known_failures(target, known, config.known)]

    targets, problems = pair_suites(resolve_suites(arguments), pair)
    print_stray_note(targets)
    return FoundTargets(targets, problems, project)


def print_stray_note(targets: Iterable[Target]) -> None:
    """Print one note on what lies in the folders of suites and belongs to neither them nor a
    subject."""
    strays: dict[str, list[str]] = {}
    for target in targets:
        programs = {os.path.basename(word) for word in target.subject.command}
        left = strays.get(target.suite.name, target.suite.strays.others)
        folder = target.suite.folder
        strays[target.suite.name] = [
            each for each in left if each not in programs and not is_output(folder / each)
        ]
    strays_of = {name: entries for name, entries in strays.items() if entries}
    for name, entries in islice(strays_of.items(), 1):
        more = len(strays_of) - 1
        others = f" (so are files of {pluralize(more, 'other suite')}: xtest lint)" if more else ""
        messages.print_note(f"{escape_nonprintable(name)}: {stray_note(entries)}{others}")


def reference_subject(
    subjects: Sequence[str], command: tuple[str, ...] | None
) -> tuple[Project, SubjectConfig]:
    """Return the one subject of xtest.toml that words of --subject select. Raises UsageError."""
    option = f"--subject {escape_nonprintable(', '.join(subjects))}"
    if command is not None:
        raise UsageError(f"{option}: cannot be combined with a command after --")
    project = need_project(option)
    selected = project.select_subjects(subjects)
    if len(selected) > 1:
        names = ", ".join(subject.name for subject in selected)
        raise UsageError(f"{option}: selects {names}; name one of them")
    return project, selected[0]

"""The xtest.toml of a project at work: found, read, turned into what is run against what, built.

What the file says is config.py's to know; here it is looked up, and its build commands are run,
through the process package. Source: docs/subjects.md.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from harness.events import Problem
from harness.lookup import find_config, find_program, no_program_text
from harness.process.loop import run
from harness.records import Exited, Job, Limit, Limits, NotStarted, Setting, Subject, Transcript
from harness.runs.plan import Target
from harness.several.config import (
    Config,
    ConfigError,
    SubjectConfig,
    SuiteNames,
    chosen_subjects,
    idle_globs,
    parse_config,
)
from harness.suites.bundled import test_cases_folder
from harness.suites.corpus import CorpusError, Found, Suite, find_all, find_suites
from harness.suites.targets import own_target, read_suites
from harness.usage import UsageFault
from harness.words import amount, count_of, harmless, shell_line, signal_name, visible

__all__ = [
    "Project",
    "build",
    "built",
    "configured_suites",
    "configured_targets",
    "no_suites_text",
    "read_project",
    "subject_on",
    "suites_meant",
    "who_serves",
    "with_faults",
]

_BUILD_OUTPUT_MIB: Final = 64.0
_BUILD_LINES: Final = 20  # of what a build that failed printed last


class Project(NamedTuple):
    """An xtest.toml that was read: its path as it is shown, its folder, and what it says."""

    where: str
    folder: str
    config: Config


def read_project(path: str) -> Project:
    """The project whose xtest.toml this is (an absolute path). Raises UsageFault."""
    where = visible(os.path.relpath(path))
    try:
        if not os.path.isfile(path):  # a pipe would keep us waiting for ever
            raise UsageFault(f"{where}: not a regular file")
        with open(path, "rb") as file:
            config = parse_config(file.read(), where)
    except OSError as problem:
        raise UsageFault(f"{where}: {(problem.strerror or 'cannot be read').lower()}") from None
    except ConfigError as problem:
        raise UsageFault(str(problem)) from None
    return Project(where, os.path.dirname(path), config)


def configured_suites(project: Project, given: Sequence[str]) -> tuple[str, ...]:
    """What suites are meant by the arguments of a command line, or, where there are none, by the
    project, as arguments that `read_suites` takes in the caller's folder."""
    entries = [(entry, _from_here(project, entry)) for entry in project.config.suites]
    if not given:
        return tuple(argument for _, argument in entries)
    by_name = {os.path.basename(os.path.normpath(entry)): argument for entry, argument in entries}
    by_name.update(entries)
    if not all(os.path.isdir(name) or name in by_name for name in given):
        by_name = _below([argument for _, argument in entries]) | by_name
    return tuple(name if os.path.isdir(name) else by_name.get(name, name) for name in given)


def suites_meant(given: Sequence[str]) -> tuple[str, ...]:
    """What suites are meant by the arguments of a command line where an xtest.toml may be valid, as
    arguments that `read_suites` takes. Folders mean themselves, whatever it says. Raises
    UsageFault."""
    if all(os.path.isdir(name) for name in given):
        return tuple(given)
    path = find_config()
    return tuple(given) if path is None else configured_suites(read_project(path), given)


def who_serves(project: Project) -> Callable[[Suite], list[Subject]]:
    """What tells the subjects that serve a suite, if it is one of the project's own; otherwise
    there are none."""
    try:
        own = find_all(configured_suites(project, ()), test_cases_folder())
    except CorpusError:
        own = []
    folders = {os.path.abspath(found.folder) for found in own}

    def of_suite(suite: Suite) -> list[Subject]:
        if os.path.abspath(suite.folder) not in folders:
            return []
        names = _names(project, suite.folder)
        return [
            Subject(said.name, said.command_for(names, suite.settings.program) or said.command)
            for said in project.config.subjects
            if said.serves(names)
        ]

    return of_suite


def configured_targets(
    project: Project, given: Sequence[str], words: Sequence[str]
) -> tuple[list[Target], list[Problem]]:
    """What is run against what: the suites that are given, otherwise the project's own, each
    against those of the subjects that the words mean which serve it. Without words, a suite that
    no subject serves is run against its own program. Raises UsageFault."""
    arguments = configured_suites(project, given)
    if not arguments:
        raise UsageFault(no_suites_text(project, "run"))
    try:
        subjects = chosen_subjects(project.config, words)
    except ConfigError as problem:
        raise UsageFault(f"{project.where}: {problem}") from None
    choice = _Choice(project, subjects, named_suites=bool(given), named_subjects=bool(words))
    targets: list[Target] = []
    problems: list[Problem] = []
    names: list[SuiteNames] = []
    for found, read in _read(project, arguments, named=bool(given)):
        names.append(_names(project, found.folder))
        if isinstance(read, Suite):
            targets += choice.targets(found, read)
            problems += (Problem(read.name, fault) for fault in read.faults)
        else:
            problems.append(read)
    if not given:
        idle = idle_globs(project.config, names)
        problems += (Problem(f"{project.where}: {key}", said) for key, said in idle)
    if not targets and not problems:
        raise UsageFault(f"{project.where}: no suite of it is served by {choice.names}")
    return targets, problems


def no_suites_text(project: Project, verb: str) -> str:
    """That neither a project nor a command line names suites, which are to be run, say."""
    return (
        f'{project.where} names no suites: add a line suites = ["FOLDER"] to it, or say which'
        f" suites to {verb}"
    )


def _below(arguments: Sequence[str]) -> dict[str, str]:
    """The suites in folders of suites, by the names of their own folders."""
    found: dict[str, str] = {}
    for argument in arguments:
        try:
            suites = find_suites(argument, test_cases_folder())
        except CorpusError:  # told of where it is asked for
            continue
        for _, folder in suites:
            found.setdefault(folder.name, str(folder))
    return found


def _from_here(project: Project, entry: str) -> str:
    path = os.path.join(project.folder, entry)
    return os.path.relpath(path) if os.path.isdir(path) else entry


def _names(project: Project, folder: Path) -> SuiteNames:
    path = os.path.abspath(folder)
    for top in (str(test_cases_folder()), project.folder):
        if path.startswith(f"{top.rstrip('/')}/"):
            return SuiteNames(os.path.basename(path), os.path.relpath(path, top))
    return SuiteNames(os.path.basename(path), path)


def _read(
    project: Project, arguments: Sequence[str], *, named: bool
) -> Iterator[tuple[Found, Suite | Problem]]:
    try:
        yield from read_suites(arguments)
    except UsageFault as problem:
        if named:
            raise
        raise UsageFault(f"{project.where}: suites: {problem}") from None


class _Choice:
    """The subjects that are to be run, and what of the choice was made on the command line."""

    def __init__(
        self,
        project: Project,
        subjects: Sequence[SubjectConfig],
        *,
        named_suites: bool,
        named_subjects: bool,
    ) -> None:
        self._project = project
        self._subjects = subjects
        self._named_suites = named_suites
        self._named_subjects = named_subjects

    @property
    def names(self) -> str:
        """The subjects, for a message."""
        return ", ".join(subject.name for subject in self._subjects)

    def targets(self, found: Found, suite: Suite) -> list[Target]:
        """What a suite is run against. Raises UsageFault where there is nothing."""
        serving = [
            subject
            for subject in self._subjects
            if subject.serves(_names(self._project, suite.folder))
        ]
        if serving:
            return [
                Target(
                    suite,
                    found.argument,
                    subject_on(self._project, one, suite),
                    is_default_subject=False,
                )
                for one in serving
            ]
        where = self._project.where
        if self._named_subjects:
            if not self._named_suites:
                return []
            raise UsageFault(f"{suite.name}: by {where}, it is not served by {self.names}")
        if not suite.settings.program:
            raise UsageFault(
                f"{suite.name}: no subject of {where} serves it, and no suite.toml names its"
                " program"
            )
        return [own_target(found, suite)]


def subject_on(project: Project, said: SubjectConfig, suite: Suite) -> Subject:
    """A subject as it is run on a suite. Raises UsageFault where its command wants a program, and
    the suite names none."""
    command = said.command_for(_names(project, suite.folder), suite.settings.program)
    if command is None:
        raise UsageFault(
            f"{suite.name}: no suite.toml names its program, for which {{program}} stands in"
            f" [subjects.{said.name}] of {project.where}"
        )
    return Subject(said.name, command, _setting(project, said), said.limits)


def _setting(project: Project, said: SubjectConfig) -> Setting:
    folder = os.path.normpath(os.path.join(project.folder, said.folder))
    return Setting(folder, said.environment)


# Builds.


def built(project: Project, targets: Sequence[Target]) -> list[Target]:
    """The targets, after the build commands of their subjects were run, each once. A subject whose
    build failed has a fault."""
    names = {target.subject.name for target in targets if target.subject.setting is not None}
    return with_faults(targets, build(project, names))


def with_faults(targets: Sequence[Target], faults: Mapping[str, str]) -> list[Target]:
    """The targets, in which the configured subjects of these names have these faults."""
    return [
        target._replace(subject=target.subject._replace(fault=fault))
        if (fault := faults.get(target.subject.name)) and target.subject.setting is not None
        else target
        for target in targets
    ]


def build(project: Project, names: Collection[str], *, sole_parent: bool = True) -> dict[str, str]:
    """Run the build commands of these subjects. Returns why some failed, by name. `sole_parent`: as
    the process package has it."""
    wanted = (said for said in project.config.subjects if said.name in names and said.build)
    faults = {said.name: _build(project, said, sole_parent=sole_parent) for said in wanted}
    return {name: fault for name, fault in faults.items() if fault}


def _build(project: Project, said: SubjectConfig, *, sole_parent: bool) -> str:
    """Run a build. Returns why it failed, on one line; the empty text: it did not."""
    command = shell_line(said.build)
    print(f"xtest: building {said.name}: {command}", file=sys.stderr, flush=True)
    setting = _setting(project, said)
    seen = _seen(said, setting, sole_parent=sole_parent)
    why = _why(seen, said)
    if not why:
        return ""
    printed = (seen.stdout + seen.stderr).decode("utf-8", "backslashreplace").splitlines()
    for line in printed[-_BUILD_LINES:]:
        print(harmless(f"    {visible(line)}"), file=sys.stderr)
    if len(printed) > _BUILD_LINES:
        print(f"    (the end of {count_of(len(printed), 'line')})", file=sys.stderr)
    return f"its build failed: {command}, in {visible(setting.folder)}: {why}"


def _seen(said: SubjectConfig, setting: Setting, *, sole_parent: bool) -> Transcript:
    name, *rest = said.build
    program = find_program(name, dict(setting.environment).get("PATH"))
    if program is None:
        return Transcript(NotStarted(no_program_text(name)))
    limits = Limits(wall_s=said.build_s, output_mib=_BUILD_OUTPUT_MIB)
    job = Job((program, *rest), b"", limits, None, setting)
    ((_, seen),) = run(iter([(None, job)]), 1, os.environ, sole_parent=sole_parent)
    return seen


def _why(seen: Transcript, said: SubjectConfig) -> str:
    """Why a build failed; the empty text: it did not."""
    if isinstance(seen.ending, NotStarted):
        return seen.ending.reason
    if seen.limit is Limit.OUTPUT:
        return f"it printed more than {amount(_BUILD_OUTPUT_MIB)} MiB"
    if seen.limit is not None:
        return f"it took longer than {amount(said.build_s)} s (build_s)"
    if isinstance(seen.ending, Exited):
        return f"exit status {seen.ending.status}" if seen.ending.status else ""
    return f"ended by {signal_name(seen.ending.number)}"

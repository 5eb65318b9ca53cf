"""What pytest is to run against what: from its options to targets, and builds of their subjects.

The same suites, subjects and xtest.toml as `xtest run` knows; nothing is collected here. Source:
docs/pytest.md.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from harness.events import Problem
from harness.lookup import find_config, need_config
from harness.process.guest import as_guest
from harness.pytesting.naming import subject_names
from harness.records import Setting, Subject
from harness.runs.deliveries import Delivery
from harness.runs.plan import PlannedRun, Target, repeat_command
from harness.runs.selecting import asked_deliveries
from harness.several.config import Config, ConfigError, chosen_subjects
from harness.several.subjects import (
    Project,
    build,
    configured_suites,
    configured_targets,
    read_project,
    subject_on,
    with_faults,
)
from harness.suites.corpus import Suite
from harness.suites.targets import own_target, read_suites
from harness.usage import UsageFault
from harness.words import visible

__all__ = [
    "Choice",
    "Wish",
    "built_choice",
    "built_so_far",
    "choice_of",
    "deliveries_of",
    "project_here",
    "repeat_words",
    "subjects_without_suite",
    "wish_of",
]

_BUILT = pytest.StashKey[dict[str, str]]()


class Wish(NamedTuple):
    """What options ask for. `subjects` are command lines, and names of an xtest.toml; what stands
    in an ini file holds in that file's folder, `home` (empty: the caller's own folder). `is_given`:
    the suites were named on the command line."""

    suites: tuple[str, ...]
    subjects: tuple[str | tuple[str, ...], ...] = ()
    home: str = ""
    is_given: bool = True


class Choice(NamedTuple):
    """What is run against what, what is wrong with the suites, and the xtest.toml, if there is
    one that was needed."""

    targets: list[Target]
    problems: list[Problem]
    project: Project | None


def wish_of(config: pytest.Config) -> Wish:
    """What the options and the ini file ask for, each option before the ini file."""
    suites: list[str] = config.getoption("xtest_suites")
    subjects: list[str] = config.getoption("xtest_subject")
    folder = str(config.inipath.parent) if config.inipath is not None else os.getcwd()
    said: list[str] = config.getini("xtest_suites")
    home = "" if subjects or os.path.samefile(folder, os.getcwd()) else folder
    return Wish(
        suites=tuple(suites or (_from_here(folder, entry) for entry in said)),
        subjects=tuple(subjects or config.getini("xtest_subject")),
        home=home,
        is_given=bool(suites),
    )


def deliveries_of(config: pytest.Config) -> tuple[Delivery, ...] | None:
    """The deliveries that are asked for; None: all that each suite declares. Raises UsageFault."""
    option: str = config.getoption("xtest_deliver") or config.getini("xtest_deliver")
    return asked_deliveries(option or None, "--xtest-deliver")


def _from_here(folder: str, entry: str) -> str:
    path = os.path.join(folder, entry)
    return os.path.relpath(path) if os.path.isdir(path) else entry


def project_here() -> Project | None:
    """The xtest.toml that is valid here. Raises UsageFault for a faulty one."""
    path = find_config()
    return None if path is None else read_project(path)


def choice_of(wish: Wish) -> Choice:
    """What a wish comes to. Raises UsageFault."""
    project = project_here()
    names, commands = _parted(wish, project)
    suites = configured_suites(project, wish.suites) if project is not None else wish.suites
    targets: list[Target] = []
    problems: list[Problem] = []
    if project is not None and (names or not commands):
        targets, problems = configured_targets(project, wish.suites, names)
    elif not commands:
        targets, problems = _own_targets(suites)
    if commands:
        more, faults = _targets_of_commands(suites, commands, wish.home, project)
        targets += more
        problems += faults
    return Choice(targets, list(dict.fromkeys(problems)), project)


def subjects_without_suite(wish: Wish, suite: Suite) -> Choice:
    """The same for a suite that stands for none."""
    project = project_here()
    names, commands = _parted(wish, project)
    subjects = _commanded(commands, wish.home, project)
    if project is not None and names:
        said = chosen_subjects(project.config, names)
        subjects += [subject_on(project, one, suite) for one in said]
    targets = [Target(suite, "", subject, is_default_subject=False) for subject in subjects]
    return Choice(targets, [], project)


def _parted(wish: Wish, project: Project | None) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """The names of configured subjects among the words, and the commands. Raises UsageFault."""
    names: list[str] = []
    commands: list[tuple[str, ...]] = []
    for word in wish.subjects:
        if isinstance(word, str) and _is_name(word, project):
            names.append(word)
        else:
            commands.append(_command(word))
    return tuple(names), list(dict.fromkeys(commands))


def _is_name(word: str, project: Project | None) -> bool:
    if word.startswith("@"):
        need_config(f"--xtest-subject {visible(word)}")
        return True
    return project is not None and _has(project.config, word)


def _has(config: Config, word: str) -> bool:
    try:
        return bool(chosen_subjects(config, (word,)))
    except ConfigError:
        return False


def _command(said: str | tuple[str, ...]) -> tuple[str, ...]:
    try:
        words = tuple(shlex.split(said)) if isinstance(said, str) else said
    except ValueError as problem:
        raise UsageFault(f"--xtest-subject {visible(str(said))}: {problem}".lower()) from None
    if not words or not words[0]:
        raise UsageFault("--xtest-subject: a command or the name of a subject is expected")
    return words


def _own_targets(suites: Sequence[str]) -> tuple[list[Target], list[Problem]]:
    """Suites with the programs that they name. Raises UsageFault where one names none."""
    targets: list[Target] = []
    problems: list[Problem] = []
    for found, read in read_suites(suites):
        if isinstance(read, Problem):
            problems.append(read)
        elif not read.settings.program:
            raise UsageFault(
                f"{read.name}: no suite.toml names its program, so say which one to run:"
                " --xtest-subject COMMAND"
            )
        else:
            targets.append(own_target(found, read))
            problems += (Problem(read.name, fault) for fault in read.faults)
    return targets, problems


def _targets_of_commands(
    suites: Sequence[str], commands: list[tuple[str, ...]], home: str, project: Project | None
) -> tuple[list[Target], list[Problem]]:
    targets: list[Target] = []
    problems: list[Problem] = []
    subjects = _commanded(commands, home, project)
    for found, read in read_suites(suites):
        if isinstance(read, Problem):
            problems.append(read)
            continue
        problems += (Problem(read.name, fault) for fault in read.faults)
        for subject in subjects:
            targets.append(Target(read, found.argument, subject, is_default_subject=False))
    return targets, problems


def _commanded(
    commands: list[tuple[str, ...]], home: str, project: Project | None
) -> list[Subject]:
    known = [said.name for said in project.config.subjects] if project is not None else []
    setting = Setting(home) if home else None
    names = subject_names(commands, known)
    return [Subject(name, command, setting) for name, command in zip(names, commands, strict=True)]


# Builds.


def built_choice(choice: Choice, config: pytest.Config) -> Choice:
    """The same, after the build commands of configured subjects were run, each once in a process of
    pytest's; those that failed are faults of their subjects."""
    project = choice.project
    if project is None:
        return choice
    known = built_so_far(config)
    named = {said.name for said in project.config.subjects}
    wanted = {target.subject.name for target in choice.targets} & named
    missing = wanted - known.keys()
    if missing:
        with as_guest():
            faults = build(project, missing, sole_parent=False)
        known.update({name: faults.get(name, "") for name in missing})
    faulty = {name: fault for name, fault in known.items() if fault}
    return choice._replace(targets=with_faults(choice.targets, faulty))


def built_so_far(config: pytest.Config) -> dict[str, str]:
    """Why the builds of subjects failed, by name (the empty text: they did not). A worker of
    pytest-xdist begins with what was built before it was started."""
    if _BUILT not in config.stash:
        given: dict[str, Any] = getattr(config, "workerinput", {})
        config.stash[_BUILT] = dict(given.get("xtest_built", {}))
    return config.stash[_BUILT]


# The way back to a command line.


def repeat_words(
    planned: PlannedRun, delivery: Delivery, project: Project | None
) -> tuple[str, ...]:
    """The `xtest run` that runs just this again."""
    target = planned.target
    setting = target.subject.setting
    configured = project.config.subjects if project is not None else ()
    if setting is None or any(said.name == target.subject.name for said in configured):
        return repeat_command(planned, delivery)
    # A command of an ini file: it is run in that file's folder.
    argument = target.argument
    argument = str(Path(argument).resolve()) if os.path.isdir(argument) else argument
    there = target._replace(argument=argument, subject=target.subject._replace(setting=None))
    words = repeat_command(planned._replace(target=there), delivery)
    return ("env", "-C", setting.folder, *words)

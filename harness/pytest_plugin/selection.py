"""Select suites and subjects by pytest's options, as `xtest run` does, and build the subjects."""

from __future__ import annotations

import os
import shlex
from collections import Counter
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest

from harness.delivery.registry import Delivery
from harness.engine.plan import PlannedRun, repeat_command
from harness.engine.single_run import SingleRuns
from harness.errors import UsageError
from harness.model.events import Diagnostic
from harness.model.subject import BuildFailure, ExecutionContext, Subject
from harness.options.builds import build_subjects
from harness.options.setup import require_protections
from harness.options.targets import FoundTargets
from harness.process.own_process import preserved_process_state
from harness.project.builds import with_build_failures
from harness.project.subjects import (
    Project,
    configured_suites,
    configured_targets,
    find_project,
    need_project,
    subject_on,
    suite_argument,
)
from harness.project.targets import Target, pair_suites, program_targets
from harness.results.selection import requested_deliveries
from harness.suites.discovery import DiscoveredSuite, resolve_suites
from harness.suites.loading import Suite
from harness.text import escape_nonprintable, shell_line

_SANDBOX_ADVICE: Final = "use xtest run --sandbox"  # the plugin has no sandbox
_RUNS: Final = pytest.StashKey[SingleRuns]()
_BUILT = pytest.StashKey[dict[str, str]]()


class PluginOptions(NamedTuple):
    """The suites and subjects of the options or the ini file."""

    suites: tuple[str, ...]
    # Each is a command line, the words of one, or a name of an xtest.toml.
    subjects: tuple[str | tuple[str, ...], ...] = ()
    folder: str = ""  # where commands run: that of the ini file, or empty for the current one
    root: Path | None = None  # of pytest: names of suites are paths from there


def read_options(config: pytest.Config) -> PluginOptions:
    """Return the options, each from the command line or else from the ini file."""
    suites: list[str] = config.getoption("xtest_suites")
    subjects: list[str] = config.getoption("xtest_subject")
    ini_folder = str(config.inipath.parent) if config.inipath is not None else os.getcwd()
    ini_suites: list[str] = config.getini("xtest_suites")
    is_here = bool(subjects) or os.path.samefile(ini_folder, os.getcwd())
    return PluginOptions(
        suites=tuple(suites or (suite_argument(ini_folder, suite) for suite in ini_suites)),
        subjects=tuple(subjects or config.getini("xtest_subject")),
        folder="" if is_here else ini_folder,
        root=config.rootpath,
    )


def read_deliveries(config: pytest.Config) -> tuple[Delivery, ...] | None:
    """Return the deliveries of the options, or None for all that each suite declares."""
    names: str = config.getoption("xtest_deliver") or config.getini("xtest_deliver")
    return requested_deliveries(names or None, "--xtest-deliver")


def select_targets(options: PluginOptions) -> FoundTargets:
    """Return the selected suites, each with the subjects that run it. Raises UsageError."""
    project = find_project()
    names, commands = _split_subjects(options, project)
    suites = configured_suites(project, options.suites)
    targets: list[Target] = []
    problems: list[Diagnostic] = []
    if project is not None and (names or not commands):
        targets, problems = configured_targets(project, options.suites, names)
    elif not commands:
        found_suites = resolve_suites(suites, root=options.root)
        targets, problems = pair_suites(found_suites, _target_of_program)
    if commands:
        subjects = _subjects_of_commands(commands, options.folder, project)
        more_targets, more_problems = pair_suites(
            resolve_suites(suites, root=options.root),
            lambda found, suite: [Target(suite, found.argument, each) for each in subjects],
        )
        targets += more_targets
        problems += more_problems
    require_protections((target.suite for target in targets), None, _SANDBOX_ADVICE)
    return FoundTargets(targets, list(dict.fromkeys(problems)), project)


def select_subjects(options: PluginOptions, suite: Suite) -> FoundTargets:
    """Return the selected subjects, each to run this suite. Raises UsageError."""
    require_protections([suite], None, _SANDBOX_ADVICE)
    project = find_project()
    names, commands = _split_subjects(options, project)
    subjects = _subjects_of_commands(commands, options.folder, project)
    if project is not None and names:
        configured = project.select_subjects(names)
        subjects += [subject_on(project, subject, suite) for subject in configured]
    return FoundTargets([Target(suite, "", each) for each in subjects], [], project)


def _split_subjects(
    options: PluginOptions, project: Project | None
) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Return the names of configured subjects, and the commands. Raises UsageError."""
    names: list[str] = []
    commands: list[tuple[str, ...]] = []
    for subject in options.subjects:
        if isinstance(subject, str) and _is_configured(subject, project):
            names.append(subject)
        else:
            commands.append(_parse_command(subject))
    return tuple(names), list(dict.fromkeys(commands))


def _is_configured(subject: str, project: Project | None) -> bool:
    if subject.startswith("@"):
        need_project(f"--xtest-subject {escape_nonprintable(subject)}")
        return True
    try:
        return project is not None and bool(project.select_subjects((subject,)))
    except UsageError:
        return False


def _parse_command(command: str | tuple[str, ...]) -> tuple[str, ...]:
    try:
        words = tuple(shlex.split(command)) if isinstance(command, str) else command
    except ValueError as problem:
        shown = escape_nonprintable(str(command))
        raise UsageError(f"--xtest-subject {shown}: {str(problem).lower()}") from None
    if not words or not words[0]:
        raise UsageError("the subject is empty; name a command or a subject of xtest.toml")
    return words


def _target_of_program(discovered: DiscoveredSuite, suite: Suite) -> list[Target]:
    """Return a suite with the program that it names. Raises UsageError if it names none."""
    if not suite.settings.program:
        raise UsageError(
            f"{suite.name}: suite.toml names no program; choose one with --xtest-subject COMMAND"
        )
    return program_targets(discovered, suite)


def _subjects_of_commands(
    commands: list[tuple[str, ...]], folder: str, project: Project | None
) -> list[Subject]:
    configured = () if project is None else project.by_name
    context = ExecutionContext(folder) if folder else None
    names = subject_names(commands, configured)
    return [Subject(name, command, context) for name, command in zip(names, commands, strict=True)]


def subject_names(commands: Sequence[tuple[str, ...]], others: Collection[str]) -> list[str]:
    """Return the program of each command, or the whole command line if that is not unique."""
    programs = Counter((*(command[0] for command in commands), *others))
    return [
        command[0] if programs[command[0]] == 1 else shell_line(command) for command in commands
    ]


def case_runs(config: pytest.Config) -> SingleRuns:
    """Return what runs single cases in this session of pytest."""
    if _RUNS not in config.stash:
        # Without pytest-xdist, runs begin one after another.
        from_controller: dict[str, Any] = getattr(config, "workerinput", {})
        config.stash[_RUNS] = SingleRuns(from_controller.get("xtest_since_ns"))
        config.add_cleanup(config.stash[_RUNS].close)
    return config.stash[_RUNS]


# Builds.


def build_selection(selection: FoundTargets, config: pytest.Config) -> FoundTargets:
    """Build the configured subjects, once per process, and return the selection with faults."""
    project = selection.project
    if project is None:
        return selection
    faults = build_faults(config)
    selected = {target.subject.name for target in selection.targets}
    missing = (selected & project.by_name.keys()) - faults.keys()
    if missing:
        with preserved_process_state():
            built = build_subjects(
                project, selection.targets, missing, parallel=os.cpu_count() or 1, sole_parent=False
            )
        new_faults = {target.subject.name: target.subject.fault for target in built}
        faults.update({name: new_faults[name] for name in missing})
    failed = {name: BuildFailure(fault) for name, fault in faults.items() if fault}
    return selection._replace(targets=with_build_failures(selection.targets, failed))


def build_faults(config: pytest.Config) -> dict[str, str]:
    """Return the fault of each build so far by the subject's name, "" if the build succeeded.

    Callers add to it.
    """
    # A worker of pytest-xdist starts with those of the controller.
    if _BUILT not in config.stash:
        from_controller: dict[str, Any] = getattr(config, "workerinput", {})
        config.stash[_BUILT] = dict(from_controller.get("xtest_built", {}))
    return config.stash[_BUILT]


def repeat_words(
    planned: PlannedRun, delivery: Delivery, project: Project | None
) -> tuple[str, ...]:
    """Return the `xtest run` command that repeats a run."""
    target = planned.target
    context = target.subject.context
    if context is None or (project is not None and target.subject.name in project.by_name):
        return repeat_command(planned, delivery)
    # A command of the ini file runs in that file's folder.
    is_folder = os.path.isdir(target.argument)
    suite = str(Path(target.argument).resolve()) if is_folder else target.argument
    in_folder = target._replace(argument=suite, subject=target.subject._replace(context=None))
    words = repeat_command(planned._replace(target=in_folder), delivery)
    return ("env", "-C", context.folder, *words)

"""Read a project's xtest.toml and pair its suites with its subjects. Source: docs/subjects.md."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from glob import escape
from itertools import chain
from typing import NamedTuple

from harness.errors import UsageError
from harness.files import is_in
from harness.model.case_names import CONFIG_FILE, WITHOUT, CaseName
from harness.model.events import Diagnostic
from harness.model.subject import ExecutionContext, Subject, WorkspaceMode
from harness.project.config import (
    Config,
    SubjectConfig,
    SuiteCommand,
    SuiteNames,
    early_programs,
    select_subjects,
    subjects_key,
    unmatched_globs,
)
from harness.project.folder_subjects import with_folder_subjects
from harness.project.known_file import (
    KnownCases,
    missing_cases,
    read_known_file,
    with_known_failures,
)
from harness.project.program_lookup import named_files
from harness.project.roster import read_roster
from harness.project.targets import Target, no_suite_text, pair_suites, program_targets
from harness.project.xtest_toml import find_config, parse_config, read_regular_file
from harness.suites.cases import own_rule
from harness.suites.discovery import DiscoveredSuite, resolve_suites
from harness.suites.loading import CorpusError, Suite, read_suite
from harness.text import did_you_mean, escape_nonprintable, quote


class Project(NamedTuple):
    """An xtest.toml: its path as messages show it, its folder, and its content."""

    where: str
    folder: str
    config: Config

    @property
    def by_name(self) -> dict[str, SubjectConfig]:
        return {subject.name: subject for subject in self.config.subjects}

    def select_subjects(self, selectors: Sequence[str]) -> tuple[SubjectConfig, ...]:
        """Return the subjects that words of --subject select. Raises UsageError with the file."""
        return select_subjects(self.config, selectors, f"{self.where}: --subject ")


def find_project() -> Project | None:
    """Return the project of the nearest xtest.toml, or None without one. Raises UsageError."""
    path = find_config()
    if path is None:
        return None
    where = escape_nonprintable(os.path.relpath(path))
    config = parse_config(read_regular_file(path, where), where)
    folder = os.path.dirname(path)
    titles: dict[str, str] = {}
    if config.roster:
        titles = read_roster(os.path.relpath(os.path.join(folder, config.roster))).titles
    subjects = (
        each._replace(title=each.title or titles.get(each.name, "")) for each in config.subjects
    )
    config = config._replace(subjects=tuple(subjects))
    return Project(where, folder, with_folder_subjects(config, folder, titles, where))


def need_project(option: str) -> Project:
    """Return the project of the nearest xtest.toml. Raises UsageError, which names the option."""
    project = find_project()
    if project is None:
        text = f"{option}: no {CONFIG_FILE} in this folder or above; xtest init writes one"
        raise UsageError(text)
    return project


def configured_suites(project: Project | None, named_suites: Sequence[str]) -> tuple[str, ...]:
    """Return arguments for `resolve_suites`: the given ones, resolved, or else the project's own.

    A given name may be that of an entry of the project, of a suite below one, or of its folder. The
    arguments are relative to the current folder. Without a project, return the given ones.
    """
    if project is None:
        return tuple(named_suites)
    entries = [(entry, suite_argument(project.folder, entry)) for entry in project.config.suites]
    if not named_suites:
        return tuple(argument for _, argument in entries)
    by_name = {os.path.basename(os.path.normpath(entry)): argument for entry, argument in entries}
    by_name.update(entries)
    if not all(os.path.isdir(name) or name in by_name for name in named_suites):
        by_name = _suites_below([argument for _, argument in entries]) | by_name
    return tuple(name if os.path.isdir(name) else by_name.get(name, name) for name in named_suites)


def configured_names(project: Project | None) -> tuple[str, ...]:
    """Return the names that `configured_suites` resolves: of entries, suites and their folders."""
    arguments = configured_suites(project, ())
    return tuple(dict.fromkeys((*arguments, *_suites_below(arguments))))


def suite_arguments(named_suites: Sequence[str]) -> tuple[str, ...]:
    """Return arguments for `resolve_suites`, with names of suites looked up in xtest.toml.

    The path of a folder stays as it is. Raises UsageError.
    """
    return configured_suites(
        None if all(map(os.path.isdir, named_suites)) else find_project(), named_suites
    )


def discover_suites(
    project: Project | None, named_suites: Sequence[str], verb: str
) -> list[DiscoveredSuite]:
    """Return the given suites, or else those of the project. Raises UsageError if there are none.

    `verb` is the command of xtest, for the message.
    """
    if project is None and not named_suites:
        raise UsageError(no_suite_text(verb))
    arguments = configured_suites(project, named_suites)
    if project is None or named_suites:
        return resolve_suites(arguments)
    if not arguments:
        raise UsageError(
            f'{project.where}: no suites to {verb}; add suites = ["FOLDER"], or name them'
            " on the command line"
        )
    try:
        return resolve_suites(arguments)
    except CorpusError as problem:
        raise UsageError(f"{project.where}: suites: {problem}") from None


def serving_subjects(project: Project) -> Callable[[Suite], list[Subject]]:
    """Return a function from a suite to the subjects that serve it; none if the project does not
    list the suite."""
    folders = set()
    with suppress(CorpusError):
        own = resolve_suites(configured_suites(project, ()))
        folders = {os.path.abspath(discovered.folder) for discovered in own}

    def subjects_of(suite: Suite) -> list[Subject]:
        if os.path.abspath(suite.folder) not in folders:
            return []
        names, program = _suite_names(project, suite), suite.settings.program
        return [
            _started(subject_without_suite(project, one), one.command_for(names, program))
            for one in project.config.subjects
            if one.serves(names)
        ]

    return subjects_of


def configured_targets(
    project: Project, named_suites: Sequence[str], selectors: Sequence[str]
) -> tuple[list[Target], list[Diagnostic]]:
    """Return the targets of a project, and the problems of its suites. Raises UsageError.

    Each suite, given or else the project's own, is paired with the subjects that serve it, of those
    that the selectors select. Without them, a suite that no subject serves runs its own program.
    """
    suites = discover_suites(project, named_suites, "run")
    subjects = project.select_subjects(selectors)
    names = _format_subjects(subjects)
    files = {each.name: known_path(project, each.name) for each in subjects if each.known}
    known = {name: read_known_file(path, known_key(project, name)) for name, path in files.items()}

    def pair(discovered: DiscoveredSuite, suite: Suite) -> list[Target]:
        suite_names = _suite_names(project, suite)
        serving = [
            Target(suite, discovered.argument, subject_on(project, one, suite))
            for one in subjects
            if one.serves(suite_names)
        ]
        if serving or (selectors and not named_suites):
            return [_with_known_failures(project, one, known) for one in serving]
        if selectors:
            raise UsageError(f"{suite.name}: not served by {names} of {project.where}")
        if not suite.settings.program:
            raise UsageError(
                f"{suite.name}: no subject of {project.where} serves it, and its suite.toml names"
                " no program"
            )
        return program_targets(discovered, suite)

    targets, problems = pair_suites(suites, pair)
    for subject, tables in known.items():
        own = [target for target in targets if target.subject.name == subject]
        problems += missing_cases(known_key(project, subject), subject, tables, own)
    if not named_suites:
        problems += _idle_keys(project, subjects, suites, targets)
    if not targets and not problems:
        raise UsageError(f"{project.where}: none of its suites is served by {names}")
    return targets, problems


def _idle_keys(
    project: Project,
    subjects: Sequence[SubjectConfig],
    suites: Sequence[DiscoveredSuite],
    targets: Sequence[Target],
) -> Iterator[Diagnostic]:
    """Yield a problem for each glob that matches no suite, and each skip that matches no case."""
    unmatched = unmatched_globs(project.config, [_suite_names(project, one) for one in suites])
    loaded = {target.suite.name: target.suite for target in targets}
    idle = _idle_skip_rules(project, subjects, [*loaded.values()])
    for key, message in (*unmatched, *((one.key, one.message) for one in idle)):
        yield Diagnostic(f"{project.where}: {key}", message)


def _with_known_failures(
    project: Project, target: Target, known: Mapping[str, Sequence[KnownCases]]
) -> Target:
    name = target.subject.name
    if name not in known:
        return target
    return with_known_failures(target, known[name], project.by_name[name].known)


def _format_subjects(subjects: Sequence[SubjectConfig]) -> str:
    names = ", ".join(subject.name for subject in subjects)
    return f"{'subjects' if len(subjects) > 1 else 'subject'} {names}"


class IdleSkipRule(NamedTuple):
    """A table of skipped cases that matches no case; `number` counts from 1."""

    subject: str
    number: int
    message: str

    @property
    def table(self) -> str:
        return f"subjects.{self.subject}.skip"

    @property
    def key(self) -> str:
        return f"[[{self.table}]] number {self.number}"


def idle_skip_rules(project: Project, subjects: Collection[str] = ()) -> list[IdleSkipRule]:
    """Return the tables of these subjects, or of all, that match no case of the project."""
    wanted = [one for one in project.config.subjects if not subjects or one.name in subjects]
    if not any(subject.skip for subject in wanted):
        return []
    try:
        discovered = discover_suites(project, (), "run")
        suites = [read_suite(each.name, each.folder) for each in discovered]
    except UsageError:
        return []  # reported when the suite is used
    return list(_idle_skip_rules(project, wanted, suites))


def _idle_skip_rules(
    project: Project, subjects: Sequence[SubjectConfig], suites: Sequence[Suite]
) -> Iterator[IdleSkipRule]:
    for subject in subjects:
        for number, rule in enumerate(subject.skip, 1):
            served = [
                suite
                for suite, names in ((each, _suite_names(project, each)) for each in suites)
                if subject.serves(names) and (not rule.suite or names.matches(rule.suite))
            ]
            if served and not any(rule.takes(*one) for suite in served for one in _tags(suite)):
                known = {tag for suite in served for _, tags in _tags(suite) for tag in tags}
                tag = rule.tag.removeprefix(WITHOUT)
                hint = f"; tag {quote(tag)}: {did_you_mean(tag, sorted(known))}"
                message = f"matches no case{hint if tag and tag not in known else ''}"
                yield IdleSkipRule(subject.name, number, message)


def _tags(suite: Suite) -> Iterator[tuple[CaseName, tuple[str, ...]]]:
    """Yield each case of a suite with its tags."""
    for index, name in enumerate(suite.names):
        yield name, suite.settings.tags_for(name, own_rule(suite, name, index))


def known_key(project: Project, name: str) -> str:
    """Return the place of the key that names a subject's known failures, for messages."""
    return f"{project.where}: [subjects.{name}] known"


def known_path(project: Project, name: str) -> str:
    """Return the path of a subject's known failures. Raises UsageError if it has no file."""
    subject = project.by_name[name]
    if not subject.known:
        raise UsageError(
            f"{project.where}: [subjects.{name}] names no file of known failures;"
            f' add known = "known/{name}.toml"'
        )
    return os.path.normpath(os.path.join(project.folder, subject.known))


def missing_known_files(project: Project, targets: Sequence[Target]) -> Iterator[str]:
    """Yield a note for each subject of the targets whose file of known failures does not exist."""
    known = {each.name for each in project.config.subjects if each.known}
    for name in dict.fromkeys(target.subject.name for target in targets):
        if name in known and not os.path.lexists(path := known_path(project, name)):
            shown = escape_nonprintable(os.path.relpath(path))
            fix = f"xtest known RESULTS --subject {name} --write creates it"
            yield f"[subjects.{name}] known: {shown} does not exist; {fix}"


def absent_suite_notes(
    project: Project, named_suites: Sequence[str], targets: Sequence[Target]
) -> Iterator[str]:
    """Yield a note for each suite of known failures that the project does not have."""
    known = {each.name for each in project.config.subjects if each.known}
    subjects = dict.fromkeys(target.subject.name for target in targets)
    if named_suites or not known.intersection(subjects):
        return
    suites = [suite.name for suite in discover_suites(project, (), "run")]
    for name in filter(known.__contains__, subjects):
        tables = read_known_file(known_path(project, name), known_key(project, name))
        for suite in dict.fromkeys(table.suite for table in tables):
            if suite not in suites:
                hint = did_you_mean(suite, suites)
                yield f"[subjects.{name}] known: {quote(suite)} matches no suite; {hint}"


def idle_skip_notes(
    project: Project, named_suites: Sequence[str], targets: Sequence[Target]
) -> Iterator[str]:
    """Yield a note for each table of skipped cases of these subjects that matches no case.

    In a run of the whole project, these are problems.
    """
    if named_suites:
        subjects = {target.subject.name for target in targets}
        for rule in idle_skip_rules(project, subjects):
            yield f"{project.where}: {rule.key}: {rule.message}"


def early_program_notes(project: Project, named_suites: Sequence[str]) -> Iterator[str]:
    """Yield a note on each glob of `programs` for suites that do not exist yet."""
    if named_suites:
        return
    names = [_suite_names(project, suite) for suite in discover_suites(project, (), "run")]
    for glob, subjects in early_programs(project.config, names).items():
        where = f"{project.where}: {subjects_key(subjects, 'programs')}"
        yield f"{where}: {quote(glob)} matches no suite so far"


def _suites_below(arguments: Sequence[str]) -> dict[str, str]:
    """Return an argument for each suite that `arguments` name, by its name and its folder's."""
    by_name: dict[str, str] = {}
    for argument in arguments:
        with suppress(CorpusError):  # reported when the suite is used
            for suite in resolve_suites([argument]):
                by_name.setdefault(suite.folder.name, suite.argument)
                by_name[suite.name] = suite.argument
    return by_name


def suite_argument(folder: str, entry: str) -> str:
    """Return an entry of a file in `folder` as an argument: a path from the current folder if it is
    a folder, otherwise the entry, a name."""
    path = os.path.join(folder, entry)
    return os.path.relpath(path) if os.path.isdir(path) else entry


def _suite_names(project: Project, suite: Suite | DiscoveredSuite) -> SuiteNames:
    path = os.path.abspath(suite.folder)
    in_project = path.startswith(f"{project.folder.rstrip('/')}/")
    from_here = os.path.relpath(path, project.folder) if in_project else path
    return SuiteNames(suite.name, os.path.basename(path), from_here, path)


def subject_on(project: Project, subject: SubjectConfig, suite: Suite) -> Subject:
    """Return a subject as it runs on a suite. Raises UsageError if it lacks a program there."""
    names = _suite_names(project, suite)
    command = subject.command_for(names, suite.settings.program)
    if command is None:
        raise UsageError(
            f"{suite.name}: its suite.toml names no program for the {{program}} of"
            f" [subjects.{subject.name}] in {project.where}"
        )
    skip = tuple(rule for rule in subject.skip if not rule.suite or names.matches(rule.suite))
    return _started(subject_without_suite(project, subject), command)._replace(skip=skip)


def _started(subject: Subject, command: SuiteCommand | None) -> Subject:
    """Return a subject with its command for a suite, and the working folder of that."""
    context = subject.context
    if command is None or context is None:
        return subject
    folder = os.path.normpath(os.path.join(context.folder, command.start))
    is_inside = folder != context.folder and is_in(folder, context.folder)
    context = context._replace(folder=folder, above=context.folder if is_inside else "")
    return subject._replace(command=command.words, context=context)


def subject_without_suite(project: Project, subject: SubjectConfig) -> Subject:
    """Return a subject with its command as written, which may have placeholders for a suite."""
    context = execution_context(project, subject)
    folder = escape(context.folder)
    # Absolute globs, or None if the files that the command names are all that is known.
    depends: tuple[str, ...] | None = (folder,) if subject.folder else None
    if subject.depends is not None:
        depends = tuple(os.path.join(folder, each) for each in subject.depends)
    return Subject(
        subject.name,
        subject.command,
        context,
        subject.limits,
        depends=depends,
        session=subject.session,
        may_skip=subject.may_skip,
        title=subject.title,
    )


def subjects_by_path(project: Project) -> dict[str, set[str]]:
    """Return the names of subjects by the paths that belong to them.

    These are the folder of a subject, or without one, the files that its command names.
    """
    owners: dict[str, set[str]] = {}
    for one in project.config.subjects:
        context = execution_context(project, one)
        commands = (one.command,) if one.command else ((each,) for _, each in one.programs)
        subjects = (Subject(one.name, command, context) for command in commands)
        named = chain.from_iterable(map(named_files, subjects))
        paths = [context.folder] if one.folder else [*named]
        for path in paths:
            owners.setdefault(os.path.realpath(path), set()).add(one.name)
    return owners


def execution_context(project: Project, subject: SubjectConfig) -> ExecutionContext:
    folder = os.path.normpath(os.path.join(project.folder, subject.folder))
    keeps_files = subject.workspace is WorkspaceMode.SHARED
    return ExecutionContext(folder, subject.environment, keeps_files, is_own=bool(subject.folder))

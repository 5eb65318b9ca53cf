"""Declare the records of xtest.toml: subjects, and the suites that they serve.

The keys of the file are declared in xtest_toml.py. Source: docs/subjects.md.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import Final, NamedTuple
from unicodedata import normalize

from harness.errors import UsageError
from harness.model.case_names import CONFIG_FILE
from harness.model.sessions import SessionKind
from harness.model.subject import SkipRule, StartFolder, WorkspaceMode
from harness.suites.settings import SuiteSettings
from harness.text import did_you_mean, matches_glob, pluralize, quote

_PROGRAM: Final = "{program}"
_SUITE: Final = "{suite}"
_SUITE_FOLDER: Final = "{suite_folder}"
_PLACEHOLDER: Final = re.compile("|".join((_PROGRAM, _SUITE, _SUITE_FOLDER)))
_TAG_SIGN: Final = "@"  # before a tag among the names of subjects


class SuiteNames(NamedTuple):
    """The names of a suite that globs of an xtest.toml match, and its folder."""

    name: str
    short: str  # the name of its folder
    path: str  # from the xtest.toml, if the suite is below it
    folder: str = ""  # absolute

    def matches(self, pattern: str) -> bool:
        names = self.name, self.short, self.path
        return any(matches_glob(name, pattern) for name in names)


class SuiteCommand(NamedTuple):
    """The command of a subject for a suite, and where it starts, relative to its folder."""

    words: tuple[str, ...]
    start: str = ""


class SubjectConfig(NamedTuple):
    """One `[subjects.NAME]` table. `limits` has only the limits that are set.

    With `folders`, it stands for a subject in each of them (`with_folder_subjects`).

    `programs` are pairs of a glob on suites and a program; the first that matches counts.
    """

    name: str
    command: tuple[str, ...] = ()
    title: str = ""
    folder: str = ""
    folders: str = ""
    depends: tuple[str, ...] | None = None
    environment: tuple[tuple[str, str], ...] = ()
    workspace: WorkspaceMode = WorkspaceMode.PRIVATE
    language: str = ""
    version: str | tuple[str, ...] = ""
    start_in: StartFolder = StartFolder.PROGRAM
    build: tuple[str, ...] = ()
    build_s: float = 600.0
    build_mib: float = 4096.0
    build_processes: int = 256
    build_disk_mib: float = 2048.0
    limits: tuple[tuple[str, float], ...] = ()
    session: SessionKind | None = None
    may_skip: bool = False
    tags: tuple[str, ...] = ()
    suites: tuple[str, ...] = ()
    programs: tuple[tuple[str, str], ...] = ()
    known: str = ""
    skip: tuple[SkipRule, ...] = ()

    def serves(self, suite: SuiteNames) -> bool:
        is_listed = not self.suites or any(suite.matches(pattern) for pattern in self.suites)
        return is_listed and (not self.programs or bool(self._program_for(suite)))

    def command_for(self, suite: SuiteNames, program: str) -> SuiteCommand | None:
        """Return the command for a suite, or None if it lacks a program.

        `program` is that of the suite.toml, or "".
        """
        own = self._program_for(suite)
        program, start = own or program, ""
        argv = self.command or (_PROGRAM,)
        if not program and any(_PROGRAM in word for word in argv):
            return None
        if "/" in own and self.start_in is StartFolder.PROGRAM:
            start, name = os.path.split(own)
            program = f"./{name}"
        elif own and "/" not in own and argv[0] == _PROGRAM:
            argv = (f"./{_PROGRAM}", *argv[1:])  # never one on PATH
        values = {_SUITE: suite.short, _SUITE_FOLDER: suite.folder, _PROGRAM: program}
        return SuiteCommand(
            tuple(
                _PLACEHOLDER.sub(lambda placeholder: values[placeholder[0]], word) for word in argv
            ),
            start,
        )

    def _program_for(self, suite: SuiteNames) -> str:
        return next((each for glob, each in self.programs if suite.matches(glob)), "")


class Config(NamedTuple):
    """An xtest.toml, in the order of the file."""

    suites: tuple[str, ...] = ()  # folders and names of suites, as written
    subjects: tuple[SubjectConfig, ...] = ()
    defaults: SuiteSettings = SuiteSettings()  # only checked: suites read it as an inherited file
    watch: tuple[str, ...] = ()
    roster: str = ""


def select_subjects(
    config: Config, selectors: Sequence[str], prefix: str = ""
) -> tuple[SubjectConfig, ...]:
    """Return the subjects that any of the selectors selects, or all if there are none.

    A selector is a glob on names or titles, or "@" and a tag. Raises UsageError if one selects no
    subject; the message begins with `prefix`.
    """
    for each in selectors:
        if not any(_selects(each, subject) for subject in config.subjects):
            raise UsageError(f"{prefix}{quote(each)}: {_no_subject_text(each, config)}")
    return tuple(
        subject
        for subject in config.subjects
        if not selectors or any(_selects(each, subject) for each in selectors)
    )


def unmatched_globs(config: Config, suites: Sequence[SuiteNames]) -> list[tuple[str, str]]:
    """Return key and message for each glob of subjects that matches none of the suites.

    A subject may have `programs` for suites that do not exist yet if it has one for another.
    """
    names = [suite.name for suite in suites]
    waiting = early_programs(config, suites)
    unmatched: dict[tuple[str, str], list[str]] = {}
    for subject in config.subjects:
        for key, patterns in (
            ("suites", subject.suites),
            ("programs", dict(subject.programs)),
            ("skip", [rule.suite for rule in subject.skip if rule.suite]),
        ):
            for pattern in patterns:
                is_waiting = key == "programs" and subject.name in waiting.get(pattern, ())
                if not is_waiting and not any(suite.matches(pattern) for suite in suites):
                    unmatched.setdefault((key, pattern), []).append(subject.name)
    return [
        (
            subjects_key(subjects, key),
            f"{quote(pattern)} matches no suite; {did_you_mean(pattern, names)}",
        )
        for (key, pattern), subjects in unmatched.items()
    ]


def subjects_key(names: Sequence[str], key: str) -> str:
    """Return a key of the table of the first of these subjects, and the number of the others."""
    more = len(names) - 1
    others = f" (and {pluralize(more, 'other subject')})" if more else ""
    return f"[subjects.{names[0]}] {key}{others}"


def early_programs(config: Config, suites: Sequence[SuiteNames]) -> dict[str, list[str]]:
    """Return the globs of `programs` that match no suite so far, each with its subjects.

    Subjects of which no glob matches one are left out.
    """
    subjects: dict[str, list[str]] = {}
    for subject in config.subjects:
        globs = dict(subject.programs)
        unmatched = [each for each in globs if not any(suite.matches(each) for suite in suites)]
        for glob in unmatched if len(unmatched) < len(globs) else ():
            subjects.setdefault(glob, []).append(subject.name)
    return subjects


def _selects(word: str, subject: SubjectConfig) -> bool:
    if word.startswith(_TAG_SIGN):
        return word.removeprefix(_TAG_SIGN) in subject.tags
    # Folders that macOS made spell accents in another way than keyboards do.
    word = normalize("NFC", word)
    return any(matches_glob(normalize("NFC", name), word) for name in _names_of(subject))


def _names_of(subject: SubjectConfig) -> tuple[str, ...]:
    return (subject.name, subject.title) if subject.title else (subject.name,)


def _no_subject_text(word: str, config: Config) -> str:
    names = [_names_of(subject)[-1] for subject in config.subjects]
    if not names:
        return f"{CONFIG_FILE} has no subjects"
    tags = sorted({_TAG_SIGN + tag for subject in config.subjects for tag in subject.tags})
    if not word.startswith(_TAG_SIGN):
        return f"no subject has this name; {did_you_mean(word, names)}"
    return f"no subject has this tag; {did_you_mean(word, tags) if tags else 'no subject has tags'}"

"""Identify subjects: by a name, the version that they print, and the commit of their folder.

A command has one name, and a shorter one to show where it is unambiguous. A subject of xtest.toml
has the name that it is declared with. Source: docs/subjects.md.
"""

from __future__ import annotations

import os
import shlex
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from harness.model.events import (
    DeliveriesDiffer,
    DependsOnOrder,
    Event,
    RunResult,
    RunStarted,
    SessionsEnded,
)
from harness.model.limits import Limits
from harness.model.subject import BuildFailure, ExecutionContext, SubjectInfo
from harness.model.transcript import Job
from harness.process.loop import run_one
from harness.process.sandbox import Sandbox
from harness.project.builds import failure_reason, run_project_command
from harness.project.config import SubjectConfig
from harness.project.program_lookup import find_program, program_file
from harness.project.subjects import Project
from harness.project.targets import Target
from harness.suites.inheritance import repository_root
from harness.text import escape_nonprintable, shell_line, truncate

_VERSION_LIMITS: Final = Limits(wall_s=10, output_mib=1)
_CLASS_PATH: Final = ("-cp", "-classpath", "--class-path")  # of Java; the class follows
_VERSION_WIDTH: Final = 100  # characters of a version


class Commit(NamedTuple):
    """A Git commit, and its time (RFC 3339); empty outside repositories."""

    name: str = ""
    time: str = ""


class Provenance:
    """Looks up versions and commits; each commit once.

    Commands that print versions run in the sandbox, if there is one: they may be the subjects' own
    programs. Those of the subjects `unbuilt`, which are not built on this machine, do not run.
    `report` is called with a note on each that fails.
    """

    def __init__(
        self,
        project: Project | None,
        sandbox: Sandbox | None,
        report: Callable[[str], None],
        unbuilt: Collection[str] = (),
    ) -> None:
        self.project: Final = project
        self._configs = {} if project is None else project.by_name
        self._sandbox = sandbox
        self._report = report
        self._unbuilt = unbuilt
        self._commits: dict[str, Commit] = {}

    def subject(self, targets: Sequence[Target]) -> SubjectInfo:
        """Return the facts about the subject of these targets."""
        target = targets[0]
        subject, context = target.subject, target.subject.context
        config = self._configs.get(subject.name) if context is not None else None
        version = ""
        if config is not None and context is not None:
            is_built = subject.build_failure is None and subject.name not in self._unbuilt
            has_version = isinstance(config.version, str) or is_built
            version = self._version(config, context) if has_version else ""
        commit = Commit()
        if not target.is_default_subject:  # or else, a program on PATH
            commit = self.commit(context.own_folder if context is not None else os.getcwd())
        return describe_subject(targets)._replace(
            version=version, commit=commit.name, committed=commit.time
        )

    def commit(self, folder: str) -> Commit:
        """Return the commit that is checked out in a folder."""
        root = repository_root(os.path.realpath(folder))
        if root is None:
            return Commit()
        if root not in self._commits:
            self._commits[root] = _commit(root)
        return self._commits[root]

    def _version(self, config: SubjectConfig, context: ExecutionContext) -> str:
        if isinstance(config.version, str):
            return config.version
        limits = _VERSION_LIMITS
        transcript = run_project_command(
            config.version, context, limits, sole_parent=True, sandbox=self._sandbox
        )
        reason = failure_reason(transcript, limits)
        output = (
            transcript.stdout.strip() or transcript.stderr.strip()
        )  # java -version prints there
        if reason or not output:
            where = f"[subjects.{config.name}] version: {shell_line(config.version)}"
            self._report(f"{where}: {reason or 'it printed nothing'}")
            return ""
        line = output.decode("utf-8", "backslashreplace").splitlines()[0]
        return truncate(escape_nonprintable(line), _VERSION_WIDTH)


def _commit(root: str) -> Commit:
    # In a hook of Git, GIT_DIR and others name another repository.
    environment = {name: text for name, text in os.environ.items() if not name.startswith("GIT_")}
    # Git would fetch a missing commit by any command that the repository's settings name.
    environment["GIT_ALLOW_PROTOCOL"] = ""
    git = find_program("git")
    if git is None:
        return Commit()
    argv = (git, "-C", root, "log", "-1", "--no-show-signature", "--format=%H %cI", "HEAD")
    job = Job(argv, b"", _VERSION_LIMITS, None)
    transcript = run_one(job, environment, sole_parent=True)
    parts = transcript.stdout.decode("ascii", "replace").split()
    failed = failure_reason(transcript, _VERSION_LIMITS)  # a repository without a commit, for one
    return Commit() if failed or len(parts) != 2 else Commit(*parts)


def describe_subject(targets: Sequence[Target]) -> SubjectInfo:
    """Return the facts about the subject of these targets that are known without running it."""
    subject = targets[0].subject
    failure = subject.build_failure or BuildFailure("")
    programs = dict.fromkeys(program_file(target.subject) for target in targets)
    return SubjectInfo(
        subject.name,
        subject.command,
        programs=tuple(filter(None, programs)),
        build_failure=failure.reason,
        build_output=failure.output,
        title=subject.title,
    )


def shown_names(subjects: Iterable[SubjectInfo]) -> dict[str, str]:
    """Return the name of each subject for people, by its name.

    It is the title, with the name where several have this title. Of a command line, it is the
    shortest unambiguous form: the program without its folder and the words up to the script, these
    words with the folder, or the whole line.
    """
    forms = {
        each.name: [each.title, f"{each.title} ({each.name})"] if each.title else _forms(each.name)
        for each in subjects
    }
    while True:
        counts = Counter(shown for shown, *_ in forms.values())
        ambiguous = [name for name, (shown, *_) in forms.items() if counts[shown] > 1]
        longer = {name: forms[name][1:] for name in ambiguous if len(forms[name]) > 1}
        if not longer:
            return {name: shown for name, (shown, *_) in forms.items()}
        forms |= longer


# Made once: each `|` takes as long as the rest of `rename_subjects`.
_OfSubject = RunResult | DeliveriesDiffer | DependsOnOrder | SessionsEnded


def rename_subjects(event: Event, names: Mapping[str, str]) -> Event:
    """Return an event with new names of subjects, by their old ones; other subjects keep theirs."""
    if isinstance(event, _OfSubject):
        name = names.get(event.subject, event.subject)
        return event if name == event.subject else event._replace(subject=name)
    if isinstance(event, RunStarted):
        fingerprints = (
            one._replace(subject=names.get(one.subject, one.subject)) for one in event.fingerprints
        )
        subjects = (
            one._replace(
                name=names.get(one.name, one.name), id=one.id or (one.name if one.title else "")
            )
            for one in event.subjects
        )
        return event._replace(fingerprints=tuple(fingerprints), subjects=tuple(subjects))
    return event


def _forms(name: str) -> list[str]:
    """Return the forms of a name, the shortest first."""
    try:
        program, *rest = shlex.split(name)
    except ValueError:  # no command line
        return [name]
    word_pairs = zip(("", *rest), rest, strict=False)  # each with the one before it
    script = next(
        (index for index, (before, word) in enumerate(word_pairs, 1) if _is_script(before, word)), 0
    )
    if not script or "$'" in name:  # shlex does not read $'...'
        return [name]
    head = tuple(rest[:script])
    return [shell_line((os.path.basename(program), *head)), shell_line((program, *head)), name]


def _is_script(before: str, word: str) -> bool:
    """Return whether a word is neither an option nor the class path of Java."""
    return not word.startswith("-") and before not in _CLASS_PATH

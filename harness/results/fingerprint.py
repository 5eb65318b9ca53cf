"""Tell whether anything that a verdict depends on has changed since an earlier run.

A run is unchanged while three things are the same: its case (`content_digest` of input and expected
output), its delivery, and the fingerprint of its target, which this module makes of the subject and
its files, the policy, the options, the environment, and xtest itself. --resume and --cached require
all three. Source: docs/resuming.md.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain
from types import MappingProxyType
from typing import Final, NamedTuple

from harness.engine.request import RunOrigin
from harness.errors import UsageError
from harness.files import TooManyFiles, folder_of_glob, is_installed
from harness.model.events import RunFingerprint
from harness.model.subject import Subject
from harness.model.suite_info import SuiteInfo
from harness.project.identity import Provenance
from harness.project.program_lookup import dependency_files, named_files
from harness.project.targets import Target, targets_by_subject
from harness.results.file_digests import FileDigests, FolderContent
from harness.results.store import hash_of
from harness.suites.loading import Suite, collect_suite_info
from harness.suites.suite_toml import SUITE_TOML
from harness.text import escape_nonprintable
from harness.tomlio.tables import outcome_settings
from harness.version import VERSION

_FORMAT: Final = "xtest-basis 2"
_VARIABLES: Final = ("LANG", "LANGUAGE", "PATH", "TZ")
_VARIABLE_PREFIXES: Final = ("JAVA", "LC_", "LD_", "NODE", "PYTHON", "RUBY")
_NAME_DEPENDS: Final = "name the files that it needs, with depends in xtest.toml or --depends"
_NAME_FILES: Final = "name fewer of them, with files in suite.toml"


class FingerprintContext(NamedTuple):
    """The facts that a fingerprint covers besides targets.

    `options` are those that a verdict depends on, `depends` the files and folders that the user
    says the subjects are made of. `claimed` are the paths that belong to subjects of the project,
    `versions` what these print.
    """

    options: tuple[str, ...]
    depends: tuple[str, ...]
    environment: Mapping[str, str]
    claimed: Mapping[str, set[str]]
    versions: Mapping[str, str] = MappingProxyType({})


def fingerprints_of(
    targets: Sequence[Target], context: FingerprintContext, digests: FileDigests, *, required: bool
) -> tuple[RunFingerprint, ...]:
    """Return the fingerprint of each target.

    A subject with too many files has none, unless they are `required`. Raises UsageError.
    """
    for path in context.depends:
        if not os.path.exists(path):
            raise UsageError(f"--depends {escape_nonprintable(path)}: no such file or folder")
    common = (_FORMAT, VERSION, context.options, lasting_environment(context.environment))
    fingerprints = []
    for target in targets:
        try:
            parts = _digests_of_parts(target, context, digests)
        except UsageError:
            if required:
                raise
            continue
        folder = os.path.realpath(target.suite.folder)
        settings = outcome_settings(SUITE_TOML, target.suite.settings)
        subject = _outcome_settings_of(target.subject)
        version = context.versions.get(subject.name, "")
        key = hash_of(
            (common, target.command_folder, parts, subject, version, folder, settings)
        ).hex()
        alone = hash_of(parts).hex(), hash_of((folder, settings)).hex()
        fingerprints.append(RunFingerprint(*target.key, key, *alone))
    return tuple(fingerprints)


def _outcome_settings_of(subject: Subject) -> Subject:
    """Return a subject without `depends`, which is digested, and texts that change no outcome."""
    skip = tuple(rule._replace(reason="", link="") for rule in subject.skip)
    return subject._replace(depends=None, skip=skip)


def _digests_of_parts(
    target: Target, context: FingerprintContext, digests: FileDigests
) -> list[tuple[str, str]]:
    """Return what a subject is made of and the suite's files for it, with digests.

    Parts of other subjects are left out. Raises UsageError for too many files.
    """
    subject = target.subject
    others = {path for path, names in context.claimed.items() if subject.name not in names}
    part_digests = []
    shared = ((path, FolderContent.SUITE) for path in target.suite.shared_files)
    for path, kind in (*parts_of(subject, context, others), *shared):
        is_shared = kind is FolderContent.SUITE
        try:
            part_digests.append((path, digests.of(path, () if is_shared else others, kind)))
        except TooManyFiles:
            name = target.suite.name if is_shared else subject.name
            raise UsageError(
                f"{escape_nonprintable(path)}: too many files, or files too large, to tell whether"
                f" {name} has changed; {_NAME_FILES if is_shared else _NAME_DEPENDS}"
            ) from None
    return part_digests


def parts_of(
    subject: Subject, context: FingerprintContext, others: Collection[str] = ()
) -> Iterator[tuple[str, FolderContent]]:
    """Yield the files and folders that a subject is made of, and which files of each count.

    `others` are the paths of other subjects.
    """
    depends = [path for path in context.depends if os.path.realpath(path) not in others]
    # Where people work, there are notes, logs and results beside a program.
    mixed = os.path.realpath(subject.context.own_folder if subject.context is not None else ".")
    for path in dict.fromkeys((*_paths_of_parts(subject, context), *depends)):
        is_mixed = os.path.realpath(path) == mixed and not (subject.depends or path in depends)
        yield path, FolderContent.MIXED if is_mixed else FolderContent.PROGRAM


def _paths_of_parts(subject: Subject, context: FingerprintContext) -> Iterator[str]:
    """Yield the files and folders that a subject is made of."""
    named = named_files(subject)
    yield from named
    if subject.depends is not None:
        yield from subject.depends  # if nothing matches one
        try:
            yield from chain(*dependency_files(subject).values())
        except TooManyFiles:
            yield from map(folder_of_glob, subject.depends)
    elif subject.context is not None or not context.depends:
        yield from filter(None, (folder_beside(path, subject) for path in named))


def folder_beside(path: str, subject: Subject) -> str:
    """Return the folder that a program may use if its command names this file, or "".

    For a file of a virtual environment, this is the environment; for one in a folder on PATH, "".
    """
    if os.path.isdir(path):
        return ""
    folder = os.path.dirname(path) or "."
    above = os.path.join(folder, os.pardir)
    if os.path.exists(os.path.join(above, "pyvenv.cfg")):
        return above
    own = dict(subject.context.environment) if subject.context is not None else {}
    on_path = f"{os.environ.get('PATH', '')}{os.pathsep}{own.get('PATH', '')}".split(os.pathsep)
    is_on_path = os.path.realpath(folder) in map(os.path.realpath, filter(None, on_path))
    return "" if is_on_path else folder


def lasting_environment(environment: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return the variables that commonly change what programs do.

    The other variables differ between any two terminals.
    """
    return sorted(
        (name, value)
        for name, value in environment.items()
        if name in _VARIABLES or name.startswith(_VARIABLE_PREFIXES)
    )


def describe_run(
    targets: Sequence[Target],
    provenance: Provenance,
    context: FingerprintContext,
    digests: FileDigests,
    *,
    required: bool,
) -> RunOrigin:
    """Return the description of a run for its results.

    A subject with too many files has no fingerprint, unless they are `required`. Raises UsageError.
    """
    subjects = tuple(map(provenance.subject, targets_by_subject(targets).values()))
    context = context._replace(versions={each.name: each.version for each in subjects})
    suites = {target.suite.name: target.suite for target in targets}
    suite_infos = tuple(
        _with_provenance(info, suites[info.suite], provenance, digests)
        for info in collect_suite_info(suites.values())
    )
    return RunOrigin(
        fingerprints=fingerprints_of(targets, context, digests, required=required),
        suite_infos=suite_infos,
        subjects=subjects,
    )


def _with_provenance(
    info: SuiteInfo, suite: Suite, provenance: Provenance, digests: FileDigests
) -> SuiteInfo:
    folder = str(suite.folder)
    with suppress(TooManyFiles):
        info = info._replace(digest=digests.of(folder, kind=FolderContent.SUITE))
    if is_installed(suite.folder):  # a repository that holds an environment says nothing about it
        return info
    commit = provenance.commit(folder)
    return info._replace(commit=commit.name, committed=commit.time)

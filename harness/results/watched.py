"""List the files that `xtest run --watch` watches. Source: docs/watch.md."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from glob import escape
from operator import or_
from typing import NamedTuple

from harness.files import TooManyFiles, folder_of_glob, matching_paths
from harness.model.case_names import CONFIG_FILE
from harness.model.subject import Subject
from harness.project.program_lookup import named_files
from harness.project.subjects import Project
from harness.project.targets import Target
from harness.results.file_digests import ENVIRONMENT, FolderContent, covers, is_below
from harness.results.fingerprint import folder_beside


class WatchedFiles(NamedTuple):
    """Real paths of suites and their settings, of the files and folders of subjects, and globs by
    the folder in which they begin. In folders of the kind MIXED, only programs count."""

    suites: frozenset[str] = frozenset()
    files: frozenset[str] = frozenset()
    folders: frozenset[tuple[str, FolderContent]] = frozenset()
    globs: frozenset[tuple[str, str]] = frozenset()

    def with_others(self, others: WatchedFiles) -> WatchedFiles:
        return WatchedFiles(*map(or_, self, others))

    def watches(self, path: str) -> bool:
        """Return whether a path is that of a suite or subject."""
        in_suite = any(_is_part(path, suite, FolderContent.SUITE) for suite in self.suites)
        return in_suite or self.is_of_subject(path)

    def is_of_subject(self, path: str) -> bool:
        """Return whether a subject may be made of a path."""
        if path in self.files or any(_is_part(path, *folder) for folder in self.folders):
            return True
        return any(path == folder for folder, _ in self.globs) or any(
            _is_part(path, found, FolderContent.PROGRAM)
            for folder, pattern in self.globs
            if is_below(path, folder)
            for found in map(os.path.realpath, _matches(pattern))
        )

    @property
    def deep(self) -> list[str]:
        """The folders to watch, including everything below them."""
        folders = {*self.suites, *(folder for folder, _ in (*self.folders, *self.globs))}
        return _folders_outside(folders, folders)

    @property
    def flat(self) -> list[str]:
        """The folders of single files: a file that is replaced is noticed only there."""
        files = (path for path in (*self.suites, *self.files) if not os.path.isdir(path))
        deep = self.deep
        return _folders_outside({os.path.dirname(file) for file in files}.difference(deep), deep)


def watched_files(
    targets: Iterable[Target],
    project: Project | None,
    suites: Iterable[str],
    depends: Sequence[str],
) -> WatchedFiles:
    """Return the files that targets and a project consist of.

    `suites` are folders that may become suites, `depends` the paths of the option --depends.
    """
    suite_paths, files, patterns = set(suites), set[str](), {escape(path) for path in depends}
    folders: set[tuple[str, FolderContent]] = set()
    for target in targets:
        suite_paths.add(str(target.suite.folder))
        suite_paths.update(str(source.path) for source in target.suite.sources)
        named = named_files(target.subject)
        files.update(named)
        if target.subject.depends is not None:
            patterns.update(target.subject.depends)
        elif target.subject.context is not None or not depends:
            folders.update(_folders_beside(named, target.subject))
    if project is not None:
        files.add(os.path.join(project.folder, CONFIG_FILE))
        known = (one.known for one in project.config.subjects if one.known)
        files.update(os.path.join(project.folder, path) for path in known)
        root = escape(project.folder)
        patterns.update(os.path.join(root, pattern) for pattern in project.config.watch)
    return WatchedFiles(
        frozenset(map(os.path.realpath, suite_paths)),
        frozenset(map(os.path.realpath, files)),
        frozenset(folders),
        frozenset((folder_of_glob(pattern), pattern) for pattern in patterns),
    )


def _folders_beside(named: Iterable[str], subject: Subject) -> Iterable[tuple[str, FolderContent]]:
    """Yield the folders of the files that a command names, but no virtual environment."""
    where = os.path.realpath(subject.context.folder if subject.context is not None else ".")
    for path in named:
        folder = os.path.realpath(folder_beside(path, subject) or path)
        if os.path.isdir(folder) and not os.path.exists(os.path.join(folder, ENVIRONMENT)):
            yield folder, FolderContent.MIXED if folder == where else FolderContent.PROGRAM


def _folders_outside(folders: Iterable[str], others: Iterable[str]) -> list[str]:
    """Return the folders that exist, and are below none of the others."""
    return [
        folder
        for folder in sorted(folders)
        if os.path.isdir(folder) and not any(is_below(folder, each) for each in others)
    ]


def _is_part(path: str, root: str, kind: FolderContent) -> bool:
    return path == root or (is_below(path, root) and covers(path, root, kind))


def _matches(pattern: str) -> list[str]:
    try:
        return list(matching_paths(os.path.abspath(pattern)))
    except TooManyFiles:
        return [folder_of_glob(pattern)]

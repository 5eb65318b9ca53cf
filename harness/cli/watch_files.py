"""List the files that `xtest run --watch` watches, and find the changes that start a round.

Files that a round writes start no other round. The time of a change is the change time of the
file, not the time when it was noticed. Source: docs/selecting.md.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from glob import escape
from multiprocessing.connection import Connection
from operator import or_
from typing import Final, NamedTuple

from harness.files import TooManyFiles, folder_of_glob, matching_paths
from harness.model.case_names import CONFIG_FILE
from harness.model.subject import Subject
from harness.process.file_watcher import FileWatcher
from harness.project.program_lookup import named_files
from harness.project.subjects import Project
from harness.project.targets import Target
from harness.results.file_digests import ENVIRONMENT, FolderContent, covers, is_below
from harness.results.fingerprint import folder_beside

_PART: Final = ".xtest-"  # begins the names of temporary files of xtest
_MOST_STOPS: Final = 3  # rounds in a row that one file may stop


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
            _is_part(path, real_path, FolderContent.PROGRAM)
            for folder, pattern in self.globs
            if is_below(path, folder)
            for real_path in map(os.path.realpath, _matches(pattern))
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
    where = os.path.realpath(subject.context.own_folder if subject.context is not None else ".")
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


# Changes.


class RoundTimes(NamedTuple):
    """When a round started, its builds ended, and it ended, on the clock of files."""

    started: float
    has_builds: bool = False
    built: float | None = None
    ended: float | None = None

    def is_building(self, when: float) -> bool:
        return self.has_builds and (self.built is None or when <= self.built)

    def is_running(self, when: float) -> bool:
        return self.ended is None or when <= self.ended


class ChangeReport(NamedTuple):
    """The changes that start a round."""

    changed: tuple[str, ...]  # files
    needs_build: bool  # a file of a subject changed
    recurring: tuple[str, ...]  # files that stopped several rounds in a row, and are now ignored


class ChangedFiles:
    """Watches files, except those below the paths `written`, which xtest itself writes."""

    def __init__(self, written: Iterable[str]) -> None:
        self._written = frozenset(os.path.realpath(path) for path in written if path)
        self._watched = WatchedFiles()
        self._watchers: list[FileWatcher] = []
        self._has_moved = False  # a watched folder: its watcher follows the old one
        self._edited: set[str] = set()  # changed while nothing ran
        self._products: set[str] = set()  # written by builds or subjects: start no round
        self._stops: Counter[str] = Counter()  # rounds in a row, by the file that stopped them

    @property
    def connections(self) -> list[Connection]:
        """The connections of the watchers, readable when files have changed."""
        return [watcher.connection for watcher in self._watchers]

    def watch(self, files: WatchedFiles) -> None:
        """Add files to watch; all stay watched, as a round with broken suites may name too few."""
        files = self._watched.with_others(files)
        if files == self._watched and not self._has_moved:
            return
        self._has_moved = False
        self._watched, old = files, self._watchers
        self._watchers = [
            FileWatcher(folders, self._is_watched, deep=deep)
            for folders, deep in ((files.deep, True), (files.flat, False))
            if folders
        ]
        for watcher in old:
            watcher.close()

    def take(self, connection: Connection, last: RoundTimes) -> ChangeReport:
        """Return the changes that a watcher reports, except those that the last round made."""
        watcher = next(each for each in self._watchers if each.connection is connection)
        times = {path: _changed_at(path) for path in sorted(watcher.wait())}
        self._has_moved |= not times.keys().isdisjoint(self._watched.deep)
        edited = [path for path, when in times.items() if self._starts_round(path, when, last)]
        stopping = {path for path in edited if last.is_running(times[path])}
        self._edited.update(set(edited) - stopping)
        self._stops = Counter({path: self._stops[path] + 1 for path in stopping})
        recurring = tuple(path for path in edited if self._stops[path] == _MOST_STOPS)
        self._products.update(recurring)
        changed = tuple(path for path in edited if path not in recurring)
        return ChangeReport(changed, any(map(self._watched.is_of_subject, changed)), recurring)

    def forget_stops(self) -> None:
        """Forget which files stopped rounds, because the user asked for another round."""
        self._stops.clear()

    def close(self) -> None:
        for watcher in self._watchers:
            watcher.close()

    def _is_watched(self, path: str) -> bool:
        if os.path.basename(path).startswith(_PART) or not self._watched.watches(path):
            return False
        return not any(path == each or path.startswith(f"{each}/") for each in self._written)

    def _starts_round(self, path: str, when: float, last: RoundTimes) -> bool:
        if (
            last.is_building(when)
            and path not in self._edited
            and self._watched.is_of_subject(path)
        ):
            self._products.add(path)
        return when >= last.started and not (last.is_running(when) and path in self._products)


def _changed_at(path: str) -> float:
    try:
        return os.lstat(path).st_ctime
    except OSError:  # it was removed
        return time.time()

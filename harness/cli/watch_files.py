"""Find the changes of files that start a round of `xtest run --watch`.

Files that a round writes start no other round. The time of a change is the change time of the
file, not the time when it was noticed.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Iterable
from multiprocessing.connection import Connection
from typing import Final, NamedTuple

from harness.process.file_watcher import FileWatcher
from harness.results.watched import WatchedFiles

_PART: Final = ".xtest-"  # begins the names of temporary files of xtest
_MOST_STOPS: Final = 3  # rounds in a row that one file may stop


class RoundTimes(NamedTuple):
    """When a round started, its builds ended, and it ended, on the clock of files."""

    started: float
    has_builds: bool = False
    built: float | None = None
    ended: float | None = None

    def is_building(self, at: float) -> bool:
        return self.has_builds and (self.built is None or at <= self.built)

    def is_running(self, at: float) -> bool:
        return self.ended is None or at <= self.ended


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
        edited = [path for path, at in times.items() if self._starts_round(path, at, last)]
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

    def _starts_round(self, path: str, at: float, last: RoundTimes) -> bool:
        if last.is_building(at) and path not in self._edited and self._watched.is_of_subject(path):
            self._products.add(path)
        return at >= last.started and not (last.is_running(at) and path in self._products)


def _changed_at(path: str) -> float:
    try:
        return os.lstat(path).st_ctime
    except OSError:  # it was removed
        return time.time()

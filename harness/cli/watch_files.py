"""Notice the changes of files that start a round of `xtest run --watch`.

Files that a round writes start no other round. The time of a change is that of the file, not that
of its report.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Iterable
from multiprocessing.connection import Connection
from typing import Final, NamedTuple

from harness.process.file_watcher import FileWatcher
from harness.runner.watched import WatchedFiles

_PART: Final = ".xtest-"  # begins the names of files that xtest is about to move
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


class News(NamedTuple):
    """Changed files, whether subjects may need a build, and files that change in every round."""

    changed: tuple[str, ...]
    needs_build: bool
    restless: tuple[str, ...]


class ChangedFiles:
    """The watched files, without those below the paths `written`, which xtest writes itself."""

    def __init__(self, written: Iterable[str]) -> None:
        self._written = frozenset(os.path.realpath(path) for path in written if path)
        self._watched = WatchedFiles()
        self._watchers: list[FileWatcher] = []
        self._edited: set[str] = set()  # changed while nothing ran
        self._products: set[str] = set()  # written by builds or subjects
        self._stops: Counter[str] = Counter()  # rounds in a row, by the file that stopped them

    @property
    def connections(self) -> list[Connection]:
        """The connections to wait for: one of them can be read when files have changed."""
        return [watcher.connection for watcher in self._watchers]

    def watch(self, files: WatchedFiles) -> None:
        """Watch other files, too; a round whose suites are broken may know too few."""
        files = self._watched.with_others(files)
        if files == self._watched:
            return
        self._watched, old = files, self._watchers
        self._watchers = [
            FileWatcher(folders, self._takes, deep=deep)
            for folders, deep in ((files.deep, True), (files.flat, False))
            if folders
        ]
        for watcher in old:
            watcher.close()

    def take(self, connection: Connection, last: RoundTimes) -> News:
        """Return which of the reported changes are news to the last round, and not its own."""
        watcher = next(each for each in self._watchers if each.connection is connection)
        times = {path: _changed_at(path) for path in sorted(watcher.take())}
        news = [path for path, at in times.items() if self._is_news(path, at, last)]
        stopped = {path for path in news if last.is_running(times[path])}
        self._edited.update(set(news) - stopped)
        self._stops = Counter({path: self._stops[path] + 1 for path in stopped})
        restless = tuple(path for path in news if self._stops[path] == _MOST_STOPS)
        self._products.update(restless)
        changed = tuple(path for path in news if path not in restless)
        return News(changed, any(map(self._watched.is_of_subject, changed)), restless)

    def forget_stops(self) -> None:
        """Forget which files stopped rounds, because the user asked for another round."""
        self._stops.clear()

    def close(self) -> None:
        for watcher in self._watchers:
            watcher.close()

    def _takes(self, path: str) -> bool:
        if os.path.basename(path).startswith(_PART) or not self._watched.watches(path):
            return False
        return not any(path == each or path.startswith(f"{each}/") for each in self._written)

    def _is_news(self, path: str, at: float, last: RoundTimes) -> bool:
        if last.is_building(at) and path not in self._edited and self._watched.is_of_subject(path):
            self._products.add(path)
        return at >= last.started and not (last.is_running(at) and path in self._products)


def _changed_at(path: str) -> float:
    try:
        return os.lstat(path).st_ctime
    except OSError:  # it was removed
        return time.time()

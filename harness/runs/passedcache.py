"""The runs that passed, kept from one run of xtest to the next, for --cached.

A file for each basis, to which lines are appended; in a folder that is bounded, and may be removed
at any time. What cannot be read or written is done without. Source: docs/resuming.md.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import BinaryIO, Final

from harness.eventlines import event_line, parse_event
from harness.events import Basis, Judged
from harness.records import Verdict
from harness.runs.deliveries import Delivery
from harness.runs.resultsfile import open_regular
from harness.words import as_written

__all__ = ["MOST_BYTES", "MOST_FILES", "PassedCache", "may_be_cached"]

_FOLDER: Final = "passed-1"  # the number is the format's
_ENDING: Final = ".jsonl"
MOST_BYTES: Final = 64 << 20  # of all files together, after a run that wrote to some
MOST_FILES: Final = 500


def may_be_cached(event: Judged) -> bool:
    """Whether a run is worth remembering: it passed, as everybody expected. Who looks at a failure
    wants to see it happen, and what was killed by a clock may be faster the next time."""
    return event.verdict is Verdict.PASSED and bool(event.content) and event.known is None


class PassedCache:
    """The cache of some suites and subjects. `memory` is where xtest keeps what it remembers."""

    def __init__(self, memory: str, bases: Iterable[Basis]) -> None:
        self._folder = os.path.join(memory, _FOLDER)
        self._files = {
            (basis.suite, basis.subject): os.path.join(self._folder, basis.key + _ENDING)
            for basis in bases
        }
        # Kept open: read twice, a file is to hold the same, whoever begins it anew meanwhile.
        self._read: dict[str, BinaryIO] = {}
        self._open: dict[tuple[str, str], int] = {}
        self._room: dict[tuple[str, str], int] = {}

    def events(self) -> Iterator[Judged]:
        """What passed in earlier runs; the latest of two of the same comes last."""
        for whose, file in self._files.items():
            suite, subject = map(as_written, whose)
            for event in self._events(file):
                yield event._replace(suite=suite, subject=subject, cached=True)

    def add(self, event: Judged) -> None:
        """Remember a run, if it may be cached and there is room."""
        if not may_be_cached(event) or event.cached:
            return
        whose = event.suite, event.subject
        # How it is repeated is said by whoever tells of it.
        line = event_line(event._replace(repeat=())).encode("ascii")
        with suppress(OSError):
            if whose not in self._open:
                self._begin(whose)
            self._room[whose] -= len(line)
            if self._room[whose] >= 0:
                # One call: what others append at the same time stands before or behind it.
                os.write(self._open[whose], line)

    def close(self) -> None:
        """Make room for the next time, if anything was written: what was not used longest goes."""
        for descriptor in self._open.values():
            os.close(descriptor)
        for file in self._read.values():
            file.close()
        with suppress(OSError):
            for path in filter(os.path.exists, self._files.values()):
                os.utime(path)
            if self._open:
                _tidy(self._folder)
        self._open.clear()

    def _events(self, path: str) -> Iterator[Judged]:
        with suppress(OSError):
            if path not in self._read:
                self._read[path] = open_regular(path)
            self._read[path].seek(0)
            for line in self._read[path]:
                with suppress(ValueError):
                    event = parse_event(line.decode("ascii"))
                    if isinstance(event, Judged) and may_be_cached(event):
                        Delivery(event.delivery)  # raises ValueError where there is no such
                        yield event

    def _begin(self, whose: tuple[str, str]) -> None:
        os.makedirs(self._folder, mode=0o700, exist_ok=True)
        path = self._files[whose]
        # A file holds what cases were, too: when it has grown so far, it begins anew.
        if os.path.exists(path) and os.stat(path).st_size > MOST_BYTES // 2:
            os.unlink(path)
        flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW
        descriptor = os.open(path, flags, 0o600)
        size = os.fstat(descriptor).st_size
        if size and os.pread(descriptor, 1, size - 1) != b"\n":
            os.write(descriptor, b"\n")  # of a line that was cut short
        self._open[whose] = descriptor
        self._room[whose] = MOST_BYTES - size


def _tidy(folder: str) -> None:
    with os.scandir(folder) as entries:
        files = [(entry.stat(follow_symlinks=False), entry.path) for entry in entries]
    files.sort(key=lambda both: both[0].st_mtime_ns, reverse=True)
    size = 0
    for number, (seen, path) in enumerate(files, 1):
        size += seen.st_size
        if number > MOST_FILES or size > MOST_BYTES:
            os.unlink(path)

"""Results files, as they are read back and gone on with; what their events mean is said elsewhere.

A last line that was cut short is passed over, and no other one. What is gone on with is made anew
beside the file, and takes its place when it has all that the file had. Source: docs/results.md.
"""

from __future__ import annotations

import fcntl
import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from errno import EACCES, EAGAIN
from typing import BinaryIO, Final, NamedTuple, Protocol

from harness.eventlines import event_line, parse_event
from harness.events import Event
from harness.words import clip, visible

__all__ = [
    "BadResults",
    "ContinuedFile",
    "Place",
    "ResultsFile",
    "Sink",
    "open_regular",
    "read_events",
    "runs_in",
]

_SAID: Final = 200  # characters of what a reader says of a line
# What an event may be long at the most, in bytes: ten times what one that carries all it may takes.
_LONGEST: Final = 1 << 26
_FIRST: Final = b'{"event":"run-started",'


class BadResults(Exception):
    """A file that is no results file, or cannot be used as one; the message says which, and why."""


class Place(NamedTuple):
    """A line: its number, from 1, and the byte that it begins at."""

    line: int
    offset: int


def open_regular(path: str) -> BinaryIO:
    """A file to be read, which is no pipe: that would keep us for ever. Raises OSError."""
    # pylint: disable-next=consider-using-with  # the caller closes it
    file = open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb")
    if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        return file
    file.close()
    raise OSError(0, "not a regular file", path)


def read_events(path: str, offset: int = 0) -> Iterator[tuple[Place, Event]]:
    """The events of a results file, from a line's beginning on; the last line may be cut short.
    Raises BadResults."""
    try:
        with open_regular(path) as file:
            file.seek(offset)
            yield from _events(path, file, offset)
    except OSError as problem:
        raise BadResults(f"{visible(path)}: {(problem.strerror or '').lower()}") from None


def runs_in(path: str) -> int:
    """How many runs a results file has, at a glance: no line is read as an event. Raises
    BadResults where its first line is none of a results file, or no run is in it."""
    runs = 0
    try:
        with open_regular(path) as file:
            while line := file.readline(_LONGEST):
                runs += _starts_run(line)
                if not runs and not _begins(line):
                    said = "line 1: a results file begins with run-started"
                    raise BadResults(f"{visible(path)}, {said}")
    except OSError as problem:
        raise BadResults(f"{visible(path)}: {(problem.strerror or '').lower()}") from None
    if not runs:
        raise BadResults(f"{visible(path)}: no run is in it")
    return runs


def _starts_run(line: bytes) -> bool:
    return line[: 2 * len(_FIRST)].replace(b" ", b"").startswith(_FIRST) and line.endswith(b"}\n")


def _events(path: str, file: BinaryIO, offset: int) -> Iterator[tuple[Place, Event]]:
    number = 0
    while line := file.readline(_LONGEST):
        number += 1
        try:
            yield Place(number, offset), parse_event(line.decode("ascii"))
        except ValueError as problem:
            # The last one, also where a failing disk has put something else in its place. The first
            # one is to show that this is a file of ours.
            if not file.read(1) and (number > 1 or offset or _begins(line)):
                return
            said = clip(visible(str(problem)), _SAID)
            raise BadResults(
                f"{visible(path)}, line {number:,}: not a line of a results file: {said}"
            ) from None
        offset += len(line)


def _begins(line: bytes) -> bool:
    """Whether this is the beginning of a first line."""
    return line[: len(_FIRST)] == _FIRST[: len(line)] and not line.endswith(b"\n")


class Sink(Protocol):
    """Where events are written."""

    def write(self, event: Event) -> None:
        """Write one."""

    def close(self) -> None:
        """There are no more."""


class ResultsFile:
    """A results file that begins anew. Raises OSError."""

    def __init__(self, path: str) -> None:
        # Line by line: whatever ends us, what was judged is there.
        # pylint: disable-next=consider-using-with  # `close` is for that
        self._file = open(path, "w", encoding="ascii", buffering=1)
        _lock(self._file.fileno())

    def write(self, event: Event) -> None:
        """Write one event, at once."""
        self._file.write(event_line(event))

    def close(self) -> None:
        """Close it."""
        self._file.close()


class ContinuedFile:
    """A results file that is gone on with: what is written before `settle` stands beside it, and
    then takes its place; what comes afterwards is appended. Whoever ends us when, all that was in
    the file is in it. Raises OSError, and BadResults where somebody else is writing it."""

    def __init__(self, path: str) -> None:
        self._path = os.path.realpath(path)
        folder, name = os.path.split(self._path)
        # Always the same name: what was left behind by one that was killed is used again.
        self._part = os.path.join(folder, f".{name}.xtest-part")
        self._settled = False
        if _is_written(self._path):
            raise BadResults(f"{visible(path)}: another xtest is writing it")
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        descriptor = os.open(self._part, flags, 0o666)
        if not _lock(descriptor):
            os.close(descriptor)
            raise BadResults(f"{visible(path)}: another xtest is writing it")
        os.ftruncate(descriptor, 0)
        with suppress(FileNotFoundError):
            os.fchmod(descriptor, stat.S_IMODE(os.stat(self._path).st_mode))
        # pylint: disable-next=consider-using-with  # `close` is for that
        self._file = open(descriptor, "w", encoding="ascii")

    def write(self, event: Event) -> None:
        """Write one event: at once, as soon as the file is settled."""
        self._file.write(event_line(event))
        if self._settled:
            self._file.flush()

    def settle(self) -> None:
        """All that the file had has been written: take its place."""
        self._file.flush()
        os.fsync(self._file.fileno())
        os.replace(self._part, self._path)
        self._settled = True

    def close(self) -> None:
        """Close it; if it never came to `settle`, the old file stays as it was."""
        if not self._settled:
            with suppress(OSError):
                os.unlink(self._part)
        self._file.close()


def _lock(descriptor: int) -> bool:
    """Whether nobody else has this file. Not flock, which our forked hands would hold, too."""
    try:
        fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as problem:
        # Not every file system has locks.
        return problem.errno not in (EACCES, EAGAIN)
    return True


def _is_written(path: str) -> bool:
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return False  # who opens it for reading is told
    try:
        return not _lock(descriptor)
    finally:
        os.close(descriptor)

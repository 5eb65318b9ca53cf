"""Write results files, read them back, and continue them.

Only a truncated last line may be invalid. A continued file is written beside the old one, and
replaces it once it has all events of the old one that are kept. Source: docs/results.md.
"""

from __future__ import annotations

import fcntl
import os
import stat
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from errno import EACCES, EAGAIN
from io import BufferedReader, RawIOBase
from itertools import count
from typing import Any, BinaryIO, Final, NamedTuple, Protocol, TypeVar

from harness.errors import os_reason
from harness.files import copy_new, open_own, open_regular
from harness.model.event_lines import EVENT_LINES, LineFormat, event_line, parse_event
from harness.model.events import Event, RunStarted
from harness.text import escape_nonprintable, shorten_to_width

_Event = TypeVar("_Event")

_SHOWN: Final = 200  # characters of the reason why a line is invalid
# The most bytes of a line: ten times what an event with all its evidence takes.
MAX_LINE_BYTES: Final = 1 << 26
FIRST_BYTES: Final = EVENT_LINES.first_bytes
_LOCKED: Final = "another xtest is writing to it"


class InvalidResultsFile(Exception):
    """A file cannot be used as a results file; the message names the file, perhaps the line, and
    the reason."""

    def __init__(self, path: str, reason: str, line: int = 0) -> None:
        where = f", line {line:,}" if line else ""
        super().__init__(f"{escape_nonprintable(path)}{where}: {reason}")


class FilePosition(NamedTuple):
    """The number of a line, from 1, and the offset of its first byte."""

    line: int
    offset: int


def read_events(path: str, offset: int = 0) -> Iterator[tuple[FilePosition, Event]]:
    """Yield the events of a results file from the line at `offset` on.

    Raises InvalidResultsFile.
    """
    return read_lines(path, EVENT_LINES, offset)


def read_lines(
    path: str, lines: LineFormat[_Event], offset: int = 0
) -> Iterator[tuple[FilePosition, _Event]]:
    """Yield the events of a file in this format from the line at `offset` on.

    The first event of a file must be of the format's first kind. A truncated last line is skipped.
    Raises InvalidResultsFile.
    """
    with _opened(path) as file:
        file.seek(offset)
        yield from _lines_in(file, path, lines, offset)


def _lines_in(
    file: BinaryIO, path: str, lines: LineFormat[_Event], offset: int
) -> Iterator[tuple[FilePosition, _Event]]:
    number = 0
    while line := file.readline(MAX_LINE_BYTES):
        number += 1
        if offset and line.startswith(lines.foreign):
            offset += len(line)
            continue
        try:
            event = lines.parse(line.decode("ascii"))
        except ValueError as problem:
            # Skip an invalid last line: it was cut short, or a crash of the machine garbled it.
            # A first line must show that the file has this format.
            if not file.read(1) and (offset or _may_begin(line, lines)):
                return
            if not (offset or line.startswith(lines.first_bytes)):
                raise _invalid_beginning(path, lines, line) from None
            raise _invalid_line(path, number, lines, problem) from None
        if not (offset or isinstance(event, lines.kinds[lines.first])):
            raise _invalid_beginning(path, lines, line)
        yield FilePosition(number, offset), event
        offset += len(line)


def read_run_starts(path: str) -> list[RunStarted]:
    """Return the first event of each run in a results file.

    Raises InvalidResultsFile, also if there is no run.
    """
    runs = [event for _, event in find_run_starts(path)]
    if not runs:
        raise InvalidResultsFile(path, "has no runs")
    return runs


def find_run_starts(path: str) -> list[tuple[FilePosition, RunStarted]]:
    """Return the first event of each run in a results file, without parsing the others.

    Raises InvalidResultsFile if its first line is not that of a results file.
    """
    runs: list[tuple[FilePosition, RunStarted]] = []
    with _opened(path) as file:
        number = offset = 0
        while line := file.readline(MAX_LINE_BYTES):
            number += 1
            if _starts_run(line):
                try:
                    event = parse_event(line.decode("ascii"))
                except ValueError as problem:
                    raise _invalid_line(path, number, EVENT_LINES, problem) from None
                assert isinstance(event, RunStarted)
                runs.append((FilePosition(number, offset), event))
            if not runs and not _may_begin(line, EVENT_LINES):
                raise _invalid_beginning(path, EVENT_LINES, line)
            offset += len(line)
    return runs


def is_results_file(path: str) -> bool:
    """Return whether a file begins as results files do. Raises OSError."""
    with open_regular(path) as file:
        return _may_begin(file.read(len(FIRST_BYTES)), EVENT_LINES)


@contextmanager
def _opened(path: str) -> Iterator[BinaryIO]:
    """Open a results file for reading. Raises InvalidResultsFile."""
    try:
        with open_regular(path) as file:
            yield file
    except OSError as problem:
        raise InvalidResultsFile(path, os_reason(problem)) from None


def _starts_run(line: bytes) -> bool:
    return line[: 2 * len(FIRST_BYTES)].replace(b" ", b"").startswith(
        FIRST_BYTES
    ) and line.endswith((b"}\n", b"}\r\n"))


def _invalid_beginning(path: str, lines: LineFormat[Any], line: bytes) -> InvalidResultsFile:
    return InvalidResultsFile(path, lines.refusal(line), 1)


def _invalid_line(
    path: str, number: int, lines: LineFormat[Any], problem: ValueError
) -> InvalidResultsFile:
    reason = f"not a line of {lines.name}: {shorten_to_width(str(problem), _SHOWN)}"
    return InvalidResultsFile(path, reason, number)


def _may_begin(line: bytes, lines: LineFormat[Any]) -> bool:
    """Return whether a line without an end may be the beginning of a first line."""
    first = lines.first_bytes
    return line[: len(first)] == first[: len(line)] and not line.endswith(b"\n")


class EventSink(Protocol):
    """Anything that events are written to."""

    def write(self, event: Event) -> None:
        """Write an event."""

    def close(self) -> None:
        """Release what is open."""


class ResultsFile:
    """A new results file, or another run in an existing one; methods raise OSError.

    Replaces the content of a file unless `appends`. Raises InvalidResultsFile if another xtest is
    writing it.
    """

    def __init__(self, path: str, *, appends: bool = False) -> None:
        if appends and os.path.isfile(path) and os.path.getsize(path):
            read_run_starts(path)  # raises InvalidResultsFile for other files
        # Without O_NONBLOCK, opening a pipe would wait for a reader.
        access = os.O_RDWR if appends else os.O_WRONLY
        flags = access | os.O_CREAT | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
        descriptor = os.open(path, flags, 0o666)
        try:
            os.set_blocking(descriptor, True)
            if stat.S_ISREG(os.fstat(descriptor).st_mode):
                if not _lock(descriptor):
                    raise InvalidResultsFile(path, _LOCKED)
                end = _end_of_lines(descriptor) if appends else 0
                os.ftruncate(descriptor, end)
                os.lseek(descriptor, end, os.SEEK_SET)
        except BaseException:
            os.close(descriptor)
            raise
        self._path = path
        self._is_changed = False
        # Without a buffer: a killed xtest leaves every run that it judged.
        # pylint: disable-next=consider-using-with  # closed by `close`
        self._file = open(descriptor, "wb", buffering=0)

    def write(self, event: Event) -> None:
        """Write an event at once."""
        self._is_changed = self._is_changed or _is_changed(self._file.fileno())
        _write_line(self._file, event)

    def damage(self) -> str:
        """Return what a subject did to the file; empty if it has all that was written."""
        return _damage(self._path, self._file.fileno(), is_changed=self._is_changed)

    def close(self) -> None:
        self._file.close()


class UnnamedResults:
    """Results in a temporary file without a name: subjects cannot find it, and a killed xtest
    leaves nothing. Methods raise OSError."""

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile(buffering=0)

    def write(self, event: Event) -> None:
        """Write an event at once."""
        _write_line(self._file, event)

    def read(self) -> Iterator[tuple[FilePosition, Event]]:
        """Yield the events from the beginning, as `read_events` does."""
        file = BufferedReader(_FromBeginning(self._file.fileno()))
        return _lines_in(file, "a temporary file", EVENT_LINES, 0)

    def close(self) -> None:
        self._file.close()


class _FromBeginning(RawIOBase):
    """Reads an open file from its beginning on, without the position that others share."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._offset = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = os.pread(self._descriptor, len(buffer), self._offset)
        buffer[: len(data)] = data
        self._offset += len(data)
        return len(data)


class ContinuedResultsFile:
    """A results file that is continued.

    Events written before `settle` go to a file beside it, which then replaces it; later events
    are appended. A killed xtest never loses an event that the file had. `to_line` makes a line of
    an event. Raises OSError, or InvalidResultsFile if another xtest is writing to it.
    """

    def __init__(self, path: str, to_line: Callable[[Any], str] = event_line) -> None:
        self._to_line = to_line
        self._path = os.path.realpath(path)
        folder, name = os.path.split(self._path)
        # A fixed name: the part that a killed xtest left behind is reused.
        self._part = os.path.join(folder, f".{name}.xtest-part")
        self._settled = False
        self._is_changed = False
        self._copy = ""
        if _is_locked(self._path):
            raise InvalidResultsFile(path, _LOCKED)
        descriptor = open_own(self._part, os.O_CREAT)
        if not _lock(descriptor):
            os.close(descriptor)
            raise InvalidResultsFile(path, _LOCKED)
        os.ftruncate(descriptor, 0)
        with suppress(FileNotFoundError):
            os.fchmod(descriptor, stat.S_IMODE(os.stat(self._path).st_mode))
        # pylint: disable-next=consider-using-with  # closed by `close`
        self._file = open(descriptor, "w", encoding="ascii")

    def write(self, event: Any) -> None:
        """Write an event; at once after `settle`."""
        if self._settled and not self._is_changed:
            self._is_changed = _is_changed(self._file.fileno())
        self._file.write(self._to_line(event))
        if self._settled:
            self._file.flush()

    def keep_earlier(self) -> str:
        """Let `settle` copy the old file, and return the path of the copy."""
        stem, suffix = os.path.splitext(self._path)
        names = (f"{stem}.{number}{suffix}" for number in count(1))
        self._copy = next(name for name in names if not os.path.lexists(name))
        return os.path.relpath(self._copy)

    def settle(self) -> None:
        """Replace the old file, as everything that is kept of it has been written."""
        self._file.flush()
        os.fsync(self._file.fileno())
        if self._copy:
            copy_new(self._path, self._copy)
        os.replace(self._part, self._path)
        self._settled = True

    def damage(self) -> str:
        """Return what a subject did to the settled file; empty if it has all that was written."""
        if not self._settled:
            return ""
        return _damage(self._path, self._file.fileno(), is_changed=self._is_changed)

    def close(self) -> None:
        """Close the file; without `settle` the old one stays as it was."""
        if not self._settled:
            with suppress(OSError):
                os.unlink(self._part)
        self._file.close()


def find_damage(path: str, file: ResultsFile | ContinuedResultsFile) -> list[str]:
    """Return a message if a subject damaged the file of --results during a run."""
    damage = file.damage()
    place = f"--results {escape_nonprintable(path)}"
    return [f"{place}: {damage}; --sandbox prevents this"] if damage else []


def _write_line(file: RawIOBase, event: Event) -> None:
    line = event_line(event).encode()
    while line:
        line = line[file.write(line) :]


def _is_changed(descriptor: int) -> bool:
    """Return whether someone else changed the size of a file, of which all was written."""
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        return False
    return status.st_size != os.lseek(descriptor, 0, os.SEEK_CUR)


def _damage(path: str, descriptor: int, *, is_changed: bool) -> str:
    """Return what happened to the path of a file since it was opened, or empty text."""
    written = os.fstat(descriptor)
    if not stat.S_ISREG(written.st_mode):
        return ""
    try:
        present = os.stat(path)
    except OSError:
        return "it was deleted during the run"
    if not os.path.samestat(present, written):
        return "it was replaced during the run"
    if is_changed or _is_changed(descriptor):
        return "it was changed during the run"
    return ""


def _end_of_lines(descriptor: int) -> int:
    """Return where the last complete line of a file ends."""
    end = 0
    # Closing any descriptor of a file would release its lock.
    with open(descriptor, "rb", closefd=False) as file:
        while (line := file.readline(MAX_LINE_BYTES)).endswith(b"\n"):
            end += len(line)
    return end


def _lock(descriptor: int) -> bool:
    """Lock a file, and return False if another process has locked it.

    Not with flock, whose locks forked workers would share.
    """
    try:
        fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as problem:
        # Not every file system supports locks.
        return problem.errno not in (EACCES, EAGAIN)
    return True


def _is_locked(path: str) -> bool:
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    except OSError:
        return False  # opening it to read or write will report why
    try:
        return not _lock(descriptor)
    finally:
        os.close(descriptor)

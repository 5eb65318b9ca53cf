"""A packed suite's file: where its lines begin, and one case read when its turn comes.

Reads, and never writes. In memory are eight bytes a line, whatever the lines hold. What a line
says is packed's business; what a broken one comes to, corpus's. Source: docs/packed.md.
"""

from __future__ import annotations

import os
import stat
from array import array
from bisect import bisect_left
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple

from harness.suites.naming import PACKED_FILE, CaseName, case_order
from harness.suites.packed import PackedCase, PackedError, name_in, parse_line

__all__ = ["PackedFile"]

# The prefix of what a line is called whose own name cannot be used; the line is its number.
_NAMELESS: Final = f"{PACKED_FILE}-line"


class _Stamp(NamedTuple):
    """What tells that a file is still the one whose lines were listed."""

    device: int
    inode: int
    size: int
    changed_ns: int


class PackedFile(Collection[CaseName]):
    """The cases of a packed file by name, line by line; its lines are listed once. A line is meant
    by its index, from 0. Raises OSError where the file cannot be read."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._begins = array("Q")
        # Lines whose cases do not stand behind all before them; ascending.
        self._misplaced = array("Q")
        with _opened(path) as file:
            self._stamp = _stamp_of(file)
            self._list(file)

    def __len__(self) -> int:
        return len(self._begins)

    def __iter__(self) -> Iterator[CaseName]:
        """The names of all cases, line by line; a broken line has a name made of its number."""
        try:
            with _opened(self._path) as file:
                for index in range(len(self)):
                    yield self._name(index, file.readline())
        except OSError:
            # Who reads these cases is told why they cannot be read.
            yield from (_nameless(index) for index in range(len(self)))

    def __contains__(self, name: object) -> bool:
        return any(name == known for known in self)

    def read(self, index: int) -> PackedCase:
        """The case in a line. Raises PackedError and OSError."""
        ends = self._begins[index + 1] if index + 1 < len(self) else self._stamp.size
        begin = self._begins[index]
        with _opened(self._path) as file:
            if _stamp_of(file) != self._stamp:
                raise PackedError("cannot be read: the file has changed since it was listed")
            case = parse_line(os.pread(file.fileno(), ends - begin, begin).removesuffix(b"\n"))
        if self._is_misplaced(index):
            raise PackedError(
                f"is out of place: {case.name.text} stands before it, or belongs before a case that"
                " does; cases stand in natural order, each once"
            )
        return case

    def _list(self, file: BinaryIO) -> None:
        begin = 0
        last: tuple[object, ...] = ()
        for index, line in enumerate(file):
            self._begins.append(begin)
            begin += len(line)
            name = name_in(line)
            if name is None:
                continue
            # In ascending order no name can come twice, and none has to be remembered but one.
            order = case_order(name)
            if order > last:
                last = order
            else:
                self._misplaced.append(index)

    def _name(self, index: int, line: bytes) -> CaseName:
        name = None if self._is_misplaced(index) else name_in(line)
        return _nameless(index) if name is None else name

    def _is_misplaced(self, index: int) -> bool:
        place = bisect_left(self._misplaced, index)
        return place < len(self._misplaced) and self._misplaced[place] == index


def _nameless(index: int) -> CaseName:
    return CaseName(_NAMELESS, index + 1)


def _opened(path: Path) -> BinaryIO:
    # A pipe would keep us waiting for ever.
    if not stat.S_ISREG(os.stat(path).st_mode):
        raise OSError(0, "not a regular file", str(path))
    return path.open("rb")


def _stamp_of(file: BinaryIO) -> _Stamp:
    seen = os.fstat(file.fileno())
    return _Stamp(seen.st_dev, seen.st_ino, seen.st_size, seen.st_mtime_ns)

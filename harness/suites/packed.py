"""Read and write packed suites: one file, one case a line. Source: docs/packed.md.

A line holds the bytes of both files of a case, and the beginning of their names.
"""

from __future__ import annotations

import json
import os
import re
import stat
from array import array
from base64 import b64decode, b64encode
from bisect import bisect_left
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any, BinaryIO, Final, NamedTuple

from harness.jsonio.fast import decode
from harness.jsonio.members import ObjectReader, text
from harness.judging.explanation import fault_text
from harness.model.case_names import PACKED_FILE, CaseName, case_file, case_order
from harness.text import quote, to_utf8_text

__all__ = ["PackedCase", "PackedError", "PackedFile", "format_line", "parse_line", "peek_name"]

_LONGEST: Final = 255  # bytes of a file name, the limit of Linux's file systems
# The beginning of a line as `format_line` writes it, unless the name has escapes or is in base64.
_NAME_MEMBER: Final = re.compile(rb'\{"case":"([^"\\\x00-\x1f]+)",')
# The prefix of the name of a line whose own name cannot be used; its number is the line's.
_NAMELESS: Final = f"{PACKED_FILE}-line"


class PackedError(ValueError):
    """A line that holds no case; the message continues "line 7 "."""


class PackedCase(NamedTuple):
    """The files of a case: the beginning of their names, before `-in.json`, and their bytes.

    `expected` is None without a member "out": only the input can be used.

    The label keeps leading zeros; its bytes that are not UTF-8 are lone surrogates.
    """

    label: str
    stdin: bytes
    expected: bytes | None

    @property
    def name(self) -> CaseName:
        """The name of the case. Raises ValueError for a label that files cannot have."""
        return _parse_label(self.label)


def format_line(case: PackedCase) -> bytes:
    """Return the line of a case, in ASCII, with its line end."""
    label = case.label.encode("utf-8", "surrogateescape")
    members = {
        "case": case.label if to_utf8_text(case.label) == case.label else _base64_json(label),
        "in": _bytes_json(case.stdin),
        **({} if case.expected is None else {"out": _bytes_json(case.expected)}),
    }
    return json.dumps(members, separators=(",", ":")).encode() + b"\n"


def parse_line(line: bytes) -> PackedCase:
    """Return the case in a line. Raises PackedError."""
    values, fault = decode(line)
    if fault is not None:
        raise PackedError(f"is {fault_text(line, fault, values=len(values), printed=False)}")
    if len(values) != 1:
        found = f"{len(values)} values" if values else "no value"
        raise PackedError(f"is not a case: it must hold one object, not {found}")
    try:
        members = ObjectReader(values[0], "the case")
        case = PackedCase(
            members.take("case", _read_label),
            members.take("in", _read_bytes),
            members.optional("out", _read_bytes),
        )
        members.reject_unknown()
    except ValueError as problem:
        raise PackedError(f"is not a case: {problem}") from None
    return case


def peek_name(line: bytes) -> CaseName | None:
    """Return the name of a line's case, or None if the line is broken, as far as it is read."""
    beginning = _NAME_MEMBER.match(line)
    try:
        return _parse_label(beginning[1].decode()) if beginning else parse_line(line).name
    except ValueError:
        return None


class PackedFile(Collection[CaseName]):
    """The cases of a packed file, by line, from 0; eight bytes a line in memory. Raises OSError."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._begins = array("Q")
        self._misplaced = array("Q")  # ascending; lines whose case does not follow those before
        with _open_regular(path) as file:
            self._stamp = _stamp_of(file)
            self._list_lines(file)

    def __len__(self) -> int:
        return len(self._begins)

    def __iter__(self) -> Iterator[CaseName]:
        """Yield the name of each line; a broken line is named by its number."""
        try:
            with _open_regular(self._path) as file:
                for index in range(len(self)):
                    yield self._name(index, file.readline())
        except OSError:  # reported when the cases are read
            yield from (_nameless(index) for index in range(len(self)))

    def __contains__(self, name: object) -> bool:
        return any(name == known for known in self)

    def read(self, index: int) -> PackedCase:
        """Return the case in a line. Raises PackedError and OSError."""
        end = self._begins[index + 1] if index + 1 < len(self) else self._stamp[0]
        begin = self._begins[index]
        with _open_regular(self._path) as file:
            if _stamp_of(file) != self._stamp:
                raise PackedError("cannot be read: the file has changed since it was listed")
            case = parse_line(os.pread(file.fileno(), end - begin, begin).removesuffix(b"\n"))
        if self._is_misplaced(index):
            raise PackedError(
                f"is out of order: {case.name.text} must come once, in natural order; sort the"
                " lines and remove duplicates"
            )
        return case

    def _list_lines(self, file: BinaryIO) -> None:
        begin = 0
        last: tuple[object, ...] = ()
        for index, line in enumerate(file):
            self._begins.append(begin)
            begin += len(line)
            name = peek_name(line)
            if name is None:
                continue
            # Ascending names are distinct, so that one is enough to remember.
            order = case_order(name)
            if order > last:
                last = order
            else:
                self._misplaced.append(index)

    def _name(self, index: int, line: bytes) -> CaseName:
        name = None if self._is_misplaced(index) else peek_name(line)
        return _nameless(index) if name is None else name

    def _is_misplaced(self, index: int) -> bool:
        place = bisect_left(self._misplaced, index)
        return place < len(self._misplaced) and self._misplaced[place] == index


def _nameless(index: int) -> CaseName:
    return CaseName(_NAMELESS, index + 1)


def _open_regular(path: Path) -> BinaryIO:
    if not stat.S_ISREG(os.stat(path).st_mode):  # reading a pipe might never end
        raise OSError(0, "not a regular file", str(path))
    return path.open("rb")


def _stamp_of(file: BinaryIO) -> tuple[int, ...]:
    """Return the facts of a file that change when it is replaced or written; first, its size."""
    status = os.fstat(file.fileno())
    return status.st_size, status.st_mtime_ns, status.st_dev, status.st_ino


def _parse_label(label: str) -> CaseName:
    side = case_file(f"{label}-in.json")
    # A name with a slash would be written to another folder.
    if side is None or "/" in label or "\0" in label:
        raise ValueError(f"{quote(label)} is not the name of a case, N or prefix-N")
    length = len(f"{label}-out.json".encode("utf-8", "surrogateescape"))
    if length > _LONGEST:
        raise ValueError(
            f"the name {quote(label)} is too long for a file:"
            f" {length} bytes with -out.json, at most {_LONGEST}"
        )
    return side.name


# Write.


def _bytes_json(data: bytes) -> dict[str, str]:
    return {"text": data.decode()} if decode(data).fault is None else _base64_json(data)


def _base64_json(data: bytes) -> dict[str, str]:
    return {"base64": b64encode(data).decode()}


# Read.


def _read_label(value: Any) -> str:
    if isinstance(value, str):
        label = value
    elif isinstance(value, dict) and list(value) == ["base64"]:
        label = _decode_base64(value["base64"]).decode("utf-8", "surrogateescape")
    else:
        raise ValueError("must be a string, or an object with the one member base64")
    _parse_label(label)
    return label


def _read_bytes(value: Any) -> bytes:
    if isinstance(value, dict) and len(value) == 1:
        ((kind, content),) = value.items()
        if kind == "text":
            return text(content).encode()
        if kind == "base64":
            return _decode_base64(content)
    raise ValueError("must be an object with one member, text or base64")


def _decode_base64(value: Any) -> bytes:
    """Return the bytes of a text in base64; only the canonical spelling is accepted."""
    try:
        data = b64decode(text(value), validate=True)
    except ValueError:
        data = b""
    if b64encode(data).decode() != value:
        raise ValueError("must be base64")
    return data

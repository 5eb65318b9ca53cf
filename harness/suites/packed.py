"""Read and write packed suites: one file, one case a line. Source: docs/import.md.

A line holds the bytes of both files of a case, and the beginning of their names.
"""

from __future__ import annotations

import json
import os
import re
from array import array
from base64 import b64decode, b64encode
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from io import BytesIO
from json.scanner import make_scanner
from pathlib import Path
from typing import Any, BinaryIO, Final, NamedTuple

from harness.dialogue.script import format_steps
from harness.files import LONGEST_FILE_NAME, open_regular
from harness.jsonio.decoder import encode
from harness.jsonio.fast import decode
from harness.jsonio.members import ObjectReader, text
from harness.judging.explanation import fault_text
from harness.model.case_names import PACKED_FILE, CaseName, case_of_file, input_name, natural
from harness.suites.settings import CaseRule
from harness.suites.suite_toml import LINE_KEYS
from harness.text import quote, to_utf8_text
from harness.tomlio.tables import Key

_LONGEST_NAME: Final = 1_000  # characters of a name
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_FILES_MEMBER: Final = b'"files"'
_NUMBER_END: Final = b"-0123456789"  # of a name
_PARTS: Final = 16  # of the hashes, searched one after the other
# The parts of a line as `format_line` and `json.dumps` write it, unless the name has escapes or is
# in base64.
_NAME_MEMBER: Final = re.compile(
    rb'\{"case": ?"(?:(?P<number>0|[1-9][0-9]{0,254})|(?P<label>[^"\\\x00-\x1f]+))",'
)
_BEFORE_INPUT: Final = re.compile(r'\{"case": ?"([^"\\]+)", ?"in": ?\{"text": ?(?=")')
_BEFORE_OUTPUT: Final = re.compile(r'\}, ?"out": ?\{"text": ?(?=")')
_END: Final = re.compile(r"\}\}[ \t\r\n]*")
_DECODER: Final = json.JSONDecoder()
# Takes a text and a position. Raises ValueError, or StopIteration where no value begins.
_scan: Final = make_scanner(_DECODER)  # type: ignore[arg-type]  # its stub is wrong
_BLANKS: Final = re.compile(r"[ \t\r\n]*")
_BLOCK_BYTES: Final = 16_384  # read at once
# The prefix of the name of a line whose own name cannot be used; its number is the line's.
NAMELESS: Final = f"{PACKED_FILE}-line"


class PackedError(ValueError):
    """A line that holds no case; the message continues "line 7 "."""


class PackedCase(NamedTuple):
    """A case: its label, the bytes of its input and of its expected output, and its settings.

    The label is its name or, for a case in files, the beginning of their names, before `-in.json`.
    It keeps leading zeros; its bytes that are not UTF-8 are lone surrogates. `expected` is None
    without a member "out": only the input can be used. The input of a dialogue is its script.
    """

    label: str
    stdin: bytes
    expected: bytes | None
    own: CaseRule | None = None
    is_talk: bool = False

    @property
    def name(self) -> CaseName:
        """The name of the case. Raises ValueError if the label is not a name."""
        return _parse_label(self.label)


def format_line(case: PackedCase) -> bytes:
    """Return the line of a case, in ASCII but for a script, with its line end."""
    label = case.label.encode("utf-8", "surrogateescape")
    members = {
        "case": case.label if to_utf8_text(case.label) == case.label else _base64_json(label),
        **({} if case.is_talk else {"in": _bytes_json(case.stdin)}),
        **({} if case.is_talk or case.expected is None else {"out": _bytes_json(case.expected)}),
        **own_entries(case),
    }
    line = json.dumps(members, separators=(",", ":"))
    if case.is_talk:
        line = f'{line[:-1]},"talk":{_talk_json(case.stdin)}}}'
    return line.encode() + b"\n"


def _talk_json(script: bytes) -> str:
    """Return a script as an array of its steps, or as text if that would lose its layout."""
    values, fault = decode(script)
    if fault is None and format_steps(values) == script:
        return encode(values)
    return json.dumps(_bytes_json(script))


def replace_side(line: bytes, data: bytes, *, is_talk: bool) -> bytes:
    """Return the line of a case with another expected output, or script; the rest stays as it is.

    Raises ValueError if the line holds no object.
    """
    source = line.decode()
    side = "talk" if is_talk else "out"
    written = _talk_json(data) if is_talk else json.dumps(_bytes_json(data), separators=(",", ":"))
    position = _skip_blanks(source, source.index("{") + 1)
    while source[position] != "}":
        key, position = _DECODER.raw_decode(source, position)
        start = _skip_blanks(source, source.index(":", position) + 1)
        _, end = _DECODER.raw_decode(source, start)
        if key == side:
            return f"{source[:start]}{written}{source[end:]}".encode()
        position = _skip_blanks(source, end)
        position = _skip_blanks(source, position + 1) if source[position] == "," else position
    return f'{source[:position]},"{side}":{written}{source[position:]}'.encode()


def _skip_blanks(source: str, position: int) -> int:
    blanks = _BLANKS.match(source, position)
    return position if blanks is None else blanks.end()


def own_entries(case: PackedCase) -> dict[str, Any]:
    """Return the settings of a case by the names of their keys."""
    if case.own is None:
        return {}
    values = ((key.name, getattr(case.own, key.name)) for key in LINE_KEYS)
    return {name: value for name, value in values if value is not None}


def parse_line(line: bytes) -> PackedCase:
    """Return the case in a line. Raises PackedError."""
    plain = _parse_plain_line(line)
    if plain is not None:
        return plain
    values, fault = decode(line)
    if fault is not None:
        raise PackedError(f"is {fault_text(line, fault, values=len(values), printed=False)}")
    if len(values) != 1:
        content = f"not {len(values)} values" if values else "but is empty"
        raise PackedError(f"is not a case: it must hold one object, {content}")
    try:
        members = ObjectReader(values[0], "the value")
        label, is_talk = members.take("case", _read_label), "talk" in members
        stdin = members.take("talk", _read_talk) if is_talk else members.take("in", _read_bytes)
        has_output = not is_talk and "out" in members
        expected = members.take("out", _read_bytes) if has_output else b"" if is_talk else None
        case = PackedCase(label, stdin, expected, _read_own(members), is_talk)
        members.reject_unknown()
    except ValueError as problem:
        raise PackedError(f"is not a case: {problem}") from None
    return case


def _parse_plain_line(line: bytes) -> PackedCase | None:
    """Return the case in a line that holds its name and two texts, in this order.

    None for all other lines, and for those that might not be cases.
    """
    try:
        source = line.decode()
        beginning = _BEFORE_INPUT.match(source)
        if beginning is None or why_not_a_name(beginning[1]):
            return None
        stdin, end = _scan(source, beginning.end())
        middle = _BEFORE_OUTPUT.match(source, end)
        if middle is None:
            return None
        expected, end = _scan(source, middle.end())
        is_plain = _END.fullmatch(source, end) is not None
        return PackedCase(beginning[1], stdin.encode(), expected.encode()) if is_plain else None
    except (ValueError, StopIteration):  # not UTF-8, not JSON, or a lone surrogate
        return None


def peek_name(line: bytes) -> bytes:
    """Return the text of the name of a line's case, or b"" if it cannot be read; the rest may be
    broken."""
    beginning = _NAME_MEMBER.match(line)
    if beginning and beginning["number"]:  # like most
        return beginning["number"]
    try:
        label = beginning["label"].decode() if beginning else parse_line(line).label
        return _parse_label(label).text.encode("utf-8", "surrogateescape")
    except ValueError:
        return b""


class PackedFile(Collection[CaseName]):
    """The cases of a packed file, by line, from 0. Raises OSError.

    In memory, a line takes eight bytes and those of its name.
    """

    def __init__(self, path: Path) -> None:
        self._path = os.fspath(path)
        self._begins = array("Q", [0])  # and the end of the last line
        self._texts = b""  # of names, each with a line end; broken lines have an empty one
        self.files: dict[str, None] = {}  # globs of all cases
        self._repeated: set[int] = set()  # lines with the name of a line before
        self._block = (0, b"")  # a part of the file, and where it begins
        self._trusts_block = False  # it was read just now
        with open_regular(path) as file:
            self._stamp = _stamp_of(os.fstat(file.fileno()))
            is_sorted = self._list_lines(file)
        if not is_sorted:
            self._repeated = self._repeated_lines()

    def __len__(self) -> int:
        return len(self._begins) - 1

    def __iter__(self) -> Iterator[CaseName]:
        return map(input_name, self.name_texts())

    def name_texts(self) -> Iterator[str]:
        """Yield the text of the name of each line; a broken line is named by its number."""
        repeated = self._repeated
        for index, name in enumerate(self._texts_by_line()):
            yield name if name and index not in repeated else f"{NAMELESS}-{index + 1}"

    def __contains__(self, name: object) -> bool:
        return any(name == known for known in self)

    def read(self, index: int) -> PackedCase:
        """Return the case in a line. Raises PackedError and OSError."""
        line = self._line(index)
        case = parse_line(line)
        if index in self._repeated:
            raise PackedError(
                f"has the same name as an earlier line: {quote(case.name.text)}; rename it"
            )
        return case

    @contextmanager
    def in_a_row(self) -> Iterator[None]:
        """Look for changes of the file once for all lines that are read together in a block.

        Without it, they are looked for at each line, which takes as long as reading it.
        """
        self._block = (0, b"")
        self._trusts_block = True
        try:
            yield
        finally:
            self._trusts_block = False

    def _line(self, index: int) -> bytes:
        """Return a line without its end; the lines after it are read with it, for later calls."""
        begin, end = self._begins[index], self._begins[index + 1]
        first, block = self._block
        if begin >= first and end <= first + len(block):
            is_unchanged = self._trusts_block or _stamp_of(os.stat(self._path)) == self._stamp
        else:
            with open_regular(self._path) as file:
                is_unchanged = _stamp_of(os.fstat(file.fileno())) == self._stamp
                block = os.pread(file.fileno(), max(end - begin, _BLOCK_BYTES), begin)
            first = begin
            if is_unchanged and len(block) <= _BLOCK_BYTES:
                self._block = first, block
        if not is_unchanged:
            raise PackedError("cannot be read: the file has changed since it was listed")
        return block[begin - first : end - first].removesuffix(b"\n")

    def _list_lines(self, file: BinaryIO) -> bool:
        """List the lines of the file; return whether their names ascend and so are distinct."""
        begin = 0
        texts = bytearray()
        is_sorted = True
        last = b""
        for line in file:
            begin += len(line)
            self._begins.append(begin)
            if _FILES_MEMBER in line:
                self._add_files(line)
            name = peek_name(line)
            texts += name
            texts += b"\n"
            if is_sorted and name:
                is_sorted = not last or _is_before(last, name)
                last = name
        self._texts = bytes(texts)
        return is_sorted

    def _add_files(self, line: bytes) -> None:
        with suppress(PackedError):
            own = parse_line(line).own
            self.files |= dict.fromkeys((own.files if own is not None else None) or ())

    def _texts_by_line(self) -> Iterator[str]:
        texts = BytesIO(self._texts)
        while block := b"".join(texts.readlines(_BLOCK_BYTES)):
            yield from _to_text(block[:-1]).split("\n")

    def _repeated_lines(self) -> set[int]:
        """Return the lines with the name of an earlier line; 8 bytes of memory for each other
        line."""
        hashes = array("q", map(hash, self._texts_by_line()))
        several: set[int] = set()
        for part in range(_PARTS):  # a set of all hashes would take ten times their memory
            seen: set[int] = set()
            for each in hashes:
                if each % _PARTS == part:
                    (several if each in seen else seen).add(each)
        names: set[str] = set()
        repeated: set[int] = set()
        for index, (name, each) in enumerate(zip(self._texts_by_line(), hashes, strict=True)):
            if name and each in several:
                if name in names:
                    repeated.add(index)
                names.add(name)
        return repeated


def _is_before(one: bytes, other: bytes) -> bool:
    """Return whether a name precedes another one: in natural order of what stands before their
    numbers, then by length. Names that all precede the next one are distinct."""
    stem, other_stem = one.rstrip(_NUMBER_END), other.rstrip(_NUMBER_END)
    if stem == other_stem:
        return (len(one), one) < (len(other), other)
    return natural(_to_text(stem)) < natural(_to_text(other_stem))


def _to_text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def _stamp_of(status: os.stat_result) -> tuple[int, ...]:
    """Return the facts of a file that change when it is replaced or written; first, its size."""
    return status.st_size, status.st_mtime_ns, status.st_dev, status.st_ino


def _parse_label(label: str) -> CaseName:
    if problem := why_not_a_name(label):
        raise ValueError(problem)
    return input_name(label)


def why_not_a_name(label: str) -> str:
    """Return why a case cannot have this name, or an empty text if it can."""
    if label.isprintable() and 0 < len(label) <= _LONGEST_NAME:
        return ""
    if not label:
        return "the name is empty"
    if _CONTROL.search(label):
        return f"the name {quote(label)} has control characters"
    if len(label) > _LONGEST_NAME:
        return f"the name {quote(label)} has more than {_LONGEST_NAME:,} characters"
    return ""


def why_not_a_file(label: str) -> str:
    """Return why files cannot have this label, or an empty text if they can."""
    # A name with a slash would be written to another folder.
    if case_of_file(f"{label}-in.json") is None or "/" in label:
        return f"{quote(label)} cannot name files; rename it N or prefix-N, without a slash"
    length = len(f"{label}-out.json".encode("utf-8", "surrogateescape"))
    if length > LONGEST_FILE_NAME:
        return (
            f"the name {quote(label)} is too long for a file:"
            f" {length} bytes with -out.json, at most {LONGEST_FILE_NAME}"
        )
    return ""


# Write.


def _bytes_json(data: bytes) -> dict[str, str]:
    try:
        return {"text": data.decode()}
    except UnicodeDecodeError:
        return _base64_json(data)


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


def _read_own(members: ObjectReader) -> CaseRule | None:
    """Return the settings of a case, or None if its line has none. Raises ValueError."""
    values = {
        key.name: members.take(key.name, partial(_read_key, key))
        for key in LINE_KEYS
        if key.name in members
    }
    return CaseRule((), **values) if values else None


def _read_key(key: Key, value: Any) -> Any:
    read = key.type.read(value)
    if read is None:
        raise ValueError(f"must be {key.type.expected}")
    return read


def _read_talk(value: Any) -> bytes:
    return format_steps(value) if isinstance(value, list) else _read_bytes(value)


def _read_bytes(value: Any) -> bytes:
    if isinstance(value, dict) and len(value) == 1:
        ((kind, content),) = value.items()
        if kind == "text":
            return text(content).encode()
        if kind == "base64":
            return _decode_base64(content)
        if kind == "json":
            return text(f"{encode(content)}\n").encode()
    raise ValueError("must be an object with one member: text, json or base64")


def _decode_base64(value: Any) -> bytes:
    """Return the bytes of a text in base64; only the canonical spelling is accepted."""
    try:
        data = b64decode(text(value), validate=True)
    except ValueError:
        data = b""
    if b64encode(data).decode() != value:
        raise ValueError("must be base64")
    return data

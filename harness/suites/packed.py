"""A case as one line of JSON: the format of packed suites, written and read.

Pure: bytes in, bytes out; files are the business of packfile and corpus. What a line says is a
case's files, byte for byte, under the very names that they had. Source: docs/packed.md.
"""

from __future__ import annotations

import json
import re
from base64 import b64decode, b64encode
from typing import Any, Final, NamedTuple

from harness.jsonfast import decode
from harness.jsontext import Json
from harness.judging.explain import fault_text
from harness.members import Members, text
from harness.suites.naming import CaseName, case_file
from harness.words import quoted

__all__ = ["PackedCase", "PackedError", "line_of", "name_in", "parse_line"]

_LONGEST: Final = 255  # bytes of a file's name: what Linux's file systems take
_SHOWN: Final = 60  # characters of a name in a message
# How every line begins that `line_of` writes, but for names with escapes or in base64: the name is
# had without reading the rest, which is most of the line.
_HEAD: Final = re.compile(rb'\{"case":"([^"\\\x00-\x1f]+)",')


class PackedError(ValueError):
    """A line that is no case; the message goes on from "line 7 "."""


class PackedCase(NamedTuple):
    """A case's files: what stands before `-in.json` and `-out.json` in their names, and what is in
    them. The label keeps zeros in front; bytes of it that are not UTF-8 are lone surrogates."""

    label: str
    stdin: bytes
    expected: bytes

    @property
    def name(self) -> CaseName:
        """The case's name. Raises ValueError where the label is none that files can have."""
        return _name_of(self.label)


def line_of(case: PackedCase) -> bytes:
    """The line for a case, in ASCII, with its line end."""
    members = {
        "case": _label_json(case.label),
        "in": _bytes_json(case.stdin),
        "out": _bytes_json(case.expected),
    }
    return json.dumps(members, separators=(",", ":")).encode() + b"\n"


def parse_line(line: bytes) -> PackedCase:
    """The case that a line says. Raises PackedError."""
    try:
        members = Members(_only_value(line), "the case")
        case = PackedCase(
            members.take("case", _label), members.take("in", _bytes), members.take("out", _bytes)
        )
        members.end()
    except PackedError:
        raise
    except ValueError as problem:
        raise PackedError(f"is no case: {problem}") from None
    return case


def name_in(line: bytes) -> CaseName | None:
    """The name of a line's case; None: the line is broken. Of most lines only the beginning is
    looked at, so that a line with a name may be broken, too."""
    head = _HEAD.match(line)
    try:
        return _name_of(head[1].decode()) if head else parse_line(line).name
    except ValueError:
        return None


def _name_of(label: str) -> CaseName:
    side = case_file(f"{label}-in.json")
    # A name with a slash would be written somewhere else.
    if side is None or "/" in label or "\0" in label:
        raise ValueError(f"{quoted(label, _SHOWN)} is no case's name, which is N or prefix-N")
    longest = len(f"{label}-out.json".encode("utf-8", "surrogateescape"))
    if longest > _LONGEST:
        raise ValueError(
            f"the name {quoted(label, _SHOWN)} is too long for a file's:"
            f" {longest} bytes with -out.json, and {_LONGEST} is the most"
        )
    return side.name


# Writing.


def _label_json(label: str) -> Any:
    data = label.encode("utf-8", "surrogateescape")
    return label if _is_utf_8(data) else _base64_json(data)


def _is_utf_8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _bytes_json(data: bytes) -> dict[str, str]:
    if decode(data).fault is not None:
        return _base64_json(data)
    return {"text": data.decode()}


def _base64_json(data: bytes) -> dict[str, str]:
    return {"base64": b64encode(data).decode()}


# Reading.


def _only_value(line: bytes) -> Json:
    values, fault = decode(line)
    if fault is not None:
        raise PackedError(f"is {fault_text(line, fault, values=len(values), printed=False)}")
    if len(values) != 1:
        found = f"{len(values)} values" if values else "no value"
        raise PackedError(f"is no case: it holds {found}, and not one object")
    return values[0]


def _label(value: Any) -> str:
    if isinstance(value, str):
        label = value
    else:
        label = _from_base64(value, "a text, or an object with the one member base64, is expected")
    _name_of(label)
    return label


def _from_base64(value: Any, wanted: str) -> str:
    if not isinstance(value, dict) or list(value) != ["base64"]:
        raise ValueError(wanted)
    return _decoded(value["base64"]).decode("utf-8", "surrogateescape")


def _bytes(value: Any) -> bytes:
    if isinstance(value, dict) and len(value) == 1:
        ((kind, content),) = value.items()
        if kind == "text":
            return text(content).encode()
        if kind == "base64":
            return _decoded(content)
    raise ValueError("an object with one member, text or base64, is expected")


def _decoded(value: Any) -> bytes:
    """What a text in base64 stands for. Only the one text that stands for it is accepted."""
    try:
        data = b64decode(text(value), validate=True)
    except ValueError:
        data = b""
    if b64encode(data).decode() != value:
        raise ValueError("a text in base64 is expected")
    return data

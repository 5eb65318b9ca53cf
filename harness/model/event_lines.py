"""Convert events to lines of JSON and back: the content of a results file.

The members are the fields of the records in model/events.py, each declared at its field;
schemas/results.schema.json describes the same format, and a test holds the two together.
Source: docs/results.md.
"""

from __future__ import annotations

import json
import re
from binascii import a2b_base64, b2a_base64
from collections.abc import Callable, Mapping
from enum import Enum
from functools import cache, partial
from types import NoneType
from typing import (
    Annotated,
    Any,
    Final,
    Generic,
    NamedTuple,
    TypeVar,
    get_args,
    get_origin,
    get_type_hints,
)

from harness.jsonio.members import JsonMember, ObjectReader, boolean, count, elements, seconds, text
from harness.model.events import (
    DeliveriesDiffer,
    DependsOnOrder,
    Diagnostic,
    Event,
    Evidence,
    Excerpt,
    LimitUse,
    RunEnded,
    RunResult,
    RunStarted,
    SessionsEnded,
)
from harness.model.exit_codes import ExitCode
from harness.model.judgement import MAX_DIFFERENCES, ShownDifference
from harness.model.suite_info import GradingRule, SuiteInfo
from harness.model.verdict import Verdict
from harness.text import quote, to_utf8_text

FORMAT: Final = 1  # increased when a reader of the old format would misread the new one

_PLAIN: Final = frozenset((str, int, float, bool, NoneType))  # types that JSON has
_ENCODER: Final = json.JSONEncoder(separators=(",", ":"))  # json.dumps would create one a line
_INNER: Final = "the value"  # the names of values inside an event in messages
_ELEMENT: Final = "an element"

_Event = TypeVar("_Event")
_Choice = TypeVar("_Choice", bound=Enum)
_Value = TypeVar("_Value")
_Reader = Callable[[Any], Any]


class LineFormat(Generic[_Event]):
    """A version of a format of JSON Lines with an event a line, named by its member "event".

    `name` is the content of a file in messages. The first kind begins a stream: its line has the
    version as member "format". Files that begin with an event `former` are refused as outdated.
    Readers pass over lines that begin like one of `foreign`, except the first.
    """

    def __init__(
        self,
        name: str,
        version: int,
        kinds: Mapping[str, type[_Event]],
        *,
        former: str = "",
        foreign: tuple[bytes, ...] = (),
    ) -> None:
        self.name = name
        self._version = version
        self.kinds = kinds
        self.foreign = foreign
        self._former = former
        self.first = next(iter(kinds))
        self.first_bytes = f'{{"event":"{self.first}",'.encode()
        self._heads = {kind: f'{{"event":"{name}",' for name, kind in kinds.items()}
        self._heads[kinds[self.first]] += f'"format":{version},'

    def refusal(self, line: bytes) -> str:
        """Return why a file with this first line is not one of this format."""
        if self._former and line.startswith(f'{{"event":"{self._former}",'.encode()):
            return f"{self.name} of an older xtest, which cannot be continued; use another file"
        return f"not {self.name}: its first event must be {self.first}"

    def line(self, event: _Event) -> str:
        """Return an event as one line of ASCII JSON, with its line end."""
        members = _record_json(event)
        encoded = _ENCODER.encode(members)
        if "\\ud" in encoded:  # perhaps a lone surrogate, or half of a character beyond U+FFFF
            encoded = _ENCODER.encode(_with_utf8_texts(members))
        return f"{self._heads[type(event)]}{encoded[1:]}\n"

    def parse(self, line: str) -> _Event:
        """Return the event in a line. Raises ValueError, as for a last line that was cut short."""
        try:
            members = ObjectReader(json.loads(line), "the line")
            name = members.take("event", text)
            if name not in self.kinds:
                raise ValueError(f"unknown event {quote(name)} in format {self._version}")
            if name == self.first:
                members.take("format", self._check_version)
            event: _Event = _take_record(self.kinds[name], members)
        except RecursionError:
            raise ValueError("the line is nested too deep to be an event") from None
        return event

    def _check_version(self, value: Any) -> None:
        if count(value) != self._version:
            raise ValueError(f"this xtest reads format {self._version}, not {value!r}")


def evidence_json(evidence: Evidence) -> dict[str, Any]:
    members: dict[str, Any] = _with_utf8_texts(_record_json(evidence))
    return members


# Records to JSON.


def _record_json(record: Any) -> dict[str, Any]:
    """Return the members of a record of a results file, without optional ones at defaults."""
    kind: Any = type(record)
    return {
        name: value if type(value) in _PLAIN else _to_json(value)
        for (_, name, _, left_out), value in zip(_members_of(kind), record, strict=True)
        if value is not left_out and value != left_out
    }


def _to_json(value: Any) -> Any:
    match value:
        case Enum():
            return value.value
        case Excerpt():
            return _excerpt_json(value)
        case tuple():
            if hasattr(value, "_fields"):
                return _record_json(value)
            return [each if type(each) in _PLAIN else _to_json(each) for each in value]
        case Mapping():
            return dict(value)
        case _:
            return value.decode() if isinstance(value, bytes) else value


def _with_utf8_texts(value: Any) -> Any:
    """Return a JSON value whose texts can all be encoded as UTF-8."""
    match value:
        case str():
            return to_utf8_text(value)
        case dict():
            return {name: _with_utf8_texts(member) for name, member in value.items()}
        case list():
            return list(map(_with_utf8_texts, value))
        case _:
            return value


def _excerpt_json(excerpt: Excerpt) -> dict[str, Any]:
    try:
        entries: dict[str, Any] = {"text": excerpt.data.decode()}
    except UnicodeDecodeError:
        entries = {"base64": b2a_base64(excerpt.data, newline=False).decode("ascii")}
    return {**entries, "bytes": excerpt.total}


# JSON to records.


class _RecordMember(NamedTuple):
    """A member of a record: its field, its name in JSON, its reader, and the value with which it is
    left out, if any."""

    field: str
    name: str
    read: _Reader
    left_out: object = ...


@cache
def _members_of(kind: type[Any]) -> list[_RecordMember]:
    # A public attribute of named tuples, in spite of its name.
    defaults = kind._field_defaults  # pylint: disable=protected-access
    members = []
    for field, hint in get_type_hints(kind, include_extras=True).items():
        read = _STRICTER.get((kind, field)) or _reader_of(hint)
        member = member_of(hint)
        left_out = ... if member.is_required else defaults.get(field, ...)
        members.append(_RecordMember(field, member.name or field, read, left_out))
    return members


def member_of(hint: Any) -> JsonMember:
    """Return how a field of this type, perhaps an annotated one, becomes a member."""
    notes = getattr(hint, "__metadata__", ())
    return next((note for note in notes if isinstance(note, JsonMember)), JsonMember())


def _reader_of(hint: Any, where: str = _INNER) -> _Reader:
    if get_origin(hint) is Annotated:
        hint = get_args(hint)[0]
    if hint in _READERS:
        return _READERS[hint]
    if isinstance(hint, type) and issubclass(hint, Enum):
        return partial(_enum_member, hint)
    arguments = get_args(hint)
    if NoneType in arguments:
        return _reader_of(arguments[0])
    if arguments:
        return partial(_tuple, _reader_of(arguments[0], _ELEMENT))
    return lambda value: _take_record(hint, ObjectReader(value, where))


def _tuple(read: _Reader, value: Any) -> tuple[Any, ...]:
    return tuple(map(read, elements(value)))


def _take_record(kind: Any, members: ObjectReader) -> Any:
    """Return the record with these members; there must be no others. Raises ValueError."""
    readers, required = _readers_of(kind)
    return kind(**members.take_all(readers, required))


@cache
def _readers_of(kind: Any) -> tuple[dict[str, tuple[str, _Reader]], tuple[str, ...]]:
    """Return the fields of a record and their readers by the names of their members, and the names
    of those that must be there."""
    members = _members_of(kind)
    readers = {name: (field, read) for field, name, read, _ in members}
    return readers, tuple(name for _, name, _, left_out in members if left_out is ...)


def _excerpt(value: Any) -> Excerpt:
    members = ObjectReader(value, _INNER)
    if "text" in members:
        data = members.take("text", text).encode()
    else:
        data = members.take("base64", _base64)
    total = members.take("bytes", count)
    members.reject_unknown()
    return Excerpt(data, total)


def _differences(value: Any) -> tuple[ShownDifference, ...]:
    differences = _tuple(_reader_of(ShownDifference, _ELEMENT), value)
    if len(differences) > MAX_DIFFERENCES:
        raise ValueError(f"at most {MAX_DIFFERENCES} differences are allowed")
    if any(each.expected is None and each.actual is None for each in differences):
        raise ValueError(f'{_ELEMENT} has no member "expected" or "actual"')
    return differences


def _checked(
    read: Callable[[Any], _Value], holds: Callable[[_Value], object], fault: str
) -> _Reader:
    """Return a reader of the values that `read` takes and for which a condition holds."""

    def read_checked(value: Any) -> _Value:
        checked = read(value)
        if not holds(checked):
            raise ValueError(fault)
        return checked

    return read_checked


def _counts(value: Any) -> dict[str, int]:
    members = ObjectReader(value, _INNER)
    return {_enum_member(Verdict, name).value: members.take(name, count) for name in value}


def _base64(value: Any) -> bytes:
    encoded = text(value)
    try:
        return a2b_base64(encoded, strict_mode=True)
    except ValueError:
        raise ValueError("base64 is expected") from None


def _enum_member(kind: type[_Choice], value: Any) -> _Choice:
    try:
        return kind(value)
    except ValueError:
        raise ValueError(f"unknown value {quote(str(value))}") from None


EVENT_LINES: Final = LineFormat[Event](
    "a results file",
    FORMAT,
    {
        "run-started": RunStarted,
        "judged": RunResult,
        "deliveries-differ": DeliveriesDiffer,
        "depends-on-order": DependsOnOrder,
        "sessions-ended": SessionsEnded,
        "problem": Diagnostic,
        "run-ended": RunEnded,
    },
    foreign=(b'{"event":"fest-',),  # events that rooms add to those of a run
)
event_line = EVENT_LINES.line
parse_event = EVENT_LINES.parse

# The reader of a member, by the type of its field ...
_READERS: Final[dict[Any, _Reader]] = {
    str: text,
    bool: boolean,
    int: count,
    float: seconds,
    bytes: lambda value: text(value).encode(),  # of UTF-8
    Mapping[str, int]: _counts,
    Excerpt: _excerpt,
    tuple[ShownDifference, ...]: _differences,
}
_name: Final = _checked(text, bool, "a name must not be empty")
# ... and of those that are restricted further.
_STRICTER: Final[dict[tuple[type[Any], str], _Reader]] = {
    (SuiteInfo, "folder"): _checked(
        text, lambda path: "\0" not in path, "a path must not contain U+0000"
    ),
    (GradingRule, "match"): lambda value: value if isinstance(value, str) else _tuple(text, value),
    (RunResult, "suite"): _name,
    (RunResult, "case"): _name,
    (RunResult, "exit"): _checked(
        count, lambda status: status <= 255, "an exit status is at most 255"
    ),
    (LimitUse, "allowed"): _checked(seconds, bool, "a number above 0 is expected"),
    (RunResult, "content"): _checked(
        text, re.compile("[0-9a-f]{16}").fullmatch, "16 hexadecimal digits are expected"
    ),
    (RunEnded, "exit"): lambda value: _enum_member(ExitCode, count(value)).value,
}

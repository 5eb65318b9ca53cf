"""Serialize records that travel between the processes of xtest.

Records become plain values for marshal: loading a pickle could run code. Most events are runs that
passed, which take a shorter way.
"""

from __future__ import annotations

import marshal
from collections.abc import Generator
from enum import Enum
from typing import Any, Final, NamedTuple

from harness.model.case import CaseInfo
from harness.model.dialogue import EntryKind, Stop, TalkEntry, TalkRecord
from harness.model.events import (
    DeliveriesDiffer,
    DependsOnOrder,
    Diagnostic,
    Event,
    Evidence,
    Excerpt,
    KnownFailure,
    LimitUse,
    RunResult,
    SessionsEnded,
)
from harness.model.judgement import ShownDifference, ShownMessage
from harness.model.limits import Limit, Limits, Usage
from harness.model.transcript import (
    CheckerAnswer,
    DeadEnd,
    Exited,
    NotStarted,
    Signalled,
    Transcript,
    Written,
)
from harness.model.verdict import Verdict


class CaseEvent(NamedTuple):
    """An event of a case, and its index in its suite; `is_last`: the case is complete with it."""

    case_index: int
    event: Event
    is_last: bool


# Closing one ends the runs that it comes from.
CaseEvents = Generator[CaseEvent, None, None]


class RecordSerializer:
    """Convert records of these classes, and tuples of them, to bytes and back.

    A class is a NamedTuple, an Enum, or one with __slots__ that its constructor takes in order.
    """

    def __init__(self, *kinds: type) -> None:
        self._kinds: Final[tuple[Any, ...]] = kinds
        self._numbers: Final = {kind: number for number, kind in enumerate(kinds)}

    def pack(self, value: Any) -> bytes:
        return marshal.dumps(self._to_plain(value))

    def unpack(self, data: bytes) -> Any:
        return self._from_plain(marshal.loads(data))

    def _to_plain(self, value: Any) -> Any:
        """Return a value with each record as the list of its kind and its fields."""
        number = self._numbers.get(type(value))
        if number is None:
            return tuple(map(self._to_plain, value)) if isinstance(value, tuple) else value
        if isinstance(value, Enum):
            return [number, value.value]
        fields = value if isinstance(value, tuple) else map(value.__getattribute__, value.__slots__)
        return [number, *map(self._to_plain, fields)]

    def _from_plain(self, value: Any) -> Any:
        if isinstance(value, tuple):
            return tuple(map(self._from_plain, value))
        if not isinstance(value, list):
            return value
        kind, *fields = value
        return self._kinds[kind](*map(self._from_plain, fields))


# The classes of a transcript.
TRANSCRIPTS: Final = (
    Transcript,
    Exited,
    Written,
    Signalled,
    NotStarted,
    DeadEnd,
    CheckerAnswer,
    Limit,
    Limits,
    Usage,
    TalkRecord,
    TalkEntry,
    EntryKind,
    Stop,
)

_PASSED: Final = b"p"
_RECORD: Final = b"r"
_MARSHAL_VERSION: Final = 2  # later versions look for shared values, which takes longer
_VERDICT: Final = RunResult._fields.index("verdict")
_RECORDS: Final = RecordSerializer(
    CaseEvent,
    CaseInfo,
    RunResult,
    DeliveriesDiffer,
    DependsOnOrder,
    SessionsEnded,
    Diagnostic,
    KnownFailure,
    Evidence,
    Excerpt,
    LimitUse,
    ShownDifference,
    ShownMessage,
    EntryKind,
    Verdict,
)


def pack_event(case_event: CaseEvent) -> bytes:
    """Return an event as bytes for `unpack_event`."""
    index, event, is_last = case_event
    if isinstance(event, RunResult) and event.is_bare_pass:
        values: list[Any] = list(event)
        values[_VERDICT] = None
        return _PASSED + marshal.dumps((index, values, is_last), _MARSHAL_VERSION)
    return _RECORD + _RECORDS.pack(case_event)


def unpack_event(data: bytes) -> CaseEvent:
    """Return the event in bytes that `pack_event` returned."""
    if data[:1] == _RECORD:
        case_event: CaseEvent = _RECORDS.unpack(data[1:])
        return case_event
    index, values, is_last = marshal.loads(data[1:])
    values[_VERDICT] = Verdict.PASSED
    return CaseEvent(index, RunResult._make(values), is_last)

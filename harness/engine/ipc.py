"""Serialize records that travel between the processes of xtest.

Records become plain values for marshal: loading a pickle could run code. Most events are runs that
passed, which take a shorter way.
"""

from __future__ import annotations

import marshal
from collections.abc import Generator, Iterable, Iterator, Sequence
from enum import Enum
from itertools import groupby, islice, repeat
from typing import Any, Final, NamedTuple

from harness.jsonio.decoder import EXTENSIONS, encode
from harness.jsonio.fast import decode
from harness.model.case import CaseInfo
from harness.model.dialogue import EntryKind, Stop, TalkEntry, TalkRecord
from harness.model.events import (
    CompanionEvidence,
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
    CompanionRun,
    CompanionState,
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


_JSON: Final = -1  # in place of the number of a class

# Closing one ends the runs that it comes from.
CaseEvents = Generator[CaseEvent, None, None]


class RecordSerializer:
    """Convert records of these classes, tuples of them, and JSON values to bytes and back.

    A class is a NamedTuple, an Enum, or one with __slots__ that its constructor takes in order.
    Arrays and objects travel as text, so that they may have any depth.
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
        if isinstance(value, (list, dict)):
            return [_JSON, encode(value)]
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
        if kind == _JSON:
            text = fields[0].encode("utf-8", "surrogatepass")
            return decode(text, allow=EXTENSIONS).values[0]
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
    CompanionRun,
    CompanionState,
)

_PASSED: Final = b"p"
_RECORD: Final = b"r"
_MARSHAL_VERSION: Final = 2  # later versions look for shared values, which takes longer
_MOST_PASSES: Final = 64  # in a message
_VERDICT: Final = 2 + RunResult._fields.index("verdict")  # after the index, and whether it is last
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
    CompanionEvidence,
    EntryKind,
    Verdict,
)


def pack_events(case_events: Iterable[CaseEvent]) -> Iterator[bytes]:
    """Yield messages for `unpack_events`, each of one event or of passes in a row."""
    for is_pass, several in groupby(case_events, _is_bare_pass):
        if not is_pass:
            yield from (_RECORD + _RECORDS.pack(each) for each in several)
            continue
        while passes := list(islice(several, _MOST_PASSES)):
            yield _PASSED + _pack_passes(passes)


def unpack_events(message: bytes) -> list[CaseEvent]:
    """Return the events in a message that `pack_events` made."""
    if message[:1] == _RECORD:
        return [_RECORDS.unpack(message[1:])]
    total, values, columns = marshal.loads(message[1:])
    values[_VERDICT] = Verdict.PASSED
    if total == 1:
        index, is_last, *fields = values
        return [CaseEvent(index, RunResult._make(fields), is_last)]
    rows = (columns.get(number, repeat(value, total)) for number, value in enumerate(values))
    indexes, lasts, *of_events = rows
    events = map(RunResult._make, zip(*of_events, strict=True))
    return list(map(CaseEvent, indexes, events, lasts))


def _is_bare_pass(case_event: CaseEvent) -> bool:
    """Return whether an event is a pass without records in it."""
    event = case_event.event
    return isinstance(event, RunResult) and event.is_bare_pass


def _pack_passes(passes: Sequence[CaseEvent]) -> bytes:
    """Pack the values of the first pass, and the columns of values that are not equal in all."""
    rows = [(index, is_last, *event) for index, event, is_last in passes]
    values: list[Any] = list(rows[0])
    columns = {}
    if len(rows) > 1:
        for number, column in enumerate(zip(*rows, strict=True)):
            if column.count(values[number]) < len(rows):
                columns[number] = column
    values[_VERDICT] = None
    return marshal.dumps((len(rows), values, columns), _MARSHAL_VERSION)

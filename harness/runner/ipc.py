"""Serialize events that travel between the processes of xtest.

Records become plain values for marshal: loading a pickle could run code. Most events are runs that
passed, which take a shorter way.
"""

from __future__ import annotations

import marshal
from typing import Any, Final, NamedTuple

from harness.model.events import (
    DeliveriesDiffer,
    Diagnostic,
    Event,
    Evidence,
    Excerpt,
    Judged,
    KnownFailure,
    ShownDifference,
)
from harness.model.verdict import Verdict

__all__ = ["CaseEvent", "pack_event", "unpack_event"]


class CaseEvent(NamedTuple):
    """An event of the case at place `at` of its suite; `is_last`: the case is complete with it."""

    at: int
    event: Event
    is_last: bool


_PASSED: Final = b"p"
_RECORD: Final = b"r"
_MARSHAL_VERSION: Final = 2  # later versions look for shared values, which takes longer
_VERDICT: Final = Judged._fields.index("verdict")
_VERDICTS: Final = {verdict.value: verdict for verdict in Verdict}
_KINDS: Final[tuple[Any, ...]] = (
    *(CaseEvent, Judged, DeliveriesDiffer, Diagnostic, KnownFailure),
    *(Evidence, Excerpt, ShownDifference),
)


def pack_event(case_event: CaseEvent) -> bytes:
    """Return an event as bytes for `unpack_event`."""
    at, event, is_last = case_event
    if isinstance(event, Judged) and event.evidence is None and event.known is None:
        values: list[Any] = list(event)
        values[_VERDICT] = event.verdict.value
        return _PASSED + marshal.dumps((at, values, is_last), _MARSHAL_VERSION)
    return _RECORD + marshal.dumps(_to_plain(case_event))


def unpack_event(data: bytes) -> CaseEvent:
    """Return the event that `pack_event` made these bytes of."""
    if data[:1] == _RECORD:
        case_event: CaseEvent = _from_plain(marshal.loads(data[1:]))
        return case_event
    at, values, is_last = marshal.loads(data[1:])
    values[_VERDICT] = _VERDICTS[values[_VERDICT]]
    return CaseEvent(at, Judged._make(values), is_last)


def _to_plain(value: Any) -> Any:
    """Return a value with each record as the list of its kind and its fields."""
    if isinstance(value, Verdict):
        return [len(_KINDS), value.value]
    if isinstance(value, tuple):
        fields = tuple(map(_to_plain, value))
        return [_KINDS.index(type(value)), *fields] if hasattr(value, "_fields") else fields
    return value


def _from_plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(map(_from_plain, value))
    if not isinstance(value, list):
        return value
    kind, *fields = value
    if kind == len(_KINDS):
        return _VERDICTS[fields[0]]
    return _KINDS[kind]._make(map(_from_plain, fields))

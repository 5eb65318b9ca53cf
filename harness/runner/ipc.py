"""Serialize events that travel between the processes of xtest.

Most are runs that passed: marshal takes a fifth of the time of pickle for their plain values. The
bytes must come from xtest itself: loading a pickle can run code.
"""

from __future__ import annotations

import marshal
import pickle
from typing import Any, Final, NamedTuple

from harness.model.events import Event, Judged
from harness.model.verdict import Verdict

__all__ = ["CaseEvent", "pack_event", "unpack_event"]


class CaseEvent(NamedTuple):
    """An event of the case at place `at` of its suite; `is_last`: the case is complete with it."""

    at: int
    event: Event
    is_last: bool


_MARSHALLED: Final = b"m"
_PICKLED: Final = b"p"
_MARSHAL_VERSION: Final = 2  # later versions look for shared values, which takes longer
_VERDICT: Final = Judged._fields.index("verdict")
_VERDICTS: Final = {verdict.value: verdict for verdict in Verdict}


def pack_event(case_event: CaseEvent) -> bytes:
    """Return an event as bytes for `unpack_event`."""
    at, event, is_last = case_event
    if isinstance(event, Judged) and event.evidence is None and event.known is None:
        values: list[Any] = list(event)
        values[_VERDICT] = event.verdict.value
        return _MARSHALLED + marshal.dumps((at, values, is_last), _MARSHAL_VERSION)
    return _PICKLED + pickle.dumps(case_event, pickle.HIGHEST_PROTOCOL)


def unpack_event(data: bytes) -> CaseEvent:
    """Return the event that `pack_event` made these bytes of."""
    if data[:1] == _PICKLED:
        case_event: CaseEvent = pickle.loads(data[1:])
        return case_event
    at, values, is_last = marshal.loads(data[1:])
    values[_VERDICT] = _VERDICTS[values[_VERDICT]]
    return CaseEvent(at, Judged._make(values), is_last)

"""Events on their way between processes of xtest's own: to bytes, and back.

Pure. Most are runs that passed: marshal carries their plain values in a fifth of the time of pickle.
Never for bytes from elsewhere: reading a pickle can run what stands in it.
"""

from __future__ import annotations

import marshal
import pickle
from typing import Any, Final

from harness.events import Event, Judged
from harness.records import Verdict

__all__ = ["packed", "unpacked"]

_PLAIN: Final = b"m"
_ANY: Final = b"p"
_VERDICT: Final = Judged._fields.index("verdict")
_VERDICTS: Final = {verdict.value: verdict for verdict in Verdict}


def packed(event: Event) -> bytes:
    """The bytes that stand for an event."""
    if isinstance(event, Judged) and event.evidence is None:
        plain: Any = (*event[:_VERDICT], event.verdict.value, *event[_VERDICT + 1 :])
        return _PLAIN + marshal.dumps(plain)
    return _ANY + pickle.dumps(event, pickle.HIGHEST_PROTOCOL)


def unpacked(data: bytes) -> Event:
    """The event that bytes stand for, which `packed` made."""
    if data[:1] == _PLAIN:
        plain = marshal.loads(data[1:])
        verdict = _VERDICTS[plain[_VERDICT]]
        return Judged._make((*plain[:_VERDICT], verdict, *plain[_VERDICT + 1 :]))
    event: Event = pickle.loads(data[1:])
    return event

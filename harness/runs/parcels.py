"""Events on their way between processes of xtest's own: to bytes, and back.

Pure. Most are runs that passed: marshal carries their plain values in a fifth of what pickle takes.
Never for bytes from elsewhere: reading a pickle can run what stands in it.
"""

from __future__ import annotations

import marshal
from typing import Any, Final, NamedTuple

from harness.events import Event, Judged
from harness.records import Verdict

__all__ = ["Step", "packed", "unpacked"]


class Step(NamedTuple):
    """What happened to the case at this place of its suite; `is_last`: of its runs, this was it."""

    at: int
    event: Event
    is_last: bool


_PLAIN: Final = b"m"
_ANY: Final = b"p"
_MARSHAL: Final = 2  # later versions look for what stands in a value twice, which takes longer
_VERDICT: Final = Judged._fields.index("verdict")
_VERDICTS: Final = {verdict.value: verdict for verdict in Verdict}


def packed(step: Step) -> bytes:
    """The bytes that stand for a step."""
    at, event, is_last = step
    if isinstance(event, Judged) and event.evidence is None and event.known is None:
        plain: list[Any] = list(event)
        plain[_VERDICT] = event.verdict.value
        return _PLAIN + marshal.dumps((at, plain, is_last), _MARSHAL)
    # Imported where something is not plain: what passed is spared it, which takes a while.
    import pickle  # pylint: disable=import-outside-toplevel

    return _ANY + pickle.dumps(step, pickle.HIGHEST_PROTOCOL)


def unpacked(data: bytes) -> Step:
    """The step that bytes stand for, which `packed` made."""
    if data[:1] != _PLAIN:
        import pickle  # pylint: disable=import-outside-toplevel  # as above

        step: Step = pickle.loads(data[1:])
        return step
    at, plain, is_last = marshal.loads(data[1:])
    plain[_VERDICT] = _VERDICTS[plain[_VERDICT]]
    return Step(at, Judged._make(plain), is_last)

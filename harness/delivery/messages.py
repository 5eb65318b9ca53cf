"""Lay out the messages of a script, and cut them into timed chunks, as a delivery says.

What a script sends without waiting in between is one text, which may hold several messages. All
pauses of a run take as long as those of a plain case at most. Source: docs/deliveries.md.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from functools import partial
from itertools import islice
from typing import Final

from harness.delivery import transforms
from harness.delivery.registry import Delivery
from harness.dialogue.framing import framed
from harness.model.dialogue import Framing, Script
from harness.model.transcript import Chunk, MessageFormat

_SHARE: Final = 8  # a text takes this part of the pauses that are left
_LEAST: Final = 5  # delicate places that are looked for: one of each kind
_MARGIN: Final = b" \t\r\n" * 250  # around each message
_HEADER_END: Final = re.compile(rb"\r\n\r\n")
_CLOSED: Final = b']}"'  # nothing needs to follow a value that ends so
# Those that change how a message looks. Every message is compact.
_LAYOUTS: Final[Mapping[Framing, Collection[Delivery]]] = {
    Framing.VALUES: (
        Delivery.PRETTY,
        Delivery.ESCAPED,
        Delivery.CRLF,
        Delivery.NO_FINAL_NEWLINE,
        Delivery.WHITE_SPACE,
    ),
    Framing.LINES: (Delivery.ESCAPED, Delivery.CRLF),
    Framing.CONTENT_LENGTH: (Delivery.PRETTY, Delivery.ESCAPED, Delivery.WHITE_SPACE),
}
_PACES: Final = (Delivery.BYTE_BY_BYTE, Delivery.SLOW, Delivery.CUT, Delivery.AT_ONCE)


def script_deliveries(selected: Collection[Delivery], script: Script) -> tuple[Delivery, ...]:
    """Return the selected deliveries that make a difference for a script."""
    possible = (Delivery.PLAIN, *_LAYOUTS[script.rules.framing], *_PACES)
    return tuple(each for each in Delivery if each in selected and each in possible)


def message_format(delivery: Delivery, framing: Framing) -> MessageFormat:
    """Return how a delivery sends the messages of one run."""
    frame = partial(framed, framing=framing)
    if delivery in _LAYOUTS[framing]:
        frame = partial(_laid_out, delivery=delivery, framing=framing)
    if delivery not in _PACES:
        return MessageFormat(frame)
    return MessageFormat(frame, _Pacer(delivery).chunks)


def _laid_out(text: bytes, delivery: Delivery, framing: Framing) -> bytes:
    """Return the bytes in which a message is sent."""
    if delivery is Delivery.WHITE_SPACE:
        text = _MARGIN + text + _MARGIN
    elif delivery is Delivery.NO_FINAL_NEWLINE:
        return text if text[-1:] in _CLOSED else framed(text, framing)
    elif delivery is not Delivery.CRLF:
        text = delivery.transform(text)
    data = framed(text, framing)
    return transforms.crlf(data) if delivery is Delivery.CRLF else data


class _Pacer:
    def __init__(self, delivery: Delivery) -> None:
        self._delivery = delivery
        is_slow = delivery is Delivery.SLOW
        self._pauses_left = transforms.SLOW_CHUNKS - 1 if is_slow else transforms.MOST_PAUSED
        self._pause_s = transforms.SLOW_PAUSE_S if is_slow else transforms.PAUSE_S
        self._has_begun = False

    def chunks(self, text: bytes) -> list[Chunk]:
        """Return the chunks of what the script sends next."""
        most = -(-self._pauses_left // _SHARE)
        places = self._places(text, most)
        first_s = 0.0 if self._has_begun else transforms.START_S
        chunks = list(transforms.cut_at(text, places, self._pause_s, first_s))
        self._pauses_left -= len(chunks) - 1
        self._has_begun = True
        return chunks

    def _places(self, text: bytes, most: int) -> Collection[int]:
        """Return at most this many offsets at which a text is cut."""
        ends = [match.end() for match in _HEADER_END.finditer(text)]
        match self._delivery:
            case Delivery.SLOW:  # a header and its body come apart
                return ends[:most] or transforms.between_tokens(text, most + 1)
            case Delivery.CUT:  # also inside a header, and inside the line end after it
                inside = [place for end in ends for place in (end - 3, end - 6)]
                delicate = transforms.delicate_places(text, max(most, _LEAST))
                return list(islice((*inside[: most // 2], *ends[: most // 4], *delicate), most))
            case Delivery.BYTE_BY_BYTE:
                half = most // 2
                first, last = range(1, len(text)), range(len(text) - half, len(text))
                return first[:most] if len(text) <= most else (*first[:half], *last)
            case _:
                return ()

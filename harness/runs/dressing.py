"""What deliveries do to an input: dressing a text, and cutting it into pieces, each in its time.

Pure: bytes in, pieces out; nothing is written and no time passes here. Every delivery carries the
same values, down to the spelling of numbers. Source: docs/deliveries.md.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import islice
from typing import Final, NamedTuple

from harness.records import InputKind, Piece
from harness.runs.deliveries import DELIVERIES, Delivery

__all__ = ["MOST_PAUSED", "MOST_PAUSE_S", "applicable", "distinct", "dressed", "feed"]

# Two pieces that are written without a pause may arrive as one. A reader that waits for the next
# one has it within a fraction of a millisecond; 2 ms leave room for a busy machine.
_PAUSE_S: Final = 0.002
# The first piece comes when most programs are up and waiting for it.
_START_S: Final = 0.1
MOST_PAUSED: Final = 400  # pauses in one delivery after the first piece, however long the input
MOST_PAUSE_S: Final = _START_S + MOST_PAUSED * _PAUSE_S  # all of them together: 0.9 s
_SLOW_PIECES: Final = 8
_SLOW_PAUSE_S: Final = 0.1  # longer than what programs take for the end of input; 8 fit in 0.9 s
_SINGLE_BYTES: Final = 150  # at each end of an input that is too long to go byte by byte

_WHITE: Final = b" \t\r\n"
_MARGIN: Final = _WHITE * 17_500  # 70,000 bytes: more than a pipe holds (65,536)

_STRING: Final = rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
_TOKEN: Final = re.compile(_STRING + rb'|[\[\]{},:]|[^\[\]{},:" \t\r\n]+')
_WHITE_RUN: Final = re.compile(rb"[ \t\r\n]*")
# Two numbers or words with nothing but white space between them stand at top level, and need it.
_SQUEEZED: Final = re.compile(
    rb"(?P<string>"
    + _STRING
    + rb")|(?P<parts>(?<=[0-9a-z])[ \t\r\n]++(?=[-0-9a-z]))"
    + rb"|(?P<end>[ \t\r\n]++\Z)|[ \t\r\n]++"
)
_FIRST_OF_STRING: Final = re.compile(rb'"([^"\\]?)([^"\\]*+(?:\\.[^"\\]*+)*+")')
_BEYOND_ASCII: Final = re.compile("[^\x00-\x7f]")
_BARE_LINE_END: Final = re.compile(rb"(?<!\r)\n")
_BETWEEN_TOKENS: Final = re.compile(rb"(?<=[\[\]{},: \t\r\n])")
# What a reader of chunks may mistake if it comes in two. A search may begin anywhere, also inside a
# string, and what looks like a number there is cut too: a cut can do no harm, wherever it is.
_DELICATE: Final = (
    re.compile(rb"[\xc2-\xf4][\x80-\xbf]+"),  # a character
    re.compile(rb"\\u[dD][89abAB]..\\u....|\\u....|\\."),  # an escape; a pair counts as one
    re.compile(rb"(?<![^\[\]{},: \t\r\n])[-0-9][-+.eE0-9]+"),  # a number
    re.compile(rb"true|false|null"),
    re.compile(rb'"\w+'),  # the beginning of a string
)
# Lines of a pretty text are indented by the depth, up to this one: 10,000 open brackets would
# otherwise come to 10,000 * 10,000 * 2 bytes.
_DEEPEST_INDENT: Final = 16
_LINE_STARTS: Final = tuple(b"\n" + b"  " * depth for depth in range(_DEEPEST_INDENT + 1))


def dressed(delivery: Delivery, stdin: bytes) -> bytes:
    """The text that a delivery makes of an input that is a stream of JSON values. Value by value
    differs from it by line ends between values."""
    return _WAYS[delivery].dress(stdin)


def feed(delivery: Delivery, stdin: bytes, kind: InputKind) -> Iterator[Piece]:
    """The pieces that a case's input is fed in, none of them empty; drawn one at a time.

    After the last one standard input is closed. At most `MOST_PAUSED` pieces and the first one wait
    for a time, `MOST_PAUSE_S` in all; only those of value by value wait for answers. Raises
    ValueError for raw input, which is fed plain only.
    """
    if kind is InputKind.RAW and delivery is not Delivery.PLAIN:
        raise ValueError(f'raw input is fed plain only, not "{delivery.value}"')
    way = _WAYS[delivery]
    return way.pace(way.dress(stdin))


def applicable(
    delivery: Delivery,
    stdin: bytes,
    kind: InputKind,
    *,
    conversation: bool,
    beside: Collection[Delivery] = (Delivery.PLAIN,),
) -> bool:
    """Whether a delivery is to be run for a case, `beside` others that are selected with it: it can
    be, and none of those before it in `DELIVERIES` feeds the very same pieces."""
    return delivery in distinct((delivery, *beside), stdin, kind, conversation=conversation)


def distinct(
    selected: Collection[Delivery], stdin: bytes, kind: InputKind, *, conversation: bool
) -> tuple[Delivery, ...]:
    """Those of the selected deliveries that are to be run for a case, in the order of `DELIVERIES`:
    raw input is plain only, value by value needs a suite of conversations, and of those that feed
    the very same pieces the first is enough."""
    found: dict[tuple[Piece, ...], Delivery] = {}
    for delivery in DELIVERIES:
        if delivery in selected and _possible(delivery, kind, conversation=conversation):
            # Only value by value has more pieces than these, and its second one is like no other.
            pieces = tuple(islice(feed(delivery, stdin, kind), MOST_PAUSED + 1))
            found.setdefault(pieces, delivery)
    return tuple(found.values())


def _possible(delivery: Delivery, kind: InputKind, *, conversation: bool) -> bool:
    if kind is InputKind.RAW:
        return delivery is Delivery.PLAIN
    return conversation or delivery is not Delivery.VALUE_BY_VALUE


# Dressing: a text of JSON values into another text of the same values. Those that are not
# about the end leave it as it is, a final line end or none: a program that fails at that alone
# would otherwise be told the wrong reason.


def _compact(text: bytes) -> bytes:
    return _SQUEEZED.sub(_squeezed, text)


def _squeezed(match: re.Match[bytes]) -> bytes:
    if match.lastgroup == "string":
        return match[0]
    return {"parts": b" ", "end": b"\n"}.get(match.lastgroup or "", b"")


def _pretty(text: bytes) -> bytes:
    out: list[bytes] = []
    depth = 0
    before = b""
    for token in _TOKEN.findall(text):
        depth -= token in b"]}"
        out.append(_gap(before, token, depth))
        out.append(token)
        depth += token in b"[{"
        before = token
    out.append(b"" if text == text.rstrip(_WHITE) else b"\n")
    return b"".join(out)


def _gap(before: bytes, token: bytes, depth: int) -> bytes:
    """What stands between two tokens, of which the second one stands at this depth."""
    if before == b":":
        return b" "
    if before == b"" or token in b",:" or before + token in (b"[]", b"{}"):
        return b""
    return _LINE_STARTS[min(depth, _DEEPEST_INDENT)]


def _escaped(text: bytes) -> bytes:
    ascii_only = _BEYOND_ASCII.sub(lambda match: _escape(match[0]), text.decode()).encode()
    return _FIRST_OF_STRING.sub(_with_first_escaped, ascii_only)


def _with_first_escaped(match: re.Match[bytes]) -> bytes:
    # Most texts have nothing beyond ASCII: one character of each string is escaped all the same.
    return b'"' + _escape(match[1].decode()).encode() + match[2] if match[1] else match[0]


def _escape(character: str) -> str:
    units = character.encode("utf-16-be").hex()
    return "".join(f"\\u{units[start : start + 4]}" for start in range(0, len(units), 4))


def _crlf(text: bytes) -> bytes:
    # Inside a string a line end cannot stand but escaped: all of these are between tokens.
    return _BARE_LINE_END.sub(b"\r\n", text)


def _no_final_newline(text: bytes) -> bytes:
    return text.rstrip(_WHITE)


def _white_space(text: bytes) -> bytes:
    return _MARGIN + text + _MARGIN


# Pacing: a text into pieces, each in its time.


def _whole(text: bytes) -> Iterator[Piece]:
    return _pieces(text, ())


def _at_once(text: bytes) -> Iterator[Piece]:
    return _pieces(text, (), first_pause_s=_START_S)


def _slow(text: bytes) -> Iterator[Piece]:
    # Between tokens, so that what fails here fails for the time that it takes.
    sought = (
        _BETWEEN_TOKENS.search(text, len(text) * part // _SLOW_PIECES)
        for part in range(1, _SLOW_PIECES)
    )
    places = [match.start() for match in sought if match]
    return _pieces(text, places, pause_s=_SLOW_PAUSE_S, first_pause_s=_START_S)


def _byte_by_byte(text: bytes) -> Iterator[Piece]:
    if len(text) <= MOST_PAUSED + 1:
        return _apart(text, range(1, len(text)))
    ends = (*range(1, _SINGLE_BYTES + 1), *range(len(text) - _SINGLE_BYTES, len(text)))
    return _apart(text, (*ends, *_delicate_places(text, MOST_PAUSED - len(ends))))


def _cut(text: bytes) -> Iterator[Piece]:
    return _apart(text, tuple(_delicate_places(text, MOST_PAUSED)))


def _delicate_places(text: bytes, most: int) -> Iterator[int]:
    """Offsets inside characters, escapes, numbers, words and strings: at most `most`, and of each
    kind its share, spread over the text."""
    share = most // len(_DELICATE)
    # What begins at least len / share bytes apart begins at most `share` times.
    apart = -(-len(text) // share)
    for kind in _DELICATE:
        match = kind.search(text)
        while match:
            yield (match.start() + match.end()) // 2
            match = kind.search(text, max(match.end(), match.start() + apart))


def _apart(text: bytes, places: Sequence[int]) -> Iterator[Piece]:
    # Where nothing is cut there is nothing to wait for: the delivery is plain's.
    return _pieces(text, places, pause_s=_PAUSE_S, first_pause_s=_START_S if places else 0.0)


def _pieces(
    text: bytes, places: Collection[int], *, pause_s: float = 0.0, first_pause_s: float = 0.0
) -> Iterator[Piece]:
    """The text cut at these offsets (1 to its length), which come in any order, perhaps twice; the
    last one cuts nothing."""
    inner = sorted({*places} - {len(text)})
    if text:
        yield Piece(text[: inner[0] if inner else None], first_pause_s)
    for start, stop in zip(inner, [*inner[1:], len(text)]):
        yield Piece(text[start:stop], pause_s)


def _value_by_value(text: bytes) -> Iterator[Piece]:
    """Each value with the white space after it. Between two values there is a line end at least: a
    program that reads lines, or a number that ends only where something follows, would wait."""
    start = 0
    for number, end in enumerate(_value_ends(text)):
        match = _WHITE_RUN.match(text, end)
        stop = match.end() if match else end
        ended = stop == len(text) or b"\n" in text[end:stop]
        yield Piece(text[start:stop] + (b"" if ended else b"\n"), answers=number)
        start = stop
    if start < len(text):  # white space and no value
        yield Piece(text[start:])


def _value_ends(text: bytes) -> Iterator[int]:
    depth = 0
    for match in _TOKEN.finditer(text):
        token = match[0]
        depth += (token in b"[{") - (token in b"]}")
        if depth == 0:
            yield match.end()


class _Way(NamedTuple):
    """What makes a delivery: its text, and the pieces of it."""

    dress: Callable[[bytes], bytes]
    pace: Callable[[bytes], Iterator[Piece]]


_WAYS: Final[Mapping[Delivery, _Way]] = {
    Delivery.PLAIN: _Way(bytes, _whole),
    Delivery.COMPACT: _Way(_compact, _whole),
    Delivery.PRETTY: _Way(_pretty, _whole),
    Delivery.ESCAPED: _Way(_escaped, _whole),
    Delivery.CRLF: _Way(_crlf, _whole),
    Delivery.NO_FINAL_NEWLINE: _Way(_no_final_newline, _whole),
    Delivery.WHITE_SPACE: _Way(_white_space, _whole),
    Delivery.BYTE_BY_BYTE: _Way(bytes, _byte_by_byte),
    Delivery.SLOW: _Way(bytes, _slow),
    Delivery.CUT: _Way(bytes, _cut),
    Delivery.AT_ONCE: _Way(bytes, _at_once),
    Delivery.VALUE_BY_VALUE: _Way(bytes, _value_by_value),
}

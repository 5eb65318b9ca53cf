"""Lay out an input differently, and cut it into timed chunks.

Pure: bytes in, chunks out. Every transform and every pacing keeps the values, down to the spelling
of numbers. A transform of a large text takes seconds, the next chunk of a pacing milliseconds; both
take little memory. registry.py combines them into deliveries. Source: docs/deliveries.md.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Final

from harness.jsonio.decoder import end_of_run
from harness.model.transcript import Chunk

# Two chunks written without a pause may arrive as one. A waiting reader gets the next one within a
# fraction of a millisecond; 2 ms leave room for a busy machine.
PAUSE_S: Final = 0.002
# The first chunk comes when most programs are waiting for it.
START_S: Final = 0.1
MOST_PAUSED: Final = 400  # pauses in one delivery after the first chunk
MOST_PAUSE_S: Final = START_S + MOST_PAUSED * PAUSE_S  # all of them together: 0.9 s
SLOW_CHUNKS: Final = 8
SLOW_PAUSE_S: Final = 0.1  # longer than programs wait for the end of input; 8 fit in 0.9 s
_SINGLE_BYTES: Final = 150  # at each end of an input that is too long to go byte by byte

_BLOCK: Final = 65_536  # bytes that are looked at for one chunk

_WHITE: Final = b" \t\r\n"
_MARGIN: Final = _WHITE * 17_500  # 70,000 bytes: more than a pipe holds (65,536)

_STRING: Final = rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
_TOKEN: Final = re.compile(_STRING + rb'|[\[\]{},:]|[^\[\]{},:" \t\r\n]+')
_WHITE_RUN: Final = re.compile(rb"[ \t\r\n]*")
# Only between two numbers or words at top level is white space needed.
_SQUEEZED: Final = re.compile(
    rb"(?P<kept>"
    + _STRING
    + rb'|[^" \t\r\n]++)|(?P<parts>(?<=[0-9a-z])[ \t\r\n]++(?=[-0-9a-z]))'
    + rb"|(?P<end>[ \t\r\n]++\Z)|[ \t\r\n]++"
)
_STRING_OR_REST: Final = re.compile(_STRING + rb'|[^"]++')
_BEYOND_ASCII: Final = re.compile("[^\x00-\x7f]")
_BETWEEN_TOKENS: Final = re.compile(rb"(?<=[\[\]{},: \t\r\n])")
# Text that a reader of chunks may misread if it is cut. A search may begin inside a string, and cut
# what looks like a number there: a cut is harmless anywhere.
_DELICATE: Final = (
    re.compile(rb"[\xc2-\xf4][\x80-\xbf]+"),  # a character
    re.compile(rb"\\u[dD][89abAB]..\\u....|\\u....|\\."),  # an escape; a pair counts as one
    re.compile(rb"(?<![^\[\]{},: \t\r\n])[-0-9][-+.eE0-9]+"),  # a number
    re.compile(rb"true|false|null"),
    re.compile(rb'"\w+'),  # the beginning of a string
)
# The deepest indentation of a pretty text: 10,000 open brackets would otherwise take
# 10,000 * 10,000 * 2 bytes.
_DEEPEST_INDENT: Final = 16
_LINE_STARTS: Final = tuple(b"\n" + b"  " * depth for depth in range(_DEEPEST_INDENT + 1))


# Transforms. Those that are not about the end of a text keep its final line end or its absence: a
# program that fails only because of that would otherwise get the wrong reason.


def compact(text: bytes) -> bytes:
    return _join(map(_squeezed, _SQUEEZED.finditer(text)))


def _squeezed(match: re.Match[bytes]) -> bytes:
    if match.lastgroup == "kept":
        return match[0]
    return {"parts": b" ", "end": b"\n"}.get(match.lastgroup or "", b"")


def pretty(text: bytes) -> bytes:
    out = bytearray()
    depth = 0
    before = b""
    for match in _TOKEN.finditer(text):
        token = match[0]
        depth -= token in b"]}"
        out += _gap(before, token, depth)
        out += token
        depth += token in b"[{"
        before = token
    out += b"" if text == text.rstrip(_WHITE) else b"\n"
    return bytes(out)


def _gap(before: bytes, token: bytes, depth: int) -> bytes:
    """Return the white space between two tokens, the second of which is at this depth."""
    if before == b":":
        return b" "
    if before == b"" or token in b",:" or before + token in (b"[]", b"{}"):
        return b""
    return _LINE_STARTS[min(depth, _DEEPEST_INDENT)]


def escaped(text: bytes) -> bytes:
    return _join(part for each in _STRING_OR_REST.finditer(text) for part in _escaped(each[0]))


def _escaped(part: bytes) -> Iterator[bytes]:
    if part[:1] != b'"':
        yield part
        return
    # The text of a case that is not parsed yet may be invalid UTF-8.
    string = part.decode("utf-8", "replace")
    # Most texts are ASCII, so one character of each string is always escaped.
    begin = 1 if string[1] in '"\\' else 2
    yield f'"{_escape(string[1:begin])}'.encode()
    for start in range(begin, len(string), _BLOCK):
        block = string[start : start + _BLOCK]
        yield _BEYOND_ASCII.sub(lambda match: _escape(match[0]), block).encode()


def _escape(character: str) -> str:
    units = character.encode("utf-16-be").hex()
    return "".join(f"\\u{units[start : start + 4]}" for start in range(0, len(units), 4))


def crlf(text: bytes) -> bytes:
    # Line ends inside strings are escaped, so these are all between tokens.
    return text.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")


def no_final_newline(text: bytes) -> bytes:
    return text.rstrip(_WHITE)


def white_space(text: bytes) -> bytes:
    return _MARGIN + text + _MARGIN


def _join(parts: Iterable[bytes]) -> bytes:
    """Return the parts joined, without the list that `b"".join` makes of them."""
    joined = bytearray()
    for part in parts:
        joined += part
    return bytes(joined)


# Pacing: text to chunks.


def whole(text: bytes) -> Iterator[Chunk]:
    return cut_at(text, ())


def at_once(text: bytes) -> Iterator[Chunk]:
    return cut_at(text, (), first_pause_s=START_S)


def slow(text: bytes) -> Iterator[Chunk]:
    """Yield a text in a few chunks, cut between tokens so that only the time can matter."""
    return cut_at(text, between_tokens(text, SLOW_CHUNKS), SLOW_PAUSE_S, START_S)


def between_tokens(text: bytes, parts: int) -> list[int]:
    """Return offsets between tokens that divide a text into about equal parts."""
    matches = (
        _BETWEEN_TOKENS.search(text, start, start + _BLOCK)
        for start in (len(text) * part // parts for part in range(1, parts))
    )
    return [match.start() for match in matches if match]


def byte_by_byte(text: bytes) -> Iterator[Chunk]:
    if len(text) <= MOST_PAUSED + 1:
        return _apart(text, range(1, len(text)))
    ends = (*range(1, _SINGLE_BYTES + 1), *range(len(text) - _SINGLE_BYTES, len(text)))
    return _apart(text, (*ends, *delicate_places(text, MOST_PAUSED - len(ends))))


def cut(text: bytes) -> Iterator[Chunk]:
    return _apart(text, tuple(delicate_places(text, MOST_PAUSED)))


def delicate_places(text: bytes, most: int) -> Iterator[int]:
    """Yield at most `most` offsets inside tokens and characters: a share for each kind of them."""
    share = most // len(_DELICATE)
    # Matches at least len / share bytes apart are at most `share` matches.
    apart = -(-len(text) // share)
    for kind in _DELICATE:
        start = 0
        while start < len(text):
            match = kind.search(text, start, start + _BLOCK)
            if match:
                yield (match.start() + match.end()) // 2
                start = max(match.end(), match.start() + apart)
            else:
                start += max(_BLOCK, apart)


def _apart(text: bytes, places: Sequence[int]) -> Iterator[Chunk]:
    # Without a cut there is no pause, so that the delivery equals plain.
    return cut_at(text, places, PAUSE_S, START_S if places else 0.0)


def cut_at(
    text: bytes, places: Collection[int], pause_s: float = 0.0, first_pause_s: float = 0.0
) -> Iterator[Chunk]:
    """Yield a text cut at offsets from 1 to its length, in any order; duplicates and the last
    offset cut nothing."""
    inner = sorted({*places} - {len(text)})
    if text:
        yield Chunk(text[: inner[0] if inner else None], first_pause_s)
    for start, stop in zip(inner, [*inner[1:], len(text)]):
        yield Chunk(text[start:stop], pause_s)


def value_by_value(text: bytes) -> Iterator[Chunk]:
    """Yield each value with the white space after it, and with at least a line end.

    Otherwise a program that reads lines, or a number that only ends where something follows, would
    wait.
    """
    start = number = depth = 0
    for match in _TOKEN.finditer(text):
        token = match[0]
        depth += (token in b"[{") - (token in b"]}")
        if depth == 0:
            stop = end_of_run(_WHITE_RUN, text, match.end())
            ended = stop == len(text) or b"\n" in text[match.end() : stop]
            yield Chunk(text[start:stop] + (b"" if ended else b"\n"), answers=number)
            start, number = stop, number + 1
        elif match.end() - start >= _BLOCK:  # a part of a large value
            yield Chunk(text[start : match.end()], answers=number)
            start = match.end()
    if start < len(text):  # white space without a value
        yield Chunk(text[start:])

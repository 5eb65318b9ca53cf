"""Where in a text something stands: line and column of a byte, and of a value by its steps.

Pure: bytes in, places out. The text of a value was accepted by the decoder before it comes here;
nothing is judged. Lines and columns count from 1, columns in characters. Source: docs/care.md.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Final, NamedTuple

__all__ = ["Position", "position_at", "position_of_value"]


class Position(NamedTuple):
    """A line and a column, from 1."""

    line: int
    column: int


_WHITE: Final = re.compile(rb"[ \t\r\n]*")
_STRING: Final = re.compile(rb'"(?:[^"\\]|\\.)*+"', re.DOTALL)
_UNQUOTED: Final = re.compile(rb"[-+.0-9A-Za-z]+")
# Inside a container: whatever is neither a bracket nor a string.
_BETWEEN: Final = re.compile(rb'[^"\[\]{}]*+')
_OPENING: Final = b"[{"
_QUOTE: Final = b'"'


def position_at(text: bytes, offset: int) -> Position:
    """The line and column of a byte; what is no UTF-8 counts as one character a byte or more."""
    line = text.count(b"\n", 0, offset) + 1
    begin = text.rfind(b"\n", 0, offset) + 1
    return Position(line, len(text[begin:offset].decode("utf-8", "replace")) + 1)


def position_of_value(text: bytes, steps: Sequence[int | str]) -> Position:
    """Where a value begins in a stream of values: the first step is its index in the stream, the
    others are indices and keys, as far down as there is such a value. No step: the first value."""
    begin = _skip_white(text, 0)
    if steps:
        begin = _nth(text, begin, int(steps[0]))
    for step in steps[1:]:
        inside = _inside(text, begin, step)
        if inside is None:
            break
        begin = inside
    return position_at(text, min(begin, len(text)))


def _nth(text: bytes, begin: int, index: int) -> int:
    """The start of a value of the stream; the end of the text where it has not so many."""
    for _ in range(index):
        begin = _skip_white(text, _end_of_value(text, begin))
    return begin


def _inside(text: bytes, begin: int, step: int | str) -> int | None:
    """The start of an element or a member of the container that begins here."""
    kind = text[begin : begin + 1]
    if kind == b"[" and isinstance(step, int):
        return _element(text, begin + 1, step)
    if kind == b"{" and isinstance(step, str):
        return _member(text, begin + 1, step)
    return None


def _element(text: bytes, position: int, index: int) -> int | None:
    position = _skip_white(text, position)
    while text[position : position + 1] != b"]":
        if index == 0:
            return position
        index -= 1
        position = _after_comma(text, _end_of_value(text, position))
    return None


def _member(text: bytes, position: int, wanted: str) -> int | None:
    position = _skip_white(text, position)
    while text[position : position + 1] == _QUOTE:
        end = _end_of_value(text, position)
        key = json.loads(text[position:end])
        colon = _skip_white(text, end)
        value = _skip_white(text, colon + 1)
        if key == wanted:
            return value
        position = _after_comma(text, _end_of_value(text, value))
    return None


def _after_comma(text: bytes, position: int) -> int:
    position = _skip_white(text, position)
    if text[position : position + 1] == b",":
        position = _skip_white(text, position + 1)
    return position


def _skip_white(text: bytes, position: int) -> int:
    return _end_of(_WHITE, text, position)


def _end_of_value(text: bytes, position: int) -> int:
    """Where the value that begins here ends; not by recursion, as values may be nested deep."""
    first = text[position : position + 1]
    if first == _QUOTE:
        return _end_of(_STRING, text, position)
    if not first or first not in _OPENING:
        return _end_of(_UNQUOTED, text, position)
    depth = 0
    while True:
        here = text[position : position + 1]
        if here == _QUOTE:
            position = _end_of(_STRING, text, position)
        else:
            depth += 1 if here in _OPENING else -1
            position += 1
            if depth == 0:
                return position
        position = _end_of(_BETWEEN, text, position)


def _end_of(pattern: re.Pattern[bytes], text: bytes, position: int) -> int:
    found = pattern.match(text, position)
    return found.end() if found else position

"""Find the line and column of a byte, or of a value, in a JSON text.

The decoder must have accepted the text of a value. Lines and columns count from 1, columns in
characters.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Final, NamedTuple

__all__ = ["Position", "position_at", "position_of_value"]


class Position(NamedTuple):
    """A line and a column, counted from 1."""

    line: int
    column: int


_WHITE: Final = re.compile(rb"[ \t\r\n]*")
_STRING: Final = re.compile(rb'"(?:[^"\\]|\\.)*+"', re.DOTALL)
_UNQUOTED: Final = re.compile(rb"[-+.0-9A-Za-z]+")
# Inside a container: neither a bracket nor a string.
_BETWEEN: Final = re.compile(rb'[^"\[\]{}]*+')
_OPENING: Final = b"[{"
_QUOTE: Final = b'"'


def position_at(text: bytes, offset: int) -> Position:
    """Return the position of a byte; invalid UTF-8 counts as one character or more per byte."""
    line = text.count(b"\n", 0, offset) + 1
    begin = text.rfind(b"\n", 0, offset) + 1
    return Position(line, len(text[begin:offset].decode("utf-8", "replace")) + 1)


def position_of_value(text: bytes, steps: Sequence[int | str]) -> Position:
    """Return the position of a value in a stream of values.

    The first step is its index in the stream; the others are indices and keys, followed as far as
    there are such values. Without steps it is the first value.
    """
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
    """Return the offset of a value of the stream, or the end of the text if it has fewer."""
    for _ in range(index):
        begin = _skip_white(text, _end_of_value(text, begin))
    return begin


def _inside(text: bytes, begin: int, step: int | str) -> int | None:
    """Return the offset of an element or member of the container at `begin`, or None."""
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
    """Return the offset after a value. Does not recurse: values may be nested deeply."""
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
    match = pattern.match(text, position)
    return match.end() if match else position

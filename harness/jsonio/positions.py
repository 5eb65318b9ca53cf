"""Find the line and column of a byte, or of a value, in a JSON text.

The decoder must have accepted the text of a value. Lines and columns count from 1, columns in
characters.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from itertools import count
from typing import Final, NamedTuple

from harness.jsonio.decoder import end_of_run


class Position(NamedTuple):
    line: int
    column: int


_WHITE: Final = re.compile(rb"[ \t\r\n]*")
_STRING: Final = re.compile(rb'"(?:[^"\\]|\\.)*+"', re.DOTALL)
_UNQUOTED: Final = re.compile(rb"[-+.0-9A-Za-z]+")
# Inside a container: neither a bracket nor a string.
_BETWEEN: Final = re.compile(rb'[^"\[\]{}]*+')
_OPENING: Final = b"[{"
_CLOSING: Final = b"]}"
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
    begin = end_of_run(_WHITE, text, 0)
    for _ in range(int(steps[0]) if steps else 0):
        begin = end_of_run(_WHITE, text, _end_of_value(text, begin))
    for step in steps[1:]:
        found = (offset for name, offset in _inside(text, begin) if name == step)
        inside = next(found, None)
        if inside is None:
            break
        begin = inside
    return position_at(text, min(begin, len(text)))


def _inside(text: bytes, begin: int) -> Iterator[tuple[int | str, int]]:
    """Yield the index or key, and the offset, of each value in the container at `begin`, if any."""
    kind = text[begin : begin + 1]
    position = end_of_run(_WHITE, text, begin + 1)
    for index in count() if kind and kind in _OPENING else ():
        name: int | str = index
        if text[position : position + 1] in _CLOSING:
            return
        if kind == b"{":
            end = _end_of_value(text, position)
            name = json.loads(text[position:end])
            colon = end_of_run(_WHITE, text, end)
            position = end_of_run(_WHITE, text, colon + 1)
        yield name, position
        position = end_of_run(_WHITE, text, _end_of_value(text, position))
        if text[position : position + 1] == b",":
            position = end_of_run(_WHITE, text, position + 1)


def _end_of_value(text: bytes, position: int) -> int:
    """Return the offset after a value. Does not recurse: values may be nested deeply."""
    first = text[position : position + 1]
    if first == _QUOTE:
        return end_of_run(_STRING, text, position)
    if not first or first not in _OPENING:
        return end_of_run(_UNQUOTED, text, position)
    depth = 0
    while True:
        here = text[position : position + 1]
        if here == _QUOTE:
            position = end_of_run(_STRING, text, position)
        else:
            depth += 1 if here in _OPENING else -1
            position += 1
            if depth == 0:
                return position
        position = end_of_run(_BETWEEN, text, position)

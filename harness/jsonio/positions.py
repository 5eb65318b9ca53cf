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


class Position(NamedTuple):
    line: int
    column: int


# White space and colons are skipped.
_TOKEN: Final = re.compile(rb'"(?:[^"\\]|\\.)*+"|[\[\]{},]|[-+.0-9A-Za-z]+', re.DOTALL)


def position_at(text: bytes, offset: int) -> Position:
    """Return the position of a byte; invalid UTF-8 counts as one character or more per byte."""
    line = text.count(b"\n", 0, offset) + 1
    begin = text.rfind(b"\n", 0, offset) + 1
    return Position(line, len(text[begin:offset].decode("utf-8", "replace")) + 1)


def position_of_value(text: bytes, steps: Sequence[int | str]) -> Position:
    """Return the position of a value in a stream of values.

    The first step is its index in the stream; the others are indices and keys, followed as far as
    there are such values. Without steps it is the first value. A value beyond the last is the end.
    """
    wanted = [*steps] or [0]
    begin, depth = len(text), 0  # of the value at the first steps
    for place, offset in _places(text):
        if len(place) == depth + 1 and place == wanted[: depth + 1]:
            begin, depth = offset, depth + 1
            if depth == len(wanted):
                break
    return position_at(text, begin)


def stream_offsets(text: bytes) -> list[int]:
    """Return the offset of each value in a stream."""
    return [offset for place, offset in _places(text) if len(place) == 1]


def _places(text: bytes) -> Iterator[tuple[list[int | str], int]]:
    """Yield the steps to each value, in one list that changes, and its offset."""
    numbers = count()
    place: list[int | str] = [0]
    is_key = False
    for match in _TOKEN.finditer(text):
        token = match[0]
        if token in b"]}":
            place.pop()
            is_key = False
        elif token == b",":
            last = place[-1]
            is_key = isinstance(last, str)
            place[-1] = last if isinstance(last, str) else last + 1
        elif is_key:
            place[-1] = json.loads(token)
            is_key = False
        else:
            if len(place) == 1:
                place[0] = next(numbers)
            yield place, match.start()
            if token in b"[{":
                is_key = token == b"{"
                place.append("" if is_key else 0)

"""Differences as rows of two columns: in the JSON around them, with long equal parts folded.

Pure: the evidence of a run goes in, rows come out; how wide a screen is, and how it shows them, is
not known here. No row decides what is equal: the differences say so. Source: docs/differences.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import Enum
from typing import Final, NamedTuple

from harness.events import Bytes, Evidence, ShownDifference
from harness.jsonfast import decode
from harness.jsontext import Json, encode
from harness.records import MISSING, Missing
from harness.words import clip, count_of

__all__ = ["Mark", "Row", "rows_of"]

_AROUND: Final = 1  # equal neighbours that are shown on either side of a difference
_EQUAL: Final = 400  # characters of an equal value: no screen shows more of a line


class Mark(Enum):
    """What a row shows."""

    SAME = " "
    CHANGED = "|"
    MISSING = "<"
    EXTRA = ">"
    FOLDED = "…"


class Row(NamedTuple):
    """A line of expected JSON beside one of printed JSON. `depth`: of the nesting; `place` and
    `beside`: the pointers of a difference, on the expected and on the printed side ("": none).
    FOLDED: `left` says what is left out."""

    mark: Mark
    left: str
    right: str
    depth: int = 0
    place: str = ""
    beside: str = ""


def rows_of(evidence: Evidence) -> list[Row]:
    """The rows of all differences that the evidence lists: in their context, where both streams are
    carried as a whole; otherwise one after another."""
    found = evidence.differences
    expected, actual = _values(evidence.expected), _values(evidence.stdout)
    if expected is not None and actual is not None:
        goes_on = evidence.differences_total > len(found)
        rows = list(_Walk(found, goes_on=goes_on).rows(expected, actual))
        # Pointers that were cut lead nowhere.
        if sum(bool(row.place) for row in rows) == len(found):
            return rows
    return [_lone_row(one) for one in found]


def _values(carried: Bytes) -> list[Json] | None:
    if carried.is_cut:
        return None
    decoded = decode(carried.data)
    return decoded.values if decoded.fault is None else None


def _lone_row(one: ShownDifference) -> Row:
    beside = one.actual_pointer or one.pointer
    if one.expected is None:
        return Row(Mark.EXTRA, "", one.actual or "", 0, one.pointer, beside)
    if one.actual is None:
        return Row(Mark.MISSING, one.expected, "", 0, one.pointer, beside)
    return Row(Mark.CHANGED, one.expected, one.actual, 0, one.pointer, beside)


# Differences in their context.


class _Node:
    """The differences at a place and below it."""

    __slots__ = ("below", "here")

    def __init__(self) -> None:
        self.below: dict[str, _Node] = {}
        self.here: ShownDifference | None = None


_NONE: Final = _Node()


class _Pair(NamedTuple):
    """Two values side by side; `ours` and `theirs` say where, below them, expected and printed
    values differ."""

    label: str
    expected: Json | Missing
    actual: Json | Missing
    ours: _Node
    theirs: _Node

    @property
    def differs(self) -> bool:
        """Whether there is a difference here or below."""
        return self.ours is not _NONE or self.theirs is not _NONE


class _Walk:
    """Down two streams at once, as far as there are differences. `goes_on`: there are more of them
    than are known, so that what comes after the last known one may not be called equal."""

    def __init__(self, found: Sequence[ShownDifference], *, goes_on: bool) -> None:
        self._left = len(found) if goes_on else -1
        self._ours = _tree([one for one in found if one.expected is not None])
        self._theirs = _tree([one for one in found if one.expected is None])

    def rows(self, expected: list[Json], actual: list[Json]) -> Iterator[Row]:
        """All rows. Without recursion: values may be nested deeply."""
        whole = _Pair("", expected, actual, self._ours, self._theirs)
        levels = [("", iter(_folded(_inside(whole))))]
        while levels and self._left:
            closing, pairs = levels[-1]
            depth = len(levels) - 1
            item = next(pairs, None)
            if item is None:
                levels.pop()
                if levels:
                    yield Row(Mark.SAME, closing, closing, depth - 1)
            elif isinstance(item, int):
                yield Row(Mark.FOLDED, f"… {count_of(item, 'equal value')} …", "", depth)
            elif _is_open(item):
                opening, closing = "[]" if isinstance(item.expected, list) else "{}"
                yield Row(Mark.SAME, item.label + opening, item.label + opening, depth)
                levels.append((closing, iter(_folded(_inside(item)))))
            else:
                self._left -= item.differs
                yield _row(item, depth)


def _tree(found: Sequence[ShownDifference]) -> _Node:
    root = _Node()
    for one in found:
        node = root
        for step in one.pointer.split("/")[1:]:
            node = node.below.setdefault(step.replace("~1", "/").replace("~0", "~"), _Node())
        node.here = one
    return root


def _is_open(pair: _Pair) -> bool:
    """Whether the differences are inside: these are then two containers of one kind."""
    return pair.differs and pair.ours.here is None and pair.theirs.here is None


def _row(pair: _Pair, depth: int) -> Row:
    one = pair.ours.here or pair.theirs.here
    left, right = _text(pair.label, pair.expected), _text(pair.label, pair.actual)
    if one is None:
        return Row(Mark.SAME, clip(left, _EQUAL), clip(right, _EQUAL), depth)
    lone = _lone_row(one)
    return Row(lone.mark, left, right, depth, lone.place, lone.beside)


def _text(label: str, value: Json | Missing) -> str:
    return "" if value is MISSING else label + encode(value)


def _folded(pairs: list[_Pair]) -> Iterator[_Pair | int]:
    """The pairs that differ and their neighbours; for the others, how many they are."""
    shown: set[int] = set()
    for index, pair in enumerate(pairs):
        if pair.differs:
            shown.update(range(index - _AROUND, index + _AROUND + 1))
    hidden: list[_Pair] = []
    for index, pair in enumerate(pairs):
        if index in shown:
            yield from _fold(hidden)
            hidden = []
            yield pair
        else:
            hidden.append(pair)
    yield from _fold(hidden)


def _fold(hidden: list[_Pair]) -> list[_Pair | int]:
    """A single one takes no more room than to say that it is left out."""
    return [len(hidden)] if len(hidden) > 1 else [*hidden]


def _inside(pair: _Pair) -> list[_Pair]:
    if isinstance(pair.expected, list) and isinstance(pair.actual, list):
        return list(_elements(pair.expected, pair.actual, pair.ours, pair.theirs))
    if isinstance(pair.expected, dict) and isinstance(pair.actual, dict):
        return list(_members(pair.expected, pair.actual, pair.ours, pair.theirs))
    return []


def _elements(
    expected: list[Json], actual: list[Json], ours: _Node, theirs: _Node
) -> Iterator[_Pair]:
    """Elements of which one side has none stand alone; the others are paired in turn."""
    lefts, rights = enumerate(expected), enumerate(actual)
    waiting: list[_Pair] = []
    for i, left in lefts:
        node = ours.below.get(str(i), _NONE)
        if node.here is not None and node.here.actual is None:
            yield _Pair("", left, MISSING, node, _NONE)
            continue
        for j, right in rights:
            other = theirs.below.get(str(j), _NONE)
            if other.here is None:
                yield _Pair("", left, right, node, other)
                break
            yield _Pair("", MISSING, right, _NONE, other)
        else:
            waiting.append(_Pair("", left, MISSING, node, _NONE))
    yield from waiting
    for j, right in rights:
        yield _Pair("", MISSING, right, _NONE, theirs.below.get(str(j), _NONE))


def _members(
    expected: dict[str, Json], actual: dict[str, Json], ours: _Node, theirs: _Node
) -> Iterator[_Pair]:
    """Members in the order of the expected object; those that were not expected come last."""
    for key in (*expected, *(key for key in actual if key not in expected)):
        left, right = expected.get(key, MISSING), actual.get(key, MISSING)
        nodes = ours.below.get(key, _NONE), theirs.below.get(key, _NONE)
        yield _Pair(f"{encode(key)}: ", left, right, *nodes)

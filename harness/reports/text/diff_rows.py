"""Arrange differences as rows of two columns, in the JSON around them, with equal parts folded.

Pure; differences are only placed here, not computed. Source: docs/output.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import Enum
from itertools import groupby, zip_longest
from typing import Final, NamedTuple

from harness.jsonio.decoder import Json, encode
from harness.jsonio.fast import decode
from harness.jsonio.pointers import describe_place
from harness.model.events import Evidence, Excerpt
from harness.model.judgement import MISSING, Missing, ShownDifference
from harness.text import pluralize, truncate_to_width

_AROUND: Final = 1  # equal neighbours shown on either side of a difference
_SHORT: Final = 4  # elements of an array that stays on one line, if they are simple
_SHORT_TEXT: Final = 60  # characters of such an array
_EQUAL: Final = 400  # characters of an equal value; no screen shows more on a line


class DiffMark(Enum):
    SAME = " "
    CHANGED = "|"
    MISSING = "<"
    EXTRA = ">"
    FOLDED = "…"


class DiffRow(NamedTuple):
    """A line of expected JSON beside a line of printed JSON."""

    mark: DiffMark
    left: str  # in a FOLDED row, a note on the omitted values
    right: str
    depth: int = 0  # the level of nesting
    pointer: str = ""  # to a difference in the expected output, or empty
    actual_pointer: str = ""  # to the same in the printed output
    number: int = 1  # of differences, unless SAME or FOLDED


def rows_of(evidence: Evidence) -> list[DiffRow]:
    """Return the rows of the listed differences: in context if both streams are complete.

    Their pointers are those that messages show: into a value that stands alone, without its number.
    """
    alone = not _has_several_values(evidence)
    return [
        row._replace(
            pointer=describe_place(row.pointer, alone=alone),
            actual_pointer=describe_place(row.actual_pointer, alone=alone),
        )
        for row in _rows(evidence)
    ]


def _has_several_values(evidence: Evidence) -> bool:
    """Return whether a stream has several values, as far as it is known."""
    streams = evidence.expected, evidence.stdout
    return any(len(decode(stream.data).values) > 1 for stream in streams) or any(
        each.pointer.split("/")[1:2] not in ([], ["0"]) for each in evidence.differences
    )


def _rows(evidence: Evidence) -> list[DiffRow]:
    differences = evidence.differences
    expected, actual = _values(evidence.expected), _values(evidence.stdout)
    if expected is not None and actual is not None:
        # After the last listed difference, nothing can be called equal if there are more.
        left = len(differences) if evidence.differences_total > len(differences) else -1
        rows = list(_rows_in_context(differences, expected, actual, left))
        # Truncated pointers lead nowhere.
        if sum(row.number for row in rows if row.pointer) == len(differences):
            return rows
    return [_difference_row(one) for one in differences]


def _values(stream: Excerpt) -> list[Json] | None:
    if stream.is_truncated:
        return None
    decoded = decode(stream.data)
    return decoded.values if decoded.fault is None else None


def _difference_row(one: ShownDifference) -> DiffRow:
    """Return a difference without its context."""
    actual_pointer = one.actual_pointer or one.pointer
    mark = DiffMark.CHANGED
    if one.expected is None or one.actual is None:
        mark = DiffMark.EXTRA if one.expected is None else DiffMark.MISSING
    if one.asked is not None and one.actual is not None:
        mark = DiffMark.CHANGED
    left = one.expected or "" if one.asked is None else f"({one.asked})"
    return DiffRow(mark, left, one.actual or "", 0, one.pointer, actual_pointer)


# Differences in their context.


class _Node:
    """The differences at a place and below it, by the steps of their pointers."""

    def __init__(self) -> None:
        self.below: dict[str, _Node] = {}
        self.here: ShownDifference | None = None
        self.actual_step = ""  # the last step to the same place in the printed output

    def child(self, step: str | int) -> _Node:
        return self.below.get(str(step), _NO_DIFFERENCE)


_NO_DIFFERENCE: Final = _Node()


class _LabelledPair(NamedTuple):
    """Two values side by side, with the differences in the expected and in the printed one."""

    label: str
    expected: Json | Missing
    actual: Json | Missing
    expected_node: _Node
    actual_node: _Node

    @property
    def differs(self) -> bool:
        """Return whether there is a difference here or below."""
        return self.expected_node is not _NO_DIFFERENCE or self.actual_node is not _NO_DIFFERENCE

    @property
    def here(self) -> ShownDifference | None:
        return self.expected_node.here or self.actual_node.here

    @property
    def containers(self) -> tuple[Json | Missing, Json | Missing]:
        """The values; a schema may decide inside a container that its example does not have."""
        if self.expected is MISSING and isinstance(self.actual, (list, dict)):
            return type(self.actual)(), self.actual
        return self.expected, self.actual


def _rows_in_context(
    differences: Sequence[ShownDifference], expected: list[Json], actual: list[Json], left: int
) -> Iterator[DiffRow]:
    """Yield the rows up to the `left`-th difference, all if negative; nesting may be deep."""
    expected_node = _tree([one for one in differences if one.expected is not None])
    actual_node = _tree([one for one in differences if one.expected is None])
    whole = _LabelledPair("", expected, actual, expected_node, actual_node)
    levels = [("", _fold(_children(whole)))]
    while levels and left:
        closing, pairs = levels[-1]
        depth = len(levels) - 1
        item = next(pairs, None)
        if item is None:
            levels.pop()
            if levels:
                yield DiffRow(DiffMark.SAME, closing, closing, depth - 1)
        elif isinstance(item, int):
            yield DiffRow(DiffMark.FOLDED, f"… {pluralize(item, 'equal value')} …", "", depth)
        elif item.differs and (row := _array_row(item, depth)) is not None:
            left -= row.number
            yield row
        elif item.differs and item.here is None:
            # Containers of one kind that differ further down.
            opening, closing = "[]" if isinstance(item.containers[0], list) else "{}"
            yield DiffRow(DiffMark.SAME, item.label + opening, item.label + opening, depth)
            levels.append((closing, _fold(_children(item))))
        else:
            left -= item.differs
            yield _row(item, depth)


def _tree(differences: Sequence[ShownDifference]) -> _Node:
    root = _Node()
    for one in differences:
        node = root
        steps = one.pointer.split("/")[1:]
        actual_steps = (one.actual_pointer or one.pointer).split("/")[1:]
        for step, actual_step in zip_longest(steps, actual_steps, fillvalue=""):
            node = node.below.setdefault(step.replace("~1", "/").replace("~0", "~"), _Node())
            node.actual_step = node.actual_step or actual_step
        node.here = one
    return root


def _row(pair: _LabelledPair, depth: int) -> DiffRow:
    left, right = _texts(pair)
    if pair.here is not None:
        return _difference_row(pair.here)._replace(left=left, right=right, depth=depth)
    sides = truncate_to_width(left, _EQUAL), truncate_to_width(right, _EQUAL)
    return DiffRow(DiffMark.SAME, *sides, depth)


def _texts(pair: _LabelledPair) -> tuple[str, str]:
    sides = pair.expected, pair.actual
    left, right = ("" if side is MISSING else pair.label + encode(side) for side in sides)
    if pair.here is not None and pair.here.asked is not None:
        left = f"{pair.label}({pair.here.asked})"
    return left, right


def _is_short(value: Json | Missing) -> bool:
    """Return whether a value is an array that is easier to compare on one line."""
    return (
        isinstance(value, list)
        and len(value) <= _SHORT
        and not any(isinstance(element, (list, dict)) for element in value)
        and len(encode(value)) <= _SHORT_TEXT
    )


def _array_row(pair: _LabelledPair, depth: int) -> DiffRow | None:
    """Return the row of two short arrays, or None if their elements need rows of their own.

    Its pointers lead to the difference, or to the arrays if there are several.
    """
    if not (_is_short(pair.expected) and _is_short(pair.actual)):
        return None
    inner = _children(pair)
    differences = [each.here for each in inner if each.here is not None]
    # Elements that are ignored, or equal to others, would look like differences.
    if not differences or any(one.asked is not None for one in differences):
        return None
    if any(not each.differs and len({*_texts(each)}) > 1 for each in inner):
        return None
    pointers = differences[0].pointer, differences[0].actual_pointer or differences[0].pointer
    if len(differences) > 1:
        pointers = pointers[0].rpartition("/")[0], pointers[1].rpartition("/")[0]
    return DiffRow(DiffMark.CHANGED, *_texts(pair), depth, *pointers, len(differences))


def _fold(pairs: list[_LabelledPair]) -> Iterator[_LabelledPair | int]:
    """Yield pairs that differ and their neighbours, and the number of pairs between them."""
    shown: set[int] = set()
    for index, pair in enumerate(pairs):
        if pair.differs:
            shown.update(range(index - _AROUND, index + _AROUND + 1))
    for is_shown, group in groupby(range(len(pairs)), shown.__contains__):
        indices = list(group)
        # A single pair takes no more room than the note that it is omitted.
        if is_shown or len(indices) == 1:
            yield from (pairs[index] for index in indices)
        else:
            yield len(indices)


def _children(pair: _LabelledPair) -> list[_LabelledPair]:
    """Return the pairs of elements or members; extra members come last."""
    (expected, actual), expected_node, actual_node = pair.containers, *pair[3:]
    if isinstance(expected, list) and isinstance(actual, list):
        in_order = list(_elements(expected, actual, expected_node, actual_node))
        if _are_partners(in_order, actual):
            return in_order
        return list(_moved_elements(expected, actual, expected_node, actual_node))
    pairs: list[_LabelledPair] = []
    if isinstance(expected, dict) and isinstance(actual, dict):
        for key in (*expected, *(key for key in actual if key not in expected)):
            left, right = expected.get(key, MISSING), actual.get(key, MISSING)
            nodes = expected_node.child(key), actual_node.child(key)
            pairs.append(_LabelledPair(f"{encode(key)}: ", left, right, *nodes))
    return pairs


def _elements(
    expected: list[Json], actual: list[Json], expected_node: _Node, actual_node: _Node
) -> Iterator[_LabelledPair]:
    """Yield pairs of elements in order; missing and extra elements stand alone."""
    lefts, rights = enumerate(expected), enumerate(actual)
    unpaired: list[_LabelledPair] = []
    for i, left in lefts:
        node = expected_node.child(i)
        if node.here is not None and node.here.actual is None:
            yield _LabelledPair("", left, MISSING, node, _NO_DIFFERENCE)
            continue
        for j, right in rights:
            other = actual_node.child(j)
            if other.here is None:
                yield _LabelledPair("", left, right, node, other)
                break
            yield _LabelledPair("", MISSING, right, _NO_DIFFERENCE, other)
        else:
            unpaired.append(_LabelledPair("", left, MISSING, node, _NO_DIFFERENCE))
    yield from unpaired
    for j, right in rights:
        yield _LabelledPair("", MISSING, right, _NO_DIFFERENCE, actual_node.child(j))


def _are_partners(pairs: list[_LabelledPair], actual: list[Json]) -> bool:
    """Return whether each element that differs stands beside its partner."""
    return all(
        pair.actual is _partner(pair.expected_node, actual)
        for pair in pairs
        if pair.expected_node is not _NO_DIFFERENCE
    )


def _partner(node: _Node, actual: list[Json]) -> Json | Missing:
    """Return the printed element with which the differences of an expected one were found."""
    is_missing = node.here is not None and node.here.actual is None
    step = node.actual_step
    is_there = not is_missing and step.isdecimal() and int(step) < len(actual)
    return actual[int(step)] if is_there else MISSING


def _moved_elements(
    expected: list[Json], actual: list[Json], expected_node: _Node, actual_node: _Node
) -> Iterator[_LabelledPair]:
    """Yield pairs of elements without an order: those that equal some other look like it."""
    for i, left in enumerate(expected):
        node = expected_node.child(i)
        right = left if node is _NO_DIFFERENCE else _partner(node, actual)
        other = _NO_DIFFERENCE if right is MISSING else actual_node.child(node.actual_step)
        yield _LabelledPair("", left, right, node, other)
    for j, right in enumerate(actual):
        other = actual_node.child(j)
        if other.here is not None:
            yield _LabelledPair("", MISSING, right, _NO_DIFFERENCE, other)

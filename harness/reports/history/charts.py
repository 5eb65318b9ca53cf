"""Compute small charts over runs: paths of SVG, in boxes as wide as there are runs.

Pure. Equal neighbours are one rectangle, as a page may have thousands of charts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Final, NamedTuple

from harness.analysis.history import Mark, Timeline
from harness.text import pluralize

HEIGHT: Final = 20
_LOWEST: Final = HEIGHT - 2  # leaves room for the width of the line
_NAMES: Final = {Mark.PASSED: "passed", Mark.KNOWN: "known", Mark.FAILED: "failed"}


class Sparkline(NamedTuple):
    """The outcomes of a case as bands by name, and its times as a line."""

    width: int
    bands: list[tuple[str, str]]
    line: str
    label: str


def sparkline_of(timeline: Timeline) -> Sparkline:
    """Return the chart of a case: a band for each outcome, and a line of its times."""
    marks = timeline.marks
    bands = [(name, _band(marks, mark)) for mark, name in _NAMES.items() if mark in marks]
    counts = (f"{name} in {marks.count(mark):,}" for mark, name in _NAMES.items() if mark in marks)
    label = f"{', '.join(counts)} of {pluralize(len(marks), 'run')}"
    return Sparkline(len(marks), bands, _line(timeline.times), label)


def trend_line(shares: Sequence[float | None]) -> str:
    """Return the path of a line from the lowest to the highest share; None is a gap."""
    known = [share for share in shares if share is not None]
    low, high = min(known), max(known)
    span = high - low or 1.0
    return _path(None if share is None else (share - low) / span for share in shares)


def _band(marks: bytearray, wanted: Mark) -> str:
    return "".join(
        f"M{start} 0h{length}v{HEIGHT}h-{length}z"
        for mark, start, length in _stretches(marks)
        if mark == wanted
    )


def _stretches(marks: bytearray) -> Iterator[tuple[int, int, int]]:
    start = 0
    for mark, group in groupby(marks):
        length = len(list(group))
        yield mark, start, length
        start += length


def _line(times: Sequence[float]) -> str:
    longest = max(times)
    return _path(time / longest if time else None for time in times) if longest else ""


def _path(values: Iterable[float | None]) -> str:
    """Return a line through values from 0 to 1; a single one between gaps is a short line."""
    pieces, is_open = [], False
    for at, value in enumerate(values):
        if value is not None:
            y = round(_LOWEST - value * (_LOWEST - 2))
            pieces.append(f"L{at + 0.5:g} {y}" if is_open else f"M{at + 0.25:g} {y}H{at + 0.5:g}")
        is_open = value is not None
    return "".join(pieces)

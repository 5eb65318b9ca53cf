"""Record the outcome and the time of every case in every run, for charts over time.

Pure and compact: five bytes for each run of a case. Source: docs/history.md.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import IntEnum
from itertools import pairwise
from typing import Final

from harness.model.case_names import natural
from harness.model.events import Event, Judged
from harness.model.verdict import Verdict


class Mark(IntEnum):
    """The outcome of a case in one run."""

    ABSENT = 0  # also if the subject does not claim the case
    PASSED = 1
    KNOWN = 2
    FAILED = 3


@dataclass(slots=True)
class Timeline:
    """A case of a subject with a delivery: a mark and seconds for each run, oldest first."""

    key: tuple[str, str, str, str]  # suite, subject, case, delivery
    verdict: Verdict  # the latest one
    marks: bytearray = field(default_factory=bytearray)
    times: array[float] = field(default_factory=lambda: array("f"))  # 0 where it was not run

    @property
    def fails(self) -> bool:
        """Return whether it failed when it was last run."""
        return self.marks.rstrip(bytes([Mark.ABSENT])).endswith(bytes([Mark.FAILED]))

    @property
    def changes(self) -> int:
        """Return how often it began to fail or to pass."""
        fails = [mark == Mark.FAILED for mark in self.marks if mark != Mark.ABSENT]
        return sum(one != other for one, other in pairwise(fails))

    @property
    def is_flaky(self) -> bool:
        """Return whether it changed repeatedly, or its last run gave different verdicts."""
        return self.changes > 1 or self.verdict is Verdict.FLAKY

    @property
    def latest_s(self) -> float:
        """Return how long it took when it was last run."""
        return next((time for time in reversed(self.times) if time), 0.0)


class Timelines:
    """Collects the timelines of all cases; the events of runs come oldest run first."""

    def __init__(self) -> None:
        self.runs = 0
        self._found: Final[dict[tuple[str, str, str, str], Timeline]] = {}

    def begin(self) -> None:
        """Begin the next run; the events added from now on belong to it."""
        self.runs += 1

    def add(self, event: Event) -> None:
        if not isinstance(event, Judged) or event.verdict in (Verdict.NOT_RUN, Verdict.SKIPPED):
            return
        key = event.suite, event.subject, event.case, event.delivery
        line = self._found.setdefault(key, Timeline(key, event.verdict))
        self._fill(line)
        line.marks[-1] = _mark_of(event)
        line.times[-1] = event.wall_s
        line.verdict = event.verdict

    def __iter__(self) -> Iterator[Timeline]:
        """Yield the timelines in natural order, each as long as there are runs."""
        for key in sorted(self._found, key=lambda key: tuple(map(natural, key))):
            self._fill(self._found[key])
            yield self._found[key]

    def _fill(self, line: Timeline) -> None:
        missing = self.runs - len(line.marks)
        line.marks.extend(bytes(missing))
        line.times.extend([0.0] * missing)


def _mark_of(event: Judged) -> Mark:
    if event.failed:
        return Mark.FAILED
    return Mark.PASSED if event.verdict is Verdict.PASSED else Mark.KNOWN

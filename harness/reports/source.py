"""Read results files as often as a report format needs, and sort their judged runs by name.

Memory is bounded: keys of runs are held, and as many runs as their evidence allows.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Final

from harness.delivery.registry import Delivery
from harness.model.case_names import natural
from harness.model.events import Event, RunResult, RunStarted
from harness.model.verdict import Verdict
from harness.project.identity import rename_subjects, shown_names
from harness.results.results_file import FilePosition, read_events, read_run_starts

# Each call yields the same events from the beginning.
Source = Callable[[], Iterator[Event]]

# Bytes of runs that are held at a time: some hundred with as much evidence as allowed, or
# all of 100,000 passed runs.
_HELD: Final = 1 << 27
_RUN: Final = 1_200  # approximate bytes of a run without evidence
_DIFFERENCE: Final = 300  # approximate bytes of a difference without its values


class ReportError(Exception):
    """A format cannot report these results; the message says why, and how to fix it."""


_LinePlace = tuple[int, int]  # index of the file, and offset of the line
_RunNames = tuple[str, str, str, str]  # suite, subject, case and delivery


def source_of_run(read: Callable[[], Iterator[tuple[FilePosition, Event]]]) -> Source:
    """Return a source of what reads the results of a single run."""

    def events() -> Iterator[Event]:
        shown: dict[str, str] = {}
        for _, event in read():
            if isinstance(event, RunStarted):
                shown = shown_names(event.subjects)
            yield rename_subjects(event, shown)

    return events


def source_of(
    files: Sequence[str],
    shown: Mapping[str, str] | None = None,
    revise: Callable[[Event], Event] | None = None,
) -> Source:
    """Return a source of results files, oldest first, without runs that were judged again later.

    A file may end within a line. `shown` are the names of subjects to show, by default the shortest
    unambiguous ones; `revise` may change events. Raises InvalidResultsFile, as the source may.
    """
    names = names_in(files, revise) if shown is None else shown
    results = ResultsFiles(files, names, revise=revise)
    return lambda: (event for _, event in results.events())


def names_in(
    files: Sequence[str], revise: Callable[[Event], Event] | None = None
) -> Mapping[str, str]:
    """Return the names to show of the subjects in these files. Raises InvalidResultsFile."""
    starts = (event for file in files for event in read_run_starts(file))
    revised = starts if revise is None else map(revise, starts)
    return shown_names(
        subject for event in revised if isinstance(event, RunStarted) for subject in event.subjects
    )


class ResultsFiles:
    """Reads events, oldest file first, without runs judged again later; `shown` are names.

    With `by_version`, a run stays unless the same version of its subject was judged again.
    """

    def __init__(
        self,
        files: Sequence[str],
        shown: Mapping[str, str],
        *,
        by_version: bool = False,
        revise: Callable[[Event], Event] | None = None,
    ) -> None:
        runs = [read_run_starts(file) for file in files]
        latest = [(each[-1].started, each[-1].continued) for each in runs]
        # A glob lists the file of version 1.10 before that of 1.9.
        self.files: Final = [files[at] for at in sorted(range(len(files)), key=latest.__getitem__)]
        self._shown = shown
        self._revise = revise
        several = sum(map(len, runs)) > 1
        self._superseded = _superseded(self.files, by_version) if several else frozenset()

    def events(self) -> Iterator[tuple[_LinePlace, Event]]:
        for place, event in _located(self.files):
            if place not in self._superseded:
                yield place, self._for_reports(event)

    def events_at(self, places: Iterable[_LinePlace]) -> Iterator[Event]:
        for number, offset in places:
            for _, event in read_events(self.files[number], offset):
                yield self._for_reports(event)
                break

    def _for_reports(self, event: Event) -> Event:
        return rename_subjects(event if self._revise is None else self._revise(event), self._shown)


def _located(files: Sequence[str]) -> Iterator[tuple[_LinePlace, Event]]:
    for number, file in enumerate(files):
        for position, event in read_events(file):
            yield (number, position.offset), event


def _superseded(files: Sequence[str], by_version: bool) -> frozenset[_LinePlace]:
    """Return the places of runs that are judged again later."""
    newest: dict[tuple[str, ...], _LinePlace] = {}
    old: list[_LinePlace] = []
    versions: dict[str, str] = {}
    for place, event in _located(files):
        if by_version and isinstance(event, RunStarted):
            versions = {subject.name: subject.version for subject in event.subjects}
        if isinstance(event, RunResult):
            version = versions.get(event.subject, "")
            run = event.suite, event.subject, version, event.case, event.delivery
            if run in newest:
                # An earlier verdict stays if the case was not run this time.
                is_not_run = event.verdict is Verdict.NOT_RUN
                old.append(place if is_not_run else newest[run])
                place = newest[run] if is_not_run else place
            newest[run] = place
    return frozenset(old)


class ResultSorter:
    """Sorts the runs of a source by name; a first pass adds them.

    Further passes are needed only if the runs do not fit in memory.
    """

    def __init__(self, held: int = _HELD) -> None:
        """Hold about `held` bytes of runs in memory at a time."""
        self._held = held
        self._runs: list[_RunNames] = []
        self._sizes: list[int] = []
        self._size = 0
        self._events: list[RunResult] = []  # all runs, unless they are too large

    def add(self, event: RunResult) -> None:
        # 100,000 runs share the texts of a few names.
        names = map(sys.intern, (event.suite, event.subject, event.delivery))
        suite, subject, delivery = names
        self._runs.append((suite, subject, event.case, delivery))
        self._sizes.append(_size(event))
        self._size += self._sizes[-1]
        if self._size <= self._held:
            self._events.append(event)
        else:
            self._events.clear()

    def runs(self, source: Source) -> Iterator[RunResult]:
        """Yield the added runs in natural order of suite, subject, case; plain delivery first."""
        name_order = cache(natural)

        def key(number: int) -> tuple[object, ...]:
            suite, subject, case, delivery_name = self._runs[number]
            delivery = (delivery_name != Delivery.PLAIN.value, delivery_name)
            return name_order(suite), name_order(subject), natural(case), delivery

        order = sorted(range(len(self._runs)), key=key)
        if self._size <= self._held:
            yield from map(self._events.__getitem__, order)
            return
        if order == list(range(len(order))):
            yield from _judged(source)
            return
        for part in self._parts(order):
            numbers = set(part)
            runs = {number: run for number, run in enumerate(_judged(source)) if number in numbers}
            yield from map(runs.__getitem__, part)

    def _parts(self, order: list[int]) -> Iterator[list[int]]:
        """Split the numbers of runs into parts that may be held."""
        part: list[int] = []
        size = 0
        for number in order:
            if part and size + self._sizes[number] > self._held:
                yield part
                part, size = [], 0
            part.append(number)
            size += self._sizes[number]
        yield part


def _judged(source: Source) -> Iterator[RunResult]:
    return (event for event in source() if isinstance(event, RunResult))


def _size(event: RunResult) -> int:
    size, evidence = _RUN + len(event.message), event.evidence
    if evidence is None:
        return size
    streams = (evidence.stdin, evidence.expected, evidence.stdout, evidence.stderr)
    values = (len(one.expected or "") + len(one.actual or "") for one in evidence.differences)
    size += sum(len(stream.data) for stream in streams) + sum(values)
    return size + _DIFFERENCE * len(evidence.differences)

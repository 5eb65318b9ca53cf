"""Read results files as often as a report format needs, and sort their judged runs by name.

Memory is bounded: only keys of runs are held, and as many runs as their evidence allows.
Source: docs/reports.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from harness.delivery.registry import Delivery
from harness.model.case_names import natural
from harness.model.events import Event, Evidence, Judged
from harness.runner.results_file import read_events, runs_in

__all__ = ["ReportError", "ResultSorter", "Source", "source_of", "source_of_run"]

# Each call yields the same events from the beginning.
Source = Callable[[], Iterator[Event]]

# Bytes of evidence that are held at a time: some hundred runs with as much evidence as allowed, or
# all of 100,000 passed runs.
_HELD: Final = 1 << 26
_RUN: Final = 600  # approximate bytes of a run without evidence
_DIFFERENCE: Final = 300  # approximate bytes of a difference without its values


class ReportError(Exception):
    """A format cannot report these results; the message says why, and how to fix it."""


class _Line(NamedTuple):
    """The place of an event: index of the file, and line."""

    file: int
    line: int


class _Run(NamedTuple):
    """The key of a verdict."""

    suite: str
    subject: str
    case: str
    delivery: str


def source_of_run(file: str) -> Source:
    """Return a source of a results file with a single run; it may raise InvalidResultsFile."""
    return lambda: (event for _, event in read_events(file))


def source_of(files: Sequence[str]) -> Source:
    """Return a source of results files, one after the other.

    If several runs judged the same case, only the last verdict counts. A file may end within a
    line. Raises InvalidResultsFile, as the source may.
    """
    superseded = _superseded(files) if sum(map(runs_in, files)) > 1 else frozenset()

    def events() -> Iterator[Event]:
        for line, event in _lines(files):
            if line not in superseded:
                yield event

    return events


def _lines(files: Sequence[str]) -> Iterator[tuple[_Line, Event]]:
    for number, file in enumerate(files):
        for place, event in read_events(file):
            yield _Line(number, place.line), event


def _superseded(files: Sequence[str]) -> frozenset[_Line]:
    """Return the lines of runs that are judged again later."""
    newest: dict[_Run, _Line] = {}
    old: list[_Line] = []
    for line, event in _lines(files):
        if isinstance(event, Judged):
            run = _Run(event.suite, event.subject, event.case, event.delivery)
            if run in newest:
                old.append(newest[run])
            newest[run] = line
    return frozenset(old)


class ResultSorter:
    """Sorts the runs of a source by name, in two passes.

    The first pass goes through `noting`, and can serve another purpose at the same time.
    """

    def __init__(self, held: int = _HELD) -> None:
        """Hold about `held` bytes of runs in memory at a time."""
        self._held = held
        self._runs: list[_Run] = []
        self._sizes: list[int] = []
        self._names: dict[str, str] = {}  # 100,000 runs share the texts of a few names

    def noting(self, events: Iterable[Event]) -> Iterator[Event]:
        """Yield all events unchanged, and note the runs among them."""
        for event in events:
            if isinstance(event, Judged):
                shared = self._shared
                names = shared(event.suite), shared(event.subject)
                self._runs.append(_Run(*names, event.case, shared(event.delivery)))
                self._sizes.append(_size(event))
            yield event

    def runs(self, source: Source) -> Iterator[Judged]:
        """Yield the noted runs in natural order of suite, subject, case; plain delivery first."""
        order = _sorted_numbers(self._runs)
        if order == list(range(len(order))):
            yield from _judged(source)
            return
        for part in self._parts(order):
            yield from _read_numbered(source, part)

    def _shared(self, name: str) -> str:
        return self._names.setdefault(name, name)

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


def _judged(source: Source) -> Iterator[Judged]:
    return (event for event in source() if isinstance(event, Judged))


def _sorted_numbers(runs: list[_Run]) -> list[int]:
    suites = _ranks({run.suite for run in runs})
    subjects = _ranks({run.subject for run in runs})

    def key(number: int) -> tuple[object, ...]:
        run = runs[number]
        delivery = (run.delivery != Delivery.PLAIN.value, run.delivery)
        return suites[run.suite], subjects[run.subject], natural(run.case), delivery

    return sorted(range(len(runs)), key=key)


def _ranks(names: Iterable[str]) -> dict[str, int]:
    return {name: rank for rank, name in enumerate(sorted(names, key=natural))}


def _size(event: Judged) -> int:
    evidence = event.evidence
    size = _RUN + len(event.message)
    return size if evidence is None else size + _evidence_size(evidence)


def _evidence_size(evidence: Evidence) -> int:
    streams = (evidence.stdin, evidence.expected, evidence.stdout, evidence.stderr)
    values = (len(one.expected or "") + len(one.actual or "") for one in evidence.differences)
    size = sum(len(stream.data) for stream in streams) + sum(values)
    return size + _DIFFERENCE * len(evidence.differences)


def _read_numbered(source: Source, numbers: list[int]) -> list[Judged]:
    """Return the runs with these numbers, in this order."""
    places = {number: place for place, number in enumerate(numbers)}
    found = [
        (places[number], event) for number, event in enumerate(_judged(source)) if number in places
    ]
    return [event for _, event in sorted(found, key=lambda pair: pair[0])]

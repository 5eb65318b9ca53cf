"""Where reports have their events from: results files, told as often as a format asks for them.

Nothing is kept of the events but, where there are several runs, which of them was the last to judge
a case: that one counts. Source: docs/reports.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from harness.events import Event, Judged
from harness.runs.resultsfile import read_events, runs_in

__all__ = ["NoReport", "Source", "source_of", "source_of_run"]

# Each call tells the same events, from the first one on.
Source = Callable[[], Iterator[Event]]


class NoReport(Exception):
    """A format cannot make a document of what a source tells; the message says why, and what to
    do."""


class _Line(NamedTuple):
    """Where an event stands: which of the files, and which line."""

    file: int
    line: int


# Suite, subject, case and delivery: whose verdict it is.
_Key = tuple[str, str, str, str]


def source_of_run(file: str) -> Source:
    """The events of a results file that has one run. The source may raise BadResults."""
    return lambda: (event for _, event in read_events(file))


def source_of(files: Sequence[str]) -> Source:
    """The events of results files, one file after the other; of what several runs judged, only what
    the last one said. A last line may be cut short. Raises BadResults, as the source may."""
    old = _superseded(files) if sum(map(runs_in, files)) > 1 else frozenset()

    def tell() -> Iterator[Event]:
        for place, event in _lines(files):
            if place not in old:
                yield event

    return tell


def _lines(files: Sequence[str]) -> Iterator[tuple[_Line, Event]]:
    for number, file in enumerate(files):
        for place, event in read_events(file):
            yield _Line(number, place.line), event


def _superseded(files: Sequence[str]) -> frozenset[_Line]:
    """The lines whose cases were judged again later."""
    newest: dict[_Key, _Line] = {}
    old: list[_Line] = []
    for place, event in _lines(files):
        if isinstance(event, Judged):
            key = (event.suite, event.subject, event.case, event.delivery)
            if key in newest:
                old.append(newest[key])
            newest[key] = place
    return frozenset(old)

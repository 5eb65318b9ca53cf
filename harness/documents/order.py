"""Judged runs in the order of their names, for reports that are the same however runs ended.

Pure, and what is held at a time is bounded: of events only as many as their evidence allows; the
source is asked again for the others.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from harness.documents.source import Source
from harness.events import Event, Evidence, Judged
from harness.suites.naming import natural

__all__ = ["Order", "ordered"]

# Bytes of evidence that are held at a time: some hundred runs that carry all they may, or all of
# 100,000 that passed.
_HELD: Final = 1 << 26
_RUN: Final = 600  # bytes of a run without evidence, roughly
_DIFFERENCE: Final = 300  # of a difference, without its values
_PLAIN: Final = "plain"


class _Key(NamedTuple):
    """Whose verdict it is, and what it weighs. 100,000 of these are held: texts are shared."""

    suite: str
    subject: str
    case: str
    delivery: str
    weight: int


class Order:
    """The order of a source's runs. A format that goes through the source for something else has
    it noted on the way."""

    def __init__(self, held: int = _HELD) -> None:
        """About `held` bytes of evidence are to be in memory at a time."""
        self._held = held
        self._keys: list[_Key] = []
        self._names: dict[str, str] = {}

    def noting(self, events: Iterable[Event]) -> Iterator[Event]:
        """The events of the source as they are."""
        for event in events:
            if isinstance(event, Judged):
                self._keys.append(self._key(event))
            yield event

    def runs(self, source: Source) -> Iterator[Judged]:
        """The judged runs of the source whose events were noted: in natural order of suites,
        subjects and cases; of a case, the plain delivery comes first."""
        order = _order(self._keys)
        if order == list(range(len(order))):
            yield from _judged(source)
            return
        for part in _parts(order, self._keys, self._held):
            yield from _picked(source, part)

    def _key(self, event: Judged) -> _Key:
        one = self._one
        names = one(event.suite), one(event.subject), event.case, one(event.delivery)
        return _Key(*names, _weight(event))

    def _one(self, name: str) -> str:
        return self._names.setdefault(name, name)


def ordered(source: Source) -> Iterator[Judged]:
    """The judged runs of a source, in that order."""
    order = Order()
    for _ in order.noting(source()):
        pass
    return order.runs(source)


def _judged(source: Source) -> Iterator[Judged]:
    return (event for event in source() if isinstance(event, Judged))


def _order(keys: list[_Key]) -> list[int]:
    suites = _ranks({key.suite for key in keys})
    subjects = _ranks({key.subject for key in keys})

    def place(number: int) -> tuple[object, ...]:
        key = keys[number]
        delivery = (key.delivery != _PLAIN, key.delivery)
        return suites[key.suite], subjects[key.subject], natural(key.case), delivery

    return sorted(range(len(keys)), key=place)


def _ranks(names: Iterable[str]) -> dict[str, int]:
    return {name: rank for rank, name in enumerate(sorted(names, key=natural))}


def _weight(event: Judged) -> int:
    seen = event.evidence
    return _RUN + len(event.message) + (0 if seen is None else _weight_of(seen))


def _weight_of(seen: Evidence) -> int:
    streams = (seen.stdin, seen.expected, seen.stdout, seen.stderr)
    values = (len(one.expected or "") + len(one.actual or "") for one in seen.differences)
    whole = sum(len(stream.data) for stream in streams) + sum(values)
    return whole + _DIFFERENCE * len(seen.differences)


def _parts(order: list[int], keys: list[_Key], held: int) -> Iterator[list[int]]:
    """The order in pieces that may be held."""
    part: list[int] = []
    weight = 0
    for number in order:
        if part and weight + keys[number].weight > held:
            yield part
            part, weight = [], 0
        part.append(number)
        weight += keys[number].weight
    yield part


def _picked(source: Source, part: list[int]) -> list[Judged]:
    """The runs with these numbers, in this order."""
    places = {number: place for place, number in enumerate(part)}
    found = [
        (places[number], event) for number, event in enumerate(_judged(source)) if number in places
    ]
    return [event for _, event in sorted(found, key=lambda both: both[0])]

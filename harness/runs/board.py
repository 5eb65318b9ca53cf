"""A board on which what is under way is written, by every process of ours, and read at any moment.

Memory that is shared: the hands of a crew are processes of their own, and a case that hangs sends
nothing. Only where somebody watches there is a board.
"""

from __future__ import annotations

import mmap
import time
from collections.abc import Callable, Iterator
from struct import Struct
from typing import Final, NamedTuple, TypeVar

from harness.records import Job, Transcript

__all__ = ["Board", "Desk", "Entry"]

K = TypeVar("K")

_COUNT: Final = Struct("q")
_TIMES: Final = Struct("dd")
_NAME: Final = 112  # bytes, zeros behind the name
_SLOT: Final = _TIMES.size + _NAME


class Entry(NamedTuple):
    """A run that is under way: its name, since when on the monotonic clock, and its limit."""

    name: str
    begun: float
    clock_s: float


class Board:
    """A board for `places` runs at once. `planned`: how many cases there are to be run."""

    def __init__(self, places: int) -> None:
        self.planned = 0
        self.places = places
        self.memory = mmap.mmap(-1, places * (_COUNT.size + _SLOT))

    def desk(self, place: int = 0, of: int = 1) -> Desk:
        """The part of one of so many processes."""
        return Desk(self, place, of)

    @property
    def done(self) -> int:
        """How many cases have ended."""
        return sum(
            _COUNT.unpack_from(self.memory, at * _COUNT.size)[0] for at in range(self.places)
        )

    def running(self) -> list[Entry]:
        """What is under way."""
        found = []
        for slot in range(self.places):
            at = self.slot(slot)
            begun, clock_s = _TIMES.unpack_from(self.memory, at)
            if begun:
                name = self.memory[at + _TIMES.size : at + _SLOT].rstrip(b"\0")
                found.append(Entry(name.decode("utf-8", "replace"), begun, clock_s))
        return found

    def slot(self, number: int) -> int:
        """Where a slot begins."""
        return self.places * _COUNT.size + number * _SLOT


class Desk:
    """One process's part of a board: some slots, and a count."""

    def __init__(self, board: Board, place: int, of: int) -> None:
        self._memory = board.memory
        self._place = place * _COUNT.size
        self._free = [board.slot(number) for number in range(place, board.places, of)]
        self._slots: dict[int, int] = {}  # by a key's identity: keys are kept while their run lasts
        self._done = 0

    def watched(
        self, jobs: Iterator[tuple[K, Job | Transcript]], name_of: Callable[[K], str]
    ) -> Iterator[tuple[K, Job | Transcript]]:
        """The same jobs, each on the board from the moment when it is drawn."""
        for key, job in jobs:
            if isinstance(job, Job) and self._free:
                self._slots[id(key)] = slot = self._free.pop()
                self._write(slot, name_of(key), job.limits.wall_s)
            yield key, job

    def ended(self, key: object) -> None:
        """Take a run off the board."""
        slot = self._slots.pop(id(key), None)
        if slot is not None:
            _TIMES.pack_into(self._memory, slot, 0.0, 0.0)
            self._free.append(slot)

    def count(self) -> None:
        """One more case has ended."""
        self._done += 1
        _COUNT.pack_into(self._memory, self._place, self._done)

    def _write(self, slot: int, name: str, clock_s: float) -> None:
        text = name.encode("utf-8", "replace")[:_NAME].ljust(_NAME, b"\0")
        self._memory[slot + _TIMES.size : slot + _SLOT] = text
        # Last: a slot without a time is not looked at.
        _TIMES.pack_into(self._memory, slot, time.monotonic(), clock_s)

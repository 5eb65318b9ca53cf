"""Share the progress of a run between the processes of xtest: cases done, and runs in flight.

The memory is shared because a worker whose subject hangs sends no events. A board is only made when
a progress line is shown.
"""

from __future__ import annotations

import mmap
import time
from math import inf
from struct import Struct
from typing import Final, NamedTuple

from harness.text import first_bytes

_COUNT: Final = Struct("q")
_HEAD: Final = Struct("ddq")  # start, time limit and number of cases
_NAME_BYTES: Final = 112  # padded with zeros
_SLOT_BYTES: Final = _HEAD.size + _NAME_BYTES


class InFlight(NamedTuple):
    """A run in flight: its name, the time since its start, its time limit, and how many cases a
    session has."""

    name: str
    age_s: float
    limit_s: float
    cases: int = 1


class ProgressBoard:
    """Shared memory with room for `places` simultaneous runs; `planned` is the number of cases.

    `note` is shown, too; it is not shared between processes. `round` is the number of restarts,
    the last of which was at `begun`, on the monotonic clock. If runs end at a time, `ends_at`, the
    number of planned cases says nothing.
    """

    def __init__(self, places: int) -> None:
        self.planned = 0
        self.note = ""
        self.round = 0
        self.begun = time.monotonic()
        self.ends_at = inf
        self.places = places
        self.memory = mmap.mmap(-1, places * (_COUNT.size + _SLOT_BYTES))

    def restart(self, planned: int, note: str) -> None:
        """Count from 0 again: `planned` cases, already counted, run once more."""
        self.memory[:] = bytes(len(self.memory))
        self.planned, self.note, self.begun = planned, note, time.monotonic()
        self.round += 1

    def slots(self, place: int = 0, of: int = 1) -> WorkerSlots:
        """Return the share of process number `place` of `of` processes."""
        return WorkerSlots(self, place, of)

    @property
    def done(self) -> int:
        """The number of cases that have ended."""
        return sum(
            _COUNT.unpack_from(self.memory, place * _COUNT.size)[0] for place in range(self.places)
        )

    def running(self) -> list[InFlight]:
        return list(filter(None, map(self._in_flight, range(self.places))))

    def clear(self, place: int, of: int) -> None:
        """Remove the runs of process number `place` of `of` processes, which was lost."""
        for number in range(place, self.places, of):
            _HEAD.pack_into(self.memory, self.slot_offset(number), 0.0, 0.0, 0)

    def _in_flight(self, number: int) -> InFlight | None:
        offset = self.slot_offset(number)
        begun, limit_s, cases = _HEAD.unpack_from(self.memory, offset)
        if not begun:
            return None
        name = self.memory[offset + _HEAD.size : offset + _SLOT_BYTES].rstrip(b"\0")
        return InFlight(name.decode("utf-8", "replace"), time.monotonic() - begun, limit_s, cases)

    def slot_offset(self, number: int) -> int:
        """Return the position of a slot in the memory, after the counters of all processes."""
        return self.places * _COUNT.size + number * _SLOT_BYTES


class WorkerSlots:
    """The counter and the slots that one process writes to."""

    def __init__(self, board: ProgressBoard, place: int, of: int) -> None:
        self._memory = board.memory
        self._counter = place * _COUNT.size
        self._free = [board.slot_offset(number) for number in range(place, board.places, of)]
        self._taken: dict[int, int] = {}  # by id(key): a key lives as long as its run

    def begin(self, key: object, name: str, limit_s: float, cases: int = 1) -> None:
        """Show a run as in flight, if a slot is free."""
        if self._free:
            self._taken[id(key)] = slot = self._free.pop()
            text = first_bytes(name.encode("utf-8", "replace"), _NAME_BYTES)
            self._memory[slot + _HEAD.size : slot + _SLOT_BYTES] = text.ljust(_NAME_BYTES, b"\0")
            # Last: readers skip a slot without a start time.
            _HEAD.pack_into(self._memory, slot, time.monotonic(), limit_s, cases)

    def release(self, key: object) -> None:
        slot = self._taken.pop(id(key), None)
        if slot is not None:
            _HEAD.pack_into(self._memory, slot, 0.0, 0.0, 0)
            self._free.append(slot)

    def count_case(self) -> None:
        (done,) = _COUNT.unpack_from(self._memory, self._counter)
        _COUNT.pack_into(self._memory, self._counter, done + 1)

"""Keep the next time at which each run must be checked."""

from __future__ import annotations

import math
from heapq import heapify, heappop, heappush
from typing import Final

_STALE_PER_RUN: Final = 8  # heap entries per run, above which those of ended runs are dropped
_FEW: Final = 64


class Timers:
    """One current timer per run, the earliest that was set, on the monotonic clock."""

    def __init__(self) -> None:
        self._heap: list[tuple[float, int]] = []  # (time, number of a run); some are outdated
        self._current: dict[int, float] = {}  # by number of the run

    def set(self, number: int, when: float) -> None:
        """Check a run at this time or earlier."""
        current = self._current.get(number)
        if current is not None and current <= when:
            return
        self._current[number] = when
        if len(self._heap) > _STALE_PER_RUN * len(self._current) + _FEW:
            self._heap = [timer for timer in self._heap if self._is_current(*timer)]
            heapify(self._heap)
        heappush(self._heap, (when, number))

    def cancel(self, number: int) -> None:
        self._current.pop(number, None)

    def seconds_left(self, now: float) -> float:
        """Return the seconds until the next timer; infinite if there is none."""
        while self._heap and not self._is_current(*self._heap[0]):
            heappop(self._heap)
        return max(0.0, self._heap[0][0] - now) if self._heap else math.inf

    def take_due(self, now: float) -> int | None:
        """Return the run whose timer is due, without its timer."""
        while self._heap and self._heap[0][0] <= now:
            when, number = heappop(self._heap)
            if self._is_current(when, number):
                del self._current[number]
                return number
        return None

    def _is_current(self, when: float, number: int) -> bool:
        return self._current.get(number) == when

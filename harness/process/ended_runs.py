"""Hold back runs that have ended, so that several can be processed in a row.

Each program evicts the processor's caches: processing one result after each run takes about twice
as long as processing several in a row.
"""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Iterator
from typing import Final, Generic, NamedTuple, TypeVar

from harness.model.transcript import Transcript

K = TypeVar("K")

_LARGE: Final = 65_536  # bytes of an output that does not wait: many would fill the memory


class EndedRun(NamedTuple, Generic[K]):
    key: K
    transcript: Transcript


class EndedRuns(Generic[K]):
    """Runs that wait for others for `gather_s` seconds, twice as long while one is in progress.

    Nothing waits beyond the `deadline`. Times are on the monotonic clock.
    """

    def __init__(self, gather_s: float, deadline: float) -> None:
        self._gather_s = gather_s
        self._deadline = deadline
        self._runs: deque[EndedRun[K]] = deque()
        self._due = math.inf

    def __len__(self) -> int:
        return len(self._runs)

    @property
    def wait_until(self) -> float:
        """The time at which the runs are processed even if another one is in progress."""
        return min(self._due + self._gather_s, self._deadline)

    @property
    def are_due(self) -> bool:
        return time.monotonic() >= min(self._due, self._deadline)

    def add(self, key: K, transcript: Transcript) -> None:
        self._runs.append(EndedRun(key, transcript))
        due = time.monotonic() + self._gather_s
        self._due = 0.0 if transcript.stdout_bytes > _LARGE else min(self._due, due)

    def take(self) -> Iterator[EndedRun[K]]:
        """Yield all runs, each of them once even after an interruption."""
        self._due = math.inf
        while self._runs:
            yield self._runs.popleft()

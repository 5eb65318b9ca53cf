"""Cut work into batches of a few seconds, and find the item that kills workers.

Pure: the caller measures how long batches took.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Generic, TypeVar

T = TypeVar("T")

_BATCH_S: Final = 5.0
_LEAST_S: Final = 1.0  # of a batch near the end, when work is spread over all workers
_SPREAD: Final = 2  # batches that each worker still gets at any time
_PROBE: Final = 16  # items of a batch whose duration is unknown
_UNPROVEN: Final = 256  # items of a batch at most whose duration is from an earlier run
_DEADLY: Final = 2  # deaths of workers after which a batch is cut


@dataclass(eq=False, slots=True)
class Batch(Generic[T]):
    """Items that one worker runs, and the number of workers that died meanwhile."""

    items: tuple[T, ...]
    deaths: int = 0


class Batches(Generic[T]):
    """The batches of a sequence of `total` items; each item is in one batch at a time.

    Items of the same kind are expected to take equally long. Until a batch has ended, the seconds
    `known` from an earlier run are expected, and batches stay small.
    """

    def __init__(
        self,
        items: Iterator[T],
        total: int,
        kind_of: Callable[[T], Hashable],
        known: Mapping[Hashable, float] = MappingProxyType({}),
    ) -> None:
        self.ended = 0
        self._items = items
        self._undrawn = total
        self._kind_of = kind_of
        self._again: deque[Batch[T]] = deque()
        # Of an item, by kind. A program that failed at once may take long today.
        self._seconds = {kind: max(each, _BATCH_S / _UNPROVEN) for kind, each in known.items()}
        self._mean_s = sum(self._seconds.values()) / max(1, len(known))  # 0 if unknown

    def draw(self, workers: int) -> Batch[T] | None:
        """Return the next batch for one of the workers, or None if nothing is left for now."""
        if self._again:
            return self._again.popleft()
        items: list[T] = []
        left_s = self._fair_share(workers)
        while left_s > 0 and (item := next(self._items, None)) is not None:
            items.append(item)
            left_s -= self._seconds.get(self._kind_of(item), self._mean_s or _BATCH_S / _PROBE)
        self._undrawn -= len(items)
        return Batch(tuple(items)) if items else None

    def learn(self, batch: Batch[T], wall_s: float) -> None:
        """Use the duration of a batch that has ended for those to come."""
        self.ended += 1
        self._mean_s = max(wall_s, 1e-6) / len(batch.items)
        self._seconds.update(dict.fromkeys(map(self._kind_of, batch.items), self._mean_s))

    def put_back(self, items: tuple[T, ...], deaths: int) -> None:
        """Put back the items of a batch that has not begun."""
        self._again.append(Batch(items, deaths))

    def blame(self, batch: Batch[T]) -> T | None:
        """Put back a batch whose worker died; return its only item if that is to blame."""
        batch.deaths += 1
        if batch.deaths < _DEADLY:
            self._again.append(batch)
        elif len(batch.items) == 1:
            return batch.items[0]
        else:
            middle = len(batch.items) // 2
            for half in (batch.items[:middle], batch.items[middle:]):
                # A single item is judged by its own deaths.
                self._again.append(Batch(half, _DEADLY - 1 if len(half) > 1 else 0))
        return None

    def _fair_share(self, workers: int) -> float:
        """Return the seconds of a batch: near the end, no worker may get a long one."""
        if not self._mean_s:
            return _BATCH_S
        share_s = self._undrawn * self._mean_s / (_SPREAD * max(1, workers))
        return min(_BATCH_S, max(_LEAST_S, share_s))

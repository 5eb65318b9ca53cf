"""Wait for descriptors, each of which has an owner, and for the next time to check a run."""

from __future__ import annotations

import math
import os
import select
from typing import Final, Generic, TypeVar

T = TypeVar("T")

READABLE: Final = select.POLLIN
WRITABLE: Final = select.POLLOUT


class Watcher(Generic[T]):
    """A poll that knows the owner of each descriptor.

    For the few descriptors of a worker it is faster than epoll, and every POSIX system has it.
    """

    def __init__(self) -> None:
        self._poll = select.poll()
        self._owners: dict[int, T] = {}

    def __contains__(self, descriptor: int) -> bool:
        return descriptor in self._owners

    def watch(self, descriptor: int, events: int, owner: T) -> None:
        self._owners[descriptor] = owner
        self._poll.register(descriptor, events)

    def poll(self, wait_s: float) -> list[int]:
        wait_ms = None if math.isinf(wait_s) else wait_s * 1000
        return [descriptor for descriptor, _ in self._poll.poll(wait_ms)]

    def poll_with(self, other: int, wait_s: float) -> list[int]:
        """Wait like `poll`, and also for a descriptor without an owner."""
        self._poll.register(other, READABLE)
        try:
            return self.poll(wait_s)
        finally:
            self._poll.unregister(other)

    def owner(self, descriptor: int) -> T | None:
        """Return the owner of a ready descriptor, if it is still watched."""
        return self._owners.get(descriptor)

    def forget(self, descriptor: int) -> None:
        if self._owners.pop(descriptor, None) is not None:
            self._poll.unregister(descriptor)

    def close_descriptor(self, descriptor: int) -> None:
        self.forget(descriptor)
        os.close(descriptor)


class Timers:
    """One timer per run, the earliest that was set, on the monotonic clock."""

    def __init__(self) -> None:
        self._times: dict[int, float] = {}  # by number of the run
        self._next_at = math.inf  # the earliest of them

    def set(self, number: int, when: float) -> None:
        """Check a run at this time or earlier."""
        if when < self._times.get(number, math.inf):
            self._times[number] = when
            self._next_at = min(self._next_at, when)

    def cancel(self, number: int) -> None:
        if self._times.pop(number, None) is not None:
            self._next_at = min(self._times.values(), default=math.inf)

    def seconds_left(self, now: float) -> float:
        """Return the seconds until the next timer; infinite if there is none."""
        return max(0.0, self._next_at - now)

    def take_due(self, now: float) -> int | None:
        """Return the run whose timer is due, the earliest first, without its timer."""
        if now < self._next_at or not self._times:
            return None
        number = min(self._times, key=self._times.__getitem__)
        self.cancel(number)
        return number

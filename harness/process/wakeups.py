"""Wait for descriptors, each of which has an owner, and for the next time to check a run."""

from __future__ import annotations

import math
import os
import select
from typing import Final, Generic, TypeVar

T = TypeVar("T")

READABLE: Final = select.EPOLLIN
READABLE_ONCE: Final = select.EPOLLIN | select.EPOLLONESHOT
WRITABLE: Final = select.EPOLLOUT


class Watcher(Generic[T]):
    """An epoll that knows the owner of each descriptor."""

    def __init__(self) -> None:
        self._epoll = select.epoll()
        self._owners: dict[int, T] = {}
        self._fired: set[int] = set()  # descriptors whose one-shot event has fired

    def __contains__(self, descriptor: int) -> bool:
        return descriptor in self._owners

    def watch(self, descriptor: int, events: int, owner: T) -> None:
        self._owners[descriptor] = owner
        self._epoll.register(descriptor, events)

    def poll(self, wait_s: float) -> list[int]:
        return [descriptor for descriptor, _ in self._epoll.poll(wait_s)]

    def poll_with(self, other: int, wait_s: float) -> list[int]:
        """Wait like `poll`, and also for a descriptor without an owner."""
        self._epoll.register(other, READABLE)
        try:
            return self.poll(wait_s)
        finally:
            self._epoll.unregister(other)

    def owner(self, descriptor: int) -> T | None:
        """Return the owner of a ready descriptor, if it is still watched."""
        return self._owners.get(descriptor)

    def mark_fired(self, descriptor: int) -> None:
        """Note that a one-shot event has fired: the kernel has removed the descriptor."""
        self._fired.add(descriptor)

    def forget(self, descriptor: int) -> None:
        # Closing is not enough: a child before its exec may hold a copy, and epoll would report it
        # under a number that is reused by another pipe.
        if self._owners.pop(descriptor, None) is None:
            return
        if descriptor in self._fired:
            self._fired.discard(descriptor)
        else:
            self._epoll.unregister(descriptor)

    def close_descriptor(self, descriptor: int) -> None:
        self.forget(descriptor)
        os.close(descriptor)

    def close(self) -> None:
        self._epoll.close()


class Timers:
    """One timer per run, the earliest that was set, on the monotonic clock."""

    def __init__(self) -> None:
        self._times: dict[int, float] = {}  # by number of the run

    def set(self, number: int, when: float) -> None:
        """Check a run at this time or earlier."""
        self._times[number] = min(when, self._times.get(number, math.inf))

    def cancel(self, number: int) -> None:
        self._times.pop(number, None)

    def seconds_left(self, now: float) -> float:
        """Return the seconds until the next timer; infinite if there is none."""
        return max(0.0, min(self._times.values(), default=math.inf) - now)

    def take_due(self, now: float) -> int | None:
        """Return the run whose timer is due, the earliest first, without its timer."""
        number = min(self._times, key=self._times.__getitem__, default=None)
        if number is None or self._times[number] > now:
            return None
        del self._times[number]
        return number

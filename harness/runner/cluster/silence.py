"""Tell which workers of a cluster have been silent for too long; the caller tells the time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

_LOOKS: Final = 10  # while a worker is silent


class SilenceWatch:
    """The last sign of life of each worker, on any clock, and when it was news here."""

    def __init__(self, after_s: float) -> None:
        self.silent: frozenset[str] = frozenset()
        self._after_s = after_s
        self._looked_at = 0.0
        self._signs: dict[str, tuple[float, float]] = {}

    def is_due(self, now: float) -> bool:
        return now >= self._looked_at + self._after_s / _LOOKS

    def note(self, signs: Mapping[str, float], now: float) -> None:
        """Take the last sign of each worker that is connected."""
        self._looked_at = now
        known = self._signs
        self._signs = {
            worker: known[worker] if worker in known and known[worker][0] == sign else (sign, now)
            for worker, sign in signs.items()
        }
        limit = now - self._after_s
        self.silent = frozenset(each for each, (_, since) in self._signs.items() if since < limit)

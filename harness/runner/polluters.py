"""Find the case of a session without which another one would not have passed there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, TypeVar

T = TypeVar("T")


class PolluterSearch(Generic[T]):
    """A bisection. Put the `candidates` into a session with the victim, and `note` whether it
    passes.

    The search `is_over` when the victim passes without others, when one candidate is left, or when
    no half is enough by itself: then the candidates are those that were enough together.
    """

    def __init__(self, candidates: Sequence[T]) -> None:
        self._enough = list(candidates)
        self._parts = [[], *self._halves()]

    def _halves(self) -> list[list[T]]:
        middle = len(self._enough) // 2
        return [self._enough[:middle], self._enough[middle:]] if middle else []

    @property
    def is_over(self) -> bool:
        return not self._parts

    @property
    def candidates(self) -> list[T]:
        """The cases to try next, or the result."""
        return self._parts[0] if self._parts else self._enough

    def note(self, *, passes: bool) -> None:
        """Continue with what a session with the victim and the candidates has shown."""
        if passes:
            self._enough = self._parts[0]
            self._parts = self._halves()
        else:
            del self._parts[0]

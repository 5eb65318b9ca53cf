"""Share between worker processes which subjects may not use sessions any more."""

from __future__ import annotations

import mmap
from collections.abc import Iterable


class DistrustedSubjects:
    """The subjects of which a case that passed in a session has failed alone.

    Processes that are forked later share it.
    """

    def __init__(self, subjects: Iterable[str]) -> None:
        self._indexes = {name: index for index, name in enumerate(dict.fromkeys(subjects))}
        self._memory = mmap.mmap(-1, max(1, len(self._indexes)))

    def __contains__(self, subject: str) -> bool:
        return bool(self._memory[self._indexes[subject]])

    def add(self, subject: str) -> None:
        self._memory[self._indexes[subject]] = True

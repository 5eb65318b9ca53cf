"""What a subject is still to be told: the pieces of its input, each in its time.

Bookkeeping only; the loop does the writing. A piece may wait for a time, or for answers: then the
complete values on standard output are counted as they come.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from harness.jsontext import JUDGE_DEPTH, LAXITIES, Decoder
from harness.records import Job, Piece

__all__ = ["NOTHING_LEFT", "Feeding"]


class Feeding:
    """The input of one run. `pending` is what may be written now, from `position` on."""

    __slots__ = (
        "_answered",
        "_decoder",
        "_next",
        "_pieces",
        "is_over",
        "not_before",
        "pending",
        "position",
    )

    def __init__(self, job: Job, written: int) -> None:
        self.pending = job.stdin if job.feed is None else b""
        self.position = written
        self.is_over = False  # everything is written, or nobody reads it any more
        self.not_before: float | None = None  # when the pause that is on will be over
        self._pieces: Iterator[Piece] = iter(()) if job.feed is None else job.feed
        self._next: Piece | None = None
        self._answered = 0
        self._decoder: Decoder | None = None  # until there are answers to be counted

    @property
    def has_pending(self) -> bool:
        """Whether something may be written now."""
        return self.position < len(self.pending)

    @property
    def awaited(self) -> int:
        """How many answers the next piece waits for; 0: it does not."""
        if self.is_over or self._next is None or self._answered >= self._next.answers:
            return 0
        return self._next.answers

    def advance(self) -> float | None:
        """What is pending was written: make ready for the next piece. Returns in how many seconds
        it may be written; None: there is none, and the input is complete."""
        self.pending, self.position = b"", 0
        self._next = next(self._pieces, None)
        return None if self._next is None else self._next.pause_s

    def begin(self) -> bool:
        """The pause is over: make the next piece pending. False: it waits for answers."""
        if self._next is None or self._answered < self._next.answers:
            return False
        self.pending, self.position, self._next = self._next.data, 0, None
        return True

    def saw(self, chunk: bytes) -> bool:
        """The subject printed this. Returns whether a piece waits that may depend on it."""
        if self._next is None or self._next.answers == 0:
            return False
        if self._decoder is None:
            # Only counts: what the suite allows is for the judge to say.
            self._decoder = Decoder(JUDGE_DEPTH, LAXITIES)
        self._answered += len(self._decoder.feed(chunk))
        return True


def _nothing_left() -> Feeding:
    feeding = Feeding(Job((), b""), 0)
    feeding.is_over = True
    return feeding


# The input of every run that had all of it in its pipe before it began: nothing changes in it.
NOTHING_LEFT: Final = _nothing_left()

"""Schedule the input of a run, chunk by chunk; the loop writes it.

A chunk may wait for a pause, or for answers: complete JSON values on standard output.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from harness.jsonio.decoder import EXTENSIONS, JUDGE_DEPTH, Decoder
from harness.model.transcript import Chunk, Job


class InputWriter:
    """The input of one run; `pending` may be written now, from `position` on."""

    def __init__(self, job: Job, written: int) -> None:
        self.pending = job.stdin if job.feed is None else b""
        self.position = written
        self.is_over = False  # everything is written, or the subject closed its end
        self.not_before: float | None = None  # the end of the present pause
        self._chunks: Iterator[Chunk] = iter(()) if job.feed is None else job.feed
        # Known before the present chunk is written: what is printed meanwhile may be its answers.
        self._next = next(self._chunks, None)
        self._answered = 0
        self._decoder: Decoder | None = None  # None until there are answers to count

    @property
    def awaited(self) -> int:
        """The number of answers that the next chunk waits for, or 0 if it waits for none."""
        if self.is_over or self._is_writing or self._next is None:
            return 0
        return self._next.answers if self._answered < self._next.answers else 0

    @property
    def _is_writing(self) -> bool:
        return self.position < len(self.pending)

    def advance(self) -> float | None:
        """Prepare the next chunk, after everything pending was written.

        Returns the seconds to wait before it, or None if the input is complete.
        """
        self.pending, self.position = b"", 0
        return None if self._next is None else self._next.pause_s

    def begin(self) -> bool:
        """Make the next chunk pending after its pause; return False if it waits for answers, or the
        present one is not yet written."""
        if self._is_writing or self._next is None or self._answered < self._next.answers:
            return False
        self.pending, self.position = self._next.data, 0
        self._next = next(self._chunks, None)
        return True

    def count_answers(self, output: bytes) -> bool:
        """Count the answers in a part of the output; return whether a chunk waits for answers."""
        if self._next is None or self._next.answers == 0:
            return False
        if self._decoder is None:
            # Accepts every extension: it only counts, and the judge decides what is valid.
            self._decoder = Decoder(JUDGE_DEPTH, EXTENSIONS)
        self._answered += len(self._decoder.feed(output))
        return True


# Shared by all runs whose input was in the pipe before they started.
NOTHING_LEFT: Final = InputWriter(Job((), b""), 0)
NOTHING_LEFT.is_over = True

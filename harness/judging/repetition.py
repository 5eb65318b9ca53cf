"""Several runs of the same thing as one judgement: the same each time, or flaky.

Pure. Source: docs/verdicts.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TypeAlias

from harness.records import Judgement, Transcript, Verdict

__all__ = ["Attempt", "combined"]

Attempt: TypeAlias = tuple[Transcript, Judgement]


def combined(attempts: Sequence[Attempt]) -> Attempt:
    """What several runs (at least one) come to. Where they all got one verdict, the last of them;
    otherwise flaky, with the first one that did not pass to look at."""
    if len(attempts) == 1:
        return attempts[0]
    verdicts = Counter(judgement.verdict for _, judgement in attempts)
    if len(verdicts) == 1:
        return attempts[-1]
    transcript, judgement = next(
        attempt for attempt in attempts if attempt[1].verdict is not Verdict.PASSED
    )
    counts = ", ".join(f"{number} {verdict.value}" for verdict, number in verdicts.most_common())
    message = f"{len(attempts)} runs: {counts}; {judgement.verdict.value}: {judgement.message}"
    return transcript, Judgement(Verdict.FLAKY, message, judgement.differences)

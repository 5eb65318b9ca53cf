"""Combine several runs of one case into one judgement: the common verdict, or flaky.

Source: docs/verdicts.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TypeAlias

from harness.model.events import BoundedJudgement
from harness.model.transcript import Transcript
from harness.model.verdict import Verdict

__all__ = ["Attempt", "combine"]

Attempt: TypeAlias = tuple[Transcript, BoundedJudgement]


def combine(attempts: Sequence[Attempt]) -> Attempt:
    """Return the last of the attempts if they have one verdict.

    Otherwise the verdict is flaky, with the transcript of the first one that did not pass.
    """
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
    return transcript, judgement._replace(verdict=Verdict.FLAKY, message=message)

"""Give up on a subject in a suite after several timeouts in a row: an endless loop would take the
limit of each case. Source: docs/running.md.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterable
from typing import Final

from harness.model.judgement import Judgement
from harness.model.transcript import NotStarted, Transcript
from harness.model.verdict import Verdict
from harness.project.targets import Target
from harness.suites.loading import Suite

MOST_TIMEOUTS: Final = 5  # in a row
TIMEOUTS: Final = (Verdict.SILENT, Verdict.STALLED, Verdict.CPU_LIMIT)
_MOST_COUNTED: Final = 255
GIVEN_UP: Final = Transcript(NotStarted("given up"))
NOT_RUN: Final = Judgement(
    Verdict.NOT_RUN,
    f"given up after {MOST_TIMEOUTS} timeouts in a row of this subject in this suite;"
    " --no-give-up runs all cases",
)


class TimeoutStreaks:
    """The timeouts in a row of each subject in each suite without points, in order of their end.

    Processes that are forked later share it.
    """

    def __init__(self, targets: Iterable[Target]) -> None:
        keys = dict.fromkeys(each.key for each in targets if not _has_points(each.suite))
        self._indexes = {key: index for index, key in enumerate(keys)}
        self._memory = mmap.mmap(-1, max(1, len(self._indexes)))

    def note(self, target: Target, verdict: Verdict) -> None:
        index = self._indexes.get(target.key)
        if index is not None:
            streak = self._memory[index] + 1 if verdict in TIMEOUTS else 0
            self._memory[index] = min(streak, _MOST_COUNTED)

    def gives_up(self, target: Target) -> bool:
        index = self._indexes.get(target.key)
        return index is not None and self._memory[index] >= MOST_TIMEOUTS


def _has_points(suite: Suite) -> bool:
    settings = suite.settings
    return settings.grading.points is not None or any(
        rule.points is not None for rule in settings.rules
    )

"""Find the case of a session without which another one would not have passed there.

Source: docs/sessions.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from harness.delivery.registry import Delivery
from harness.engine.plan import PlannedRun, repeat_command
from harness.model.case_names import pattern_of
from harness.model.events import DependsOnOrder, RunResult

_MOST_POLLUTERS: Final = 50  # that a command repeats


class PolluterSearch:
    """A bisection for the case of a session without which another one, its victim, would not have
    passed there. Put the `candidates` into a session with it, and `record` whether it passes.

    The search `is_over` when the victim passes without others, when one candidate is left, or when
    no half is enough by itself: then the candidates are those that were enough together. A search
    that is not `thorough` only tries the victim without others.
    """

    def __init__(self, candidates: Sequence[int], *, thorough: bool) -> None:
        self._enough = list(candidates)
        self._parts = [[], *(self._halves() if thorough else ())]

    def _halves(self) -> list[list[int]]:
        middle = len(self._enough) // 2
        return [self._enough[:middle], self._enough[middle:]] if middle else []

    @property
    def is_over(self) -> bool:
        return not self._parts

    @property
    def candidates(self) -> list[int]:
        """The cases to try next, or the result."""
        return self._parts[0] if self._parts else self._enough

    def record(self, *, passes: bool) -> None:
        """Continue with what a session with the victim and the candidates has shown."""
        if passes:
            self._enough = self._parts[0]
            self._parts = self._halves()
        else:
            del self._parts[0]


def order_finding(
    victim: PlannedRun, polluters: Sequence[PlannedRun], event: RunResult
) -> DependsOnOrder:
    """Return the finding that a case passes only with others; `event` is its run without them."""
    polluter = polluters[0].name.text if len(polluters) == 1 else ""
    cause = f"with case {polluter}" if polluter else "of its own"
    if len(polluters) > 1:
        cause = f"with {len(polluters):,} other cases"
    names = [*polluters, victim] if len(polluters) <= _MOST_POLLUTERS else [victim]
    repeat = list(repeat_command(victim, Delivery.PLAIN))
    repeat[repeat.index("--case") + 1] = ",".join(pattern_of(each.name) for each in names)
    return DependsOnOrder(
        f"{event.suite}/{event.case}",
        event.subject,
        polluter,
        f"it passes in a session {cause}, but in a fresh process its verdict is"
        f" {event.verdict.value}",
        (*repeat, "--session-sample", "all", "-j1"),
    )

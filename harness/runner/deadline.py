"""End a run of xtest at a deadline, and make the events of what it left out.

Source: docs/running.md.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator

from harness.delivery.registry import Delivery
from harness.model.case import InvalidCase
from harness.model.events import Judged
from harness.model.judgement import Judgement
from harness.model.verdict import Verdict
from harness.runner.ipc import CaseEvent
from harness.runner.jobs import event_without_run, read_planned_case, usable_deliveries
from harness.runner.plan import PlannedRun
from harness.text import format_number


class Deadline:
    """The time, `at` on the monotonic clock, when all subjects must end.

    It notes which runs got their verdicts before; memory is a byte per planned case.
    """

    def __init__(self, after_s: float) -> None:
        self.at = time.monotonic() + after_s
        self._after_s = after_s
        self._finished: dict[tuple[str, str], bytearray] = {}  # 1 at the place of a finished case
        self._begun: dict[tuple[str, str, int], set[str]] = {}  # deliveries of other cases

    def note(self, case_event: CaseEvent) -> None:
        at, event, is_last = case_event
        if not isinstance(event, Judged):
            return
        target = event.suite, event.subject
        if not is_last:
            self._begun.setdefault((*target, at), set()).add(event.delivery)
            return
        finished = self._finished.setdefault(target, bytearray())
        finished.extend(bytes(max(0, at + 1 - len(finished))))
        finished[at] = 1
        self._begun.pop((*target, at), None)

    def left_out(self, runs: Iterable[PlannedRun], options: tuple[str, ...]) -> Iterator[Judged]:
        """Yield an event for each of the planned runs without a verdict, if the time is up."""
        if time.monotonic() < self.at:
            return
        reason = f"the deadline of {format_number(self._after_s)} s came before its verdict"
        judgement = Judgement(Verdict.NOT_RUN, reason)
        for run in runs:
            if self._finished.get(run.target.key, b"")[run.at : run.at + 1] == b"\1":
                continue
            begun = self._begun.get((*run.target.key, run.at), set())
            for delivery in _deliveries(run):
                if delivery.value not in begun:
                    yield event_without_run(run, judgement, options, delivery)


def _deliveries(run: PlannedRun) -> Iterator[Delivery]:
    """Yield the deliveries that the run still needs."""
    if len(run.deliveries) == 1:
        yield from run.deliveries
        return
    case = read_planned_case(run, None, is_checked=False)
    earlier = dict(run.earlier)
    if isinstance(case, InvalidCase):
        yield Delivery.PLAIN
        return
    yield from (each for each in usable_deliveries(run, case) if each not in earlier)

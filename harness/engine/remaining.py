"""Track which planned runs are left, to resume a run or to report what its deadline left out.

Source: docs/running.md.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator

from harness.delivery.registry import Delivery
from harness.engine.ipc import CaseEvent
from harness.engine.jobs import event_without_run, read_planned_case, usable_deliveries
from harness.engine.plan import PlannedRun
from harness.model.case import Case
from harness.model.events import RunResult
from harness.model.judgement import Judgement
from harness.model.verdict import Verdict
from harness.text import format_number

TargetKey = tuple[str, str]  # the names of suite and subject
DeliveryVerdicts = tuple[tuple[Delivery, Verdict], ...]


class FinishedCases:
    """The runs that have their verdicts; memory is a byte per planned case."""

    def __init__(self) -> None:
        self._finished: dict[TargetKey, bytearray] = {}  # 1 at the place of a finished case
        self._begun: dict[tuple[str, str, int], DeliveryVerdicts] = {}

    def finish(self, target: TargetKey, index: int) -> None:
        """Note the case with this index in its suite as complete."""
        finished = self._finished.setdefault(target, bytearray())
        finished.extend(bytes(max(0, index + 1 - len(finished))))
        finished[index] = 1
        self._begun.pop((*target, index), None)

    def begin(self, target: TargetKey, index: int, outcomes: DeliveryVerdicts) -> None:
        """Note deliveries of a case that needs others."""
        self._begun[*target, index] = (*self._begun.get((*target, index), ()), *outcomes)

    def left_of(self, runs: Iterable[PlannedRun]) -> Iterator[PlannedRun]:
        """Yield the runs that are not finished; their `earlier` deliveries have verdicts."""
        for run in runs:
            key = run.target.key
            if self._finished.get(key, b"")[run.case_index : run.case_index + 1] != b"\1":
                begun = self._begun.get((*key, run.case_index))
                yield run if begun is None else run._replace(earlier=(*run.earlier, *begun))


class Deadline:
    """The time, `ends_at` on the monotonic clock, when all subjects must end.

    It records which runs got their verdicts before.
    """

    def __init__(self, after_s: float) -> None:
        self.ends_at = time.monotonic() + after_s
        self._after_s = after_s
        self._finished_cases = FinishedCases()

    def record(self, case_event: CaseEvent) -> None:
        index, event, is_last = case_event
        if isinstance(event, RunResult):
            target = event.suite, event.subject
            if is_last:
                self._finished_cases.finish(target, index)
            else:
                self._finished_cases.begin(
                    target, index, ((Delivery(event.delivery), event.verdict),)
                )

    def left_out(
        self, runs: Iterable[PlannedRun], repeat_args: tuple[str, ...]
    ) -> Iterator[RunResult]:
        """Yield an event for each of the planned runs without a verdict, if the time is up."""
        if time.monotonic() < self.ends_at:
            return
        reason = f"the deadline of {format_number(self._after_s)} s came before its verdict"
        judgement = Judgement(Verdict.NOT_RUN, reason)
        for run in self._finished_cases.left_of(runs):
            for delivery in _deliveries(run):
                yield event_without_run(run, judgement, repeat_args, delivery)


def _deliveries(run: PlannedRun) -> list[Delivery]:
    """Return the deliveries that the run still needs."""
    deliveries = run.deliveries
    if len(deliveries) > 1:
        case = read_planned_case(run, None, is_checked=False)
        deliveries = usable_deliveries(run, case) if isinstance(case, Case) else (Delivery.PLAIN,)
    earlier = dict(run.earlier)
    return [each for each in deliveries if each not in earlier]

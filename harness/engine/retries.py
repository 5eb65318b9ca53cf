"""Repeat runs that timed out, alone: others may have taken the processor time that they needed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, field
from typing import Final

from harness.delivery.registry import Delivery
from harness.engine.ipc import CaseEvent, CaseEvents
from harness.engine.plan import PlannedRun
from harness.engine.request import RunRequest, Targets
from harness.errors import NoProcessLeft
from harness.model.case_names import input_name
from harness.model.events import DeliveriesDiffer, Judged
from harness.model.verdict import MACHINE_LIMIT, Verdict

# Yields the events of a run while nothing else runs.
RunAlone = Callable[[PlannedRun], CaseEvents]

TIMEOUTS: Final = (Verdict.SILENT, Verdict.STALLED)
_MOST_HELD: Final = 256  # runs; further ones keep their verdict
# After this many repetitions in a row that time out again, the timeouts of a subject stand.
MAX_FUTILE_RETRIES: Final = 3


@dataclass(slots=True)
class _UnsettledCase:
    """A case that is not complete: its verdicts so far, and the runs that timed out."""

    planned: PlannedRun
    outcomes: dict[Delivery, Verdict] = field(default_factory=dict)
    held: dict[Delivery, CaseEvent] = field(default_factory=dict)
    difference: CaseEvent | None = None  # of verdicts that may still change

    @property
    def cpu_share(self) -> float:
        """The most processor time that a held run got, as a share of its time."""
        runs = (each.event for each in self.held.values())
        return max(run.cpu_s / (run.wall_s or 1) for run in runs if isinstance(run, Judged))

    def unrepeated(self) -> Iterator[CaseEvent]:
        events = list(self.held.values())
        for each in events:
            yield each._replace(is_last=each is events[-1])
        if self.difference is not None:
            yield self.difference


class TimeoutRetries:
    """The timeouts of a request that are not settled: held back, then repeated one at a time.

    Timeouts that used all their time as processor time are settled: no other run delayed them.
    """

    def __init__(self, request: RunRequest, targets: Targets) -> None:
        self._request = request
        self._targets = targets
        self._cases: dict[tuple[str, str], _UnsettledCase] = {}  # by subject and SUITE/CASE
        self._held = 0

    def settled(self, case_events: CaseEvents) -> CaseEvents:
        """Yield the events that no repetition can change, and hold the others."""
        with closing(case_events):
            for case_event in case_events:
                event = case_event.event
                if self._request.policy.retry_timeouts and isinstance(event, Judged):
                    yield from self._sift(case_event, event)
                elif isinstance(event, DeliveriesDiffer) and _key(event) in self._cases:
                    self._cases[_key(event)].difference = case_event
                else:
                    yield case_event

    def repeated(self, alone: RunAlone) -> CaseEvents:
        """Repeat the held runs, those that were nearest to their time first, and yield events."""
        futile: Counter[str] = Counter()
        board = self._request.board
        # A case without held runs is not complete because a worker was lost.
        held = [key for key, case in self._cases.items() if case.held]
        if board is not None and held:
            board.restart(len(held), "repeating timeouts alone")
        for key in sorted(held, key=lambda each: -self._cases[each].cpu_share):
            case = self._cases[key]
            earlier = tuple(case.outcomes.items())
            again = case.planned._replace(deliveries=tuple(case.held), earlier=earlier)
            is_repeated, is_given_up = False, futile[key[0]] >= MAX_FUTILE_RETRIES
            for case_event in () if is_given_up else _alone_if_possible(alone, again):
                is_repeated = True
                self._cases.pop(key, None)
                event = case_event.event
                if isinstance(event, Judged):
                    futile[key[0]] = futile[key[0]] + 1 if is_unsettled(event) else 0
                    event = event._replace(retried=True)
                yield case_event._replace(event=event)
            if not is_repeated:  # given up, or the deadline came first
                del self._cases[key]
                if board is not None:
                    board.planned -= 1
                yield from case.unrepeated()

    def interrupted(self) -> CaseEvents:
        """Yield the held runs as they are; without a digest, --resume runs them again."""
        for case in self._cases.values():
            for case_event in case.unrepeated():
                event = case_event.event
                if isinstance(event, Judged):
                    event = event._replace(content="")
                yield case_event._replace(event=event)

    def _sift(self, case_event: CaseEvent, event: Judged) -> tuple[CaseEvent, ...]:
        """Return the event if no repetition can change it; hold it otherwise."""
        key = _key(event)
        case = self._cases.get(key)
        if case is None and case_event.is_last and not is_unsettled(event):
            return (case_event,)  # its only run
        case = case or _UnsettledCase(self._planned(case_event.case_index, event))
        delivery = Delivery(event.delivery)
        settled: tuple[CaseEvent, ...] = ()
        if is_unsettled(event) and self._held < _MOST_HELD:
            self._held += 1
            case.held[delivery] = case_event
        else:
            case.outcomes[delivery] = event.verdict
            settled = (case_event._replace(is_last=case_event.is_last and not case.held),)
        if case_event.is_last and not case.held:
            self._cases.pop(key, None)
        else:
            self._cases[key] = case
        return settled

    def _planned(self, index: int, event: Judged) -> PlannedRun:
        target = self._targets[event.suite, event.subject]
        return PlannedRun(target, input_name(event.case), (), index)


def _key(event: Judged | DeliveriesDiffer) -> tuple[str, str]:
    if isinstance(event, Judged):
        return event.subject, f"{event.suite}/{event.case}"
    return event.subject, event.where


def _alone_if_possible(alone: RunAlone, planned: PlannedRun) -> CaseEvents:
    with suppress(NoProcessLeft):  # then the first verdict stands
        yield from alone(planned)


def is_unsettled(event: Judged) -> bool:
    """Return whether other runs may be to blame for a verdict: a timeout before the run had used
    its time as processor time, or a limit of the machine."""
    if event.verdict is Verdict.HARNESS_FAULT:
        return event.message.startswith(MACHINE_LIMIT)
    return event.verdict in TIMEOUTS and event.cpu_s < event.wall_s

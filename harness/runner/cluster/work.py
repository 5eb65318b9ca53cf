"""Declare the work that a run sends to workers, and do it there: the cases of a request."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from typing import Any, Final, Generic, NamedTuple, Protocol, TypeVar

from harness.delivery.registry import Delivery
from harness.model.case_names import input_name
from harness.model.event_lines import event_line, parse_event
from harness.model.events import BoundedJudgement, Judged
from harness.model.sessions import SessionMode, SessionOptions
from harness.model.verdict import Verdict
from harness.project.targets import Target
from harness.runner.cluster.machine import SharedFolders, place_of
from harness.runner.deadline import Deadline
from harness.runner.execution import start_local_workers
from harness.runner.ipc import CaseEvent
from harness.runner.jobs import unrun
from harness.runner.plan import PlannedRun, repeat_command
from harness.runner.request import RunRequest
from harness.suites.schema_checks import suite_schema_check
from harness.text import to_utf8_text

T = TypeVar("T")
R = TypeVar("R")

_Json = dict[str, Any]
_Place = tuple[str, str, int]  # of a case: suite, subject, and where it is in the suite


class Results(NamedTuple, Generic[T, R]):
    """The results of a batch, and the items that are missing."""

    results: list[R]
    missing: tuple[T, ...]


class AnyWork(Protocol):
    """Work as a worker sees it; it travels there as a pickle."""

    def enter(self) -> None:
        """Prepare this machine. Raises UsageError with what it lacks."""

    def run(self, request: _Json) -> tuple[Iterable[str], list[str]]:
        """Run the items of a request; return lines as they come, and sentences on workers that were
        lost, which are known after the last line."""


class Work(AnyWork, Protocol[T, R]):
    """Work as the client sees it: items, and results of type R.

    `remedy` continues the sentence on why some results cannot come.
    """

    remedy: str

    def pack(self, items: Sequence[T]) -> _Json:
        """Return what a request says of these items."""

    def unpack(self, items: Sequence[T], lines: Sequence[str]) -> Results[T, R]:
        """Return the results in the lines of a batch. Raises ValueError."""

    def fault(self, item: T, message: str) -> R:
        """Return the result of an item that cannot be run."""


class CaseWork:
    """Planned cases; a result is an event."""

    remedy = "--resume runs the cases that are missing"

    def __init__(
        self,
        request: RunRequest,
        targets: Mapping[tuple[str, str], Target],
        folders: SharedFolders,
    ) -> None:
        self._targets = tuple(targets.values())
        self._numbers: Final = {key: number for number, key in enumerate(targets)}
        self._place: Final = place_of(self._targets, folders, request.sandbox)
        self._is_checked: Final = request.check is not None
        self._options: Final = request.options
        # Only what decides outcomes, and can be sent.
        self._request = RunRequest(
            *((), (), request.parallel, request.wall_s),
            repeat=request.repeat,
            retry_timeouts=request.retry_timeouts,
            max_failures=request.max_failures,
            options=request.options,
            sessions=request.sessions,
        )

    # On a worker.

    def enter(self) -> None:
        """Prepare this machine. Raises UsageError with what it lacks."""
        moved, sandbox = self._place.enter()
        self._targets = tuple(map(moved.target, self._targets))
        self._request = self._request._replace(sandbox=sandbox)
        if self._is_checked:
            check = suite_schema_check([target.suite for target in self._targets])
            self._request = self._request._replace(check=check)

    def run(self, request: _Json) -> tuple[Iterable[str], list[str]]:
        """Run the cases of a request; return lines, and sentences on workers that were lost."""
        losses: list[str] = []
        return self._run(request, losses), losses

    def _run(self, request: _Json, losses: list[str]) -> Iterator[str]:
        left_s = request["deadline_s"]
        runs = list(map(self._planned, request["items"]))
        batch = self._request._replace(
            runs=runs,
            parallel=request["parallel"],
            deadline=None if left_s is None else Deadline(max(left_s, 1e-3)),
        )
        if request["alone"]:
            batch = batch._replace(sessions=SessionOptions(SessionMode.OFF))
        targets = {target.key: target for target in self._targets}
        with closing(start_local_workers(batch, targets, len(runs))) as pool:
            try:
                yield from map(_write_line, pool.outcomes())
            except KeyboardInterrupt:
                pool.stop()
                yield from map(_write_line, pool.outcomes())  # what its workers had sent
                raise
            losses += pool.losses()

    def _planned(self, item: list[Any]) -> PlannedRun:
        number, at, name, deliveries, earlier = item
        known = tuple((Delivery(delivery), Verdict(verdict)) for delivery, verdict in earlier)
        ways = tuple(map(Delivery, deliveries))
        return PlannedRun(self._targets[number], input_name(name), ways, at, known)

    # On the client.

    def pack(self, items: Sequence[PlannedRun]) -> _Json:
        """Return what a request says of these cases."""
        return {
            "items": [
                (
                    *(self._numbers[item.target.key], item.at, item.name.text),
                    [delivery.value for delivery in item.deliveries],
                    [(delivery.value, verdict.value) for delivery, verdict in item.earlier],
                )
                for item in items
            ]
        }

    def unpack(
        self, items: Sequence[PlannedRun], lines: Sequence[str]
    ) -> Results[PlannedRun, CaseEvent]:
        """Return the events of cases that are complete, and of sessions. Raises ValueError."""
        places = {_place_of(item): item for item in items}
        events: dict[_Place, list[CaseEvent]] = {place: [] for place in places}
        others = []
        for case_event in map(_read_line, lines):
            event = case_event.event
            if not isinstance(event, Judged):
                others.append(case_event)
                continue
            place = event.suite, event.subject, case_event.at
            if place not in places:
                raise ValueError("a case that was not asked for")
            event = self._with_own_names(places[place], event)
            events[place].append(case_event._replace(event=event))
        complete = {place for place, found in events.items() if any(each.is_last for each in found)}
        missing = tuple(item for place, item in places.items() if place not in complete)
        left_out = {f"{item.target.suite.name}/{item.name.text}" for item in missing}
        results = [each for place, found in events.items() if place in complete for each in found]
        results += (each for each in others if getattr(each.event, "where", "") not in left_out)
        return Results(results, missing)

    def fault(self, item: PlannedRun, message: str) -> CaseEvent:
        """Return the event of a case that cannot be run."""
        judgement = BoundedJudgement(Verdict.HARNESS_FAULT, message)
        return CaseEvent(item.at, unrun(item, judgement, self._options), is_last=True)

    def _with_own_names(self, item: PlannedRun, event: Judged) -> Judged:
        """Return the event with names as they are here; they need not be UTF-8."""
        return event._replace(
            suite=item.target.suite.name,
            subject=item.target.subject.name,
            case=item.name.text,
            repeat=repeat_command(item, Delivery(event.delivery), self._options),
        )


def kind_of(item: PlannedRun) -> tuple[str, str]:
    """Return a value that is equal for cases that are expected to take equally long."""
    return item.target.key


def _place_of(item: PlannedRun) -> _Place:
    suite, subject = item.target.key
    return to_utf8_text(suite), to_utf8_text(subject), item.at


def _write_line(case_event: CaseEvent) -> str:
    at, event, is_last = case_event
    return f"{at} {int(is_last)} {event_line(event).rstrip()}"


def _read_line(line: str) -> CaseEvent:
    """Return the event in a line of `_write_line`. Raises ValueError."""
    at, is_last, text = line.split(" ", 2)
    return CaseEvent(int(at), parse_event(text), is_last == "1")

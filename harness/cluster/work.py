"""Declare the cases of a run as work for other machines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import Any, Final

from harness.delivery.registry import Delivery
from harness.engine.execution import start_local_workers
from harness.engine.ipc import CaseEvent
from harness.engine.jobs import event_without_run, with_present_names
from harness.engine.plan import PlannedRun
from harness.engine.remaining import Deadline
from harness.engine.remote_work import Json, Results, Work
from harness.engine.request import RunPolicy, RunRequest, Targets, outcomes_of
from harness.model.case_names import input_name
from harness.model.event_lines import event_line, parse_event
from harness.model.events import Judged
from harness.model.judgement import Judgement
from harness.model.sessions import SessionMode, SessionOptions
from harness.model.verdict import Verdict
from harness.process.sandbox import Sandbox
from harness.project.targets import Target
from harness.suites.schema_checks import suite_schema_check
from harness.text import to_utf8_text

_CasePlace = tuple[str, str, int]  # of a case: suite, subject, and where it is in the suite


class CaseWork(Work[PlannedRun, CaseEvent]):
    """Planned cases; a result is an event."""

    remedy = "--resume runs the cases that are missing"

    def __init__(self, policy: RunPolicy, targets: Targets, paths: tuple[str, ...]) -> None:
        self.targets = tuple(targets.values())
        self.sandbox = policy.sandbox
        self.paths = paths
        self._numbers: Final = {key: number for number, key in enumerate(targets)}
        self._is_checked: Final = policy.check is not None
        self._policy = policy._replace(check=None, sandbox=None)  # which each machine makes

    def place(self, targets: Sequence[Target], sandbox: Sandbox | None) -> None:
        self.targets = tuple(targets)
        self._policy = self._policy._replace(sandbox=sandbox)
        if self._is_checked:
            check = suite_schema_check([target.suite for target in self.targets])
            self._policy = self._policy._replace(check=check)

    def run(self, request: Json, losses: list[str]) -> Iterator[str]:
        left_s = request["deadline_s"]
        runs = list(map(self._planned, request["items"]))
        policy = self._policy._replace(parallel=request["parallel"])
        if request["alone"]:
            policy = policy._replace(sessions=SessionOptions(SessionMode.OFF))
        deadline = None if left_s is None else Deadline(max(left_s, 1e-3))
        batch = RunRequest(runs, policy, deadline=deadline)
        targets = {target.key: target for target in self.targets}
        with closing(start_local_workers(batch, targets, len(runs))) as pool:
            yield from map(_write_line, outcomes_of(pool, losses))

    def _planned(self, item: list[Any]) -> PlannedRun:
        number, at, name, deliveries, earlier = item
        known = tuple((Delivery(delivery), Verdict(verdict)) for delivery, verdict in earlier)
        ways = tuple(map(Delivery, deliveries))
        return PlannedRun(self.targets[number], input_name(name), ways, at, known)

    def kind_of(self, item: PlannedRun) -> tuple[str, str]:
        return item.target.key

    def pack(self, items: Sequence[PlannedRun]) -> Json:
        return {
            "items": [
                (
                    *(self._numbers[item.target.key], item.case_index, item.name.text),
                    [delivery.value for delivery in item.deliveries],
                    [(delivery.value, verdict.value) for delivery, verdict in item.earlier],
                )
                for item in items
            ]
        }

    def unpack(
        self, items: Sequence[PlannedRun], lines: Sequence[str]
    ) -> Results[PlannedRun, CaseEvent]:
        """Return the events of cases that are complete, and of sessions."""
        places = {_place_of(item): item for item in items}
        events: dict[_CasePlace, list[CaseEvent]] = {place: [] for place in places}
        others = []
        for case_event in map(_read_line, lines):
            event = case_event.event
            if not isinstance(event, Judged):
                others.append(case_event)
                continue
            place = event.suite, event.subject, case_event.case_index
            if place not in places:
                raise ValueError("a case that was not asked for")
            event = with_present_names(places[place], event, self._policy.repeat_args)
            events[place].append(case_event._replace(event=event))
        complete = {place for place, found in events.items() if any(each.is_last for each in found)}
        missing = tuple(item for place, item in places.items() if place not in complete)
        left_out = {f"{item.target.suite.name}/{item.name.text}" for item in missing}
        results = [each for place, found in events.items() if place in complete for each in found]
        results += (each for each in others if getattr(each.event, "where", "") not in left_out)
        return Results(results, missing)

    def fault(self, item: PlannedRun, message: str) -> CaseEvent:
        judgement = Judgement(Verdict.HARNESS_FAULT, message)
        return CaseEvent(
            item.case_index,
            event_without_run(item, judgement, self._policy.repeat_args),
            is_last=True,
        )


def _place_of(item: PlannedRun) -> _CasePlace:
    suite, subject = item.target.key
    return to_utf8_text(suite), to_utf8_text(subject), item.case_index


def _write_line(case_event: CaseEvent) -> str:
    index, event, is_last = case_event
    return f"{index} {int(is_last)} {event_line(event).rstrip()}"


def _read_line(line: str) -> CaseEvent:
    """Return the event in a line of `_write_line`. Raises ValueError."""
    index, is_last, text = line.split(" ", 2)
    return CaseEvent(int(index), parse_event(text), is_last == "1")

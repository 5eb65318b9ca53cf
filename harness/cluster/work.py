"""Declare the work that a run, a fest or a comparison sends to workers, and do it there."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from itertools import chain
from typing import Any, Final, Generic, NamedTuple, TypeVar

from harness.cluster.machine import MachineNeeds, SharedFolders, require_start
from harness.delivery.registry import Delivery
from harness.engine.compare_runs import CompareSetup, InputResult, SmallestInputs, compare_inputs
from harness.engine.execution import start_local_workers
from harness.engine.ipc import CaseEvent
from harness.engine.jobs import event_without_run, with_present_names
from harness.engine.plan import PlannedRun
from harness.engine.progress import ProgressBoard
from harness.engine.remaining import Deadline
from harness.engine.request import RunRequest, Targets, outcomes_of
from harness.fest.events import Answered, CaseVerdict, Role, fest_line, parse_fest_event
from harness.fest.runs import FestPair, FestPlan, FestResult, FestRunner
from harness.model.case_names import input_name
from harness.model.compared import ComparedInput, SeparatingInput
from harness.model.event_lines import LineFormat, event_line, parse_event
from harness.model.events import Judged
from harness.model.judgement import Judgement
from harness.model.sessions import SessionMode, SessionOptions
from harness.model.verdict import Verdict
from harness.suites.schema_checks import suite_schema_check
from harness.text import to_utf8_text

T = TypeVar("T")
R = TypeVar("R")

_LINES: Final = LineFormat[ComparedInput]("a comparison", 1, {"compared": ComparedInput})

_Json = dict[str, Any]
_CasePlace = tuple[str, str, int]  # of a case: suite, subject, and where it is in the suite


class Results(NamedTuple, Generic[T, R]):
    """The results of a batch, and the items that are missing."""

    results: list[R]
    missing: tuple[T, ...]


class Work(ABC, Generic[T, R]):
    """Items that workers run, and results of type R; it travels to workers as a pickle.

    `remedy` is the end of the message about results that cannot come.
    """

    remedy: str

    # On a worker.

    @abstractmethod
    def prepare_machine(self) -> None:
        """Prepare this machine. Raises UsageError with what it lacks."""

    @abstractmethod
    def run(self, request: _Json, losses: list[str]) -> Iterator[str]:
        """Run the items of a request; yield lines as they come, then add sentences on workers that
        were lost."""

    # On the client.

    @abstractmethod
    def pack(self, items: Sequence[T]) -> _Json:
        """Return the members of a request that name these items."""

    @abstractmethod
    def unpack(self, items: Sequence[T], lines: Sequence[str]) -> Results[T, R]:
        """Return the results in the lines of a batch, with names as they are here: they need not be
        UTF-8. Raises ValueError."""

    @abstractmethod
    def fault(self, item: T, message: str) -> R:
        """Return the result of an item that cannot be run."""


def _read_numbered(
    items: Sequence[T], lines: Sequence[str], read: Callable[[T, str], R], what: str
) -> Results[T, R]:
    """Return the results in lines that begin with the number of their item. Raises ValueError."""
    results: dict[int, R] = {}
    for line in lines:
        number, text = line.split(" ", 1)
        if not 0 <= int(number) < len(items):
            raise ValueError(f"{what} that was not asked for")
        results[int(number)] = read(items[int(number)], text)
    missing = tuple(item for number, item in enumerate(items) if number not in results)
    return Results(list(results.values()), missing)


class CaseWork(Work[PlannedRun, CaseEvent]):
    """Planned cases; a result is an event."""

    remedy = "--resume runs the cases that are missing"

    def __init__(self, request: RunRequest, targets: Targets, folders: SharedFolders) -> None:
        self._targets = tuple(targets.values())
        self._numbers: Final = {key: number for number, key in enumerate(targets)}
        self._needs: Final = MachineNeeds(self._targets, folders, request.sandbox)
        self._is_checked: Final = request.check is not None
        # Only the fields that decide outcomes and can be sent.
        self._request = RunRequest(
            *((), (), request.parallel, request.wall_s),
            repeat=request.repeat,
            retry_timeouts=request.retry_timeouts,
            max_failures=request.max_failures,
            options=request.options,
            sessions=request.sessions,
        )

    def prepare_machine(self) -> None:
        mapping, sandbox = self._needs.prepare_machine()
        self._targets = tuple(map(mapping.target, self._targets))
        self._request = self._request._replace(sandbox=sandbox)
        if self._is_checked:
            check = suite_schema_check([target.suite for target in self._targets])
            self._request = self._request._replace(check=check)

    def run(self, request: _Json, losses: list[str]) -> Iterator[str]:
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
            yield from map(_write_line, outcomes_of(pool, losses))

    def _planned(self, item: list[Any]) -> PlannedRun:
        number, at, name, deliveries, earlier = item
        known = tuple((Delivery(delivery), Verdict(verdict)) for delivery, verdict in earlier)
        ways = tuple(map(Delivery, deliveries))
        return PlannedRun(self._targets[number], input_name(name), ways, at, known)

    def pack(self, items: Sequence[PlannedRun]) -> _Json:
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
        """Return the events of cases that are complete, and of sessions."""
        places = {_place_of(item): item for item in items}
        events: dict[_CasePlace, list[CaseEvent]] = {place: [] for place in places}
        others = []
        for case_event in map(_read_line, lines):
            event = case_event.event
            if not isinstance(event, Judged):
                others.append(case_event)
                continue
            place = event.suite, event.subject, case_event.at
            if place not in places:
                raise ValueError("a case that was not asked for")
            event = with_present_names(places[place], event, self._request.options)
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
            item.at, event_without_run(item, judgement, self._request.options), is_last=True
        )


def _place_of(item: PlannedRun) -> _CasePlace:
    suite, subject = item.target.key
    return to_utf8_text(suite), to_utf8_text(subject), item.at


def _write_line(case_event: CaseEvent) -> str:
    at, event, is_last = case_event
    return f"{at} {int(is_last)} {event_line(event).rstrip()}"


def _read_line(line: str) -> CaseEvent:
    """Return the event in a line of `_write_line`. Raises ValueError."""
    at, is_last, text = line.split(" ", 2)
    return CaseEvent(int(at), parse_event(text), is_last == "1")


class FestWork(Work[FestPair, FestResult]):
    """Pairs of programs and inputs; a result is a pair and its answer."""

    remedy = "with --results, the same command runs what is missing"

    def __init__(self, plan: FestPlan, folders: SharedFolders) -> None:
        self._plan = plan
        targets = [each.target for each in plan.entrants]
        self._needs: Final = MachineNeeds(targets, folders, plan.sandbox)

    def prepare_machine(self) -> None:
        mapping, sandbox = self._needs.prepare_machine()
        entrants = [
            each._replace(target=mapping.target(each.target)) for each in self._plan.entrants
        ]
        for role, target in entrants:
            if role is not Role.TEAM:
                require_start(target.subject, f"{role.value} ")
        self._plan = self._plan._replace(sandbox=sandbox, entrants=entrants)

    def run(self, request: _Json, losses: list[str]) -> Iterator[str]:
        pairs = [FestPair(*item) for item in request["items"]]
        runner = FestRunner(self._plan, request["parallel"])
        numbers = {pair: number for number, pair in enumerate(pairs)}
        for pair, answer in runner.run_pairs(pairs, is_alone=request["alone"]):
            yield f"{numbers[pair]} {fest_line(answer).rstrip()}"
        losses += runner.losses

    def pack(self, items: Sequence[FestPair]) -> _Json:
        return {"items": items}

    def unpack(
        self, items: Sequence[FestPair], lines: Sequence[str]
    ) -> Results[FestPair, FestResult]:
        return _read_numbered(items, lines, self._read, "an answer")

    def fault(self, item: FestPair, message: str) -> FestResult:
        expected = self._plan.inputs[item.input].cases
        faults = (CaseVerdict(each, Verdict.HARNESS_FAULT, message) for each in expected)
        names = self._plan.names_of(item)
        return item, Answered(**names, verdicts=tuple(faults), wall_s=0.0, cpu_s=0.0)

    def _read(self, item: FestPair, line: str) -> FestResult:
        answer = parse_fest_event(line)
        if not isinstance(answer, Answered):
            raise ValueError("an answer that was not asked for")
        return item, answer._replace(**self._plan.names_of(item))


class CompareWork(Work[PlannedRun, InputResult]):
    """The inputs of a comparison; a result compares the outputs of all subjects for one input."""

    remedy = "inputs are missing"

    def __init__(self, setup: CompareSetup, folders: SharedFolders) -> None:
        self._setup = setup
        targets = list(chain.from_iterable(setup.targets.values()))
        self._needs: Final = MachineNeeds(targets, folders, setup.sandbox)

    def prepare_machine(self) -> None:
        mapping, sandbox = self._needs.prepare_machine()
        targets = {
            suite: tuple(map(mapping.target, each)) for suite, each in self._setup.targets.items()
        }
        for subject in {target.subject for target in chain.from_iterable(targets.values())}:
            require_start(subject)
        self._setup = self._setup._replace(targets=targets, sandbox=sandbox)

    def run(self, request: _Json, losses: list[str]) -> Iterator[str]:
        """Run the inputs of a request; yield a line for each, with details of the smallest."""
        inputs = list(map(self._planned, request["items"]))
        numbers = {self._setup.order(each, 0): number for number, each in enumerate(inputs)}

        def write_line(result: InputResult) -> str:
            line = _LINES.line(result.compared).rstrip()
            return f"{numbers[result.order._replace(size=0)]} {line}"

        smallest = SmallestInputs(self._setup.limit)
        parallel, slots = request["parallel"], ProgressBoard(1).slots()
        results = compare_inputs(self._setup, inputs, parallel, smallest.takes, slots)
        with closing(results):
            try:
                for result in results:
                    left_out = smallest.add(result)
                    if left_out is not None:
                        without_details = left_out.compared._replace(details=None)
                        yield write_line(left_out._replace(compared=without_details))
            except KeyboardInterrupt:
                yield from map(write_line, smallest.results)
                raise
        yield from map(write_line, smallest.results)

    def _planned(self, item: list[Any]) -> PlannedRun:
        suite, at, name = item
        targets = list(self._setup.targets.values())[suite]
        return PlannedRun(targets[0], input_name(name), (Delivery.PLAIN,), at)

    def pack(self, items: Sequence[PlannedRun]) -> _Json:
        suites = list(self._setup.targets)
        return {
            "items": [
                (suites.index(item.target.suite.name), item.at, item.name.text) for item in items
            ]
        }

    def unpack(
        self, items: Sequence[PlannedRun], lines: Sequence[str]
    ) -> Results[PlannedRun, InputResult]:
        return _read_numbered(items, lines, self._read, "an input")

    def fault(self, item: PlannedRun, message: str) -> InputResult:
        return self._setup.result(item, ComparedInput(problem=message))

    def _read(self, item: PlannedRun, line: str) -> InputResult:
        compared, suite = _LINES.parse(line), item.target.suite.name
        if compared.groups:
            _check(compared, len(self._setup.targets[suite]))
            if compared.details is not None:
                of = SeparatingInput(suite, item.name.text, compared.size, compared.groups)
                own = compared.details._replace(of=of, repeat=self._setup.repeat(item))
                compared = compared._replace(details=own)
        elif not compared.problem:
            raise ValueError("an input without outputs")
        return self._setup.result(item, compared)


def _check(compared: ComparedInput, subjects: int) -> None:
    """Raise ValueError if these cannot be outputs of the subjects."""
    _, failures, groups, details, *_ = compared
    ordered = tuple(sorted(tuple(sorted(group)) for group in groups))
    if groups != ordered or sorted(chain(*groups)) != list(range(subjects)) or () in groups:
        raise ValueError("groups of other subjects")
    if len(failures) != subjects:
        raise ValueError("failures of other subjects")
    for failure in filter(None, failures):
        Verdict(failure)
    if details is not None:
        if groups != tuple(each.members for each in details.outputs):
            raise ValueError("details of other groups")
        if any(
            each.compared_with is not None and each.compared_with >= at
            for at, each in enumerate(details.outputs)
        ):
            raise ValueError("differences from no earlier group")

"""Run subjects on inputs, and compare their outputs, on workers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from itertools import chain
from typing import Any, Final

from harness.delivery.registry import Delivery
from harness.errors import UsageError
from harness.model.case_names import input_name
from harness.model.compared import ComparedInput, ComparedOutputs, SeparatingInput
from harness.model.event_lines import LineFormat
from harness.model.verdict import Verdict
from harness.runner.cluster.machine import SharedFolders, place_of, start_problem
from harness.runner.cluster.work import Results
from harness.runner.compare_runs import CompareSetup, InputResult, SmallestInputs, compare_inputs
from harness.runner.plan import PlannedRun
from harness.text import escape_nonprintable

_LINES: Final = LineFormat[ComparedInput](1, {"compared": ComparedInput})


class CompareWork:
    """The inputs of a comparison; a result compares the outputs of all subjects for one input."""

    remedy = "inputs are missing"

    def __init__(self, setup: CompareSetup, folders: SharedFolders) -> None:
        self._setup = setup
        targets = list(chain.from_iterable(setup.targets.values()))
        self._place: Final = place_of(targets, folders, setup.sandbox)

    # On a worker.

    def enter(self) -> None:
        """Prepare this machine. Raises UsageError with what it lacks."""
        moved, sandbox = self._place.enter()
        targets = {
            suite: tuple(map(moved.target, each)) for suite, each in self._setup.targets.items()
        }
        for subject in {target.subject for target in chain.from_iterable(targets.values())}:
            problem = start_problem(subject)
            if problem:
                raise UsageError(f"{escape_nonprintable(subject.name)}: {problem}")
        self._setup = self._setup._replace(targets=targets, sandbox=sandbox)

    def run(self, request: dict[str, Any]) -> tuple[Iterable[str], list[str]]:
        """Run the inputs of a request; return a line for each, with details of the smallest."""
        return self._lines(list(map(self._planned, request["items"])), request["parallel"]), []

    def _lines(self, inputs: Sequence[PlannedRun], parallel: int) -> Iterator[str]:
        numbers = {self._setup.order(each, 0): number for number, each in enumerate(inputs)}

        def write_line(result: InputResult) -> str:
            line = _LINES.line(result.compared).rstrip()
            return f"{numbers[result.order._replace(size=0)]} {line}"

        smallest = SmallestInputs(self._setup.limit)
        results = compare_inputs(self._setup, inputs, parallel, smallest.takes)
        with closing(results):
            try:
                for result in results:
                    left_out = smallest.add(result)
                    if left_out is not None:
                        yield write_line(_without_details(left_out))
            except KeyboardInterrupt:
                yield from map(write_line, smallest.results)
                raise
        yield from map(write_line, smallest.results)

    def _planned(self, item: list[Any]) -> PlannedRun:
        suite, at, name = item
        targets = list(self._setup.targets.values())[suite]
        return PlannedRun(targets[0], input_name(name), (Delivery.PLAIN,), at)

    # On the client.

    def pack(self, items: Sequence[PlannedRun]) -> dict[str, Any]:
        """Return what a request says of these inputs."""
        orders = (self._setup.order(item, 0) for item in items)
        return {
            "items": [
                (order.suite, order.at, item.name.text)
                for order, item in zip(orders, items, strict=True)
            ]
        }

    def unpack(
        self, items: Sequence[PlannedRun], lines: Sequence[str]
    ) -> Results[PlannedRun, InputResult]:
        """Return the results in the lines of a batch. Raises ValueError."""
        results: dict[int, InputResult] = {}
        for line in lines:
            number, text = line.split(" ", 1)
            if not 0 <= int(number) < len(items):
                raise ValueError("an input that was not asked for")
            results[int(number)] = self._result(items[int(number)], _LINES.parse(text))
        missing = tuple(item for number, item in enumerate(items) if number not in results)
        return Results(list(results.values()), missing)

    def fault(self, item: PlannedRun, message: str) -> InputResult:
        """Return the result of an input that cannot be run."""
        return self._setup.result(item, ComparedInput(problem=message))

    def _result(self, item: PlannedRun, compared: ComparedInput) -> InputResult:
        """Return the result of an input with names as they are here. Raises ValueError."""
        outputs, suite = compared.outputs, item.target.suite.name
        if outputs is not None:
            _check(outputs, len(self._setup.targets[suite]))
            if outputs.details is not None:
                of = SeparatingInput(suite, item.name.text, compared.size, outputs.groups)
                own = outputs.details._replace(of=of, repeat=self._setup.repeat(item))
                compared = compared._replace(outputs=outputs._replace(details=own))
        elif not compared.problem:
            raise ValueError("an input without outputs")
        return self._setup.result(item, compared)


def _without_details(result: InputResult) -> InputResult:
    compared, outputs = result.compared, result.compared.outputs
    if outputs is not None:
        compared = compared._replace(outputs=outputs._replace(details=None))
    return result._replace(compared=compared)


def _check(outputs: ComparedOutputs, subjects: int) -> None:
    """Raise ValueError if these cannot be outputs of the subjects."""
    failures, groups, details = outputs
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
            each.beside is not None and each.beside >= at for at, each in enumerate(details.outputs)
        ):
            raise ValueError("differences from no earlier group")

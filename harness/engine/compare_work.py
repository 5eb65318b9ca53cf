"""Declare a comparison as work for other machines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from itertools import chain, islice
from typing import Any, Final

from harness.delivery.registry import Delivery
from harness.engine.compare_runs import CompareSetup, InputResult, SmallestInputs, compare_inputs
from harness.engine.plan import PlannedRun
from harness.engine.progress import ProgressBoard
from harness.engine.remote_work import Json, Results, Work, read_numbered
from harness.model.case_names import input_name
from harness.model.compared import ComparedInput, SeparatingInput
from harness.model.event_lines import LineFormat
from harness.model.verdict import Verdict
from harness.process.sandbox import Sandbox
from harness.project.program_lookup import require_start
from harness.project.targets import Target

_LINES: Final = LineFormat[ComparedInput]("a comparison", 1, {"compared": ComparedInput})


class CompareWork(Work[PlannedRun, InputResult]):
    """The inputs of a comparison; a result compares the outputs of all subjects for one input."""

    remedy = "inputs are missing"

    def __init__(self, setup: CompareSetup) -> None:
        self._setup = setup
        self.targets = list(chain.from_iterable(setup.targets.values()))
        self.sandbox = setup.sandbox

    def place(self, targets: Sequence[Target], sandbox: Sandbox | None) -> None:
        for subject in {target.subject for target in targets}:
            require_start(subject)
        left = iter(targets)
        placed = {
            suite: tuple(islice(left, len(each))) for suite, each in self._setup.targets.items()
        }
        self._setup = self._setup._replace(targets=placed, sandbox=sandbox)

    def run(self, request: Json, losses: list[str]) -> Iterator[str]:
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

    def kind_of(self, item: PlannedRun) -> str:
        return item.target.suite.name

    def pack(self, items: Sequence[PlannedRun]) -> Json:
        suites = list(self._setup.targets)
        return {
            "items": [
                (suites.index(item.target.suite.name), item.case_index, item.name.text)
                for item in items
            ]
        }

    def unpack(
        self, items: Sequence[PlannedRun], lines: Sequence[str]
    ) -> Results[PlannedRun, InputResult]:
        return read_numbered(items, lines, self._read, "an input")

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

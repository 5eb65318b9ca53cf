"""Declare the runs of a fest as work for other machines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from harness.engine.remote_work import Json, Results, Work, read_numbered
from harness.fest.events import Answered, CaseVerdict, Role, fest_line, parse_fest_event
from harness.fest.runs import FestPair, FestPlan, FestResult, FestRunner
from harness.model.verdict import Verdict
from harness.process.sandbox import Sandbox
from harness.project.program_lookup import require_start
from harness.project.targets import Target


class FestWork(Work[FestPair, FestResult]):
    """Pairs of programs and inputs; a result is a pair and its answer."""

    remedy = "with --results, the same command runs what is missing"

    has_suites = False

    def __init__(self, plan: FestPlan) -> None:
        self._plan = plan
        self.targets = [each.target for each in plan.entrants]
        self.sandbox = plan.sandbox
        shared = dict.fromkeys(path for each in self.targets for path in each.suite.shared_files)
        self.paths = tuple(shared)

    def place(self, targets: Sequence[Target], sandbox: Sandbox | None) -> None:
        entrants = [
            each._replace(target=target)
            for each, target in zip(self._plan.entrants, targets, strict=True)
        ]
        for role, target in entrants:
            if role is not Role.TEAM:
                require_start(target.subject, f"{role.value} ")
        self._plan = self._plan._replace(sandbox=sandbox, entrants=entrants)

    def run(self, request: Json, losses: list[str]) -> Iterator[str]:
        pairs = [FestPair(*item) for item in request["items"]]
        runner = FestRunner(self._plan, request["parallel"])
        numbers = {pair: number for number, pair in enumerate(pairs)}
        for pair, answer in runner.run_pairs(pairs, is_alone=request["alone"]):
            yield f"{numbers[pair]} {fest_line(answer).rstrip()}"
        losses += runner.losses

    def kind_of(self, item: FestPair) -> int:
        return item.program

    def pack(self, items: Sequence[FestPair]) -> Json:
        return {"items": items}

    def unpack(
        self, items: Sequence[FestPair], lines: Sequence[str]
    ) -> Results[FestPair, FestResult]:
        return read_numbered(items, lines, self._read, "an answer")

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

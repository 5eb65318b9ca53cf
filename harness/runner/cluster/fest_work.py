"""Run the programs of a fest on workers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from harness.errors import UsageError
from harness.model.fest import Answered, CaseVerdict, Role, fest_line, parse_fest_event
from harness.model.verdict import Verdict
from harness.runner.cluster.place import place_of, start_problem
from harness.runner.cluster.shared_folders import SharedFolders
from harness.runner.cluster.work import Results
from harness.runner.fest_runs import FestPair, FestRunner, FestSetup
from harness.text import escape_nonprintable

_Result = tuple[FestPair, Answered]


class FestWork:
    """Pairs of programs and inputs; a result is a pair and its answer."""

    remedy = "with --results, the same command runs what is missing"

    def __init__(self, setup: FestSetup, folders: SharedFolders) -> None:
        self._setup = setup
        self._place: Final = place_of(
            [each.target for each in setup.entrants], folders, setup.sandbox
        )

    def enter(self) -> None:
        """Prepare this machine. Raises UsageError with what it lacks."""
        moved, sandbox = self._place.enter()
        entrants = [
            each._replace(target=moved.target(each.target)) for each in self._setup.entrants
        ]
        for role, target in entrants:
            problem = start_problem(target.subject)
            if role is not Role.TEAM and problem:
                name = escape_nonprintable(target.subject.name)
                raise UsageError(f"{role.value} {name}: {problem}")
        self._setup = self._setup._replace(sandbox=sandbox, entrants=entrants)

    def run(self, request: dict[str, Any]) -> tuple[Iterable[str], list[str]]:
        """Run the pairs of a request; return lines, and sentences on workers that were lost."""
        pairs = [FestPair(*item) for item in request["items"]]
        runner = FestRunner(self._setup, request["parallel"])
        numbers = {pair: number for number, pair in enumerate(pairs)}
        lines = (
            f"{numbers[pair]} {fest_line(answer).rstrip()}"
            for pair, answer in runner.run_pairs(pairs, is_alone=request["alone"])
        )
        return lines, runner.losses

    def pack(self, items: Sequence[FestPair]) -> dict[str, Any]:
        """Return what a request says of these pairs."""
        return {"items": items}

    def unpack(self, items: Sequence[FestPair], lines: Sequence[str]) -> Results[FestPair, _Result]:
        """Return the answers in the lines of a batch. Raises ValueError."""
        answers: dict[int, Answered] = {}
        for line in lines:
            number, text = line.split(" ", 1)
            answer = parse_fest_event(text)
            if not (isinstance(answer, Answered) and 0 <= int(number) < len(items)):
                raise ValueError("an answer that was not asked for")
            answers[int(number)] = self._with_own_names(items[int(number)], answer)
        missing = tuple(pair for number, pair in enumerate(items) if number not in answers)
        return Results([(items[number], each) for number, each in answers.items()], missing)

    def fault(self, item: FestPair, message: str) -> _Result:
        """Return the answer of a pair that cannot be run."""
        expected = self._setup.inputs[item.input].cases
        faults = (CaseVerdict(each, Verdict.HARNESS_FAULT, message) for each in expected)
        entrant = self._setup.entrants[item.program]
        names = (
            entrant.name,
            entrant.role,
            self._setup.keys[item.program],
            self._setup.inputs[item.input].digest,
        )
        return item, Answered(*names, item.repeat, tuple(faults), 0.0, 0.0, None, None)

    def _with_own_names(self, item: FestPair, answer: Answered) -> Answered:
        """Return the answer with names as they are here; they need not be UTF-8."""
        entrant = self._setup.entrants[item.program]
        return answer._replace(
            program=entrant.name,
            role=entrant.role,
            key=self._setup.keys[item.program],
            input=self._setup.inputs[item.input].digest,
            repeat=item.repeat,
        )

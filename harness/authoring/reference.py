"""Run a program on cases for commands that use its outputs: new, accept and selftest."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple, TypeVar

from harness.delivery.registry import Delivery
from harness.engine.checking import ask_checker
from harness.engine.jobs import make_job, read_planned_case
from harness.engine.judge_process import CaseJudge, JudgedRun, Judging
from harness.engine.plan import Plan, PlannedRun
from harness.engine.progress import ProgressBoard
from harness.engine.request import Check
from harness.engine.units import (
    LoopOptions,
    Outcome,
    Pause,
    Source,
    Unit,
    private_folders,
    run_units,
)
from harness.errors import Refused
from harness.model.case import Case, InvalidCase
from harness.model.sessions import SessionOptions
from harness.model.transcript import Job, Transcript
from harness.process.sandbox import Sandbox
from harness.project.program_lookup import command_line
from harness.project.targets import Target
from harness.suites.loading import Suite
from harness.suites.shared_files import suite_variables

T = TypeVar("T")


class ReferenceRuns(NamedTuple):
    """How a reference runs; runs in progress are noted on the board."""

    parallel: int
    wall_s: float | None  # None for the limit of each suite
    sandbox: Sandbox | None
    sessions: SessionOptions
    board: ProgressBoard


class ReferenceCase(NamedTuple):
    """A case to run, and its place in the plan."""

    planned: PlannedRun
    case: Case


def read_cases(
    plan: Plan, target: Target, how: ReferenceRuns
) -> Iterator[tuple[PlannedRun, Case | InvalidCase]]:
    """Yield the planned cases of a target; the judge process parses large ones later."""
    for planned in plan:
        if planned.target is target:
            yield planned, read_planned_case(planned, how.wall_s, is_checked=False)


def run_reference(
    cases: Iterable[ReferenceCase], target: Target, how: ReferenceRuns, judging: Judging[T]
) -> Iterator[JudgedRun[ReferenceCase, T]]:
    """Run cases of a target; yield each with its judgement, in any order."""
    source = _ReferenceSource(iter(cases), target, judging)
    options = LoopOptions(how.parallel, how.sandbox, workspaces=private_folders())
    yield from run_units(source, options, how.board.slots())


class _ReferenceSource(Source[JudgedRun[ReferenceCase, T]]):
    """The cases of a target, all judged in the judge process."""

    def __init__(self, cases: Iterator[ReferenceCase], target: Target, judging: Judging[T]) -> None:
        argv = command_line(target.subject)
        assert not isinstance(argv, Refused), argv.reason  # `plan_reference` reports it
        self.argv: Final = argv
        self.variables: Final = suite_variables(target.suite.folder)
        self.judging: Final = CaseJudge({target.key: target}, judging)
        self._cases = cases

    def next(self) -> Unit[JudgedRun[ReferenceCase, T]] | Pause:
        one = next(self._cases, None)
        return Pause.DONE if one is None else _ReferenceUnit(self, one)

    def judge(self, request: bytes) -> bytes:
        return self.judging.answer(request)


class _ReferenceUnit(Unit[JudgedRun[ReferenceCase, T]]):
    def __init__(self, source: _ReferenceSource[T], one: ReferenceCase) -> None:
        self._source = source
        self._one = one

    def label(self, number: int) -> str:
        return f"{self._one.case.suite}/{self._one.case.name}"

    def job(self, number: int) -> Job:
        source, context = self._source, self._one.planned.target.subject.context
        return make_job(source.argv, self._one.case, Delivery.PLAIN, context, source.variables)

    def ended(self, number: int, transcript: Transcript) -> Outcome[JudgedRun[ReferenceCase, T]]:
        one = self._one
        return ask_checker(self, one.planned.target.suite, one.case, transcript, self._judge_run)

    def _judge_run(self, transcript: Transcript) -> Outcome[JudgedRun[ReferenceCase, T]]:
        one = self._one
        question = self._source.judging.question(
            one.planned, one.case, transcript, lambda found: [JudgedRun(one, transcript, found)]
        )
        return Outcome(questions=[question])


def schema_check(suites: Sequence[Suite]) -> Check | None:
    """Return a check of cases, or None if no suite has an output schema. Raises UsageError."""
    if not any(suite.settings.output for suite in suites):
        return None
    # jsonschema takes 90 ms.
    from harness.suites.schema_checks import suite_schema_check  # pylint: disable=import-outside-toplevel

    return suite_schema_check(suites)

"""Run subjects on inputs, and compare the outputs for each input; keep the smallest that differ.

Source: docs/compare.md. Outputs are compared in another process, which can be killed.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from itertools import chain
from operator import attrgetter
from typing import Final, NamedTuple

from harness.engine.ipc import TRANSCRIPTS, RecordSerializer
from harness.engine.jobs import EMPTY_TRANSCRIPT, effective_limits
from harness.engine.plan import PlannedRun
from harness.engine.progress import WorkerSlots
from harness.engine.request import Workers, outcomes_of
from harness.engine.session_passes import SessionPasses, passes_in_workers, right_transcript
from harness.engine.units import (
    LoopOptions,
    Outcome,
    Pause,
    Question,
    Source,
    Unit,
    private_folders,
    run_units,
)
from harness.errors import Refused
from harness.judging.grouping import InputRuns, compare_outputs
from harness.model.case import Case
from harness.model.case_names import CaseName, pattern_of
from harness.model.compared import ComparedInput, GroupOutput, SeparatingInput, Separation
from harness.model.events import Diagnostic, Evidence, Excerpt
from harness.model.judgement import ShownDifference
from harness.model.limits import Limits
from harness.model.sessions import SessionOptions
from harness.model.transcript import Job, NotStarted, Transcript
from harness.process.killable import Stopped
from harness.process.sandbox import Sandbox
from harness.project.program_lookup import command_line
from harness.project.targets import Target
from harness.suites.cases import BrokenCase, own_rule, read_case, read_input
from harness.suites.shared_files import suite_variables

_RECORDS: Final = RecordSerializer(
    *(*TRANSCRIPTS, CaseName, InputRuns),
    *(ComparedInput, Separation, SeparatingInput, GroupOutput),
    *(Evidence, Excerpt, ShownDifference),
)


class InputOrder(NamedTuple):
    """The smallest input comes first, and of equally large ones, the first of the plan."""

    size: int
    suite: int
    case_index: int


class InputResult(NamedTuple):
    """The result of an input; the subject of `planned` has no meaning."""

    planned: PlannedRun
    compared: ComparedInput
    order: InputOrder


class SmallestInputs:
    """The smallest inputs that separate subjects and have details, at most `limit`."""

    def __init__(self, limit: int) -> None:
        self.results: list[InputResult] = []
        self._limit = limit

    @property
    def details(self) -> list[Separation]:
        found = (each.compared.details for each in self.results)
        return [each for each in found if each is not None]

    def takes(self, order: InputOrder) -> bool:
        """Return whether an input is one of the smallest so far."""
        return len(self.results) < self._limit or order < self.results[-1].order

    def add(self, result: InputResult) -> InputResult | None:
        """Add an input if it has details; return the input that is left out now, if any."""
        if result.compared.details is None:
            return result
        insort(self.results, result, key=attrgetter("order"))
        return self.results.pop() if len(self.results) > self._limit else None


class CompareSetup(NamedTuple):
    """The subjects on each suite, by its name, and how they run.

    `subjects` and `options` are words of the command that compares an input again. The results of
    the `limit` smallest inputs have details.
    """

    targets: Mapping[str, tuple[Target, ...]]
    sandbox: Sandbox | None
    wall_s: float | None
    sessions: SessionOptions
    subjects: tuple[str, ...]
    options: tuple[str, ...]
    limit: int

    def result(self, planned: PlannedRun, compared: ComparedInput) -> InputResult:
        return InputResult(planned, compared, self.order(planned, compared.size))

    def order(self, planned: PlannedRun, size: int) -> InputOrder:
        """Return the place of an input among others."""
        return InputOrder(
            size, list(self.targets).index(planned.target.suite.name), planned.case_index
        )

    def repeat(self, planned: PlannedRun) -> tuple[str, ...]:
        """Return the command that compares an input again."""
        words = (*self.subjects, "--case", pattern_of(planned.name), *self.options)
        return ("xtest", "compare", *words, "--", planned.target.argument)


def compare_inputs(
    setup: CompareSetup,
    inputs: Iterable[PlannedRun],
    parallel: int,
    has_details: Callable[[InputOrder], bool],
    slots: WorkerSlots,
) -> Generator[InputResult, None, None]:
    """Yield the results of inputs in any order; an input has details if `has_details` says so.

    `inputs` is iterated several times, and its subjects are not used. Runs in progress take slots.
    """
    settled = _in_sessions(setup, inputs, parallel)
    source = InputSource(setup, iter(inputs), has_details, settled)
    yield from run_units(
        source, LoopOptions(parallel, setup.sandbox, workspaces=private_folders()), slots
    )


def remote_results(
    workers: Workers[InputResult], losses: list[Diagnostic]
) -> Generator[InputResult, None, None]:
    """Yield the results of inputs that run on a cluster; add to `losses` why some are missing."""
    reasons: list[str] = []
    yield from outcomes_of(workers, reasons)
    losses += (Diagnostic("xtest", reason) for reason in reasons)


def _in_sessions(setup: CompareSetup, inputs: Iterable[PlannedRun], parallel: int) -> SessionPasses:
    """Run what subjects can settle in sessions: cases with a right output."""
    numbered = chain.from_iterable(map(enumerate, setup.targets.values()))
    numbers = {number for number, each in numbered if each.subject.session is not None}
    runs = [
        planned._replace(target=setup.targets[planned.target.suite.name][number])
        for number in sorted(numbers)
        for planned in inputs
    ]
    return passes_in_workers(
        runs, setup.sessions, parallel=parallel, wall_s=setup.wall_s, sandbox=setup.sandbox
    )


class InputSource(Source[InputResult]):
    """The inputs of a comparison; a unit is an input for all subjects."""

    def __init__(
        self,
        setup: CompareSetup,
        inputs: Iterator[PlannedRun],
        has_details: Callable[[InputOrder], bool],
        settled: SessionPasses,
    ) -> None:
        self.setup: Final = setup
        self.settled: Final = settled
        targets = chain.from_iterable(setup.targets.values())
        self.commands: Final = {each.subject: command_line(each.subject) for each in targets}
        self._inputs = inputs
        self._has_details = has_details

    def next(self) -> Unit[InputResult] | Pause:
        planned = next(self._inputs, None)
        return Pause.DONE if planned is None else _ComparedUnit(self, planned)

    def targets(self, planned: PlannedRun) -> tuple[Target, ...]:
        return self.setup.targets[planned.target.suite.name]

    def question(
        self, planned: PlannedRun, stdin: bytes, runs: Mapping[int, tuple[Transcript, Limits]]
    ) -> Question[InputResult]:
        """Return the question whether the outputs for an input agree."""

        def request() -> bytes:
            has_details = self._has_details(self.setup.order(planned, len(stdin)))
            ordered = [runs[number] for number in sorted(runs)]
            input_runs = InputRuns(
                planned.target.suite.name,
                planned.name.text,
                stdin,
                tuple(transcript for transcript, _ in ordered),
                tuple(limits for _, limits in ordered),
                self.setup.repeat(planned) if has_details else (),
            )
            return _RECORDS.pack((planned.name, planned.case_index, input_runs))

        def results(answer: bytes | Stopped) -> tuple[InputResult]:
            if isinstance(answer, Stopped):
                problem = f"comparing stopped {answer.reason}"
                compared = ComparedInput(len(stdin), problem=problem)
            else:
                compared = _RECORDS.unpack(answer)
            where = f"{planned.target.suite.name}/{planned.name.text}"
            findings = (each.message for each in self.settled.findings if each.where == where)
            return (self.setup.result(planned, compared._replace(findings=tuple(findings))),)

        return Question(request, results)

    def judge(self, request: bytes) -> bytes:
        name, index, runs = _RECORDS.unpack(request)
        suite = self.setup.targets[runs.suite][0].suite
        policy = suite.settings.policy_for(name)[0]._replace(checker=())  # knows one output
        has_several = suite.settings.has_alternatives(name, own_rule(suite, name, index))
        case = read_case(suite, name, index) if has_several else None
        right = case.alternatives if isinstance(case, Case) else ()
        return _RECORDS.pack(compare_outputs(runs, policy, right))


class _ComparedUnit(Unit[InputResult]):
    """An input for all subjects, and the runs so far by the numbers of the subjects."""

    def __init__(self, source: InputSource, planned: PlannedRun) -> None:
        self._source = source
        self._planned = planned
        self._targets = source.targets(planned)
        self._runs: dict[int, tuple[Transcript, Limits]] = {}
        self._stdin = b""
        self._problem = ""
        self.jobs = len(self._targets)
        suite = planned.target.suite
        try:
            self._stdin = read_input(suite, planned.name, planned.case_index)
        except BrokenCase as flaw:
            self._problem = str(flaw)
            self.jobs = 1

    def label(self, number: int) -> str:
        planned, subject = self._planned, self._targets[number].subject.name
        return f"{planned.target.suite.name}/{planned.name.text} by {subject}"

    def job(self, number: int) -> Job | Transcript:
        if self._problem:
            return EMPTY_TRANSCRIPT
        target, source = self._targets[number], self._source
        planned = self._planned._replace(target=target)
        if source.settled.has(planned):
            case = read_case(target.suite, planned.name, planned.case_index)
            if isinstance(case, Case):
                return right_transcript(case, planned)
        argv, subject = source.commands[target.subject], target.subject
        if isinstance(argv, Refused):
            return Transcript(NotStarted(argv.reason))
        variables = suite_variables(target.suite.folder)
        limits = self._limits(number)
        return Job(argv, self._stdin, limits, None, subject.context, variables=variables)

    def ended(self, number: int, transcript: Transcript) -> Outcome[InputResult]:
        if self._problem:
            broken = ComparedInput(problem=self._problem)
            return Outcome([self._source.setup.result(self._planned, broken)])
        self._runs[number] = transcript, self._limits(number)
        if len(self._runs) < self.jobs:
            return Outcome()
        question = self._source.question(self._planned, self._stdin, self._runs)
        return Outcome(questions=[question])

    def _limits(self, number: int) -> Limits:
        settings = self._planned.target.suite.settings
        policy, _ = settings.policy_for(self._planned.name)
        return effective_limits(policy, self._targets[number].subject, self._source.setup.wall_s)

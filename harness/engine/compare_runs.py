"""Run subjects on inputs, and compare the outputs for each input; keep the smallest that differ.

Source: docs/compare.md. Outputs are compared in another process, which can be killed.
"""

from __future__ import annotations

import os
from bisect import insort
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from operator import attrgetter
from typing import Final, NamedTuple

from harness.engine.ipc import TRANSCRIPTS, RecordSerializer
from harness.engine.jobs import effective_limits
from harness.engine.judge_process import BOUNDS
from harness.engine.plan import PlannedRun
from harness.engine.progress import WorkerSlots
from harness.engine.request import Workers, outcomes_of
from harness.engine.session_passes import SessionPasses, passes_in_workers, right_transcript
from harness.errors import Refused
from harness.judging.grouping import InputRuns, compare_outputs
from harness.model.case import Case, Policy
from harness.model.case_names import CaseName, pattern_of
from harness.model.compared import ComparedInput, GroupOutput, SeparatingInput, Separation
from harness.model.events import Diagnostic, Evidence, Excerpt
from harness.model.judgement import ShownDifference
from harness.model.limits import Limits
from harness.model.sessions import SessionOptions
from harness.model.transcript import Job, NotStarted, Transcript
from harness.process.ended_runs import EndedRun
from harness.process.killable import KillableQueue, Stopped
from harness.process.sandbox import Sandbox, run_in
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
    at: int


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
        return InputOrder(size, list(self.targets).index(planned.target.suite.name), planned.at)

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
    run = _ComparisonRun(setup, has_details, _in_sessions(setup, inputs, parallel))
    queue = KillableQueue[_InputInProgress, InputResult](run.answer, BOUNDS, run.result)
    runs = run_in(
        *(setup.sandbox, slots.track(run.jobs(inputs), run.name), parallel, dict(os.environ)),
        sole_parent=True,
        background=queue,
    )
    # Closed explicitly: an exception would keep subjects running as long as its traceback.
    with closing(queue), closing(runs):
        for ended in runs:
            if isinstance(ended, EndedRun):
                slots.release(ended.key)
                (unit, number, limits), transcript = ended
                unit.runs[number] = transcript, limits
                if len(unit.runs) == len(run.targets(unit.planned)):
                    queue.submit(unit, partial(run.request, unit))
            else:
                yield ended
            yield from run.take_broken()
    yield from run.take_broken()


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


@dataclass(slots=True)
class _InputInProgress:
    """An input in progress, and the runs of the subjects so far, by their numbers."""

    planned: PlannedRun
    stdin: bytes
    policy: Policy
    runs: dict[int, tuple[Transcript, Limits]] = field(default_factory=dict)


_RunKey = tuple[_InputInProgress, int, Limits]


class _ComparisonRun:
    def __init__(
        self,
        setup: CompareSetup,
        has_details: Callable[[InputOrder], bool],
        settled: SessionPasses,
    ) -> None:
        self._setup = setup
        self._has_details = has_details
        self._settled = settled
        self._broken: list[InputResult] = []  # inputs that cannot be read
        targets = chain.from_iterable(setup.targets.values())
        self._commands = {each.subject: command_line(each.subject) for each in targets}

    def targets(self, planned: PlannedRun) -> tuple[Target, ...]:
        return self._setup.targets[planned.target.suite.name]

    def take_broken(self) -> list[InputResult]:
        broken, self._broken = self._broken, []
        return broken

    # Running.

    def name(self, key: _RunKey) -> str:
        """Return the name of a run for people."""
        planned, number = key[0].planned, key[1]
        subject = self.targets(planned)[number].subject.name
        return f"{planned.target.suite.name}/{planned.name.text} by {subject}"

    def jobs(self, inputs: Iterable[PlannedRun]) -> Iterator[tuple[_RunKey, Job | Transcript]]:
        for planned in inputs:
            suite = planned.target.suite
            try:
                stdin = read_input(suite, planned.name, planned.at)
            except BrokenCase as flaw:
                broken = ComparedInput(problem=str(flaw))
                self._broken.append(self._setup.result(planned, broken))
                continue
            unit = _InputInProgress(planned, stdin, suite.settings.policy_for(planned.name)[0])
            for number, target in enumerate(self.targets(planned)):
                yield self._job(unit, number, target)

    def _job(
        self, unit: _InputInProgress, number: int, target: Target
    ) -> tuple[_RunKey, Job | Transcript]:
        subject = target.subject
        limits = effective_limits(unit.policy.limits, subject, self._setup.wall_s)
        key = (unit, number, limits)
        planned = unit.planned._replace(target=target)
        if self._settled.has(planned):
            case = read_case(target.suite, planned.name, planned.at)
            if isinstance(case, Case):
                return key, right_transcript(case, planned)
        argv = self._commands[subject]
        if isinstance(argv, Refused):
            return key, Transcript(NotStarted(argv.reason))
        variables = suite_variables(target.suite.folder)
        return key, Job(argv, unit.stdin, limits, None, subject.context, variables=variables)

    # Comparing.

    def request(self, unit: _InputInProgress) -> bytes:
        planned, setup = unit.planned, self._setup
        has_details = self._has_details(setup.order(planned, len(unit.stdin)))
        ordered = [unit.runs[number] for number in sorted(unit.runs)]
        runs = InputRuns(
            planned.target.suite.name,
            planned.name.text,
            unit.stdin,
            tuple(transcript for transcript, _ in ordered),
            tuple(limits for _, limits in ordered),
            setup.repeat(planned) if has_details else (),
        )
        return _RECORDS.pack((planned.name, planned.at, runs))

    def answer(self, request: bytes) -> bytes:
        """Compare the outputs for an input; called in another process."""
        name, at, runs = _RECORDS.unpack(request)
        suite = self._setup.targets[runs.suite][0].suite
        policy = suite.settings.policy_for(name)[0]
        has_several = suite.settings.has_alternatives(name, own_rule(suite, name, at))
        case = read_case(suite, name, at) if has_several else None
        right = case.alternatives if isinstance(case, Case) else ()
        return _RECORDS.pack(compare_outputs(runs, policy, right))

    def result(self, unit: _InputInProgress, answer: bytes | Stopped) -> InputResult:
        where = f"{unit.planned.target.suite.name}/{unit.planned.name.text}"
        findings = tuple(each.message for each in self._settled.findings if each.where == where)
        if isinstance(answer, Stopped):
            problem = f"comparing stopped {answer.reason}"
            compared = ComparedInput(len(unit.stdin), problem=problem)
        else:
            compared = _RECORDS.unpack(answer)
        return self._setup.result(unit.planned, compared._replace(findings=findings))

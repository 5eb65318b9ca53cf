"""Run subjects on inputs, and compare the outputs for each input; keep the smallest that differ.

Source: docs/compare.md. Outputs are compared in another process, which can be killed.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from operator import attrgetter
from typing import Final, NamedTuple

from harness.engine.ipc import TRANSCRIPTS, RecordSerializer
from harness.engine.jobs import EMPTY_TRANSCRIPT, effective_limits, with_companions
from harness.engine.plan import PlannedRun
from harness.engine.retries import is_delayed_run, is_unsettled_run
from harness.engine.session_passes import SessionPasses, passes_in_workers, right_transcript
from harness.engine.units import Outcome, Pause, Question, Source, Unit
from harness.engine.workload import PlannedWorkload, ResultFacts, Share, Timeout, WorkOptions
from harness.errors import Refused
from harness.judging.grouping import InputRuns, compare_outputs
from harness.model.case import Case, right_outputs
from harness.model.case_names import CaseName, pattern_of
from harness.model.compared import ComparedInput, GroupOutput, SeparatingInput, Separation
from harness.model.event_lines import LineFormat
from harness.model.events import Evidence, Excerpt
from harness.model.judgement import ShownDifference
from harness.model.limits import Limits
from harness.model.sessions import SessionOptions
from harness.model.transcript import Job, NotStarted, Transcript
from harness.model.verdict import Verdict
from harness.process.killable import Stopped
from harness.process.sandbox import Sandbox
from harness.project.program_lookup import command_line, require_start
from harness.project.targets import Target
from harness.suites.cases import BrokenCase, own_rule, read_case, read_input
from harness.suites.shared_files import suite_variables

_LINES: Final = LineFormat[ComparedInput]("a comparison", 1, {"compared": ComparedInput})
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
        details = (each.compared.details for each in self.results)
        return [each for each in details if each is not None]

    def takes(self, order: InputOrder) -> bool:
        """Return whether an input is one of the smallest so far."""
        return len(self.results) < self._limit or order < self.results[-1].order

    def add(self, result: InputResult) -> None:
        """Add an input if it has details, and is one of the smallest."""
        if result.compared.details is not None:
            insort(self.results, result, key=attrgetter("order"))
            del self.results[self._limit :]


class CompareSettings(NamedTuple):
    """Settings of a comparison of subjects.

    `subjects` and `args` are words of the command that compares an input again. The results of the
    `limit` smallest inputs have details.
    """

    subjects: tuple[str, ...]
    args: tuple[str, ...] = ()
    limit: int = 10
    wall_s: float | None = None
    sessions: SessionOptions = SessionOptions()

    def repeat(self, planned: PlannedRun) -> tuple[str, ...]:
        """Return the command that compares an input again."""
        args = (*self.subjects, "--case", pattern_of(planned.name), *self.args)
        return ("xtest", "compare", *args, "--", planned.target.argument)


class CompareWorkload(PlannedWorkload[InputResult]):
    """The inputs of a comparison, each for all subjects on its suite.

    The subject of a planned run has no meaning: it is the first one on the suite.
    """

    remedy = "inputs are missing"

    def __init__(
        self, targets: Sequence[Target], sandbox: Sandbox | None, options: CompareSettings
    ) -> None:
        super().__init__(targets, sandbox)
        self.options: Final = options
        self.settled = SessionPasses({}, [], [])

    def targets_of(self, planned: PlannedRun) -> list[Target]:
        """Return the targets of an input, in the order of the subjects."""
        suite = planned.target.suite.name
        return [each for each in self.targets if each.suite.name == suite]

    def order(self, planned: PlannedRun, size: int) -> InputOrder:
        """Return the place of an input among others."""
        return InputOrder(size, self._numbers[planned.target.key], planned.case_index)

    def prepare(self, items: Iterable[PlannedRun], options: WorkOptions) -> None:
        """Run what subjects can settle in sessions: cases with a right output."""
        if options.is_alone:
            return
        runs = (
            planned._replace(target=target)
            for target in self.targets
            if target.subject.session is not None
            for planned in items
            if planned.target.suite.name == target.suite.name
        )
        self.settled = passes_in_workers(
            runs,
            self.options.sessions,
            parallel=options.parallel,
            wall_s=self.options.wall_s,
            sandbox=self.sandbox,
            board=options.board,
        )

    def source(self, items: Iterator[PlannedRun], _share: Share) -> Source[InputResult]:
        return InputSource(self, items)

    def result(self, planned: PlannedRun, compared: ComparedInput) -> InputResult:
        return InputResult(planned, compared, self.order(planned, compared.size))

    def pack(self, results: Sequence[InputResult]) -> Iterable[bytes]:
        for result in results:
            yield _RECORDS.pack((self.write_item(result.planned), result.compared))

    def unpack(self, message: bytes) -> Sequence[InputResult]:
        planned, compared = _RECORDS.unpack(message)
        return [self.result(self.read_item(planned), compared)]

    def facts(self, result: InputResult) -> ResultFacts:
        compared, timeout = result.compared, None
        if compared.is_unsettled:
            timeout = Timeout(compared.failures, is_late=compared.is_delayed)
        return ResultFacts(self.key(result.planned), timeout=timeout)

    def shares_folder(self, result: InputResult) -> bool:
        return result.compared.shares_folder

    def place(self, targets: Sequence[Target], sandbox: Sandbox | None) -> None:
        for subject in {target.subject for target in targets}:
            require_start(subject)
        super().place(targets, sandbox)

    def kind_of(self, item: PlannedRun) -> str:
        return item.target.suite.name

    def write_result(self, result: InputResult) -> str:
        return _LINES.line(result.compared).rstrip()

    def read_result(self, item: PlannedRun | None, line: str) -> InputResult:
        compared = _LINES.parse(line)
        if item is None:
            raise ValueError("an input that was not asked for")
        return self.checked_result(item, compared)

    def checked_result(self, item: PlannedRun, compared: ComparedInput) -> InputResult:
        """Return a result that comes from elsewhere, with the names of its input as they are here.

        Raises ValueError.
        """
        if compared.groups:
            _check(compared, len(self.targets_of(item)))
            if compared.details is not None:
                suite = item.target.suite.name
                of = SeparatingInput(suite, item.name.text, compared.size, compared.groups)
                own = compared.details._replace(of=of, repeat=self.options.repeat(item))
                compared = compared._replace(details=own)
        elif not compared.problem:
            raise ValueError("an input without outputs")
        return self.result(item, compared)

    def fault(self, item: PlannedRun, message: str) -> InputResult:
        return self.result(item, ComparedInput(problem=message))


def _check(compared: ComparedInput, subjects: int) -> None:
    """Raise ValueError if these cannot be outputs of the subjects."""
    failures, groups, details = compared.failures, compared.groups, compared.details
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
            each.compared_with is not None and each.compared_with >= number
            for number, each in enumerate(details.outputs)
        ):
            raise ValueError("differences from no earlier group")


class InputSource(Source[InputResult]):
    """The inputs of a comparison; a unit is an input for all subjects."""

    def __init__(self, work: CompareWorkload, inputs: Iterator[PlannedRun]) -> None:
        self.work: Final = work
        self.commands: Final = {each.subject: command_line(each.subject) for each in work.targets}
        self._inputs = inputs
        # Of this worker: those that are the smallest of all are among them.
        self._smallest = SmallestInputs(work.options.limit)

    def next(self) -> Unit[InputResult] | Pause:
        planned = next(self._inputs, None)
        return Pause.DONE if planned is None else _ComparedUnit(self, planned)

    def feedback(
        self, _unit: Unit[InputResult], results: Sequence[InputResult]
    ) -> Iterable[InputResult]:
        for result in results:
            self._smallest.add(result)
        return results

    def question(
        self, planned: PlannedRun, stdin: bytes, runs: Mapping[int, tuple[Transcript, Limits]]
    ) -> Question[InputResult]:
        """Return the question whether the outputs for an input agree."""

        def request() -> bytes:
            has_details = self._smallest.takes(self.work.order(planned, len(stdin)))
            ordered = [runs[number] for number in sorted(runs)]
            input_runs = InputRuns(
                planned.target.suite.name,
                planned.name.text,
                stdin,
                tuple(transcript for transcript, _ in ordered),
                tuple(limits for _, limits in ordered),
                self.work.options.repeat(planned) if has_details else (),
            )
            return _RECORDS.pack((planned.name, planned.case_index, input_runs))

        def results(answer: bytes | Stopped) -> tuple[InputResult]:
            if isinstance(answer, Stopped):
                problem = f"comparing stopped {answer.reason}"
                compared = ComparedInput(len(stdin), problem=problem)
            else:
                compared = _RECORDS.unpack(answer)
            where, settled = f"{planned.target.suite.name}/{planned.name.text}", self.work.settled
            findings = (each.message for each in settled.findings if each.where == where)
            transcripts = [transcript for transcript, _ in runs.values()]
            compared = compared._replace(
                findings=tuple(findings),
                is_unsettled=any(map(is_unsettled_run, transcripts)),
                is_delayed=any(map(is_delayed_run, transcripts)),
                shares_folder=any(each.shares_folder for each in transcripts),
            )
            return (self.work.result(planned, compared),)

        return Question(request, results)

    def judge(self, request: bytes) -> bytes:
        name, index, runs = _RECORDS.unpack(request)
        suite = next(each.suite for each in self.work.targets if each.suite.name == runs.suite)
        policy = suite.settings.policy_for(name)[0]._replace(checker=())  # knows one output
        has_several = suite.settings.has_alternatives(name, own_rule(suite, name, index))
        case = read_case(suite, name, index) if has_several else None
        right = tuple(right_outputs(case)) if isinstance(case, Case) else ()
        return _RECORDS.pack(compare_outputs(runs, policy, right))


class _ComparedUnit(Unit[InputResult]):
    """An input for all subjects, and the runs so far by the numbers of the subjects."""

    def __init__(self, source: InputSource, planned: PlannedRun) -> None:
        self._source = source
        self._planned = planned
        self._targets = source.work.targets_of(planned)
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
        if source.work.settled.has(planned):
            case = read_case(target.suite, planned.name, planned.case_index)
            if isinstance(case, Case):
                return right_transcript(case, planned)
        argv, subject = source.commands[target.subject], target.subject
        if isinstance(argv, Refused):
            return Transcript(NotStarted(argv.reason))
        variables = suite_variables(target.suite.folder)
        limits = self._limits(number)
        job = Job(argv, self._stdin, limits, None, subject.context, variables=variables)
        return with_companions(job, target.suite.settings.companions)

    def ended(self, number: int, transcript: Transcript) -> Outcome[InputResult]:
        if self._problem:
            broken = ComparedInput(problem=self._problem)
            return Outcome([self._source.work.result(self._planned, broken)])
        self._runs[number] = transcript, self._limits(number)
        if len(self._runs) < self.jobs:
            return Outcome()
        question = self._source.question(self._planned, self._stdin, self._runs)
        return Outcome(questions=[question])

    def _limits(self, number: int) -> Limits:
        settings = self._planned.target.suite.settings
        policy, _ = settings.policy_for(self._planned.name)
        return effective_limits(
            policy, self._targets[number].subject, self._source.work.options.wall_s
        )

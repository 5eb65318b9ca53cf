"""Run a program on cases for commands that use its outputs: new, accept and selftest."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Final, Generic, NamedTuple, TypeVar

from harness.delivery.registry import Delivery
from harness.engine.checking import ask_checker
from harness.engine.ipc import TRANSCRIPTS, RecordSerializer
from harness.engine.jobs import EMPTY_TRANSCRIPT, make_job
from harness.engine.judge_process import CaseJudge, Judging
from harness.engine.plan import PlannedRun
from harness.engine.retries import is_delayed_run, is_unsettled_run
from harness.engine.units import Outcome, Pause, Source, Unit
from harness.engine.workload import PlannedWorkload, ResultFacts, Share, Timeout
from harness.errors import Refused
from harness.model.case import Case, InvalidCase
from harness.model.transcript import Job, Transcript
from harness.process.sandbox import Sandbox
from harness.project.program_lookup import command_line
from harness.project.targets import Target
from harness.suites.shared_files import suite_variables

T = TypeVar("T")

ReadCase = Callable[[PlannedRun], Case | InvalidCase]
_RUNS: Final = RecordSerializer(*TRANSCRIPTS)


class ReferenceRun(NamedTuple, Generic[T]):
    """A run of the reference with its judgement; an invalid case was not run."""

    planned: PlannedRun
    transcript: Transcript
    judgement: T


class ReferenceWorkload(PlannedWorkload[ReferenceRun[T]]):
    """Cases of a target, all judged in the judge process; `read_case` is called by workers."""

    remedy = "cases are missing"

    def __init__(
        self, target: Target, sandbox: Sandbox | None, read_case: ReadCase, judging: Judging[T]
    ) -> None:
        super().__init__([target], sandbox)
        self.read_case: Final = read_case
        self.judging: Final = judging

    def source(self, items: Iterator[PlannedRun], _share: Share) -> Source[ReferenceRun[T]]:
        return _ReferenceSource(self, items)

    def pack(self, results: Sequence[ReferenceRun[T]]) -> Iterable[bytes]:
        for planned, transcript, judgement in results:
            packed = self.judging.records.pack(judgement)
            yield _RUNS.pack((self.write_item(planned), transcript, packed))

    def unpack(self, message: bytes) -> Sequence[ReferenceRun[T]]:
        planned, transcript, packed = _RUNS.unpack(message)
        judgement = self.judging.records.unpack(packed)
        return [ReferenceRun(self.read_item(planned), transcript, judgement)]

    def facts(self, result: ReferenceRun[T]) -> ResultFacts:
        planned, transcript, _ = result
        timeout = None
        if is_unsettled_run(transcript):
            share = transcript.usage.cpu_s / (transcript.wall_s or 1)
            is_late = is_delayed_run(transcript)
            timeout = Timeout(planned.target.subject.name, share, is_late=is_late)
        return ResultFacts(self.key(planned), timeout=timeout)

    def shares_folder(self, result: ReferenceRun[T]) -> bool:
        return result.transcript.shares_folder

    def fault(self, item: PlannedRun, message: str) -> ReferenceRun[T]:
        return ReferenceRun(item, EMPTY_TRANSCRIPT, self.judging.stopped(f"because {message}"))


class _ReferenceSource(Source[ReferenceRun[T]]):
    def __init__(self, work: ReferenceWorkload[T], items: Iterator[PlannedRun]) -> None:
        (target,) = work.targets
        argv = command_line(target.subject)
        assert not isinstance(argv, Refused), argv.reason  # `require_programs` reports it
        self.argv: Final = argv
        self.variables: Final = suite_variables(target.suite.folder)
        self.case_judge: Final = CaseJudge({target.key: target}, work.judging)
        self._work = work
        self._items = items

    def next(self) -> Unit[ReferenceRun[T]] | Pause:
        planned = next(self._items, None)
        if planned is None:
            return Pause.DONE
        case = self._work.read_case(planned)
        if isinstance(case, InvalidCase):
            judgement = self._work.judging.judge(case, EMPTY_TRANSCRIPT)
            return _InvalidUnit(ReferenceRun(planned, EMPTY_TRANSCRIPT, judgement))
        return _ReferenceUnit(self, planned, case)

    def judge(self, request: bytes) -> bytes:
        return self.case_judge.answer(request)


class _InvalidUnit(Unit[ReferenceRun[T]]):
    """An invalid case, which takes its turn like any other."""

    def __init__(self, result: ReferenceRun[T]) -> None:
        self._result = result

    def label(self, _number: int) -> str:
        return self._result.planned.name.text

    def job(self, _number: int) -> Transcript:
        return EMPTY_TRANSCRIPT

    def ended(self, _number: int, _transcript: Transcript) -> Outcome[ReferenceRun[T]]:
        return Outcome([self._result])


class _ReferenceUnit(Unit[ReferenceRun[T]]):
    def __init__(self, source: _ReferenceSource[T], planned: PlannedRun, case: Case) -> None:
        self._source = source
        self._planned = planned
        self._case = case

    def label(self, _number: int) -> str:
        return f"{self._case.suite}/{self._case.name}"

    def job(self, _number: int) -> Job:
        source, context = self._source, self._planned.target.subject.context
        return make_job(source.argv, self._case, Delivery.PLAIN, context, source.variables)

    def ended(self, _number: int, transcript: Transcript) -> Outcome[ReferenceRun[T]]:
        return ask_checker(
            self, self._planned.target.suite, self._case, transcript, self._judge_run
        )

    def _judge_run(self, transcript: Transcript) -> Outcome[ReferenceRun[T]]:
        made = partial(ReferenceRun[T], self._planned, transcript)
        question = self._source.case_judge.question(
            self._planned, self._case, transcript, lambda judgement: [made(judgement)]
        )
        return Outcome(questions=[question])

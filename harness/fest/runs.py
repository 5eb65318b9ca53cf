"""Run programs of a fest on inputs: each run is judged by every output that some team expects.

Runs are shared between worker processes. Judging that may take long happens where it can be killed.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import Any, Final, NamedTuple

from harness.delivery.registry import Delivery
from harness.engine.checking import ask_checker
from harness.engine.ipc import TRANSCRIPTS, RecordSerializer
from harness.engine.jobs import make_job, with_effective_limits
from harness.engine.judge_process import is_quick, judge_here
from harness.engine.retries import TIMEOUTS
from harness.engine.units import Outcome, Pause, Question, Source, Unit
from harness.engine.workload import RemotePool, ResultFacts, Share, Timeout, Workload
from harness.errors import Refused
from harness.fest.config import Entrant, require_staff
from harness.fest.events import (
    Answered,
    CaseVerdict,
    FestProgram,
    Role,
    fest_line,
    parse_fest_event,
)
from harness.model.case import Case
from harness.model.events import Excerpt, excerpt
from harness.model.judgement import Judgement
from harness.model.transcript import CheckerAnswer, Exited, Job, NotStarted, Signalled, Transcript
from harness.model.verdict import Verdict
from harness.options import messages
from harness.options.execution import ExecutionOptions
from harness.options.working import start_work
from harness.process.killable import Stopped
from harness.process.sandbox import Sandbox
from harness.project.program_lookup import command_line
from harness.project.targets import Target
from harness.suites.shared_files import suite_variables
from harness.text import pluralize, shorten, signal_name

_WHEAT_BYTES: Final = 65_536  # of an answer of a wheat that are kept
_KEPT_BYTES: Final = 400  # of the output of another run, if it did not pass
_STDERR_BYTES: Final = 1_000  # of the standard error of a run, if it did not pass
_MESSAGE: Final = 400  # characters


class FestInput(NamedTuple):
    """A distinct input, and a case for each distinct output that is expected, by its digest."""

    digest: str
    cases: Mapping[str, Case]


class FestPair(NamedTuple):
    """A program to run on an input: their places, and the number of the repetition."""

    program: int
    input: int
    repeat: int = 0


FestResult = tuple[FestPair, Answered]
_Checked = dict[str, CheckerAnswer | None]  # by the digest of the expected output
_RECORDS: Final = RecordSerializer(
    *(*TRANSCRIPTS, Verdict, CaseVerdict, Answered, Role, Excerpt, FestPair)
)


class FestPlan(NamedTuple):
    """The programs with the keys of their answers, the distinct inputs, the digests of those that
    are ruled valid, and the sandbox."""

    entrants: Sequence[Entrant]
    keys: Sequence[str]
    inputs: Sequence[FestInput]
    ruled: frozenset[str]
    sandbox: Sandbox | None

    @property
    def programs(self) -> tuple[FestProgram, ...]:
        return tuple(
            FestProgram(entrant.name, entrant.role, key, entrant.target.subject.fault or None)
            for entrant, key in zip(self.entrants, self.keys, strict=True)
        )

    def names_of(self, pair: FestPair) -> dict[str, Any]:
        """Return the fields of an answer that identify it."""
        entrant = self.entrants[pair.program]
        return {
            "program": entrant.name,
            "role": entrant.role,
            "key": self.keys[pair.program],
            "input": self.inputs[pair.input].digest,
            "repeat": pair.repeat,
        }


class FestWorkload(Workload[FestPair, FestResult]):
    """Pairs of programs and inputs; a result is a pair and its answer."""

    remedy = "with --results, the same command runs what is missing"
    has_suites = False

    def __init__(self, plan: FestPlan) -> None:
        self._plan = plan
        self.targets = [each.target for each in plan.entrants]
        self.sandbox = plan.sandbox
        shared = dict.fromkeys(path for each in self.targets for path in each.suite.shared_files)
        self.paths = tuple(shared)

    def source(self, items: Iterator[FestPair], _share: Share) -> Source[FestResult]:
        return _FestSource(self._plan, items)

    def pack(self, result: FestResult) -> bytes:
        return _RECORDS.pack(result)

    def unpack(self, data: bytes) -> FestResult:
        result: FestResult = _RECORDS.unpack(data)
        return result

    def key(self, item: FestPair) -> Hashable:
        return item

    def facts(self, result: FestResult) -> ResultFacts:
        pair, answer = result
        timeout = Timeout(pair.program) if _is_unsettled(answer) else None
        return ResultFacts(pair, timeout=timeout)

    def again(self, held: Sequence[FestResult], _settled: Sequence[FestResult]) -> FestPair:
        return held[0][0]

    def place(self, targets: Sequence[Target], sandbox: Sandbox | None) -> None:
        super().place(targets, sandbox)
        entrants = [
            each._replace(target=target)
            for each, target in zip(self._plan.entrants, targets, strict=True)
        ]
        require_staff(entrants)
        self._plan = self._plan._replace(sandbox=sandbox, entrants=entrants)

    def kind_of(self, item: FestPair) -> int:
        return item.program

    def write_item(self, item: FestPair) -> FestPair:
        return item

    def read_item(self, written: list[int]) -> FestPair:
        return FestPair(*written)

    def write_result(self, result: FestResult) -> str:
        return fest_line(result[1]).rstrip()

    def read_result(self, item: FestPair | None, line: str) -> FestResult:
        answer = parse_fest_event(line)
        if item is None or not isinstance(answer, Answered):
            raise ValueError("an answer that was not asked for")
        return item, answer._replace(**self._plan.names_of(item))

    def fault(self, item: FestPair, message: str) -> FestResult:
        expected = self._plan.inputs[item.input].cases
        faults = (CaseVerdict(each, Verdict.HARNESS_FAULT, message) for each in expected)
        names = self._plan.names_of(item)
        return item, Answered(**names, verdicts=tuple(faults), wall_s=0.0, cpu_s=0.0)


class FestRunner:
    """Runs pairs of programs and inputs; the answers come in any order."""

    def __init__(
        self, plan: FestPlan, execution: ExecutionOptions, cluster: RemotePool | None = None
    ) -> None:
        self._workload = FestWorkload(plan)
        self._execution = execution
        self._cluster = cluster
        self.losses: list[str] = []  # sentences on workers that failed

    def answers(self, pairs: Sequence[FestPair], step: str = "") -> Iterator[Answered]:
        """Yield the answer of each pair; those that timed out beside others run again, alone."""
        if not pairs:
            return
        if step:
            messages.print_message(f"{step}: {pluralize(len(pairs), 'run')}")
        run = start_work(
            self._workload, pairs, self._execution, self._cluster, noun="run", step=step
        )
        with run as work:
            for _, answer in work.all_results():
                yield answer
            self.losses += work.losses


class _FestSource(Source[FestResult]):
    """Pairs of a fest; a unit is a program on an input, with all outputs that are expected."""

    def __init__(self, plan: FestPlan, pairs: Iterator[FestPair]) -> None:
        self.plan: Final = plan
        self.commands: Final = [command_line(each.target.subject) for each in plan.entrants]
        self._pairs = pairs

    def next(self) -> Unit[FestResult] | Pause:
        pair = next(self._pairs, None)
        return Pause.DONE if pair is None else _FestUnit(self, pair)

    def judge(self, request: bytes) -> bytes:
        pair, transcript, checked = _RECORDS.unpack(request)
        cases = self.plan.inputs[pair.input].cases
        return _RECORDS.pack(_judge(cases, transcript, dict(checked)))


class _FestUnit(Unit[FestResult]):
    def __init__(self, source: _FestSource, pair: FestPair) -> None:
        self._source = source
        self._pair = pair
        self._cases = source.plan.inputs[pair.input].cases

    def label(self, _number: int) -> str:
        entrant = self._source.plan.entrants[self._pair.program]
        return f"{entrant.role.value} {entrant.name}"

    def job(self, _number: int) -> Job | Transcript:
        command = self._source.commands[self._pair.program]
        if isinstance(command, Refused):
            return Transcript(NotStarted(command.reason))
        target = self._source.plan.entrants[self._pair.program].target
        subject, variables = target.subject, suite_variables(target.suite.folder)
        case = with_effective_limits(next(iter(self._cases.values())), subject)
        return make_job(command, case, Delivery.PLAIN, subject.context, variables)

    def ended(self, _number: int, transcript: Transcript) -> Outcome[FestResult]:
        """Judge a run, after the checker has been asked about each expected output."""
        suite = self._source.plan.entrants[self._pair.program].target.suite
        checked: _Checked = {}

        def add(expected: str, with_answer: Transcript) -> Outcome[FestResult]:
            checked[expected] = with_answer.checked
            is_last = len(checked) == len(self._cases)
            return self._judged(transcript, checked) if is_last else Outcome()

        outcomes = [
            ask_checker(self, suite, case, transcript, partial(add, expected))
            for expected, case in self._cases.items()
        ]
        return Outcome(
            *(tuple(chain.from_iterable(parts)) for parts in zip(*outcomes, strict=True))
        )

    def _judged(self, transcript: Transcript, checked: _Checked) -> Outcome[FestResult]:
        if all(is_quick(case, transcript) for case in self._cases.values()):
            return Outcome([self._answered(transcript, _judge(self._cases, transcript, checked))])

        def results(answer: bytes | Stopped) -> list[FestResult]:
            if not isinstance(answer, Stopped):
                return [self._answered(transcript, _RECORDS.unpack(answer))]
            message = f"judging stopped {answer.reason}"
            faults = (CaseVerdict(each, Verdict.HARNESS_FAULT, message) for each in self._cases)
            return [self._answered(transcript, tuple(faults))]

        asked = self._pair, transcript, tuple(checked.items())
        return Outcome(questions=[Question(partial(_RECORDS.pack, asked), results)])

    def _answered(self, seen: Transcript, verdicts: tuple[CaseVerdict, ...]) -> FestResult:
        names = self._source.plan.names_of(self._pair)
        is_wheat, stdout, stderr = names["role"] is Role.WHEAT, None, None
        has_failed = any(each.verdict is not Verdict.PASSED for each in verdicts)
        if is_wheat or has_failed:
            kept = _WHEAT_BYTES if is_wheat else _KEPT_BYTES
            stdout = excerpt(seen.stdout, seen.stdout_bytes, kept)
        if has_failed and seen.stderr_bytes:
            stderr = excerpt(seen.stderr, seen.stderr_bytes, _STDERR_BYTES)
        ending = seen.ending
        answer = Answered(
            **names,
            verdicts=verdicts,
            wall_s=round(seen.wall_s, 6),
            cpu_s=round(seen.usage.cpu_s, 6),
            exit=ending.status if isinstance(ending, Exited) and not seen.limit else None,
            stdout=stdout,
            stderr=stderr,
            signal=signal_name(ending.number) if isinstance(ending, Signalled) else None,
        )
        return self._pair, answer


def _judge(
    cases: Mapping[str, Case], transcript: Transcript, checked: _Checked
) -> tuple[CaseVerdict, ...]:
    judged = (
        judge_here(case, transcript._replace(checked=checked[expected]))
        for expected, case in cases.items()
    )
    return tuple(map(_case_verdict, cases, judged))


def _case_verdict(expected: str, judgement: Judgement) -> CaseVerdict:
    if judgement.verdict is Verdict.PASSED:
        return CaseVerdict(expected, Verdict.PASSED)
    return CaseVerdict(expected, judgement.verdict, shorten(judgement.message, _MESSAGE))


def _is_unsettled(answer: Answered) -> bool:
    """Return whether a run timed out before it had used its time as processor time."""
    timed_out = any(each.verdict in TIMEOUTS for each in answer.verdicts)
    return timed_out and answer.cpu_s < answer.wall_s

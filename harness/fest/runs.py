"""Run programs of a fest on inputs: each run is judged by every output that some team expects.

Runs are shared between worker processes. Judging that may take long happens where it can be killed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from functools import partial
from itertools import chain, islice
from typing import Any, Final, NamedTuple

from harness.delivery.registry import Delivery
from harness.engine.checking import ask_checker
from harness.engine.ipc import TRANSCRIPTS, RecordSerializer
from harness.engine.jobs import make_job, with_effective_limits
from harness.engine.judge_process import is_quick, judge_here
from harness.engine.request import Workers, outcomes_of
from harness.engine.retries import MAX_FUTILE_RETRIES, TIMEOUTS
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
from harness.engine.worker_pool import Serializer, WorkerPool, suspects_text
from harness.errors import Refused
from harness.fest.config import Entrant
from harness.fest.events import Answered, CaseVerdict, FestProgram, Role
from harness.model.case import Case
from harness.model.events import Excerpt, excerpt
from harness.model.judgement import Judgement
from harness.model.transcript import CheckerAnswer, Exited, Job, NotStarted, Transcript
from harness.model.verdict import Verdict
from harness.process.cgroups import enable_memory_controller
from harness.process.killable import Stopped
from harness.process.sandbox import Sandbox
from harness.project.program_lookup import command_line
from harness.suites.shared_files import suite_variables
from harness.text import shorten

_WHEAT_BYTES: Final = 65_536  # of an answer of a wheat that are kept
_KEPT_BYTES: Final = 400  # of the output of another run, if it did not pass
_MESSAGE: Final = 160  # characters


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


# Starts workers elsewhere than on this machine, for these pairs; True: one at a time.
StartPairs = Callable[[Sequence[FestPair], bool], Workers[FestResult]]


class FestRunner:
    """Runs pairs of programs and inputs; the answers come in any order."""

    def __init__(self, plan: FestPlan, parallel: int, start: StartPairs | None = None) -> None:
        self._plan = plan
        self._parallel = parallel
        self._start = start
        self.losses: list[str] = []  # sentences on workers that failed

    def answers(self, pairs: Sequence[FestPair]) -> Iterator[Answered]:
        """Yield the answer of each pair; those that timed out beside others run again, alone."""
        held: list[FestResult] = []
        is_alone = self._start is None and self._parallel == 1
        for pair, answer in self.run_pairs(pairs, is_alone=is_alone):
            if not is_alone and _is_unsettled(answer):
                held.append((pair, answer))
            else:
                yield answer
        futile: Counter[int] = Counter()
        for pair, answer in held:
            if futile[pair.program] < MAX_FUTILE_RETRIES:
                answer = next((again for _, again in self.run_pairs([pair], is_alone=True)), answer)
                is_futile = _is_unsettled(answer)
                futile[pair.program] = futile[pair.program] + 1 if is_futile else 0
            yield answer

    def run_pairs(
        self, pairs: Sequence[FestPair], *, is_alone: bool
    ) -> Generator[FestResult, None, None]:
        """Yield the first answer of each pair; `is_alone`: one at a time."""
        if not pairs:
            return
        pool = (self._start or self._start_here)(pairs, is_alone)
        missing, losses = dict.fromkeys(pairs), list[str]()
        with closing(pool):
            for pair, answer in outcomes_of(pool, losses):
                del missing[pair]
                yield pair, answer
        self.losses += losses
        if losses and self._start is None:
            self.losses.append(self._suspects(islice(missing, len(losses))))

    def _suspects(self, pairs: Iterable[FestPair]) -> str:
        """Name the programs that ran on lost workers.

        `pairs` are the first ones without an answer, one for each lost worker: workers draw pairs
        in this order, so that pairs that were not drawn come later.
        """
        entrants = (self._plan.entrants[pair.program] for pair in pairs)
        names = dict.fromkeys(f"{each.role.value} {each.name}" for each in entrants)
        return suspects_text(names, has_sandbox=self._plan.sandbox is not None)

    def _start_here(self, pairs: Sequence[FestPair], is_alone: bool) -> WorkerPool[FestResult]:
        enable_memory_controller()
        return WorkerPool(
            lambda numbers, _: self._work(pairs[number] for number in numbers),
            Serializer(_RECORDS.pack, _RECORDS.unpack),
            len(pairs),
            1 if is_alone else min(self._parallel, len(pairs)),
        )

    def _work(self, pairs: Iterable[FestPair]) -> Generator[FestResult, None, None]:
        source = _FestSource(self._plan, iter(pairs))
        return run_units(source, LoopOptions(1, self._plan.sandbox, workspaces=private_folders()))


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
        is_wheat, stdout = names["role"] is Role.WHEAT, None
        if is_wheat or any(each.verdict is not Verdict.PASSED for each in verdicts):
            kept = _WHEAT_BYTES if is_wheat else _KEPT_BYTES
            stdout = excerpt(seen.stdout, seen.stdout_bytes, kept)
        answer = Answered(
            **names,
            verdicts=verdicts,
            wall_s=round(seen.wall_s, 6),
            cpu_s=round(seen.usage.cpu_s, 6),
            exit=seen.ending.status if isinstance(seen.ending, Exited) and not seen.limit else None,
            stdout=stdout,
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

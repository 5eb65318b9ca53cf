"""Judge runs where judging can be stopped: outputs that may take long, in another process.

A subject decides what is judged: a large output, or one that makes a regular expression of the
suite take exponential time, must neither delay the watching of other subjects nor hang xtest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from functools import partial
from typing import Final, Generic, NamedTuple, TypeVar

from harness.engine import units
from harness.engine.ipc import TRANSCRIPTS, RecordSerializer
from harness.engine.plan import PlannedRun
from harness.engine.request import Check, Targets
from harness.engine.units import Question
from harness.judging.judge import judge, judge_invalid
from harness.model.case import Case, InvalidCase
from harness.model.case_names import CaseName
from harness.model.dialogue import EntryKind
from harness.model.judgement import Judgement, ShownDifference, ShownMessage
from harness.model.transcript import NotStarted, Transcript
from harness.model.verdict import MACHINE_LIMIT, Verdict
from harness.process.killable import NO_PROCESS, OUT_OF_MEMORY, KillableProcess, Stopped
from harness.suites.cases import parse_case

R = TypeVar("R")
T = TypeVar("T")
Judge = Callable[[Case, Transcript], Judgement]

NO_MEMORY_JUDGEMENT: Final = Judgement(Verdict.HARNESS_FAULT, f"{MACHINE_LIMIT}: not enough memory")
_REQUESTS: Final = RecordSerializer(*TRANSCRIPTS)
_JUDGEMENTS: Final = RecordSerializer(Judgement, Verdict, ShownDifference, ShownMessage, EntryKind)
_FEW: Final = 20  # messages of a step in any order
_QUICK: Final = 4_096  # bytes of output, and of expected output, that are judged at once


class Judging(NamedTuple, Generic[T]):
    """A way of judging runs in another process.

    `judge` is called there. `stopped` makes a judgement of the reason why there is none.
    """

    judge: Callable[[Case | InvalidCase, Transcript], T]
    stopped: Callable[[str], T]
    records: RecordSerializer


class CaseJudge(Generic[T]):
    """Judges runs of cases in the judge process.

    `targets` are found by the names of suite and subject.
    """

    def __init__(self, targets: Targets, judging: Judging[T]) -> None:
        self._targets = targets
        self._judging = judging

    def question(
        self,
        planned: PlannedRun,
        case: Case,
        transcript: Transcript,
        results: Callable[[T], Sequence[R]],
    ) -> Question[R]:
        """Return a question about a run; `results` makes results of its judgement."""
        texts, limits = (case.stdin, case.expected_text), case.policy.limits
        is_any = case.has_several
        named = planned.target.key, tuple(planned.name), planned.case_index, is_any, case.is_talk
        return Question(
            request=lambda: _REQUESTS.pack((named, texts, limits, transcript)),
            results=lambda answer: results(_judgement_of(self._judging, answer)),
        )

    def answer(self, request: bytes) -> bytes:
        """Judge the run of a question; called in the judge process."""
        (key, name_parts, index, has_several, is_talk), texts, limits, transcript = (
            _REQUESTS.unpack(request)
        )
        suite, name = self._targets[key].suite, CaseName(*name_parts)
        unread = Case(
            suite.name,
            name.text,
            texts[0],
            texts[1],
            [],
            has_several=has_several,
            is_talk=is_talk,
        )
        case = parse_case(unread, suite, name, index)
        if isinstance(case, Case):
            case = case._replace(policy=case.policy._replace(limits=limits))
        return self._judging.records.pack(self._judging.judge(case, transcript))


def judging_with(check: Check | None) -> Judging[Judgement]:
    """Return how `xtest run` judges; `check` is asked about every case."""
    return Judging(partial(_judge_checked, check), _judging_stopped, _JUDGEMENTS)


def is_quick(case: Case, transcript: Transcript) -> bool:
    """Return whether judging a run takes at most about a millisecond."""
    if not case.is_parsed:
        return False
    is_expected = transcript.stdout == case.expected_text and case.script is None
    if is_expected or isinstance(transcript.ending, NotStarted):
        return True
    size = max(len(transcript.stdout), len(case.expected_text))
    if case.script is not None and any(len(step.values) > _FEW for step in case.script.steps):
        return False  # pairing them takes quadratic time
    return size <= _QUICK and case.policy.comparison.is_bounded and not case.alternatives


def judge_here(case: Case, transcript: Transcript) -> Judgement:
    """Judge a run by the policy of its case, in this process, however long it takes."""
    try:
        return judge(transcript, case, case.policy)
    except (ArithmeticError, LookupError, TypeError, ValueError) as fault:
        # The judge is total; a bug in it must not be blamed on the subject.
        reason = f"the judge failed: {fault!r}; please report this"
        return Judgement(Verdict.HARNESS_FAULT, reason)


def judge_run(case: Case, transcript: Transcript, judge_as: Judge) -> Judgement:
    """Judge a run by the policy of its case, in another process if it may take long."""
    if is_quick(case, transcript):
        return judge_as(case, transcript)
    judging = judging_with(None)
    answer = judge_apart(lambda: judging.records.pack(judge_as(case, transcript)))
    return _judgement_of(judging, answer)


def judge_apart(function: Callable[[], bytes]) -> bytes | Stopped:
    """Call a function in a process of its own, within the bounds of a judgement."""
    with closing(KillableProcess(lambda _: function(), units.BOUNDS)) as process:
        return process.call(b"")


def judge_items(items: Iterator[T], records: RecordSerializer) -> Iterator[T | Stopped]:
    """Yield the items of an iterator, each of which is made in another process.

    It ends with a Stopped if an item takes too long or too much memory.
    """
    process = KillableProcess(lambda _: records.pack(next(items, None)), units.BOUNDS)
    with closing(process):
        while not isinstance(answer := process.call(b""), Stopped):
            item: T | None = records.unpack(answer)
            if item is None:
                return
            yield item
        yield answer


def _judge_checked(
    check: Check | None, case: Case | InvalidCase, transcript: Transcript
) -> Judgement:
    fault = check(case) if isinstance(case, Case) and check is not None else ""
    if fault:
        case = InvalidCase(case.suite, case.name, fault)
    if isinstance(case, InvalidCase):
        return judge_invalid(case)
    return judge_here(case, transcript)


def _judging_stopped(reason: str) -> Judgement:
    if reason == OUT_OF_MEMORY.reason:
        return NO_MEMORY_JUDGEMENT
    begins = MACHINE_LIMIT + ": " if reason == NO_PROCESS.reason else ""
    return Judgement(Verdict.HARNESS_FAULT, f"{begins}judging stopped {reason}")


def _judgement_of(judging: Judging[T], answer: bytes | Stopped) -> T:
    if isinstance(answer, Stopped):
        return judging.stopped(answer.reason)
    judgement: T = judging.records.unpack(answer)
    return judgement

"""Judge runs where judging can be stopped: what may take long is judged in another process.

A subject decides what is judged: a large output, or one that makes a regular expression of the
suite take exponential time, must neither delay the watching of other subjects nor hang xtest.
"""

from __future__ import annotations

import marshal
from collections import deque
from collections.abc import Mapping
from typing import Any, Final, Generic, NamedTuple, TypeVar

from harness.judging.judge import judge, judge_invalid
from harness.model.case import Case, InvalidCase
from harness.model.case_names import CaseName
from harness.model.events import BoundedJudgement, ShownDifference, bounded
from harness.model.judgement import Judgement
from harness.model.limits import MIB, Limit, Limits
from harness.model.transcript import Ending, Exited, NotStarted, Signalled, Transcript
from harness.model.verdict import Verdict
from harness.process.killable import Bounds, KillableProcess, Stopped
from harness.project.targets import Target
from harness.runner.plan import PlannedRun
from harness.runner.request import Check
from harness.suites.cases import parse_case

__all__ = ["JudgeProcess", "JudgedRun", "is_quick", "judge_here", "judge_run"]

K = TypeVar("K")

BOUNDS: Final = Bounds(seconds=60, memory=2_048 * MIB)  # of one judgement
_QUICK: Final = 4_096  # bytes of output, and of expected output, that are judged at once
_ENDINGS: Final = (Exited, Signalled, NotStarted)
_ENDING: Final = Transcript._fields.index("ending")
_LIMIT: Final = Transcript._fields.index("limit")


class JudgedRun(NamedTuple, Generic[K]):
    """A run with its judgement."""

    key: K
    transcript: Transcript
    judgement: BoundedJudgement


class JudgeProcess(Generic[K]):
    """A process that judges one run after another; the background work of the process loop.

    `targets` are found by the names of suite and subject. `check` is asked of cases that are not
    parsed.
    """

    def __init__(self, targets: Mapping[tuple[str, str], Target], check: Check | None) -> None:
        self._targets = targets
        self._check = check
        self._process = KillableProcess(self._answer, BOUNDS)
        self._waiting: deque[tuple[K, PlannedRun, Case, Transcript]] = deque()
        self._current: tuple[K, Transcript] | None = None

    @property
    def pending(self) -> int:
        """The runs that are not judged yet."""
        return len(self._waiting) + (self._current is not None)

    @property
    def deadline(self) -> float | None:
        """The time when the current run is judged at the latest, on the monotonic clock."""
        return self._process.deadline

    def fileno(self) -> int:
        """Return the descriptor that is readable when a judgement arrives."""
        return self._process.fileno()

    def submit(self, key: K, planned: PlannedRun, case: Case, transcript: Transcript) -> None:
        """Have a run judged."""
        self._waiting.append((key, planned, case, transcript))
        self._begin_next()

    def results(self) -> list[JudgedRun[K]]:
        """Return what was judged since the last call."""
        judged: list[JudgedRun[K]] = []
        while self._current is not None and (answer := self._process.receive()) is not None:
            judged.append(JudgedRun(*self._current, _judgement_of(answer)))
            self._current = None
            self._begin_next()
        return judged

    def close(self) -> None:
        """Kill the process."""
        self._process.close()

    def _begin_next(self) -> None:
        if self._current is None and self._waiting:
            key, planned, case, transcript = self._waiting.popleft()
            self._current = key, transcript
            request: list[Any] = [planned.target.key, list(planned.name), planned.at]
            request += (case.stdin, case.expected_text), case.is_parsed, list(case.policy.limits)
            self._process.submit(marshal.dumps((request, _pack_transcript(transcript))))

    def _answer(self, data: bytes) -> bytes:
        """Judge the run in a request; called in the process."""
        (key, words, at, texts, is_parsed, limits), packed = marshal.loads(data)
        suite, name = self._targets[key].suite, CaseName(*words)
        case = parse_case(Case(suite.name, name.text, texts[0], texts[1], []), suite, name, at)
        if isinstance(case, Case) and not is_parsed and self._check is not None:
            fault = self._check(case)
            case = InvalidCase(case.suite, case.name, fault) if fault else case
        if isinstance(case, InvalidCase):
            return _pack_judgement(bounded(judge_invalid(case)))
        policy = case.policy._replace(limits=Limits(*limits))
        return _pack_judgement(judge_here(case._replace(policy=policy), _transcript_of(packed)))


def is_quick(case: Case, transcript: Transcript) -> bool:
    """Return whether judging a run takes at most about a millisecond."""
    if not case.is_parsed:
        return False
    if transcript.stdout == case.expected_text or not isinstance(transcript.ending, _ENDINGS[:2]):
        return True
    size = max(len(transcript.stdout), len(case.expected_text))
    return size <= _QUICK and case.policy.comparison.is_bounded


def judge_run(case: Case, transcript: Transcript) -> BoundedJudgement:
    """Judge a run by the policy of its case, in another process if it may take long."""
    if is_quick(case, transcript):
        return judge_here(case, transcript)
    process = KillableProcess(lambda _: _pack_judgement(judge_here(case, transcript)), BOUNDS)
    try:
        return _judgement_of(process.call(b""))
    finally:
        process.close()


def judge_here(case: Case, transcript: Transcript) -> BoundedJudgement:
    """Judge a run by the policy of its case, in this process, however long it takes."""
    try:
        return bounded(judge(transcript, case, case.policy))
    except (ArithmeticError, LookupError, TypeError, ValueError) as fault:
        # The judge is total; a bug in it must not be blamed on the subject.
        reason = f"the judge failed: {fault!r}; please report this"
        return bounded(Judgement(Verdict.HARNESS_FAULT, reason))


def _judgement_of(answer: bytes | Stopped) -> BoundedJudgement:
    if isinstance(answer, Stopped):
        return BoundedJudgement(Verdict.HARNESS_FAULT, f"judging stopped {answer.reason}")
    verdict, message, found, total = marshal.loads(answer)
    differences = tuple(ShownDifference(*entry) for entry in found)
    return BoundedJudgement(Verdict(verdict), message, differences, total)


# Plain values, which marshal copies without running code when they are read.


def _pack_judgement(judgement: BoundedJudgement) -> bytes:
    found = [tuple(entry) for entry in judgement.differences]
    plain = (judgement.verdict.value, judgement.message, found, judgement.differences_total)
    return marshal.dumps(plain)


def _pack_transcript(transcript: Transcript) -> list[Any]:
    values: list[Any] = list(transcript)
    ending = transcript.ending
    kind = next(number for number, one in enumerate(_ENDINGS) if isinstance(ending, one))
    values[_ENDING] = kind, getattr(ending, type(ending).__slots__[0])
    values[_LIMIT] = None if transcript.limit is None else transcript.limit.name
    return values


def _transcript_of(values: list[Any]) -> Transcript:
    kind, detail = values[_ENDING]
    ending: Ending = _ENDINGS[kind](detail)
    values[_ENDING] = ending
    values[_LIMIT] = None if values[_LIMIT] is None else Limit[values[_LIMIT]]
    return Transcript._make(values)

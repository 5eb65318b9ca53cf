"""Ask the checker of a suite about a run, as a further unit, before the run is judged.

The judge reads its answer from the transcript. Source: docs/suites.md.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Final, Generic, TypeVar

from harness.engine.units import NO_MEMORY, Outcome, Unit
from harness.errors import Refused
from harness.jsonio.decoder import Json, Number, encode
from harness.jsonio.fast import decode
from harness.judging.numbers import compare_numbers
from harness.model.case import Case, InputKind
from harness.model.limits import Limits
from harness.model.subject import ExecutionContext, Subject
from harness.model.transcript import CheckerAnswer, Exited, Job, NotStarted, Transcript
from harness.project.program_lookup import command_line
from harness.suites.loading import Suite
from harness.suites.shared_files import suite_variables
from harness.text import escape_nonprintable, first_bytes, truncate

R = TypeVar("R")

_LIMITS: Final = Limits(wall_s=30, output_mib=1)
_NOT_ASKED: Final = Transcript(NotStarted("the checker is not asked"))
_SHOWN: Final = 200  # characters of what a checker printed
_MESSAGE: Final = 1_000  # characters of its message
_FORM: Final = '{"passed": true or false, "message": "...", "points": 0 to 1}'


def ask_checker(
    unit: Unit[R],
    suite: Suite,
    case: Case,
    transcript: Transcript,
    judge: Callable[[Transcript], Outcome[R]],
) -> Outcome[R]:
    """Judge a run of a unit at once, or after the checker if the case has one."""
    if not case.policy.checker or case.is_talk or transcript is NO_MEMORY:
        return judge(transcript)
    return Outcome(more=[_CheckerUnit(unit, suite, case, transcript, judge)])


def checker_job(suite: Suite, case: Case, transcript: Transcript) -> Job | Transcript:
    """Return the job that asks the checker of a case about a run.

    A transcript in its place says that it is not asked, or cannot be.
    """
    request = _request(case, transcript)
    if request is None:
        return _NOT_ASKED
    context = ExecutionContext(os.path.abspath(suite.folder))
    argv = command_line(Subject("checker", case.policy.checker, context))
    if isinstance(argv, Refused):
        return Transcript(NotStarted(argv.reason))
    return Job(argv, request, _LIMITS, None, context, variables=suite_variables(suite.folder))


def with_answer(transcript: Transcript, checker: Transcript) -> Transcript:
    """Return the transcript of a run with the answer in the one of its checker."""
    if checker is _NOT_ASKED:
        return transcript
    return transcript._replace(checked=_read_answer(checker))


class _CheckerUnit(Unit[R], Generic[R]):
    __slots__ = ("_asking", "_case", "_judge", "_suite", "_transcript")

    cases = 0

    def __init__(
        self,
        asking: Unit[R],
        suite: Suite,
        case: Case,
        transcript: Transcript,
        judge: Callable[[Transcript], Outcome[R]],
    ) -> None:
        self._asking = asking
        self._suite = suite
        self._case = case
        self._transcript = transcript
        self._judge = judge

    def label(self, number: int) -> str:
        return f"{self._asking.label(number)} (checker)"

    def job(self, number: int) -> Job | Transcript:
        return checker_job(self._suite, self._case, self._transcript)

    def ended(self, number: int, transcript: Transcript) -> Outcome[R]:
        return self._judge(with_answer(self._transcript, transcript))


def _request(case: Case, transcript: Transcript) -> bytes | None:
    """Return what a checker reads, or None if the run has failed without it."""
    ending, allow = transcript.ending, case.policy.comparison.allow
    if transcript.limit is not None or not isinstance(ending, Exited):
        return None
    printed = decode(transcript.stdout, allow=allow)
    if printed.fault is not None or not case.policy.exit.accepts(ending.status):
        return None
    input_values = None if case.kind is InputKind.RAW else decode(case.stdin).values
    expected: list[Json] = decode(case.expected_text, allow=allow).values
    request: dict[str, Json] = {
        "suite": case.suite,
        "case": case.name,
        "input": input_values,
        "expected": expected,
        "printed": printed.values,
    }
    return f"{encode(request)}\n".encode()


def _read_answer(transcript: Transcript) -> CheckerAnswer:
    """Return what a checker answered, or that it failed, with what it printed."""
    ending = transcript.ending
    if isinstance(ending, NotStarted):
        return CheckerAnswer(fault=f"the checker did not start: {ending.reason}")
    if transcript.limit is not None:
        return CheckerAnswer(
            fault=_fault(f"reached its limit {transcript.limit.value}", transcript)
        )
    if ending != Exited(0):
        status = f"exit status {ending.status}" if isinstance(ending, Exited) else "a signal"
        return CheckerAnswer(fault=_fault(f"ended with {status}", transcript))
    values, fault = decode(transcript.stdout)
    answer = values[0] if fault is None and len(values) == 1 else None
    if isinstance(answer, dict) and answer.keys() <= {"passed", "message", "points"}:
        passed, message = answer.get("passed"), answer.get("message", "")
        points = answer.get("points")
        share = None
        if isinstance(points, Number) and _is_share(points.text):
            share = float(points.text)
        has_points = "points" not in answer or share is not None
        if isinstance(passed, bool) and isinstance(message, str) and has_points:
            return CheckerAnswer(passed, truncate(message, _MESSAGE), share)
    return CheckerAnswer(fault=_fault(f"must print {_FORM}", transcript))


def _is_share(number: str) -> bool:
    # Exactly: as a float, 1.00000000000000000001 is 1.
    return compare_numbers(number, "0") >= 0 >= compare_numbers(number, "1")


def _fault(problem: str, transcript: Transcript) -> str:
    text = transcript.stdout + transcript.stderr
    shown = first_bytes(text, _SHOWN, has_more=False).decode("utf-8", "backslashreplace")
    return f"the checker {problem}; it printed: {escape_nonprintable(shown.strip()) or 'nothing'}"

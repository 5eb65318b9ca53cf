"""The judge: one pure function from what was observed to a verdict.

Causes are looked for in the order of the verdict table, and the first one found stands: nothing
that is seen later overwrites it. Source: docs/verdicts.md.
"""

from __future__ import annotations

from typing import Final

from harness.equality import differences
from harness.jsonfast import decode
from harness.jsontext import Fault, Json
from harness.records import (
    MISSING,
    Case,
    Difference,
    Exited,
    InvalidCase,
    Judgement,
    Limit,
    Limits,
    NotStarted,
    Policy,
    Signalled,
    Transcript,
    Verdict,
)
from harness.words import amount, count_of, signal_name

__all__ = ["judge", "judge_invalid"]

_FALLEN: Final = {
    Limit.CPU: Verdict.CPU_LIMIT,
    Limit.MEMORY: Verdict.MEMORY_LIMIT,
    Limit.OUTPUT: Verdict.OUTPUT_LIMIT,
    Limit.PROCESSES: Verdict.PROCESS_LIMIT,
}


def judge(transcript: Transcript, case: Case, policy: Policy) -> Judgement:
    """The verdict on one run of a valid case, under a policy (the case's own: `case.policy`)."""
    return (
        _judge_start(transcript)
        or _judge_limit(transcript, policy.limits)
        or _judge_ending(transcript)
        or _judge_output(transcript, case, policy)
        or _judge_exit(transcript, policy)
        or Judgement(Verdict.PASSED, "as expected")
    )


def judge_invalid(case: InvalidCase) -> Judgement:
    """The verdict on a case that is broken itself."""
    return Judgement(Verdict.INVALID_CASE, case.reason)


def _judge_start(transcript: Transcript) -> Judgement | None:
    if isinstance(transcript.ending, NotStarted):
        return Judgement(Verdict.NOT_STARTED, transcript.ending.reason)
    return None


def _judge_limit(transcript: Transcript, limits: Limits) -> Judgement | None:
    limit = transcript.limit
    if limit is None:
        return None
    if limit in (Limit.WALL, Limit.FIRST_BYTE):
        return _judge_clock(transcript, limit, limits)
    allowed = getattr(limits, limit.value)
    said = {
        Limit.CPU: f"used more than {amount(allowed)} s of processor time",
        Limit.MEMORY: f"used more than {amount(allowed)} MiB of memory",
        Limit.OUTPUT: f"printed more than {amount(allowed)} MiB",
        Limit.PROCESSES: f"had more than {amount(allowed)} processes at once",
    }
    return Judgement(_FALLEN[limit], said[limit])


def _judge_clock(transcript: Transcript, limit: Limit, limits: Limits) -> Judgement:
    if transcript.first_byte_s is None:
        first_byte_s = limits.first_byte_s if limits.first_byte_s is not None else limits.wall_s
        waited = limits.wall_s if limit is Limit.WALL else first_byte_s
        return Judgement(Verdict.SILENT, f"printed nothing within {amount(waited)} s")
    decoded = decode(transcript.stdout)
    printed = f"printed {count_of(len(decoded.values), 'whole value')}"
    if decoded.fault is not None:
        printed += f" ({count_of(transcript.stdout_bytes, 'byte')} in all)"
    said = f"{printed}, and was still running after {amount(limits.wall_s)} s"
    return Judgement(Verdict.STALLED, said)


def _judge_ending(transcript: Transcript) -> Judgement | None:
    if isinstance(transcript.ending, Signalled):
        return Judgement(Verdict.CRASHED, f"ended by {signal_name(transcript.ending.number)}")
    return None


def _judge_output(transcript: Transcript, case: Case, policy: Policy) -> Judgement | None:
    if transcript.stdout == case.expected_text:
        return None  # equality is reflexive, whatever the policy
    decoded = decode(transcript.stdout)
    if decoded.fault is not None:
        return _malformed(decoded.fault, decoded.values)
    found = tuple(differences(case.expected, decoded.values, policy.comparison))
    if not found:
        return None
    return _differs(found, len(case.expected), len(decoded.values))


def _malformed(fault: Fault, values: list[Json]) -> Judgement:
    before = f" after {count_of(len(values), 'whole value')}" if values else ""
    if fault.cut_short:
        said = f"output is cut short at byte {fault.offset}{before}: {fault.reason}"
    elif fault.reason.startswith("invalid UTF-8"):
        said = f"output is not UTF-8 at byte {fault.offset}{before}: {fault.reason}"
    else:
        said = f"output is not JSON at byte {fault.offset}{before}: {fault.reason}"
    return Judgement(Verdict.MALFORMED, said)


def _differs(found: tuple[Difference, ...], expected: int, actual: int) -> Judgement:
    counts = f"{count_of(expected, 'value')} expected, {actual} printed"
    if actual < expected:
        return Judgement(Verdict.TOO_FEW, counts, found)
    if actual > expected:
        return Judgement(Verdict.TOO_MANY, counts, found)
    said = f"{count_of(len(found), 'difference')}, the first at {_where(found[0])}"
    return Judgement(Verdict.DIFFERS, said, found)


def _judge_exit(transcript: Transcript, policy: Policy) -> Judgement | None:
    ending = transcript.ending
    if isinstance(ending, Exited) and ending.status not in policy.exit:
        return Judgement(
            Verdict.EXIT_STATUS,
            f"the values are right, but the exit status is {ending.status}, not {policy.exit}",
        )
    return None


def _where(difference: Difference) -> str:
    what = ""
    if difference.actual is MISSING:
        what = " (missing)"
    elif difference.expected is MISSING:
        what = " (not expected)"
    return f"{difference.pointer or 'the whole stream'}{what}"

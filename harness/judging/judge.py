"""The judge: one pure function from what was observed to a verdict.

Causes are looked for in the order of the verdict table, and the first one found stands: nothing
that is seen later overwrites it. Source: docs/verdicts.md.
"""

from __future__ import annotations

from itertools import islice
from typing import Final, NamedTuple

from harness.jsonfast import Decoded, decode
from harness.jsontext import Fault, Json
from harness.judging.equality import differences
from harness.records import (
    MISSING,
    Case,
    Comparison,
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
from harness.words import amount, count_of, signal_name, visible

__all__ = ["judge", "judge_invalid", "output_values", "passes"]

_PASSED: Final = Judgement(Verdict.PASSED, "as expected")

# What a subject that prints far too much may cost, in memory and time: differences that are listed,
# values past the expected ones that are compared, bytes in which hints are looked for.
_MOST_DIFFERENCES: Final = 10_000
_MOST_SURPLUS: Final = 1_000
_MOST_FOR_HINTS: Final = 65_536
_MOST_PLACES: Final = 5  # of missing values that a message names

_FALLEN: Final = {
    Limit.CPU: (Verdict.CPU_LIMIT, "used more than {} s of processor time"),
    Limit.MEMORY: (Verdict.MEMORY_LIMIT, "used more than {} MiB of memory"),
    Limit.OUTPUT: (Verdict.OUTPUT_LIMIT, "printed more than {} MiB"),
    Limit.PROCESSES: (Verdict.PROCESS_LIMIT, "had more than {} processes at once"),
}
# What shells make of a command that did not run. Source: POSIX, Shell Command Language, 2.8.2.
_OF_SHELLS: Final = {
    126: "in a shell: a program could not be run",
    127: "in a shell: a program was not found",
}
_WINDOWS: Final = r"a script has Windows line ends: sed -i 's/\r$//' FILE"


def judge(transcript: Transcript, case: Case, policy: Policy) -> Judgement:
    """The verdict on one run of a valid case, under a policy (the case's own: `case.policy`)."""
    return (
        _judge_start(transcript)
        or _judge_limit(transcript, case, policy)
        or _judge_ending(transcript, case, policy)
        or _judge_output(transcript, case, policy)
        or _judge_exit(transcript, policy)
        or _PASSED
    )


def passes(transcript: Transcript, case: Case, policy: Policy) -> bool:
    """Whether `judge` says that a run passed, for those who do not ask why not: no more is looked
    for than one difference."""
    if transcript.limit is not None or not isinstance(transcript.ending, Exited):
        return judge(transcript, case, policy).verdict is Verdict.PASSED
    if not policy.exit.accepts(transcript.ending.status):
        return False
    values, fault = output_values(transcript.stdout, policy.comparison)
    found = differences(case.expected, values, policy.comparison)
    return fault is None and next(found, None) is None


def output_values(text: bytes, comparison: Comparison) -> Decoded:
    """What was printed, read as the policy has it: the one place, for all who ask."""
    return decode(text, allow=comparison.allow)


def judge_invalid(case: InvalidCase) -> Judgement:
    """The verdict on a case that is broken itself."""
    return Judgement(Verdict.INVALID_CASE, case.reason)


def _judge_start(transcript: Transcript) -> Judgement | None:
    if isinstance(transcript.ending, NotStarted):
        return Judgement(Verdict.NOT_STARTED, visible(transcript.ending.reason))
    return None


# Limits and signals.


def _judge_limit(transcript: Transcript, case: Case, policy: Policy) -> Judgement | None:
    limit = transcript.limit
    if limit is None:
        return None
    if limit in (Limit.WALL, Limit.FIRST_BYTE):
        return _judge_clock(transcript, case, policy)
    verdict, said = _FALLEN[limit]
    return Judgement(verdict, said.format(amount(getattr(policy.limits, limit.value))))


def _judge_clock(transcript: Transcript, case: Case, policy: Policy) -> Judgement:
    allowed = _seconds_allowed(transcript, policy.limits)
    used = f"{amount(round(transcript.cpu_s, 2))} s of processor time used"
    first = transcript.first_byte_s
    if transcript.limit is Limit.FIRST_BYTE or first is None or first >= allowed:
        # What was written while the clock fell has been read, too.
        late = transcript.stdout_bytes
        note = f"; {count_of(late, 'byte')} came too late" if late else ""
        said = f"printed nothing within {amount(allowed)} s ({used}){note}"
        return Judgement(Verdict.SILENT, f"{said}{_awaited(transcript, case)}")
    done = _done(transcript, case, policy)
    said = f"was still running after {amount(allowed)} s, having printed {done} ({used})"
    return Judgement(Verdict.STALLED, f"{said}{_awaited(transcript, case)}")


def _awaited(transcript: Transcript, case: Case) -> str:
    """In a conversation, an answer is awaited before the next value is sent."""
    if not transcript.awaited:
        return ""
    sent = f"{transcript.awaited:,} of {count_of(len(decode(case.stdin).values), 'value')}"
    waited = "waited for the answer to the last one: does it flush its output?"
    return f"; xtest had sent {sent}, and {waited}"


def _seconds_allowed(transcript: Transcript, limits: Limits) -> float:
    if transcript.limit is Limit.FIRST_BYTE and limits.first_byte_s is not None:
        return limits.first_byte_s
    return limits.wall_s


def _judge_ending(transcript: Transcript, case: Case, policy: Policy) -> Judgement | None:
    if not isinstance(transcript.ending, Signalled):
        return None
    name = signal_name(transcript.ending.number)
    done = _done(transcript, case, policy)
    return Judgement(Verdict.CRASHED, f"ended by {name}, having printed {done}")


def _done(transcript: Transcript, case: Case, policy: Policy) -> str:
    """How far a program had come that did not end by itself."""
    if not transcript.stdout:
        return "nothing"
    printed = _read(transcript, case, policy.comparison)
    if printed.fault is None and not printed.found:
        return "the whole expected output"
    done = [count_of(len(printed.values), "whole value")] if printed.values else []
    if printed.fault is not None:
        done.append("part of a value" if printed.fault.cut_short else "what is not JSON")
    if not done:
        return "only white space"
    return " and ".join(done)


# Standard output.


class _Printed(NamedTuple):
    """Standard output, read: its whole values; then the fault that ended them, or where they
    differ from the expected ones (`more`: there are, or may be, more than those)."""

    values: list[Json]
    fault: Fault | None = None
    found: tuple[Difference, ...] = ()
    more: bool = False


def _read(transcript: Transcript, case: Case, comparison: Comparison) -> _Printed:
    if transcript.stdout == case.expected_text:
        return _Printed(case.expected)  # reflexive, as in _judge_output
    values, fault = output_values(transcript.stdout, comparison)
    if fault is not None:
        return _Printed(values, fault)
    most = len(case.expected) + _MOST_SURPLUS if comparison.is_plain else len(values)
    if next(differences(case.expected, values[:most], comparison), None) is None:
        return _Printed(values, more=len(values) > most)
    # Only a run that fell short pays for what is told of it.
    from harness.judging.aligned import aligned_differences  # pylint: disable=import-outside-toplevel

    found = aligned_differences(case.expected, values[:most], comparison)
    listed = tuple(islice(found, _MOST_DIFFERENCES))
    more = len(listed) == _MOST_DIFFERENCES or len(values) > most
    return _Printed(values, None, listed, more)


def _judge_output(transcript: Transcript, case: Case, policy: Policy) -> Judgement | None:
    if transcript.stdout == case.expected_text:
        return None  # equality is reflexive, whatever the policy
    printed = _read(transcript, case, policy.comparison)
    exit_fault = _exit_fault(transcript, policy)
    ended = f"; {exit_fault}" if exit_fault else ""
    if printed.fault is not None:
        from harness.judging.explain import fault_text  # pylint: disable=import-outside-toplevel

        said = fault_text(
            transcript.stdout, printed.fault, values=len(printed.values), printed=True
        )
        return Judgement(Verdict.MALFORMED, f"output is {said}{ended}")
    if not printed.found:
        return None
    verdict, said = _difference(case.expected, printed, policy.comparison)
    if len(case.expected_text) + len(transcript.stdout) <= _MOST_FOR_HINTS and not printed.more:
        hint = _hint(case, printed, policy.comparison)
        said += f"; {hint}" if hint else ""
    if exit_fault and verdict is Verdict.TOO_FEW:
        ended += _complaint(transcript.stderr)
    return Judgement(verdict, said + ended, printed.found)


def _complaint(stderr: bytes) -> str:
    from harness.judging.complaint import complaint  # pylint: disable=import-outside-toplevel

    return complaint(stderr)


def _hint(case: Case, printed: _Printed, comparison: Comparison) -> str:
    # Only a run that fell short pays for it.
    from harness.judging.hints import stream_hint  # pylint: disable=import-outside-toplevel

    return stream_hint(case.expected, printed.values, comparison, printed.found)


def _difference(
    expected: list[Json], printed: _Printed, comparison: Comparison
) -> tuple[Verdict, str]:
    """The verdict on values that are not as expected, and how it is said."""
    from harness.judging.explain import difference_text  # pylint: disable=import-outside-toplevel

    first = f"the first {difference_text(printed.found[0])}"
    many = count_of(len(printed.found), "difference") + (" or more" if printed.more else "")
    surplus = _surplus(expected, printed.values, comparison)
    if surplus == 0:
        return Verdict.DIFFERS, f"{many}, {first}"
    number = f"{len(printed.values):,}" if printed.values else "none"
    said = f"{count_of(len(expected), 'value')} expected, {number} printed"
    if not all(_is_lone_value(difference, few=surplus < 0) for difference in printed.found):
        said += f"; of {many}, {first}"
    elif printed.values and expected:
        said += "; those are right" if surplus < 0 else "; the expected ones are right"
        said += _places(printed.found, min(len(expected), len(printed.values)), few=surplus < 0)
    return (Verdict.TOO_FEW if surplus < 0 else Verdict.TOO_MANY), said


def _places(found: tuple[Difference, ...], end: int, *, few: bool) -> str:
    """Which values of the stream are missing, or too many, unless these are the last ones."""
    places = [difference.pointer for difference in found]
    if places == [f"/{end + offset}" for offset in range(len(places))]:
        return ""
    shown = ", ".join(places[:_MOST_PLACES]) + (", …" if len(places) > _MOST_PLACES else "")
    return f"; {shown} {'is' if len(places) == 1 else 'are'} {'missing' if few else 'too many'}"


def _surplus(expected: list[Json], actual: list[Json], comparison: Comparison) -> int:
    """How many values were printed beyond the expected number; below 0: so many are missing. 0 also
    where all that one side has more is ignored, and so need not be there."""
    surplus = len(actual) - len(expected)
    if not comparison.is_plain:
        longer = actual if surplus > 0 else expected
        common = min(len(actual), len(expected))
        if next(differences(longer[:common], longer, comparison), None) is None:
            return 0
    return surplus


def _is_lone_value(difference: Difference, *, few: bool) -> bool:
    """Whether a whole value of the stream is missing (where there are too few), or one too many."""
    lone = difference.actual is MISSING if few else difference.expected is MISSING
    return lone and difference.pointer.count("/") == 1


# The exit status.


def _judge_exit(transcript: Transcript, policy: Policy) -> Judgement | None:
    fault = _exit_fault(transcript, policy)
    return Judgement(Verdict.EXIT_STATUS, f"the values are right, but {fault}") if fault else None


def _exit_fault(transcript: Transcript, policy: Policy) -> str:
    ending = transcript.ending
    if not isinstance(ending, Exited) or policy.exit.accepts(ending.status):
        return ""
    note = _shell_note(ending.status, transcript.stderr)
    return f"the exit status is {ending.status}, not {policy.exit}{f' ({note})' if note else ''}"


def _shell_note(status: int, stderr: bytes) -> str:
    """What a status means where the command is a shell's script, or one that env is to run."""
    name = signal_name(status - 128)
    if name.startswith("SIG"):
        return f"in a shell: a program was ended by {name}"
    if status not in _OF_SHELLS:
        return ""
    # pylint: disable-next=import-outside-toplevel
    from harness.judging.complaint import has_windows_line_ends

    return _WINDOWS if has_windows_line_ends(stderr) else _OF_SHELLS[status]

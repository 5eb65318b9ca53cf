"""Judge a run: from a transcript to a verdict.

Pure. Causes are checked in the order of `Verdict`, and the first one decides. Several runs of one
case are combined into one judgement. Source: docs/verdicts.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain, islice, zip_longest
from operator import itemgetter
from typing import Final, NamedTuple, TypeAlias, assert_never

from harness.jsonio.decoder import Json, JsonError, encode
from harness.jsonio.fast import Decoded, decode
from harness.judging.array_diff import aligned_differences
from harness.judging.companions import with_companions
from harness.judging.dialogue import judge_dialogue
from harness.judging.equality import are_equal, count_tests, split_tests
from harness.judging.examples import first_difference_text, with_rules
from harness.judging.explanation import (
    fault_text,
    has_windows_line_ends,
    stderr_summary,
)
from harness.judging.hints import path_hint, stream_hint
from harness.model.case import Case, InvalidCase, Policy, right_outputs
from harness.model.comparison import Comparison
from harness.model.judgement import (
    MAX_FAILED_TESTS,
    MISSING,
    Difference,
    Judgement,
    shown_differences,
)
from harness.model.limits import MIB, Limit, Limits
from harness.model.transcript import (
    CheckerAnswer,
    DeadEnd,
    Exited,
    NotStarted,
    Signalled,
    Transcript,
)
from harness.model.verdict import MACHINE_LIMIT, Verdict
from harness.text import escape_nonprintable, format_number, pluralize, quote, signal_name

Attempt: TypeAlias = tuple[Transcript, Judgement]

PASSED: Final = Judgement(Verdict.PASSED, "as expected")

# Bounds for a subject that prints far too much: differences listed, values compared beyond the
# expected ones, bytes of output for which hints are sought.
_MOST_DIFFERENCES: Final = 10_000
_MOST_SURPLUS: Final = 1_000
_MOST_FOR_HINTS: Final = 65_536
_EXCERPT: Final = 24  # bytes of a text that differs
_MOST_PLACES: Final = 5  # places of missing values in a message

# Statuses of shells for commands that did not run. Source: POSIX, Shell Command Language, 2.8.2.
_SHELL_STATUSES: Final = {
    126: "in a shell: a program could not be run",
    127: "in a shell: a program was not found",
}
_WINDOWS: Final = r"a script has Windows line endings: sed -i 's/\r$//' FILE"


def judge(transcript: Transcript, case: Case, policy: Policy) -> Judgement:
    """Return the verdict on one run of a valid case; `policy` is usually `case.policy`."""
    judgement = _judge_program(transcript, case, policy)
    if not transcript.companions:
        return judgement
    return with_companions(judgement, transcript.companions, policy.companions)


def _judge_program(transcript: Transcript, case: Case, policy: Policy) -> Judgement:
    if case.script is not None:
        return _judge_talk(transcript, case, policy)
    judge_case = _judge_nearest if case.alternatives else _judge_one
    judgement = judge_case(transcript, case, policy)
    return _with_tests(judgement, transcript, case, policy) if policy.test_path else judgement


def _judge_talk(transcript: Transcript, case: Case, policy: Policy) -> Judgement:
    is_clock = transcript.limit is not None and transcript.limit.excess is None
    limit = None if is_clock else _judge_limit(transcript, case, policy)
    exit_fault = _exit_fault(transcript, policy)
    return _judge_start(transcript) or judge_dialogue(transcript, case, policy, limit, exit_fault)


def _judge_one(transcript: Transcript, case: Case, policy: Policy) -> Judgement:
    judgement = (
        _judge_start(transcript)
        or _judge_limit(transcript, case, policy)
        or _judge_ending(transcript, case, policy)
        or _judge_output(transcript, case, policy)
        or _judge_exit(transcript, policy)
        or PASSED
    )
    if transcript.dead_end is None or judgement.verdict is Verdict.PASSED:
        return judgement
    note = _dead_end_note(transcript.dead_end, transcript, case)
    return judgement._replace(message=f"{judgement.message}; {note}")


def passes(transcript: Transcript, case: Case, policy: Policy) -> bool:
    """Return whether `judge` would pass the run, stopping at the first difference."""
    if case.script is not None or transcript.companions:
        return judge(transcript, case, policy).verdict is Verdict.PASSED
    if case.alternatives:
        return any(
            passes(transcript, one, _policy_of(one, case, policy)) for one in right_outputs(case)
        )
    if transcript.limit is not None or not isinstance(transcript.ending, Exited):
        return False
    if not policy.exit.accepts(transcript.ending.status):
        return False
    values, fault = output_values(transcript.stdout, policy.comparison)
    if fault is not None or not are_equal(case.expected, values, policy.comparison):
        return False
    return _has_right_text(transcript.stdout, case, policy)


def passes_alike(case: Case, other: Case) -> bool:
    """Return whether a case that prints just what is expected passes, since the other one did.

    Its run ended in the same way, with the same amounts. It comes near no limit of output.
    """
    policy = case.policy
    if policy is not other.policy or policy.checker or policy.test_path:
        return False
    if case.alternatives or case.script or policy.companions:
        return False
    return 2 * len(case.expected_text) <= policy.limits.output_mib * MIB


def _judge_nearest(transcript: Transcript, case: Case, policy: Policy) -> Judgement:
    """Return the judgement by the right output that is nearest to what was printed."""
    nearest: Judgement | None = None
    for one in right_outputs(case):
        judgement = _judge_one(transcript, one, _policy_of(one, case, policy))
        if judgement.verdict is Verdict.PASSED:
            return judgement
        if nearest is None or judgement.differences_total < nearest.differences_total:
            nearest = judgement._replace(expected=one.expected_text)
    assert nearest is not None
    many = len(case.alternatives)
    if not nearest.differences or many == 1:
        return nearest
    message = f"{nearest.message}; this is the nearest of {many:,} correct outputs"
    return nearest._replace(message=message)


def _policy_of(one: Case, case: Case, policy: Policy) -> Policy:
    """Return the policy for one of the right outputs of a case, which may have its own status."""
    return policy if one.policy is case.policy else policy._replace(exit=one.policy.exit)


def _with_tests(
    judgement: Judgement, transcript: Transcript, case: Case, policy: Policy
) -> Judgement:
    """Return the judgement with the number of tests in the expected output, and of passed ones.

    If several outputs are right, the first one decides how many there are.
    """
    outputs = case.alternatives or (case.expected,)
    total = count_tests(outputs[0], policy.test_path)
    if judgement.verdict is Verdict.PASSED:
        return judgement._replace(tests=total, tests_passed=total)
    tests = _nearest_tests(transcript, outputs, policy)
    if tests is None:
        return judgement._replace(tests=total)
    passed, failed = tests
    named = tuple(failed) if len(failed) <= MAX_FAILED_TESTS else ()
    return judgement._replace(tests=total, tests_passed=min(total, passed), failed_tests=named)


def _nearest_tests(
    transcript: Transcript, outputs: Iterable[list[Json]], policy: Policy
) -> tuple[int, list[str]] | None:
    """Return how many tests of the nearest output a failed run passed, and the places of the
    others; None if it did not complete."""
    if not (transcript.limit is None and isinstance(transcript.ending, Exited)):
        return None
    values, fault = output_values(transcript.stdout, policy.comparison)
    if fault is not None:
        return None
    split = (split_tests(each, values, policy.test_path, policy.comparison) for each in outputs)
    return max(split, key=itemgetter(0))


def combine(attempts: Sequence[Attempt]) -> Attempt:
    """Return the last of the attempts if they have one verdict, or the first that was not judged.

    Otherwise the verdict is flaky, with the transcript of the first one that did not pass. Tests
    count as passed if they passed in all of them, and the least share of points counts.
    """
    if len(attempts) == 1:
        return attempts[0]
    for attempt in attempts:
        if attempt[1].verdict.is_fault:
            return attempt
    combined = _combine_verdicts(attempts)
    transcript, judgement = combined
    failures = [each for _, each in attempts if each.verdict is not Verdict.PASSED]
    if not failures or not (judgement.tests or judgement.points):
        return combined
    failed = _failed_tests(failures)
    passed = min(each.tests_passed for each in failures)
    judgement = judgement._replace(
        failed_tests=failed,
        tests_passed=min(passed, judgement.tests - len(failed)) if failed else passed,
        points=min(each.points or 0.0 for each in failures) or None,
    )
    return transcript, judgement


def _combine_verdicts(attempts: Sequence[Attempt]) -> Attempt:
    if all(judgement.verdict is attempts[0][1].verdict for _, judgement in attempts[1:]):
        transcript, judgement = attempts[-1]
        if len({each.differences for _, each in attempts}) == 1:
            return attempts[-1]
        message = f"{judgement.message}; the outputs of {len(attempts)} runs differ"
        return transcript, judgement._replace(message=message)
    verdicts = Counter(judgement.verdict for _, judgement in attempts)
    transcript, judgement = next(
        attempt for attempt in attempts if attempt[1].verdict is not Verdict.PASSED
    )
    counts = ", ".join(f"{number} {verdict.value}" for verdict, number in verdicts.most_common())
    message = f"{len(attempts)} runs: {counts}; {judgement.verdict.value}: {judgement.message}"
    listed = tuple(verdict for verdict in Verdict if verdict in verdicts)
    return transcript, judgement._replace(verdict=Verdict.FLAKY, message=message, verdicts=listed)


def _failed_tests(failures: Sequence[Judgement]) -> tuple[str, ...]:
    """Return the places of the tests that failed in any run, unless those of one are not named."""
    failed = [each.failed_tests for each in failures]
    places = tuple(dict.fromkeys(chain.from_iterable(failed))) if all(failed) else ()
    return places if len(places) <= MAX_FAILED_TESTS else ()


def output_values(text: bytes, comparison: Comparison) -> Decoded:
    return decode(text, allow=comparison.allow)


def judge_invalid(case: InvalidCase) -> Judgement:
    verdict = Verdict.HARNESS_FAULT if case.exceeds_memory else Verdict.INVALID_CASE
    return Judgement(verdict, case.reason)


def _judge_start(transcript: Transcript) -> Judgement | None:
    if isinstance(transcript.ending, NotStarted):
        reason = escape_nonprintable(transcript.ending.reason)
        if transcript.ending.by_machine:
            return Judgement(Verdict.HARNESS_FAULT, f"{MACHINE_LIMIT}: {reason}")
        return Judgement(Verdict.NOT_STARTED, reason)
    return None


# Limits and signals.


def _judge_limit(transcript: Transcript, case: Case, policy: Policy) -> Judgement | None:
    limit = transcript.limit
    if limit is None:
        return None
    allowed = policy.limits.value_of(limit) or policy.limits.wall_s
    if limit.excess is None:
        return _judge_clock(transcript, case, policy, allowed)
    verdict, message = limit.excess
    message = message.format(format_number(allowed))
    if limit is Limit.OUTPUT and (note := output_limit_note(case, policy.limits)):
        message += f"; {note}"
    return Judgement(verdict, message)


def output_limit_note(case: Case, limits: Limits) -> str:
    """Return a note if even the expected output is larger than the limit, otherwise ""."""
    smallest = min(len(one.expected_text) for one in right_outputs(case))
    if case.script is not None:
        smallest = sum(map(len, map(encode, case.script.expected)))
    if smallest <= limits.output_mib * MIB:
        return ""
    return (
        f"the expected output alone has {pluralize(smallest, 'byte')}: raise output_mib in [limits]"
    )


def _judge_clock(transcript: Transcript, case: Case, policy: Policy, allowed: float) -> Judgement:
    cpu = f"{format_number(round(transcript.usage.cpu_s, 2))} s of processor time used"
    first = transcript.first_byte_s
    if transcript.limit is Limit.FIRST_BYTE or first is None or first >= allowed:
        # Output that arrived at the moment of the timeout has been read, too.
        late = transcript.stdout_bytes
        note = f"; {pluralize(late, 'byte')} came too late" if late else ""
        message = f"printed nothing within {format_number(allowed)} s ({cpu}){note}"
        return Judgement(Verdict.SILENT, f"{message}{_awaited_note(transcript, case)}")
    done = _progress(transcript, case, policy)
    message = f"was still running after {format_number(allowed)} s and had printed {done} ({cpu})"
    return Judgement(Verdict.STALLED, f"{message}{_awaited_note(transcript, case)}")


def _awaited_note(transcript: Transcript, case: Case) -> str:
    if not transcript.awaited or transcript.dead_end is not None:
        return ""
    return (
        f"; xtest had sent {_sent(transcript, case)} and was waiting for the last answer: does the"
        " program flush its output?"
    )


def _dead_end_note(dead_end: DeadEnd, transcript: Transcript, case: Case) -> str:
    match dead_end:
        case DeadEnd.CLOSED:
            sent = _sent(transcript, case)
            return f"the program closed its output when xtest had sent {sent} and awaited an answer"
        case DeadEnd.UNENDED:
            return (
                "nothing follows the number that it printed last, so no reader can tell whether it"
                " is complete: print a line feed after each value"
            )
        case DeadEnd.SCRIPT:
            return "the script could not go on"
        case _:
            assert_never(dead_end)


def _sent(transcript: Transcript, case: Case) -> str:
    return f"{transcript.awaited:,} of {pluralize(len(decode(case.stdin).values), 'value')}"


def _judge_ending(transcript: Transcript, case: Case, policy: Policy) -> Judgement | None:
    if not isinstance(transcript.ending, Signalled):
        return None
    if transcript.dead_end is not None:
        did_not_end = Judgement(Verdict.STALLED, "did not end after its last answer")
        return _judge_output(transcript, case, policy) or did_not_end
    name = signal_name(transcript.ending.number)
    done = _progress(transcript, case, policy)
    return Judgement(Verdict.CRASHED, f"killed by {name} after printing {done}")


def _progress(transcript: Transcript, case: Case, policy: Policy) -> str:
    """Return how much a program had printed when it was killed."""
    if not transcript.stdout:
        return "nothing"
    printed = _read(transcript, case, policy.comparison)
    if printed.fault is None and not printed.differences:
        return "the whole expected output"
    parts = [pluralize(len(printed.values), "whole value")] if printed.values else []
    if printed.fault is not None:
        parts.append("part of a value" if printed.fault.cut_short else "text that is not JSON")
    return " and ".join(parts) or "only white space"


# Standard output.


class _Printed(NamedTuple):
    """The values of an output, and the error that ended them or the differences from the expected
    values. `more` is set if there are, or may be, further differences."""

    values: list[Json]
    fault: JsonError | None = None
    differences: tuple[Difference, ...] = ()
    more: bool = False


def _read(transcript: Transcript, case: Case, comparison: Comparison) -> _Printed:
    if transcript.stdout == case.expected_text:
        return _Printed(case.expected)  # equality is reflexive, whatever the policy
    values, fault = output_values(transcript.stdout, comparison)
    if fault is not None:
        return _Printed(values, fault)
    if case.policy.checker:
        return _Printed(values)
    most = len(case.expected) + _MOST_SURPLUS if comparison.is_plain else len(values)
    if are_equal(case.expected, values[:most], comparison):
        return _Printed(values, more=len(values) > most)
    aligned = aligned_differences(case.expected, values[:most], comparison)
    differences = tuple(islice(aligned, _MOST_DIFFERENCES))
    more = len(differences) == _MOST_DIFFERENCES or len(values) > most
    return _Printed(values, None, differences, more)


def _judge_output(transcript: Transcript, case: Case, policy: Policy) -> Judgement | None:
    printed = _read(transcript, case, policy.comparison)
    exit_fault = _exit_fault(transcript, policy)
    if printed.fault is not None:
        fault = fault_text(
            transcript.stdout, printed.fault, values=len(printed.values), printed=True
        )
        return _judge_fault(f"output is {fault}", printed.fault, exit_fault, transcript)
    if policy.checker:
        return None if exit_fault else _judge_checked(transcript.checked)
    if not printed.differences:
        return _judge_text(transcript, case, policy)
    explained = with_rules(case.expected, printed.values, policy.comparison, printed.differences)
    verdict, message = _compare_counts(case.expected, printed, explained, policy.comparison)
    if len(case.expected_text) + len(transcript.stdout) <= _MOST_FOR_HINTS and not printed.more:
        hint = stream_hint(case.expected, printed.values, policy.comparison, printed.differences)
        message += f"; {hint}" if hint else ""
    if hint := path_hint(case.expected, printed.values, policy.comparison, printed.differences):
        message += f"; {hint}"
    differences = shown_differences(explained), len(explained)
    if exit_fault and verdict is Verdict.TOO_FEW:
        done = ", and nothing was printed" if not transcript.stdout else f"; {message}"
        message = f"{exit_fault}{done}{stderr_summary(transcript.stderr)}"
        return Judgement(Verdict.EXIT_STATUS, message, *differences)
    if exit_fault:
        message += f"; {exit_fault}"
    elif verdict is Verdict.TOO_FEW and not printed.values:
        message += stderr_summary(transcript.stderr)
    return Judgement(verdict, message, *differences)


def _judge_checked(answer: CheckerAnswer | None) -> Judgement:
    """Return the judgement of a checker, whose own failure is no fault of the program."""
    if answer is None or answer.fault:
        fault = "this command does not ask checkers" if answer is None else answer.fault
        return Judgement(Verdict.HARNESS_FAULT, fault)
    if answer.passed:
        return PASSED._replace(message=answer.message or PASSED.message, points=answer.points)
    message = answer.message or "the checker refused the values"
    return Judgement(Verdict.DIFFERS, message, points=answer.points)


def _judge_text(transcript: Transcript, case: Case, policy: Policy) -> Judgement | None:
    """Return the judgement on correct values whose text is not the expected one, if it counts."""
    if _has_right_text(transcript.stdout, case, policy):
        return None
    expected, printed = (
        text.removesuffix(b"\n") for text in (case.expected_text, transcript.stdout)
    )
    both = zip_longest(expected, printed)
    offset = next(index for index, (one, other) in enumerate(both) if one != other)
    texts = (_excerpt(text, offset) for text in (expected, printed))
    message = "the values are correct, but the text differs at byte {:,}: expected {}, found {}"
    return Judgement(Verdict.DIFFERS, message.format(offset, *texts))


def _has_right_text(printed: bytes, case: Case, policy: Policy) -> bool:
    """Return whether an output with correct values is the expected text, if that counts."""
    if not policy.comparison.bytes:
        return True
    return printed.removesuffix(b"\n") == case.expected_text.removesuffix(b"\n")


def _excerpt(text: bytes, offset: int) -> str:
    rest = text[offset : offset + _EXCERPT]
    return quote(rest.decode(errors="backslashreplace")) if rest else "the end"


def _judge_fault(
    message: str, fault: JsonError, exit_fault: str, transcript: Transcript
) -> Judgement:
    """Return the judgement on output that is not JSON; an exit status explains one cut short."""
    if exit_fault and fault.cut_short:
        message = f"{exit_fault}; {message}{stderr_summary(transcript.stderr)}"
        return Judgement(Verdict.EXIT_STATUS, message)
    return Judgement(Verdict.MALFORMED, f"{message}; {exit_fault}" if exit_fault else message)


def _compare_counts(
    expected: list[Json],
    printed: _Printed,
    explained: tuple[Difference, ...],
    comparison: Comparison,
) -> tuple[Verdict, str]:
    """Return the verdict and message for values that are not as expected.

    `explained` are the differences with the rules that decide.
    """
    alone = len(expected) <= 1 and len(printed.values) <= 1
    difference = first_difference_text(explained, alone=alone, more=printed.more)
    surplus = _surplus(expected, printed.values, comparison)
    if surplus == 0:
        return Verdict.DIFFERS, difference
    number = f"{len(printed.values):,}" if printed.values else "none"
    message = f"{pluralize(len(expected), 'value')} expected, {number} printed"
    if not all(_is_lone_value(difference, few=surplus < 0) for difference in printed.differences):
        message += f"; {difference}"
    elif printed.values and expected:
        message += (
            "; no printed value is wrong"
            if surplus < 0
            else _repetition(expected, printed) or "; no expected value is missing"
        )
        message += _places(
            printed.differences, min(len(expected), len(printed.values)), few=surplus < 0
        )
    return (Verdict.TOO_FEW if surplus < 0 else Verdict.TOO_MANY), message


def _repetition(expected: list[Json], printed: _Printed) -> str:
    """Return a note if the output is the expected number of values several times, or ""."""
    times, rest = divmod(len(printed.values), len(expected))
    texts = [encode(value) for value in printed.values]
    if rest or printed.more or texts != texts[: len(expected)] * times:
        return ""
    return f"; the output is printed {'twice' if times == 2 else f'{times:,} times'}"


def _places(differences: tuple[Difference, ...], end: int, *, few: bool) -> str:
    """Return a note on the missing or surplus values of the stream unless they are at its end."""
    places = [difference.pointer for difference in differences]
    if places == [f"/{end + offset}" for offset in range(len(places))]:
        return ""
    numbers = ", ".join(f"{int(place[1:]) + 1:,}" for place in places[:_MOST_PLACES])
    numbers += ", …" if len(places) > _MOST_PLACES else ""
    are = "value {} is" if len(places) == 1 else "values {} are"
    return f"; {are.format(numbers)} {'missing' if few else 'extra'}"


def _surplus(expected: list[Json], actual: list[Json], comparison: Comparison) -> int:
    """Return the number of surplus values, below 0 if some are missing, 0 if all are ignored."""
    surplus = len(actual) - len(expected)
    if not comparison.is_plain:
        longer = actual if surplus > 0 else expected
        common = min(len(actual), len(expected))
        if are_equal(longer[:common], longer, comparison):
            return 0
    return surplus


def _is_lone_value(difference: Difference, *, few: bool) -> bool:
    """Return whether a difference is a whole missing (`few`) or surplus value of the stream."""
    lone = difference.actual is MISSING if few else difference.expected is MISSING
    return lone and difference.pointer.count("/") == 1


# The exit status.


def _judge_exit(transcript: Transcript, policy: Policy) -> Judgement | None:
    fault = _exit_fault(transcript, policy)
    if not fault:
        return None
    message = fault if policy.checker else f"the values are correct, but {fault}"
    return Judgement(Verdict.EXIT_STATUS, message)


def _exit_fault(transcript: Transcript, policy: Policy) -> str:
    ending = transcript.ending
    if not isinstance(ending, Exited) or policy.exit.accepts(ending.status):
        return ""
    note = _shell_note(ending.status, transcript.stderr)
    return f"the exit status is {ending.status}, not {policy.exit}{f' ({note})' if note else ''}"


def _shell_note(status: int, stderr: bytes) -> str:
    """Return the meaning of a status if the command is a shell script or is run by env."""
    name = signal_name(status - 128)
    if name.startswith("SIG"):
        return f"in a shell: a program was killed by {name}"
    if status not in _SHELL_STATUSES:
        return ""
    return _WINDOWS if has_windows_line_ends(stderr) else _SHELL_STATUSES[status]

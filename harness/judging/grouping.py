"""Group equal outputs of subjects for an input, and find where the groups differ.

Pure, without expected outputs. harness/judging/equality.py decides which values are equal.
Source: docs/compare.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from itertools import islice
from typing import Final, NamedTuple

from harness.jsonio.decoder import Json
from harness.judging.array_diff import aligned_differences
from harness.judging.companions import with_companions
from harness.judging.equality import are_equal, canonical
from harness.judging.judge import PASSED, judge, output_values
from harness.model.case import Case, ExitRange, Policy
from harness.model.compared import ComparedInput, GroupOutput, Groups, SeparatingInput, Separation
from harness.model.comparison import Comparison
from harness.model.events import Evidence, evidence_of
from harness.model.judgement import Judgement, shown_differences
from harness.model.limits import Limit, Limits
from harness.model.transcript import Exited, Signalled, Transcript
from harness.model.verdict import Verdict

_MOST_DIFFERENCES: Final = 10_000  # that are counted
_NO_VALUES: Final = canonical([], Comparison())


class InputRuns(NamedTuple):
    """An input that all subjects ran on; `repeat` is empty if no details are wanted."""

    suite: str
    case: str
    stdin: bytes
    transcripts: tuple[Transcript, ...]
    limits: tuple[Limits, ...]  # of each run
    repeat: tuple[str, ...] = ()


class ComparableOutput(NamedTuple):
    """The output of a subject for one input, in a form that can be compared.

    `kind` is how the run failed, or "values", and the exit status unless the policy accepts it.
    """

    kind: tuple[str, int | None]
    form: str = ""  # canonical: the same for all equal values
    values: list[Json] | None = None  # kept only with a tolerance: equal ones may differ in form
    failure: Judgement | None = None  # why there are no values

    @property
    def failure_name(self) -> str:
        """The verdict on an output that failed, or "".

        A program that prints nothing and exits with an unexpected status failed, too.
        """
        if self.failure is not None:
            verdict: Verdict = self.failure.verdict
            return str(verdict.value)
        has_only_status = self.kind[1] is not None and self.form == _NO_VALUES
        return Verdict.EXIT_STATUS.value if has_only_status else ""


def compare_outputs(runs: InputRuns, policy: Policy, right: Sequence[Case] = ()) -> ComparedInput:
    """Group the outputs for an input; those that are the outputs of `right` cases are equal."""
    transcripts, answers = runs.transcripts, list[ComparableOutput]()
    for number, (transcript, limits) in enumerate(zip(transcripts, runs.limits, strict=True)):
        known = (
            answers[other]
            for other in range(number)
            if exited_alike(transcripts[other], transcript)
        )
        answer = next(known, None) or comparable_output(
            transcript, policy._replace(limits=limits), right
        )
        answers.append(answer)
    groups, details = group_outputs(answers, policy.comparison), None
    if len(groups) > 1 and runs.repeat:
        of = SeparatingInput(runs.suite, runs.case, len(runs.stdin), groups)
        details = separation(
            of, runs.stdin, transcripts, answers, policy.comparison, repeat=runs.repeat
        )
    return ComparedInput(len(runs.stdin), failures_of(answers), groups, details)


def comparable_output(
    transcript: Transcript, policy: Policy, right: Sequence[Case] = ()
) -> ComparableOutput:
    """Return the output of a run. All exit statuses that the policy accepts count as equal, and so
    do all outputs of `right` cases."""
    output = _program_output(transcript, policy, right)
    if not transcript.companions:
        return output
    own = output.failure or PASSED
    if own is PASSED and output.kind[1] is not None:
        own = Judgement(Verdict.EXIT_STATUS, f"the exit status is {output.kind[1]}")
    judgement = with_companions(own, transcript.companions, policy.companions)
    if judgement.verdict is own.verdict:
        return output if output.failure is None else output._replace(failure=judgement)
    return ComparableOutput((judgement.verdict.value, None), failure=judgement)


def _program_output(
    transcript: Transcript, policy: Policy, right: Sequence[Case]
) -> ComparableOutput:
    """Return the output of a run, whatever became of its companions."""
    status, ending = None, transcript.ending
    if isinstance(ending, Exited) and transcript.limit is None:
        status = None if policy.exit.accepts(ending.status) else ending.status
        values, fault = output_values(transcript.stdout, policy.comparison)
        if fault is None:
            if any(
                one.policy.exit.accepts(ending.status)
                and are_equal(one.expected, values, policy.comparison)
                for one in right
            ):
                values, status = right[0].expected, None
            form = canonical(values, policy.comparison)
            if policy.comparison.bytes:
                form += sha256(transcript.stdout.removesuffix(b"\n")).hexdigest()
            kept = values if policy.comparison.has_tolerance else None
            return ComparableOutput(("values", status), form, kept)
    failure = _failure(transcript, policy)
    kind = failure.verdict.value
    if failure.verdict is Verdict.CRASHED and isinstance(transcript.ending, Signalled):
        kind += f" by {transcript.ending.number}"  # an abort is not a segmentation fault
    return ComparableOutput((kind, status), failure=failure)


def exited_alike(one: Transcript, other: Transcript) -> bool:
    """Return whether two runs exited alike and printed the same bytes: equal by every policy."""
    if one.companions or other.companions:
        return False
    if one.limit is not None or other.limit is not None or one.stdout != other.stdout:
        return False
    return isinstance(one.ending, Exited) and one.ending == other.ending


def _failure(transcript: Transcript, policy: Policy) -> Judgement:
    # The judge reports a failure only against a case that expects something else than what was
    # printed. If nothing was printed, the case expects a value; otherwise it expects none.
    plain, values = Comparison(allow=policy.comparison.allow), list[Json]()
    if transcript.limit is not Limit.OUTPUT:  # which fails against any, and has millions of values
        values, _ = output_values(transcript.stdout, plain)
    case = Case("", "", b"", b"", [] if values else [None])
    alone = transcript._replace(companions=())
    return judge(alone, case, Policy(plain, ExitRange(0, 255), policy.limits))


def failures_of(answers: Sequence[ComparableOutput]) -> tuple[str, ...]:
    """Return the name of the verdict on each output that failed, and "" for the others."""
    return tuple(each.failure_name for each in answers)


def group_outputs(answers: Sequence[ComparableOutput], comparison: Comparison) -> Groups:
    """Return the groups of subjects with equal outputs.

    With a tolerance, an output joins the first group whose first member it is close to, with that
    member's output as the expected one.
    """
    groups: list[list[int]] = []
    for number, answer in enumerate(answers):
        matching = (group for group in groups if _equal(answers[group[0]], answer, comparison))
        group = next(matching, None)
        if group is None:
            groups.append([number])
        else:
            group.append(number)
    return tuple(map(tuple, groups))


def _equal(expected: ComparableOutput, actual: ComparableOutput, comparison: Comparison) -> bool:
    if expected.kind != actual.kind:
        return False
    if expected.form == actual.form:
        return True
    if expected.values is None or actual.values is None:
        return False
    return are_equal(expected.values, actual.values, comparison)


def separation(
    of: SeparatingInput,
    stdin: bytes,
    transcripts: Sequence[Transcript],
    outputs: Sequence[ComparableOutput],
    comparison: Comparison,
    *,
    repeat: tuple[str, ...],
) -> Separation:
    """Return the details of an input; `transcripts` and `outputs` are indexed by subject."""
    first = [group[0] for group in of.groups]
    beside = next((index for index, one in enumerate(first) if outputs[one].failure is None), None)
    with_status = any(outputs[one].kind[1] is not None for one in first)
    shown_outputs = []
    for index, one in enumerate(first):
        output, other = outputs[one], None
        if beside is not None and index > beside and output.failure is None:
            other = transcripts[first[beside]]
        shown_outputs.append(
            GroupOutput(
                of.groups[index],
                _ending(transcripts[one], output, with_status=with_status),
                _evidence(stdin, other, transcripts[one], comparison),
                output.failure is not None,
                None if other is None else beside,
            )
        )
    return Separation(of, tuple(shown_outputs), repeat)


def _ending(transcript: Transcript, output: ComparableOutput, *, with_status: bool) -> str:
    status = (
        f"exit status {transcript.ending.status}" if isinstance(transcript.ending, Exited) else ""
    )
    if output.failure is None:
        return status if with_status else ""
    failure = f"{output.failure.verdict.value}: {output.failure.message}"
    return f"{failure}; {status}" if status and with_status else failure


def _evidence(
    stdin: bytes, other: Transcript | None, transcript: Transcript, comparison: Comparison
) -> Evidence:
    if other is None:
        return evidence_of(stdin, b"", transcript)
    ours, theirs = (output_values(each.stdout, comparison).values for each in (other, transcript))
    differences = list(islice(aligned_differences(ours, theirs, comparison), _MOST_DIFFERENCES))
    return evidence_of(
        stdin, other.stdout, transcript, shown_differences(differences), len(differences)
    )

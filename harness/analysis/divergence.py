"""Describe an input that separates subjects: what each group printed, and where it differs.

Pure. Records have a bounded size, so that many can be kept. Groups are made in
harness/analysis/grouping.py. Source: docs/compare.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Final, NamedTuple

from harness.analysis.grouping import (
    Groups,
    OutcomeGroups,
    OutputGroup,
    answer_of,
    groups_of,
    is_repeated,
)
from harness.jsonio.decoder import Json
from harness.judging.array_diff import aligned_differences
from harness.judging.judge import output_values
from harness.model.case import Policy
from harness.model.comparison import Comparison
from harness.model.events import Diagnostic, Evidence, Excerpt, evidence_of
from harness.model.limits import Limits
from harness.model.transcript import Exited, Transcript

__all__ = [
    "ComparedInput",
    "ComparedOutputs",
    "ComparisonTotals",
    "SeparatingInput",
    "Separation",
    "SubjectOutput",
    "compare_outputs",
    "separation",
]

_MOST_DIFFERENCES: Final = 10_000  # that are counted


class SubjectOutput(NamedTuple):
    """The output of one group of subjects, as its first member printed it.

    `evidence` has the differences from the group at the index `beside`, if any, whose output counts
    as the expected one.
    """

    members: tuple[int, ...]  # the numbers of the subjects
    ending: str  # how the run failed or ended, where that matters, or empty
    evidence: Evidence
    failed: bool = False
    beside: int | None = None


class SeparatingInput(NamedTuple):
    """An input that separates subjects, its size in bytes, and the groups."""

    suite: str
    case: str
    size: int
    groups: Groups


class Separation(NamedTuple):
    """A separating input with all outputs, and a command that compares this input again."""

    of: SeparatingInput
    stdin: Excerpt
    outputs: tuple[SubjectOutput, ...]
    repeat: tuple[str, ...]


class ComparedInput(NamedTuple):
    """An input that all subjects ran on; `repeat` is empty if no details are wanted."""

    suite: str
    case: str
    stdin: bytes
    transcripts: tuple[Transcript, ...]
    limits: tuple[Limits, ...]  # of each run
    repeat: tuple[str, ...] = ()


class ComparedOutputs(NamedTuple):
    """The outputs for an input without their values, their groups, and the details wanted."""

    answers: tuple[OutputGroup, ...]
    groups: Groups
    details: Separation | None


class ComparisonTotals(NamedTuple):
    """The result of a comparison; with `has_reference`, the first subject is the reference."""

    subjects: tuple[str, ...]
    has_reference: bool
    agreement: OutcomeGroups
    separating: Sequence[SeparatingInput]  # all of them, smallest first
    shown: Sequence[Separation]  # details of the first of these
    problems: Sequence[Diagnostic] = ()  # of the corpus
    interrupted: bool = False


def compare_outputs(
    compared: ComparedInput, policy: Policy, right: Sequence[list[Json]] = ()
) -> ComparedOutputs:
    """Group the outputs for an input; those that are `right` are equal."""
    seen, answers = compared.transcripts, list[OutputGroup]()
    for number, (transcript, limits) in enumerate(zip(seen, compared.limits, strict=True)):
        known = (answers[other] for other in range(number) if is_repeated(seen[other], transcript))
        answer = next(known, None) or answer_of(transcript, policy._replace(limits=limits), right)
        answers.append(answer)
    groups, details = groups_of(answers, policy.comparison), None
    if len(groups) > 1 and compared.repeat:
        of = SeparatingInput(compared.suite, compared.case, len(compared.stdin), groups)
        details = separation(
            of, compared.stdin, seen, answers, policy.comparison, repeat=compared.repeat
        )
    plain = (answer._replace(form="", values=None) for answer in answers)
    return ComparedOutputs(tuple(plain), groups, details)


def separation(
    of: SeparatingInput,
    stdin: bytes,
    transcripts: Sequence[Transcript],
    outputs: Sequence[OutputGroup],
    comparison: Comparison,
    *,
    repeat: tuple[str, ...],
) -> Separation:
    """Return the details of an input; `transcripts` and `outputs` are indexed by subject."""
    first = [group[0] for group in of.groups]
    beside = next((at for at, one in enumerate(first) if outputs[one].failure is None), None)
    with_status = any(outputs[one].kind[1] is not None for one in first)
    found = []
    for at, one in enumerate(first):
        output, other = outputs[one], None
        if beside is not None and at > beside and output.failure is None:
            other = transcripts[first[beside]]
        found.append(
            SubjectOutput(
                of.groups[at],
                _ending(transcripts[one], output, with_status=with_status),
                _evidence(stdin, other, transcripts[one], comparison),
                output.failure is not None,
                None if other is None else beside,
            )
        )
    return Separation(of, found[0].evidence.stdin, tuple(found), repeat)


def _ending(seen: Transcript, output: OutputGroup, *, with_status: bool) -> str:
    status = f"exit status {seen.ending.status}" if isinstance(seen.ending, Exited) else ""
    if output.failure is None:
        return status if with_status else ""
    failure = f"{output.failure.verdict.value}: {output.failure.message}"
    return f"{failure}; {status}" if status and with_status else failure


def _evidence(
    stdin: bytes, other: Transcript | None, seen: Transcript, comparison: Comparison
) -> Evidence:
    if other is None:
        return evidence_of(stdin, b"", seen)
    ours, theirs = (output_values(each.stdout, comparison).values for each in (other, seen))
    found = islice(aligned_differences(ours, theirs, comparison), _MOST_DIFFERENCES)
    return evidence_of(stdin, other.stdout, seen, tuple(found))

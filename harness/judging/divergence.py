"""Compare the outputs for an input: what each group printed, and where it differs.

Pure. Groups are made in harness/judging/grouping.py. Source: docs/compare.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Final, NamedTuple

from harness.jsonio.decoder import Json
from harness.judging.array_diff import aligned_differences
from harness.judging.grouping import OutputGroup, answer_of, failures_of, groups_of, is_repeated
from harness.judging.judge import output_values
from harness.model.case import Policy
from harness.model.compared import ComparedOutputs, SeparatingInput, Separation, SubjectOutput
from harness.model.comparison import Comparison
from harness.model.events import Evidence, evidence_of
from harness.model.limits import Limits
from harness.model.transcript import Exited, Transcript

_MOST_DIFFERENCES: Final = 10_000  # that are counted


class InputRuns(NamedTuple):
    """An input that all subjects ran on; `repeat` is empty if no details are wanted."""

    suite: str
    case: str
    stdin: bytes
    transcripts: tuple[Transcript, ...]
    limits: tuple[Limits, ...]  # of each run
    repeat: tuple[str, ...] = ()


def compare_outputs(
    runs: InputRuns, policy: Policy, right: Sequence[list[Json]] = ()
) -> ComparedOutputs:
    """Group the outputs for an input; those that are `right` are equal."""
    seen, answers = runs.transcripts, list[OutputGroup]()
    for number, (transcript, limits) in enumerate(zip(seen, runs.limits, strict=True)):
        known = (answers[other] for other in range(number) if is_repeated(seen[other], transcript))
        answer = next(known, None) or answer_of(transcript, policy._replace(limits=limits), right)
        answers.append(answer)
    groups, details = groups_of(answers, policy.comparison), None
    if len(groups) > 1 and runs.repeat:
        of = SeparatingInput(runs.suite, runs.case, len(runs.stdin), groups)
        details = separation(of, runs.stdin, seen, answers, policy.comparison, repeat=runs.repeat)
    return ComparedOutputs(failures_of(answers), groups, details)


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

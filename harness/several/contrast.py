"""What a person needs to see why an input separates subjects: who said what, and where it differs.

Pure: what was observed goes in, a bounded record comes out, so that many may be kept while others
are still looked for. Groups are made in harness/several/grouping.py. Source: docs/compare.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Final, NamedTuple

from harness.events import Bytes, Evidence, evidence_of
from harness.judging.aligned import aligned_differences
from harness.judging.judge import output_values
from harness.records import Comparison, Difference, Exited, Transcript
from harness.several.grouping import Answer, Groups

__all__ = ["How", "Said", "Separation", "Separating", "separation"]

_MOST_DIFFERENCES: Final = 10_000  # that are counted


class Said(NamedTuple):
    """What one group of subjects said: what its first member printed, how that one fell short or
    ended where that matters (otherwise empty), and where it differs from the group at `beside`
    (which stands as expected in the evidence; None: it is compared with nobody)."""

    members: tuple[int, ...]
    ending: str
    evidence: Evidence
    fell_short: bool = False
    beside: int | None = None


class Separating(NamedTuple):
    """An input that separates subjects: whose it is, how many bytes it has, who agrees."""

    suite: str
    case: str
    size: int
    groups: Groups


class Separation(NamedTuple):
    """The same with what was said, and a command line that asks just this again."""

    of: Separating
    stdin: Bytes
    said: tuple[Said, ...]
    repeat: tuple[str, ...]


class How(NamedTuple):
    """What equal means for an input, and the command line that asks it again."""

    comparison: Comparison
    repeat: tuple[str, ...]


def separation(
    of: Separating, stdin: bytes, seen: Sequence[Transcript], answers: Sequence[Answer], how: How
) -> Separation:
    """What is shown of an input: `seen` and `answers` are those of the subjects, by number."""
    first = [group[0] for group in of.groups]
    beside = next((at for at, one in enumerate(first) if answers[one].short is None), None)
    statuses = any(answers[one].kind[1] is not None for one in first)
    said = []
    for at, one in enumerate(first):
        answer, other = answers[one], None
        if beside is not None and at > beside and answer.short is None:
            other = seen[first[beside]]
        said.append(
            Said(
                of.groups[at],
                _ending(seen[one], answer, statuses=statuses),
                _evidence(stdin, other, seen[one], how.comparison),
                answer.short is not None,
                None if other is None else beside,
            )
        )
    return Separation(of, said[0].evidence.stdin, tuple(said), how.repeat)


def _ending(seen: Transcript, answer: Answer, *, statuses: bool) -> str:
    status = f"exit status {seen.ending.status}" if isinstance(seen.ending, Exited) else ""
    if answer.short is None:
        return status if statuses else ""
    said = f"{answer.short.verdict.value}: {answer.short.message}"
    return f"{said}; {status}" if status and statuses else said


def _evidence(
    stdin: bytes, other: Transcript | None, seen: Transcript, comparison: Comparison
) -> Evidence:
    if other is None:
        return evidence_of(stdin, b"", seen)
    found = _differences(other.stdout, seen.stdout, comparison)
    return evidence_of(stdin, other.stdout, seen, found)


def _differences(left: bytes, right: bytes, comparison: Comparison) -> tuple[Difference, ...]:
    ours, theirs = (output_values(text, comparison).values for text in (left, right))
    return tuple(islice(aligned_differences(ours, theirs, comparison), _MOST_DIFFERENCES))

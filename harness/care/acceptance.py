"""What may become an expected output: a program's answer, and the reasons to leave it.

Pure: a case and what was observed go in, a proposal comes out, or a refusal, or nothing where all
is as it should be. Who confirms, and what is written, is in harness/commands/accept.py.
Source: docs/care.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import Enum
from typing import Final, NamedTuple

from harness.jsontext import Json, encode
from harness.judging.explain import difference_text
from harness.judging.judge import judge, output_values
from harness.records import Case, Difference, Exited, InputKind, Transcript, Verdict
from harness.runs.deliveries import Delivery
from harness.runs.dressing import dressed
from harness.words import clip, count_of, visible

__all__ = ["Layout", "Proposal", "Refused", "change_lines", "considered", "steady"]

# Says what is wrong with a case beyond its text (the empty text: nothing).
Check = Callable[[Case], str]


class Layout(Enum):
    """How the text of an expected output is laid out."""

    LINES = "lines"  # a value a line, without white space
    PRETTY = "pretty"  # indented
    PRINTED = "printed"  # byte for byte as the program printed it


class Proposal(NamedTuple):
    """A new expected output for a case: its values, its text, and what changes. The case that was
    without one has no differences."""

    case: Case
    values: list[Json]
    text: bytes
    message: str
    differences: tuple[Difference, ...]
    is_new: bool


class Refused(NamedTuple):
    """A case that is left as it is, though the program does not pass it, and why."""

    case: Case
    reason: str


_COMPARED: Final = (Verdict.TOO_FEW, Verdict.TOO_MANY, Verdict.DIFFERS)
_MOST: Final = 10  # differences, or values, that are shown unless all are asked for
_WIDTH: Final = 160  # characters of a value that is shown


def considered(
    case: Case,
    transcript: Transcript,
    check: Check | None,
    *,
    layout: Layout | None,
    is_new: bool,
) -> Proposal | Refused | None:
    """What becomes of a case; None: its expected output is what was printed. Without a layout, that
    of the old text holds. `check` knows the suite's schemas."""
    judgement = judge(transcript, case, case.policy)
    if judgement.verdict is Verdict.PASSED and not is_new:
        return None
    if judgement.verdict not in (*_COMPARED, Verdict.PASSED, Verdict.EXIT_STATUS):
        return Refused(case, f"{judgement.verdict.value}: {judgement.message}")
    ending = transcript.ending
    if isinstance(ending, Exited) and not case.policy.exit.accepts(ending.status):
        return Refused(case, f"the exit status is {ending.status}, not {case.policy.exit}")
    values = output_values(transcript.stdout, case.policy.comparison).values
    broken = check(case._replace(expected=values, kind=InputKind.RAW)) if check else ""
    if broken:
        return Refused(case, f"what it printed cannot stand as expected: {broken}")
    text = _laid_out(values, transcript.stdout, layout or _layout_of(case))
    message = f"{count_of(len(values), 'value')} printed" if is_new else judgement.message
    return Proposal(case, values, text, message, () if is_new else judgement.differences, is_new)


def steady(proposal: Proposal, again: Transcript) -> Proposal | Refused:
    """The proposal, if a second run of the program came to the same."""
    case = proposal.case._replace(expected=proposal.values, expected_text=proposal.text)
    judgement = judge(again, case, case.policy)
    if judgement.verdict is Verdict.PASSED:
        return proposal
    said = f"{judgement.verdict.value}: {judgement.message}"
    return Refused(proposal.case, f"a second run did not come to the same ({said})")


def change_lines(proposal: Proposal, *, full: bool) -> Iterator[str]:
    """What a proposal changes, a line each, as many as fit unless all are asked for; none where
    its message says it already."""
    if len(proposal.differences) == 1:
        return
    lines = (
        [clip(visible(encode(value)), _WIDTH) for value in proposal.values]
        if proposal.is_new
        else [difference_text(difference) for difference in proposal.differences]
    )
    shown = lines if full else lines[:_MOST]
    yield from shown
    if len(shown) < len(lines):
        yield f"… and {len(lines) - len(shown):,} more (--full shows them)"


def _layout_of(case: Case) -> Layout:
    """The layout of the text that is there; a value a line where that is none of ours."""
    lines = _lines(case.expected)
    pretty = dressed(Delivery.PRETTY, lines)
    return Layout.PRETTY if case.expected_text == pretty != lines else Layout.LINES


def _laid_out(values: list[Json], printed: bytes, layout: Layout) -> bytes:
    if layout is Layout.PRINTED:
        return printed
    return dressed(Delivery.PRETTY, _lines(values)) if layout is Layout.PRETTY else _lines(values)


def _lines(values: list[Json]) -> bytes:
    return "".join(f"{encode(value)}\n" for value in values).encode()

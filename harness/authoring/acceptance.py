"""Propose a program's output as the expected output of a case, or reject it.

cli/accept.py asks for confirmation and writes. Source: docs/care.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from typing import Final, NamedTuple

from harness.delivery.registry import Delivery
from harness.jsonio.decoder import Json, encode
from harness.judging.explanation import difference_text
from harness.judging.judge import judge, output_values
from harness.model.case import Case, InputKind
from harness.model.judgement import Difference
from harness.model.transcript import Exited, Transcript
from harness.model.verdict import Category, Verdict
from harness.runner.request import Check
from harness.text import escape_nonprintable, pluralize, truncate_to_width

__all__ = ["Layout", "Proposal", "RejectedCase", "change_lines", "propose", "confirm_repeatable"]


class Layout(Enum):
    LINES = "lines"  # one value per line, without white space
    PRETTY = "pretty"  # indented
    PRINTED = "printed"  # the bytes that the program printed


class Proposal(NamedTuple):
    """A new expected output of a case, and its differences from the old one, if there is one."""

    case: Case
    values: list[Json]
    text: bytes
    message: str
    differences: tuple[Difference, ...]
    is_new: bool


class RejectedCase(NamedTuple):
    """A case that fails but stays as it is, and why."""

    case: Case
    reason: str


_MOST: Final = 10  # differences or values shown without --full
_WIDTH: Final = 160  # characters of a value


def propose(
    case: Case,
    transcript: Transcript,
    check: Check | None,
    *,
    layout: Layout | None,
    is_new: bool,
) -> Proposal | RejectedCase | None:
    """Return a new expected output, a rejection, or None if the case passes.

    `check` validates an expected output, or is None if the suite has no schema. `layout` is None
    for the layout of the old text. `is_new` says that the case had no expected output.
    """
    judgement = judge(transcript, case, case.policy)
    if judgement.verdict is Verdict.PASSED and not is_new:
        return None
    if judgement.verdict.category not in (Category.VALUES, Category.PASSED, Category.EXIT_STATUS):
        return RejectedCase(case, f"{judgement.verdict.value}: {judgement.message}")
    ending = transcript.ending
    if isinstance(ending, Exited) and not case.policy.exit.accepts(ending.status):
        return RejectedCase(case, f"the exit status is {ending.status}, not {case.policy.exit}")
    values = output_values(transcript.stdout, case.policy.comparison).values
    violation = check(case._replace(expected=values, kind=InputKind.RAW)) if check else ""
    if violation:
        return RejectedCase(case, f"its output is invalid: {violation}")
    text = _format_output(values, transcript.stdout, layout or _layout_of(case))
    message = f"{pluralize(len(values), 'value')} printed" if is_new else judgement.message
    return Proposal(case, values, text, message, () if is_new else judgement.differences, is_new)


def confirm_repeatable(proposal: Proposal, again: Transcript) -> Proposal | RejectedCase:
    """Return the proposal if a second run of the program confirms it, or a rejection."""
    case = proposal.case._replace(expected=proposal.values, expected_text=proposal.text)
    judgement = judge(again, case, case.policy)
    if judgement.verdict is Verdict.PASSED:
        return proposal
    reason = f"{judgement.verdict.value}: {judgement.message}"
    return RejectedCase(proposal.case, f"a second run printed something else ({reason})")


def change_lines(proposal: Proposal, *, full: bool) -> Iterator[str]:
    """Yield a line for each change, at most `_MOST` unless `full`; none if the message says it."""
    if len(proposal.differences) == 1:
        return
    lines = (
        [truncate_to_width(escape_nonprintable(encode(value)), _WIDTH) for value in proposal.values]
        if proposal.is_new
        else [difference_text(difference) for difference in proposal.differences]
    )
    shown = lines if full else lines[:_MOST]
    yield from shown
    if len(shown) < len(lines):
        yield f"… and {len(lines) - len(shown):,} more (--full shows them)"


def _layout_of(case: Case) -> Layout:
    """Return the layout of the expected output; LINES if it is none of ours."""
    lines = _lines(case.expected)
    pretty = Delivery.PRETTY.transform(lines)
    return Layout.PRETTY if case.expected_text == pretty != lines else Layout.LINES


def _format_output(values: list[Json], printed: bytes, layout: Layout) -> bytes:
    if layout is Layout.PRINTED:
        return printed
    return Delivery.PRETTY.transform(_lines(values)) if layout is Layout.PRETTY else _lines(values)


def _lines(values: list[Json]) -> bytes:
    return "".join(f"{encode(value)}\n" for value in values).encode()

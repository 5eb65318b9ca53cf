"""Propose a program's output as the expected output of a case, or reject it.

cli/accept.py asks for confirmation and writes. Source: docs/care.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Final, NamedTuple

from harness.delivery.registry import Delivery
from harness.jsonio.decoder import Json, encode
from harness.judging.judge import judge, output_values
from harness.model.case import Case, InputKind, stream_text
from harness.model.events import Evidence, evidence_of
from harness.model.transcript import Exited, Transcript
from harness.model.verdict import Category, Verdict
from harness.runner.request import Check
from harness.text import pluralize, shorten_to_width


class OutputLayout(Enum):
    LINES = "lines"  # one value per line, without white space
    PRETTY = "pretty"  # indented
    PRINTED = "printed"  # the bytes that the program printed


class Proposal(NamedTuple):
    """A new expected output of a case: the lines of its values, or its differences from the old."""

    text: bytes
    message: str
    lines: tuple[str, ...]
    evidence: Evidence | None  # None if there was no expected output


_MOST: Final = 10  # values shown without --full
_WIDTH: Final = 160  # characters of a value


def propose(
    case: Case,
    transcript: Transcript,
    check: Check | None,
    *,
    layout: OutputLayout | None,
    is_new: bool,
    full: bool = False,
) -> Proposal | str | None:
    """Return a new expected output, why the case stays as it is, or None if it passes.

    `check` validates an expected output, or is None if the suite has no schema. `layout` is None
    for the layout of the old text. `is_new` says that the case had no expected output. At most
    `_MOST` new values are listed, or all if `full`.
    """
    judgement = judge(transcript, case, case.policy)
    if judgement.verdict is Verdict.PASSED and not is_new:
        return None
    if judgement.verdict.category not in (Category.VALUES, Category.PASSED, Category.EXIT_STATUS):
        return f"{judgement.verdict.value}: {judgement.message}"
    ending = transcript.ending
    if isinstance(ending, Exited) and not case.policy.exit.accepts(ending.status):
        return f"the exit status is {ending.status}, not {case.policy.exit}"
    values = output_values(transcript.stdout, case.policy.comparison).values
    violation = (
        check(case._replace(expected=values, alternatives=(), kind=InputKind.RAW)) if check else ""
    )
    if violation:
        return f"its {violation.removeprefix('the expected ')}"
    layout = layout or _layout_of(case)
    text = _format_output(values, transcript.stdout, layout)
    seen = Transcript(Exited(0), text, stdout_bytes=len(text))
    if case.alternatives:
        # The output is added to the correct ones; without any, it is the first.
        outputs: list[Json] = [*(() if is_new else case.alternatives), values]
        text = _format_output(outputs, stream_text(outputs), layout)
    if is_new:
        lines = _value_lines(values, None if full else _MOST)
        return Proposal(text, f"{pluralize(len(values), 'value')} printed", lines, None)
    expected = case.expected_text if judgement.expected is None else judgement.expected
    return Proposal(
        *(text, judgement.message, ()),
        evidence_of(
            *(case.stdin, expected, seen, judgement.differences, judgement.differences_total)
        ),
    )


def repetition_fault(case: Case, again: Transcript) -> str:
    """Return why a second run does not confirm the expected output of a case, or ""."""
    judgement = judge(again, case, case.policy)
    if judgement.verdict is Verdict.PASSED:
        return ""
    reason = f"{judgement.verdict.value}: {judgement.message}"
    return f"a second run printed something else ({reason})"


def _value_lines(values: Sequence[Json], most: int | None) -> tuple[str, ...]:
    shown = tuple(shorten_to_width(encode(value), _WIDTH) for value in values[:most])
    if len(shown) == len(values):
        return shown
    return *shown, f"… and {len(values) - len(shown):,} more (--full shows them)"


def _layout_of(case: Case) -> OutputLayout:
    """Return the layout of the expected output; LINES if it is none of ours."""
    lines = stream_text([*case.alternatives] if case.alternatives else case.expected)
    pretty = Delivery.PRETTY.transform(lines)
    return OutputLayout.PRETTY if case.expected_text == pretty != lines else OutputLayout.LINES


def _format_output(values: list[Json], printed: bytes, layout: OutputLayout) -> bytes:
    if layout is OutputLayout.PRINTED:
        return printed
    lines = stream_text(values)
    return Delivery.PRETTY.transform(lines) if layout is OutputLayout.PRETTY else lines

"""Propose a program's output as the expected output of a case, or reject it, and write it.

cli/accept.py asks for confirmation. Source: docs/care.md.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from enum import Enum
from io import BytesIO
from pathlib import Path
from typing import Final, NamedTuple

from harness.authoring.script_changes import change_script
from harness.delivery.registry import Delivery
from harness.dialogue.script import parse_steps
from harness.engine.ipc import RecordSerializer
from harness.engine.request import Check
from harness.errors import CANNOT_WRITE, Refused, os_reason
from harness.files import read_regular, write_in
from harness.jsonio.decoder import Json, encode
from harness.jsonio.fast import decode
from harness.judging.judge import judge, output_values
from harness.model.case import Case, InputKind, InvalidCase, listed_outputs, stream_text
from harness.model.case_names import PACKED_FILE, TALK, CaseName
from harness.model.dialogue import EntryKind
from harness.model.events import Evidence, Excerpt, evidence_of, evidence_of_case
from harness.model.judgement import Judgement, ShownDifference, ShownMessage
from harness.model.transcript import Exited, Transcript
from harness.model.verdict import Category, Verdict
from harness.suites.loading import Suite
from harness.suites.packed import PackedError, parse_line, replace_side
from harness.text import escape_nonprintable, pluralize, shorten_to_width


class OutputLayout(Enum):
    LINES = "lines"  # one value per line, without white space
    PRETTY = "pretty"  # indented
    PRINTED = "printed"  # the bytes that the program printed


class Proposal(NamedTuple):
    """A new expected output of a case, and what to show: its values, or how it differs."""

    text: bytes
    message: str
    lines: tuple[str, ...]  # the values, if there was no expected output; steps before and after
    evidence: Evidence | None  # the differences from the old output, if there was one
    verdict: str = Verdict.DIFFERS.value  # on the old output


PROPOSALS: Final = RecordSerializer(
    Proposal, Refused, InvalidCase, Evidence, Excerpt, ShownDifference, ShownMessage, EntryKind
)
_MOST_VALUES: Final = 10  # values shown without --full
_WIDTH: Final = 160  # characters of a value


def propose(
    case: Case,
    transcript: Transcript,
    check: Check | None,
    *,
    layout: OutputLayout | None,
    is_new: bool,
    full: bool = False,
) -> Proposal | Refused | None:
    """Return a new expected output, the reason to reject the printed one, or None if it passes.

    `check` validates an expected output, or is None if the suite has no schema. `layout` is None
    for the layout of the old text. `is_new` means that the case had no expected output. At most
    `_MOST_VALUES` new values are listed, or all if `full`.
    """
    judgement = judge(transcript, case, case.policy)
    if judgement.verdict is Verdict.PASSED and (not is_new or case.is_talk):
        return None
    if case.is_talk:
        return _propose_script(case, transcript, judgement, full=full)
    values = output_values(transcript.stdout, case.policy.comparison).values
    refused = _rejection(case, transcript, judgement) or _violation(case, values, check)
    if refused is not None:
        return refused
    layout = layout or _layout_of(case)
    printed = text = _format_output(values, transcript.stdout, layout)
    if case.alternatives:
        # The output is added to the correct ones; without any, it is the first.
        outputs: list[Json] = [*(() if is_new else listed_outputs(case)), values]
        text = _format_output(outputs, stream_text(outputs), layout)
    if is_new:
        lines = _value_lines(values, None if full else _MOST_VALUES)
        return Proposal(text, f"{pluralize(len(values), 'value')} printed", lines, None)
    evidence = _evidence(case, judgement, printed)
    return Proposal(text, judgement.message, (), evidence, judgement.verdict.value)


def _propose_script(
    case: Case, transcript: Transcript, judgement: Judgement, *, full: bool
) -> Proposal | Refused:
    """Return a script that expects what the program did, or why there is none."""
    text, changes = change_script(case, transcript)
    assert case.script is not None
    own = {step.label: step for step in parse_steps(decode(text).values)}
    steps = tuple(own.get(step.label, step) for step in case.script.steps)
    changed = case._replace(script=case.script._replace(steps=steps))
    left = judge(transcript, changed, case.policy)
    if left.verdict is not Verdict.PASSED:
        return Refused(f"{left.verdict.value}: {left.message}")
    lines: list[str] = []
    for each in changes:
        lines += [f"step {each.number + 1}", f"- {each.before}", f"+ {each.after}"]
    lines = lines if full else [shorten_to_width(line, _WIDTH) for line in lines]
    evidence = evidence_of_case(case, transcript, judgement)
    return Proposal(text, judgement.message, tuple(lines), evidence, judgement.verdict.value)


def _rejection(case: Case, transcript: Transcript, judgement: Judgement) -> Refused | None:
    """Return why a run cannot have printed a correct output, or None."""
    if judgement.verdict.category not in (Category.VALUES, Category.PASSED, Category.EXIT_STATUS):
        return Refused(f"{judgement.verdict.value}: {judgement.message}")
    ending = transcript.ending
    if isinstance(ending, Exited) and not case.policy.exit.accepts(ending.status):
        return Refused(f"the exit status is {ending.status}, not {case.policy.exit}")
    return None


def _violation(case: Case, values: list[Json], check: Check | None) -> Refused | None:
    """Return how a printed output violates the schema of the suite, or None."""
    if check is None:
        return None
    # As a raw case, its input is not checked.
    one = case._replace(expected=values, alternatives=(), exits=(), kind=InputKind.RAW)
    violation = check(one)
    return Refused(f"its {violation.removeprefix('the expected ')}") if violation else None


def _evidence(case: Case, judgement: Judgement, printed: bytes) -> Evidence:
    expected = case.expected_text if judgement.expected is None else judgement.expected
    transcript = Transcript(Exited(0), printed, stdout_bytes=len(printed))
    return evidence_of(
        case.stdin, expected, transcript, judgement.differences, judgement.differences_total
    )


def repetition_fault(case: Case | InvalidCase, again: Transcript) -> Refused | None:
    """Return why a second run does not confirm the expected output of a case, or None."""
    if isinstance(case, InvalidCase):
        return Refused(case.reason)
    judgement = judge(again, case, case.policy)
    if judgement.verdict is Verdict.PASSED:
        return None
    reason = f"{judgement.verdict.value}: {judgement.message}"
    return Refused(f"a second run printed something else ({reason})")


def _value_lines(values: Sequence[Json], most: int | None) -> tuple[str, ...]:
    shown = tuple(shorten_to_width(encode(value), _WIDTH) for value in values[:most])
    if len(shown) == len(values):
        return shown
    return *shown, f"… and {len(values) - len(shown):,} more (--full shows them)"


def _layout_of(case: Case) -> OutputLayout:
    """Return the layout of the expected output: PRETTY if it is indented, otherwise LINES."""
    lines = stream_text(listed_outputs(case))
    pretty = Delivery.PRETTY.transform(lines)
    return OutputLayout.PRETTY if case.expected_text == pretty != lines else OutputLayout.LINES


def _format_output(values: list[Json], printed: bytes, layout: OutputLayout) -> bytes:
    if layout is OutputLayout.PRINTED:
        return printed
    lines = stream_text(values)
    return Delivery.PRETTY.transform(lines) if layout is OutputLayout.PRETTY else lines


# Files.


def output_path(suite: Suite, name: CaseName) -> Path:
    """Return the path of a case's expected output, whether or not it exists, or of its script."""
    if suite.packed is not None:
        return suite.folder / PACKED_FILE
    if suite.files[name][0].endswith(TALK):
        return suite.folder / suite.files[name][0]
    (stdin,) = (file for file in suite.files[name] if file.endswith("-in.json"))
    return suite.folder / f"{stdin.removesuffix('in.json')}out.json"


def write_output(path: Path, before: bytes | None, text: bytes) -> str:
    """Write an expected output if the file still holds `before`, or does not exist if None.

    Return why that failed, or "".
    """
    try:
        if before != (read_regular(path) if os.path.lexists(path) else None):
            return f"{format_path(path)} was changed in the meantime"
        write_in(path.parent, path.name, [text])
    except OSError as problem:
        return f"{format_path(path)}: {os_reason(problem, CANNOT_WRITE)}"
    return ""


def write_lines(path: Path, outputs: Mapping[int, tuple[bytes, bytes]]) -> str:
    """Write outputs or scripts into lines of a packed file that still hold the old ones.

    Return why that failed, or "".
    """
    try:
        lines = BytesIO(read_regular(path)).readlines()
        for index, (before, text) in outputs.items():
            case = None if index >= len(lines) else parse_line(lines[index].rstrip(b"\n"))
            if case is None or before != (case.stdin if case.is_talk else case.expected):
                return f"{format_path(path)} was changed in the meantime"
            lines[index] = replace_side(lines[index], text, is_talk=case.is_talk)
        write_in(path.parent, path.name, lines)
    except PackedError:
        return f"{format_path(path)} was changed in the meantime"
    except OSError as problem:
        return f"{format_path(path)}: {os_reason(problem, CANNOT_WRITE)}"
    return ""


def format_path(path: Path) -> str:
    return escape_nonprintable(str(path))

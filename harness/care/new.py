"""A new case of a suite: its name, what it is shown as, and why it may not be one.

Pure: names, bytes and a transcript in, decisions and lines out. Nothing is read, run or written.
Source: docs/care.md.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Final, NamedTuple

from harness.jsonfast import decode
from harness.jsontext import encode
from harness.judging.complaint import complaint
from harness.judging.explain import fault_text
from harness.judging.judge import judge
from harness.records import Case, Exited, ExitRange, InputKind, Policy, Transcript, Verdict
from harness.suites.naming import CaseName, case_file, pattern_of
from harness.suites.policy import SuiteSettings
from harness.words import clip, count_of, quoted, visible

__all__ = [
    "Draft",
    "Refusal",
    "advice",
    "draft_of",
    "input_fault",
    "next_name",
    "output_fault",
    "preview_lines",
]

_NAME: Final = 60  # characters of a name in a message
_LONGEST: Final = 255  # bytes of a file's name: what Linux's file systems take
_LINES: Final = 20  # of a file that are shown
_WIDTH: Final = 160  # characters of a line that are shown


class Refusal(Exception):
    """What is asked for cannot be a case; the message says why, and what to do."""


class Draft(NamedTuple):
    """A case before its program was run: its name, what stands before -in.json and -out.json in the
    names of its files, its input, and what is to hold for it."""

    name: CaseName
    label: str
    stdin: bytes
    kind: InputKind
    policy: Policy


def draft_of(
    settings: SuiteSettings,
    place: tuple[CaseName, str],
    stdin: bytes,
    *,
    kind: InputKind | None,
    exit_status: int | None,
) -> Draft:
    """A case at a place (its name and label) as the settings have it; `kind` and `exit_status` are
    those that the caller wants instead (None: no others)."""
    name, label = place
    policy, declared, _ = settings.policy_for(name)
    if exit_status is not None:
        policy = policy._replace(exit=ExitRange(exit_status, exit_status))
    return Draft(name, label, stdin, declared if kind is None else kind, policy)


# Its name.


def next_name(
    prefix: str, names: Collection[CaseName], labels: Iterable[str]
) -> tuple[CaseName, str]:
    """The number after the last one of a prefix, and the label of its files; where a file of the
    prefix has zeros in front, so has the label. Raises Refusal."""
    number = max((name.number for name in names if name.prefix == prefix), default=0) + 1
    head = f"{prefix}-" if prefix else ""
    digits = [label.removeprefix(head) for label in labels if label.startswith(head)]
    width = max((len(each) for each in digits if each.isdecimal() and each[0] == "0"), default=0)
    label = f"{head}{number:0{width}}"
    side = case_file(f"{label}-in.json")
    is_name = side is not None and side.name == CaseName(prefix, number)
    if not is_name or "/" in prefix or visible(prefix) != prefix:
        raise Refusal(
            f"--prefix {quoted(prefix, _NAME)}: no prefix of a case; it is printable text without a"
            " slash, and does not begin with a dot"
        )
    if len(f"{label}-out.json".encode()) > _LONGEST:
        raise Refusal(f"--prefix {quoted(prefix, _NAME)}: too long for the name of a file")
    return CaseName(prefix, number), label


# Why it may not be a case.


def input_fault(draft: Draft) -> str:
    """Why an input cannot be that of a case of its kind; the empty text: it can."""
    if draft.kind is InputKind.RAW:
        return ""
    values, fault = decode(draft.stdin)
    if fault is None:
        return ""
    said = fault_text(draft.stdin, fault, values=len(values), printed=False)
    return f"the input is {said}; if that is meant: --raw"


def output_fault(seen: Transcript, draft: Draft) -> str:
    """Why what a program did cannot be what is expected; the empty text: it can."""
    # Held against a case that expects nothing: whatever is well-formed is then too much.
    nothing = Case("", draft.name.text, draft.stdin, b"\0", [])
    any_exit = draft.policy._replace(exit=ExitRange(0, 255))
    judgement = judge(seen, nothing, any_exit)
    if judgement.verdict not in _WELL_FORMED:
        return f"{judgement.verdict.value}: {judgement.message}{complaint(seen.stderr)}"
    status = seen.ending.status if isinstance(seen.ending, Exited) else 0
    if not draft.policy.exit.accepts(status):
        return (
            f"its exit status is {status}, not {draft.policy.exit};"
            f" if that is meant: --exit {status}{complaint(seen.stderr)}"
        )
    return ""


_WELL_FORMED: Final = (Verdict.PASSED, Verdict.TOO_MANY, Verdict.DIFFERS)


# What is shown.


def preview_lines(suite: str, program: str, draft: Draft, expected: bytes) -> Iterator[str]:
    """The case as it would be written."""
    yield f"{visible(f'{suite}/{draft.name.text}')}, its output by {visible(program)}"
    yield from _file_lines("input", f"{draft.label}-in.json", draft.stdin)
    yield from _file_lines("expected", f"{draft.label}-out.json", expected)


def _file_lines(side: str, name: str, data: bytes) -> Iterator[str]:
    yield f"  {side:9} {visible(name)}, {count_of(len(data), 'byte')}"
    lines = data.decode("utf-8", "backslashreplace").split("\n")
    if lines[-1] == "":
        del lines[-1]
    for line in lines[:_LINES]:
        yield f"    {clip(visible(line), _WIDTH)}"
    if lines[_LINES:]:
        yield f"    … and {count_of(len(lines) - _LINES, 'line')} more"


def advice(settings: SuiteSettings, draft: Draft) -> tuple[str, ...]:
    """The lines that suite.toml needs so that the case is what it was made as; none, if it is."""
    policy, kind, _ = settings.policy_for(draft.name)
    said = []
    if draft.policy.exit != policy.exit:
        said.append(f"exit = {draft.policy.exit}")
    if draft.kind is not kind:
        said.append(f'input = "{draft.kind.value}"')
    if not said:
        return ()
    return ("[[cases]]", f"match = {encode(pattern_of(draft.name))}", *said)

"""Name, check and preview a new case; cli/new.py runs the program and writes the files.

Source: docs/care.md.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Final, NamedTuple

from harness.errors import UsageError
from harness.files import LONGEST_FILE_NAME
from harness.jsonio.decoder import encode
from harness.jsonio.fast import decode
from harness.judging.explanation import fault_text, stderr_summary
from harness.judging.judge import judge
from harness.model.case import Case, ExitRange, InputKind, Policy
from harness.model.case_names import CaseName, case_of_file, pattern_of
from harness.model.transcript import Exited, Transcript
from harness.model.verdict import Verdict
from harness.suites.settings import SuiteSettings
from harness.text import escape_nonprintable, pluralize, quote, shorten_to_width

_LINES: Final = 20  # of a file in a preview
_WIDTH: Final = 160  # characters of a line in a preview


class CaseDraft(NamedTuple):
    """A case without an output."""

    name: CaseName
    label: str  # the start of its file names
    stdin: bytes
    kind: InputKind
    policy: Policy


def draft_case(
    settings: SuiteSettings,
    name: CaseName,
    label: str,
    stdin: bytes,
    *,
    kind: InputKind | None,
    exit_status: int | None,
) -> CaseDraft:
    """Return a case with the policy of its suite.

    `kind` and `exit_status` replace those of the settings unless they are None.
    """
    policy, declared = settings.policy_for(name)
    policy = policy._replace(checker=())  # there is no expected output yet
    if exit_status is not None:
        policy = policy._replace(exit=ExitRange(exit_status, exit_status))
    return CaseDraft(name, label, stdin, declared if kind is None else kind, policy)


def next_name(
    prefix: str, names: Collection[CaseName], labels: Iterable[str]
) -> tuple[CaseName, str]:
    """Return the next name with a prefix, and the start of its file names. Raises UsageError.

    The numbers of the files have leading zeros if those of other files with the prefix do.
    """
    number = max((name.number for name in names if name.prefix == prefix), default=0) + 1
    head = f"{prefix}-" if prefix else ""
    digits = [label.removeprefix(head) for label in labels if label.startswith(head)]
    width = max((len(each) for each in digits if each.isdecimal() and each[0] == "0"), default=0)
    label = f"{head}{number:0{width}}"
    is_name = case_of_file(f"{label}-in.json") == CaseName(prefix, number)
    if not is_name or "/" in prefix or escape_nonprintable(prefix) != prefix:
        raise UsageError(
            f"--prefix {quote(prefix)}: must be printable text without a slash or a leading dot"
        )
    if len(f"{label}-out.json".encode()) > LONGEST_FILE_NAME:
        raise UsageError(f"--prefix {quote(prefix)}: too long for a file name")
    return CaseName(prefix, number), label


def input_fault(draft: CaseDraft) -> str:
    """Return why the input is wrong for its kind, or ""."""
    if draft.kind is InputKind.RAW:
        return ""
    values, fault = decode(draft.stdin)
    if fault is None:
        return ""
    reason = fault_text(draft.stdin, fault, values=len(values), printed=False)
    return f"the input is {reason}; if intended, use --raw"


def output_fault(transcript: Transcript, draft: CaseDraft) -> str:
    """Return why the output of a run cannot be expected, or ""."""
    # RunResult with no expected values: a well-formed output passes or has too many values.
    nothing = Case("", draft.name.text, draft.stdin, b"\0", [])
    any_exit = draft.policy._replace(exit=ExitRange(0, 255))
    judgement = judge(transcript, nothing, any_exit)
    if judgement.verdict not in _WELL_FORMED:
        return f"{judgement.verdict.value}: {judgement.message}{stderr_summary(transcript.stderr)}"
    status = transcript.ending.status if isinstance(transcript.ending, Exited) else 0
    if not draft.policy.exit.accepts(status):
        return (
            f"its exit status is {status}, not {draft.policy.exit};"
            f" if intended, use --exit {status}{stderr_summary(transcript.stderr)}"
        )
    return ""


_WELL_FORMED: Final = (Verdict.PASSED, Verdict.TOO_MANY, Verdict.DIFFERS)


def preview_lines(suite: str, program: str, draft: CaseDraft, expected: bytes) -> Iterator[str]:
    """Yield the lines that show a case before it is written."""
    name = escape_nonprintable(f"{suite}/{draft.name.text}")
    yield f"{name}, with the output of {escape_nonprintable(program)}"
    yield from _file_lines("input", f"{draft.label}-in.json", draft.stdin)
    yield from _file_lines("expected", f"{draft.label}-out.json", expected)


def script_lines(suite: str, program: str, draft: CaseDraft, file: str) -> Iterator[str]:
    """Yield the lines that show a script before it is written."""
    name = escape_nonprintable(f"{suite}/{draft.name.text}")
    yield f"{name}, with the answers of {escape_nonprintable(program)}"
    yield from _file_lines("script", file, draft.stdin)


def _file_lines(side: str, name: str, data: bytes) -> Iterator[str]:
    yield f"  {side:9} {escape_nonprintable(name)}, {pluralize(len(data), 'byte')}"
    lines = data.decode("utf-8", "backslashreplace").split("\n")
    if lines[-1] == "":
        del lines[-1]
    for line in lines[:_LINES]:
        yield f"    {shorten_to_width(line, _WIDTH)}"
    if lines[_LINES:]:
        yield f"    … and {pluralize(len(lines) - _LINES, 'more line')}"


def needed_settings(settings: SuiteSettings, draft: CaseDraft) -> tuple[str, ...]:
    """Return the lines to add to suite.toml, if its settings for the case differ from the draft."""
    policy, kind = settings.policy_for(draft.name)
    lines = []
    if draft.policy.exit != policy.exit:
        lines.append(f"exit = {draft.policy.exit}")
    if draft.kind is not kind:
        lines.append(f'input = "{draft.kind.value}"')
    if not lines:
        return ()
    return ("[[cases]]", f"match = {encode(pattern_of(draft.name))}", *lines)

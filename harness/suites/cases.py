"""Read the cases of a suite, one at a time, when they are about to run.

A broken case is a value, `InvalidCase`, or a `BrokenCase` that says more. Source: docs/suites.md.
"""

from __future__ import annotations

import os
from collections.abc import Collection
from contextlib import suppress
from enum import Enum
from math import inf
from typing import Final

from harness.dialogue.script import ScriptError, make_script, parse_steps, step_lines
from harness.dialogue.templates import has_references
from harness.errors import MACHINE_LIMITS, os_reason
from harness.files import open_descriptor
from harness.jsonio.decoder import Json, Number
from harness.jsonio.fast import decode
from harness.jsonio.positions import Position, position_at, position_of_value
from harness.judging.explanation import fault_text
from harness.model.case import Case, ExitRange, InputKind, InvalidCase, content_digest
from harness.model.case_names import PACKED_FILE, SETTINGS_FILE, TALK, CaseName
from harness.model.limits import with_room_for
from harness.suites.loading import Suite
from harness.suites.packed import PackedCase, PackedError, PackedFile
from harness.suites.settings import CaseRule
from harness.suites.value_types import EXIT
from harness.text import escape_nonprintable

_CHUNK: Final = 65_536  # bytes read at a time beyond the size that a file reports
_INPUT: Final = "-in.json"
_OUTPUT: Final = "-out.json"
_NO_OUTPUTS: Final = (
    "each value must be an array of the values of one correct output (any = true), or"
    ' {"values": [...], "exit": 1}'
)
_NO_INPUT: Final = "a dialogue has no input to compare; use xtest run"
_NO_BYTES: Final = "any = true cannot be combined with bytes = true, which needs one exact text"
_RAW_HINT: Final = f'; if intended, declare input = "raw" in [[cases]] of {SETTINGS_FILE}'


class CaseDefect(Enum):
    ORPHAN = "orphan"
    SAME_NAME = "same-name"
    UNREADABLE = "unreadable"
    NOT_JSON = "not-json"
    BAD_LINE = "bad-line"  # of a packed suite
    NO_OUTPUTS = "no-outputs"  # of a case with several correct ones
    BAD_STEP = "bad-step"  # of a dialogue


class BrokenCase(Exception):
    """A case that cannot be used: why, the kind of defect, the file and, if known, the position."""

    def __init__(
        self, reason: str, defect: CaseDefect, file: str, position: Position | None = None
    ):
        super().__init__(reason)
        self.defect = defect
        self.file = file
        self.position = position


class CaseTooLarge(BrokenCase):
    """A case that this machine has no memory for."""


def read_case(suite: Suite, name: CaseName, index: int, most: float = inf) -> Case | InvalidCase:
    """Return the case at this index of a suite's names, or why it is invalid.

    A case of more than `most` bytes is not parsed.
    """
    try:
        return load_case(suite, name, index, most)[0]
    except BrokenCase as problem:
        is_too_large = isinstance(problem, CaseTooLarge)
        return InvalidCase(suite.name, name.text, str(problem), exceeds_memory=is_too_large)


def parse_case(case: Case, suite: Suite, name: CaseName, index: int) -> Case | InvalidCase:
    """Return an unparsed case with its values, or why it is invalid.

    Policy and kind of input are those of the suite.
    """
    policy, kind = suite.settings.policy_for(name)
    try:
        return _parse(case._replace(policy=policy, kind=kind), suite, name, index)
    except BrokenCase as problem:
        return InvalidCase(suite.name, name.text, str(problem))


def load_case(
    suite: Suite, name: CaseName, index: int, most: float = inf
) -> tuple[Case, list[Json]]:
    """Return a case and the values of its input, if it is not raw. Raises BrokenCase.

    One of more than `most` bytes has no values, unless it is a dialogue.
    """
    return _make(suite, name, index, _read_sides(suite, name, index), most)


def case_digest(suite: Suite, name: CaseName, index: int) -> str:
    """Return the digest of a case's content, or "" if it cannot be read."""
    with suppress(BrokenCase):
        sides = _read_sides(suite, name, index)
        has_several = suite.settings.has_alternatives(name, sides.own)
        return content_digest(sides.stdin, sides.expected or b"", has_several=has_several)
    return ""


def input_digest(suite: Suite, name: CaseName, index: int) -> str:
    """Return the digest of a case's content, or of its input alone if it has no output.

    It is "" if the input cannot be read.
    """
    with suppress(BrokenCase):
        return case_digest(suite, name, index) or content_digest(
            read_input(suite, name, index), b""
        )
    return ""


def own_rule(suite: Suite, name: CaseName, index: int) -> CaseRule | None:
    """Return the settings in the line of a packed case, or None if it has none."""
    with suppress(BrokenCase):
        return None if suite.packed is None else _read_sides(suite, name, index).own
    return None


def read_orphan(suite: Suite, name: CaseName) -> Case | None:
    """Return a case with a valid input, but no output, as one that expects nothing, or None."""
    files = suite.files.get(name, ())
    if len(files) != 1 or not files[0].endswith(_INPUT):
        return None
    try:
        stdin = _read_bytes(suite, files[0])
    except BrokenCase:
        return None
    case, _ = _make(suite, name, 0, PackedCase("", stdin, b""), most=-1)
    if case.kind is not InputKind.RAW and decode(stdin).fault is not None:
        return None
    return case._replace(is_parsed=True, alternatives=([],) if case.has_several else ())


def read_input(suite: Suite, name: CaseName, index: int) -> bytes:
    """Return the input of the case at this index of a suite's names. Raises BrokenCase."""
    if suite.packed is not None:
        case = _packed_case(suite.packed, index)
        if case.is_talk:
            raise BrokenCase(_NO_INPUT, CaseDefect.BAD_STEP, PACKED_FILE, Position(index + 1, 1))
        return case.stdin
    files = suite.files[name]
    if files[0].endswith(TALK):
        raise BrokenCase(_NO_INPUT, CaseDefect.BAD_STEP, files[0])
    inputs = tuple(file for file in files if not file.endswith(_OUTPUT))
    if not inputs:
        raise _missing_partner(files)
    if len(inputs) > 1:
        raise _duplicate_side(name, inputs)
    return _read_bytes(suite, inputs[0])


def file_label(suite: Suite, name: CaseName) -> str:
    """Return the names of a readable case's files without -in.json, leading zeros included."""
    return suite.files[name][0].removesuffix(_INPUT).removesuffix(TALK)


def _packed_case(packed: PackedFile, index: int) -> PackedCase:
    """Return the case in a line of a packed file, from 0. Raises BrokenCase."""
    try:
        return packed.read(index)
    except PackedError as problem:
        reason = f"{PACKED_FILE}, line {index + 1:,} {problem}"
        raise BrokenCase(reason, CaseDefect.BAD_LINE, PACKED_FILE, Position(index + 1, 1)) from None
    except OSError as problem:
        if problem.errno in MACHINE_LIMITS:
            raise
        reason = f"{PACKED_FILE}: {os_reason(problem)}"
        raise BrokenCase(reason, CaseDefect.UNREADABLE, PACKED_FILE) from None


def _read_bytes(suite: Suite, name: str) -> bytes:
    """Return the bytes of a regular file in a suite's folder. Raises BrokenCase."""
    path = f"{suite.folder}/{name}"
    # Plain system calls, as this runs twice for every case.
    try:
        descriptor = open_descriptor(path)
        try:
            status = os.fstat(descriptor)
            text = os.read(descriptor, status.st_size + 1)
            # A short read of a file that reports its size was the whole file.
            if len(text) != status.st_size or not text:
                while more := os.read(descriptor, _CHUNK):
                    text += more
            return text
        finally:
            os.close(descriptor)
    except MemoryError:
        reason = f"{escape_nonprintable(name)}: not enough memory on this machine"
        raise CaseTooLarge(reason, CaseDefect.UNREADABLE, name) from None
    except OSError as problem:
        if problem.errno in MACHINE_LIMITS:
            raise
        is_dangling = os.path.islink(path) and not os.path.exists(path)
        reason = "a dangling link" if is_dangling else os_reason(problem)
        raise BrokenCase(
            f"{escape_nonprintable(name)}: {reason}", CaseDefect.UNREADABLE, name
        ) from None


def _missing_partner(files: tuple[str, ...]) -> BrokenCase:
    file, *others = files
    if file.endswith(TALK) or (others and others[-1].endswith(TALK)):
        reason = f"{escape_nonprintable(file)} and {escape_nonprintable(others[-1])}: one case"
        reason += " cannot be both a script and files; rename one"
        return BrokenCase(reason, CaseDefect.SAME_NAME, others[-1])
    # The other side of the case with other leading zeros, such as 3-in.json of 03-out.json.
    ending = _INPUT if file.endswith(_OUTPUT) else _OUTPUT
    fix = next((f"rename {other}" for other in others if other.endswith(ending)), "add it")
    fix = escape_nonprintable(fix)
    reason = f"{escape_nonprintable(file)} has no {escape_nonprintable(_partner(file))}; {fix}"
    return BrokenCase(reason, CaseDefect.ORPHAN, file)


def _duplicate_side(name: CaseName, files: tuple[str, ...]) -> BrokenCase:
    *names, last = map(escape_nonprintable, files)
    fix = "rename one" if len(files) == 2 else "rename all but one"
    case = escape_nonprintable(name.text)
    reason = f"{', '.join(names)} and {last} are for the same case, {case}; {fix}"
    return BrokenCase(reason, CaseDefect.SAME_NAME, files[1])


def _read_sides(suite: Suite, name: CaseName, index: int) -> PackedCase:
    """Return what the files or the line of a case hold. Raises BrokenCase."""
    if suite.packed is not None:
        case = _packed_case(suite.packed, index)
        if case.expected is None:
            reason = f'{PACKED_FILE}, line {index + 1:,} has no member "out"'
            raise BrokenCase(reason, CaseDefect.ORPHAN, PACKED_FILE, Position(index + 1, 1))
        return case
    files = suite.files[name]
    if len(files) == 1 and files[0].endswith(TALK):
        return PackedCase("", _read_bytes(suite, files[0]), b"", is_talk=True)
    stdin, expected = _pair(name, files)
    return PackedCase("", _read_bytes(suite, stdin), _read_bytes(suite, expected))


def _make(
    suite: Suite, name: CaseName, index: int, sides: PackedCase, most: float
) -> tuple[Case, list[Json]]:
    """Return the case with these sides and the values of its input. Raises BrokenCase."""
    expected = sides.expected or b""
    settings = suite.settings.for_case(name, sides.own)
    policy, kind = settings.policy, settings.kind
    limits = with_room_for(policy.limits, len(expected))
    if limits is not policy.limits:
        policy = policy._replace(limits=limits)
    values: list[Json] = []
    input_values: list[Json] = []
    is_parsed = not sides.is_talk and len(sides.stdin) + len(expected) <= most
    if is_parsed:
        values = _values(suite, name, index, expected, policy.comparison.allow)
        if kind is not InputKind.RAW:
            input_values = _values(suite, name, index, sides.stdin, is_input=True)
    case = Case(
        suite.name,
        name.text,
        sides.stdin,
        expected,
        values,
        InputKind.RAW if sides.is_talk else kind,
        settings.tags,
        policy,
        is_parsed,
        has_several=settings.has_several and not sides.is_talk,
        info=settings.info,
        is_talk=sides.is_talk,
    )
    if sides.is_talk and most >= 0:
        case = _parse_talk(case, suite, name, index)
    elif is_parsed and case.has_several:
        case = _with_right_outputs(suite, name, index, case)
    return case, input_values


def _pair(name: CaseName, files: tuple[str, ...]) -> tuple[str, str]:
    if len(files) == 2 and files[0] == _partner(files[1]):
        return files[0], files[1]  # the usual case: -in sorts before -out
    for ending in (_INPUT, _OUTPUT):
        side = tuple(file for file in files if file.endswith(ending))
        if len(side) > 1:
            raise _duplicate_side(name, side)
    raise _missing_partner(files)


def _partner(file: str) -> str:
    if file.endswith(_INPUT):
        return file.removesuffix(_INPUT) + _OUTPUT
    return file.removesuffix(_OUTPUT) + _INPUT


def _parse(case: Case, suite: Suite, name: CaseName, index: int) -> Case:
    """Return a case with its values. Raises BrokenCase."""
    if case.is_talk:
        return _parse_talk(case, suite, name, index)
    values = _values(suite, name, index, case.expected_text, case.policy.comparison.allow)
    if case.kind is not InputKind.RAW:
        _values(suite, name, index, case.stdin, is_input=True)
    case = case._replace(expected=values, is_parsed=True)
    return _with_right_outputs(suite, name, index, case) if case.has_several else case


def _parse_talk(case: Case, suite: Suite, name: CaseName, index: int) -> Case:
    """Return a dialogue with its script. Raises BrokenCase."""
    settings, allow = suite.settings, case.policy.comparison.allow
    steps = _values(suite, name, index, case.stdin, is_input=True)
    try:
        is_bare = settings.is_bare(name, own_rule(suite, name, index))
        own = parse_steps(
            steps,
            is_template=has_references(case.stdin),
            lines=step_lines(case.stdin, len(steps)),
        )
        script = make_script(own, settings.talk, allow, bare=is_bare)
    except ScriptError as problem:
        where, file, position = _place_of_side(suite, name, index, is_input=True)
        if suite.packed is None:
            position = position_of_value(case.stdin, [problem.number])
        raise BrokenCase(f"{where}: {problem}", CaseDefect.BAD_STEP, file, position) from None
    return case._replace(script=script, kind=InputKind.RAW, is_parsed=True)


def _with_right_outputs(suite: Suite, name: CaseName, index: int, case: Case) -> Case:
    """Return a case with the correct outputs that its expected values are. Raises BrokenCase."""
    if case.policy.comparison.bytes:
        where, file, position = _place_of_side(suite, name, index)
        raise BrokenCase(f"{where}: {_NO_BYTES}", CaseDefect.NO_OUTPUTS, file, position)
    if not case.expected_text and len(suite.files.get(name, ())) == 1:  # see read_orphan
        return case._replace(alternatives=([],))
    outputs = [each for value in case.expected if (each := _right_output(value)) is not None]
    if not outputs or len(outputs) < len(case.expected):
        where, file, position = _place_of_side(suite, name, index)
        raise BrokenCase(f"{where}: {_NO_OUTPUTS}", CaseDefect.NO_OUTPUTS, file, position)
    values, exits = zip(*outputs, strict=True)
    return case._replace(expected=values[0], alternatives=values, exits=exits if any(exits) else ())


def _right_output(listed: Json) -> tuple[list[Json], ExitRange | None] | None:
    """Return the values and the exit status of a correct output, or None if it has another form."""
    if isinstance(listed, list):
        return listed, None
    if not isinstance(listed, dict) or listed.keys() != {"values", "exit"}:
        return None
    values, status = listed["values"], listed["exit"]
    text = status.text if isinstance(status, Number) else status
    exits = EXIT.read(text) if isinstance(text, str) else None
    return (values, exits) if isinstance(values, list) and exits is not None else None


def _place_of_side(
    suite: Suite, name: CaseName, index: int, *, is_input: bool = False
) -> tuple[str, str, Position]:
    """Return the name of a side of a case in messages, its file, and its place there."""
    if suite.packed is None:
        files = suite.files[name]
        file = files[0] if is_input else _pair(name, files)[1]
        return escape_nonprintable(file), file, Position(1, 1)
    side = "input" if is_input else "output"
    where = f"{PACKED_FILE}, line {index + 1:,}: its {side}"
    return where, PACKED_FILE, Position(index + 1, 1)


def _values(
    suite: Suite,
    name: CaseName,
    index: int,
    text: bytes,
    allow: Collection[str] = (),
    *,
    is_input: bool = False,
) -> list[Json]:
    """Return the values of one side of a case. Raises BrokenCase if it is not JSON."""
    values, fault = decode(text, allow=allow)
    if fault is None:
        return values
    where, file, position = _place_of_side(suite, name, index, is_input=is_input)
    if suite.packed is None:
        position = position_at(text, fault.offset)
    reason = fault_text(text, fault, values=len(values), printed=False)
    hint = _RAW_HINT if is_input and not file.endswith(TALK) else ""
    raise BrokenCase(f"{where} is {reason}{hint}", CaseDefect.NOT_JSON, file, position)

"""`xtest new`: one more case of a suite, its input from standard input, its output by a program."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Final

import click

from harness.care.lint_values import Inputs, input_key
from harness.care.new import (
    Draft,
    Refusal,
    advice,
    draft_of,
    input_fault,
    next_name,
    output_fault,
    preview_lines,
)
from harness.care.writing import write_new
from harness.commands.common import HELP
from harness.jsonfast import decode
from harness.lookup import find_program, no_program_text
from harness.process.loop import run
from harness.records import Case, InputKind, Job, Transcript
from harness.runs.session import EXIT_OK
from harness.several.subjects import suites_meant
from harness.suites.bundled import schemas_folder, test_cases_folder
from harness.suites.contract import Contract, contract_of
from harness.suites.corpus import (
    SETTINGS_FILE,
    BrokenCase,
    CorpusError,
    Suite,
    find_all,
    load_case,
    read_suite,
    settings_text,
)
from harness.suites.naming import PACKED_FILE, CaseName, case_file
from harness.suites.policy import SuiteSettings, SuiteTomlError, parse_suite_toml
from harness.usage import UsageFault
from harness.words import shell_line, visible

__all__ = ["command"]

_EXIT_NOT_WRITTEN: Final = 1


class _FellShort(Exception):
    """The program did not give what could be expected of it; the message says why."""


@click.command("new", context_settings=HELP)
@click.argument("suite")
@click.option("--prefix", default="", metavar="TEXT", help="The case is TEXT-N, and not N.")
@click.option("--raw", "kind", flag_value="raw", help="The input is bytes that nobody parses.")
@click.option(
    "--off-schema", "kind", flag_value="off-schema", help="The input breaks its schema on purpose."
)
@click.option(
    "--exit",
    "exit_status",
    type=click.IntRange(0, 255),
    metavar="STATUS",
    help="The program's exit status is this one.",
)
@click.option("-y", "--yes", is_flag=True, help="Write without asking.")
@click.pass_obj
def command(  # pylint: disable=too-many-arguments,too-many-positional-arguments  # the options
    subject: tuple[str, ...] | None,
    suite: str,
    prefix: str,
    kind: str | None,
    exit_status: int | None,
    yes: bool,
) -> int:
    """Add a case to a suite: xtest new SUITE [-- COMMAND...] < INPUT

    The input is kept byte for byte. What COMMAND prints (or the suite's program) is shown, and
    written as the expected output once that is confirmed.

    Exit status 0: written; 1: not written; 2: no case can be made of this input here.
    """
    known = _suite(suite)
    words = _command(known, subject, suite)
    contract = _contract(known)
    place = _place(known, prefix)
    wanted = None if kind is None else InputKind(kind)
    draft = draft_of(known.settings, place, _stdin(), kind=wanted, exit_status=exit_status)
    _check_input(known, contract, draft)
    try:
        expected = _expected(contract, draft, words)
    except _FellShort as problem:
        print(f"xtest: not written: {problem}", file=sys.stderr)
        return _EXIT_NOT_WRITTEN
    preview = preview_lines(known.name, shell_line(words), draft, expected)
    print(*preview, *_notes(known, draft), sep="\n", flush=True)
    if not yes and not _is_confirmed():
        return _EXIT_NOT_WRITTEN
    _write(known, draft, expected)
    print(f"written: {visible(draft.label)}-in.json, {visible(draft.label)}-out.json")
    return EXIT_OK


# The suite.


def _suite(argument: str) -> Suite:
    """The suite that a case is to be added to; a folder without cases is a new one."""
    try:
        found = find_all(suites_meant([argument]), test_cases_folder())
    except CorpusError as problem:
        if os.path.isdir(argument):
            return _fresh(os.path.basename(os.path.abspath(argument)), Path(argument))
        raise UsageFault(str(problem)) from None
    if len(found) > 1:
        names = ", ".join(visible(each.name) for each in found[:3])
        names += ", …" if len(found) > 3 else ""
        raise UsageFault(f"{visible(argument)}: one suite is wanted, and these are: {names}")
    ((name, folder, _),) = found
    if not any(_holds_cases(entry) for entry in os.listdir(folder)):
        return _fresh(name, folder)
    try:
        suite = read_suite(name, folder)
    except CorpusError as problem:
        raise UsageFault(str(problem)) from None
    if suite.packed is not None:
        raise UsageFault(
            f"{visible(argument)}: its cases are packed, in {PACKED_FILE}; unpack them,"
            " add the case, and pack them again"
        )
    return suite


def _holds_cases(entry: str) -> bool:
    return entry == PACKED_FILE or case_file(entry) is not None


def _fresh(name: str, folder: Path) -> Suite:
    settings, file = SuiteSettings(), folder / SETTINGS_FILE
    try:
        settings = parse_suite_toml(settings_text(folder), visible(str(file)))
    except FileNotFoundError:
        pass
    except SuiteTomlError as problem:
        raise UsageFault(str(problem)) from None
    except OSError as problem:
        raise UsageFault(f"{visible(str(file))}: {_why(problem)}") from None
    return Suite(name, folder, settings, {})


def _command(suite: Suite, words: tuple[str, ...] | None, argument: str) -> tuple[str, ...]:
    if words == ():
        raise UsageFault("no command stands behind --")
    if words is None and not suite.settings.program:
        raise UsageFault(
            f"{visible(suite.name)}: no suite.toml names its program, so say which one knows the"
            f" answer: xtest new {visible(argument)} -- COMMAND"
        )
    return words or (suite.settings.program,)


def _contract(suite: Suite) -> Contract:
    try:
        return contract_of(suite, schemas_folder())
    except CorpusError as problem:
        raise UsageFault(str(problem)) from None


def _place(suite: Suite, prefix: str) -> tuple[CaseName, str]:
    labels = [file.rpartition("-")[0] for files in suite.files.values() for file in files]
    try:
        return next_name(prefix, suite.names, labels)
    except Refusal as problem:
        raise UsageFault(str(problem)) from None


# The input.


def _stdin() -> bytes:
    if sys.stdin.isatty():
        print("xtest: the input, up to the end of file (Ctrl-D):", file=sys.stderr)
    return sys.stdin.buffer.read()


def _check_input(suite: Suite, contract: Contract, draft: Draft) -> None:
    fault = input_fault(draft)
    if fault:
        raise UsageFault(f"not written: {fault}")
    broken = contract.input_breach(draft.kind, decode(draft.stdin).values)
    if broken is not None:
        hint = "; if that is meant: --off-schema" if draft.kind is InputKind.JSON else ""
        raise UsageFault(f"not written: the input {broken.said}{hint}")
    for name, is_copy in _likes(suite, draft):
        if is_copy:
            raise UsageFault(f"not written: case {visible(name)} has this input already")


def _notes(suite: Suite, draft: Draft) -> list[str]:
    lines = [
        f"  note      case {visible(name)} has the same values in other bytes"
        for name, is_copy in _likes(suite, draft)
        if not is_copy
    ]
    needed = advice(suite.settings, draft)
    if needed:
        lines += [f"  add to    {SETTINGS_FILE}", *(f"    {line}" for line in needed)]
    return lines


def _likes(suite: Suite, draft: Draft) -> list[tuple[str, bool]]:
    """The cases with the same input, and whether it is the same byte for byte."""
    given = [] if draft.kind is InputKind.RAW else decode(draft.stdin).values
    new = Case(suite.name, draft.name.text, draft.stdin, b"", [], draft.kind)
    inputs = Inputs()
    inputs.add(-1, new, given)
    names = tuple(suite.names)
    for at, name in enumerate(names):
        try:
            inputs.add(at, *load_case(suite, name, at))
        except BrokenCase:
            continue
    likes = []
    for places in inputs.candidates():
        for at in places[1:] if places[0] == -1 else ():
            case, values = load_case(suite, names[at], at)
            if input_key(case, values) == input_key(new, given):
                likes.append((case.name, case.stdin == draft.stdin))
    return likes


# The output.


def _expected(contract: Contract, draft: Draft, words: tuple[str, ...]) -> bytes:
    program = find_program(words[0])
    if program is None:
        raise _FellShort(no_program_text(words[0]))
    seen = _seen(Job((program, *words[1:]), draft.stdin, draft.policy.limits))
    fault = output_fault(seen, draft)
    if fault:
        raise _FellShort(f"{visible(shell_line(words))}: {fault}")
    broken = contract.output_breach(decode(seen.stdout).values)
    if broken is not None:
        raise _FellShort(f"{visible(shell_line(words))}: its output {broken.said}")
    return seen.stdout


def _seen(job: Job) -> Transcript:
    ((_, seen),) = run(iter([(None, job)]), 1, os.environ)
    return seen


# Writing.


def _is_confirmed() -> bool:
    try:
        terminal = os.open("/dev/tty", os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        why = "there is no terminal to ask on; --yes writes without asking"
        print(f"xtest: not written: {why}", file=sys.stderr)
        return False
    try:
        os.write(terminal, b"Write these two files? [y/N] ")
        answer = os.read(terminal, 100).strip().lower()
    finally:
        os.close(terminal)
    if answer not in (b"y", b"yes"):
        print("xtest: not written", file=sys.stderr)
        return False
    return True


def _write(suite: Suite, draft: Draft, expected: bytes) -> None:
    files = {
        suite.folder / f"{draft.label}-in.json": draft.stdin,
        suite.folder / f"{draft.label}-out.json": expected,
    }
    try:
        write_new(files)
    except OSError as problem:
        where = problem.filename2 or problem.filename or suite.folder
        raise UsageFault(f"not written: {visible(str(where))}: {_why(problem)}") from None


def _why(problem: OSError) -> str:
    return (problem.strerror or "cannot be read").lower()

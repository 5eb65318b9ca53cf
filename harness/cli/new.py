"""`xtest new`: add a case to a suite. Source: docs/care.md."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path

import click

from harness.authoring.lint_values import input_key, input_sketch
from harness.authoring.new_case import (
    CaseDraft,
    advice,
    draft_case,
    input_fault,
    next_name,
    output_fault,
    preview_lines,
)
from harness.cli.common import HELP, require_command
from harness.cli.completers import complete_suites
from harness.errors import UsageError
from harness.files import write_new_files
from harness.jsonio.fast import decode
from harness.model.case import Case, InputKind
from harness.model.case_names import PACKED_FILE
from harness.model.exit_codes import ExitCode
from harness.model.transcript import Job, Transcript
from harness.process.loop import run
from harness.project.program_lookup import find_program, no_program_text
from harness.project.subjects import matching_suites
from harness.suites.bundled import schemas_folder, test_cases_folder
from harness.suites.cases import BrokenCase, load_case
from harness.suites.discovery import find_all, holds_cases, only_suite
from harness.suites.loading import (
    SETTINGS_FILE,
    CorpusError,
    Suite,
    corpus_errors,
    os_reason,
    read_settings_text,
    read_suite,
)
from harness.suites.schema_checks import SchemaValidator, load_validator
from harness.suites.settings import SuiteSettings
from harness.suites.suite_toml import parse_suite_toml
from harness.text import escape_nonprintable, shell_line

__all__ = ["command"]


class _UnusableOutput(Exception):
    """The program's output cannot be expected; the message says why."""


@click.command("new", context_settings=HELP)
@click.argument("suite", shell_complete=complete_suites)
@click.option("--prefix", default="", metavar="TEXT", help="Name the case TEXT-N instead of N.")
@click.option("--raw", "kind", flag_value="raw", help="The input is any bytes, not parsed as JSON.")
@click.option(
    "--off-schema",
    "kind",
    flag_value="off-schema",
    help="The input violates its schema on purpose.",
)
@click.option(
    "--exit",
    "exit_status",
    type=click.IntRange(0, 255),
    metavar="STATUS",
    help="The expected exit status [that of the suite].",
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

    The input is kept byte for byte. The output of COMMAND (or of the suite's program) is shown, and
    becomes the expected output when you confirm.

    Exit status 0: written; 1: not written; 2: this input cannot become a case.
    """
    known = _suite(suite)
    words = _command(known, subject, suite)
    validator = _load_validator(known)
    labels = [file.rpartition("-")[0] for files in known.files.values() for file in files]
    draft = draft_case(
        known.settings,
        next_name(prefix, known.names, labels),
        _read_input(),
        kind=None if kind is None else InputKind(kind),
        exit_status=exit_status,
    )
    _check_input(known, validator, draft)
    try:
        expected = _expected_output(validator, draft, words)
    except _UnusableOutput as problem:
        print(f"xtest: not written: {problem}", file=sys.stderr)
        return ExitCode.FAILED
    preview = preview_lines(known.name, shell_line(words), draft, expected)
    print(*preview, *_notes(known, draft), sep="\n", flush=True)
    if not yes and not _is_confirmed():
        return ExitCode.FAILED
    _write(known, draft, expected)
    print(
        f"written: {escape_nonprintable(draft.label)}-in.json,"
        f" {escape_nonprintable(draft.label)}-out.json"
    )
    return ExitCode.OK


# The suite.


def _suite(argument: str) -> Suite:
    """Return the suite of an argument; a folder without cases is a new suite."""
    try:
        found = find_all(matching_suites([argument]), test_cases_folder())
    except CorpusError as problem:
        if os.path.isdir(argument):
            return _new_suite(os.path.basename(os.path.abspath(argument)), Path(argument))
        raise UsageError(str(problem)) from None
    try:
        name, folder, _ = only_suite(found, argument)
        if not holds_cases(os.listdir(folder)):
            return _new_suite(name, folder)
        suite = read_suite(name, folder)
    except CorpusError as problem:
        raise UsageError(str(problem)) from None
    if suite.packed is not None:
        raise UsageError(
            f"{escape_nonprintable(argument)}: cases in {PACKED_FILE} cannot be added to; unpack"
            " them, add the case, and pack them again"
        )
    return suite


def _new_suite(name: str, folder: Path) -> Suite:
    settings, file = SuiteSettings(), folder / SETTINGS_FILE
    try:
        with corpus_errors(), suppress(FileNotFoundError):
            settings = parse_suite_toml(read_settings_text(folder), escape_nonprintable(str(file)))
    except CorpusError as problem:
        raise UsageError(str(problem)) from None
    return Suite(name, folder, settings, {})


def _command(suite: Suite, words: tuple[str, ...] | None, argument: str) -> tuple[str, ...]:
    require_command(words)
    if words is None and not suite.settings.program:
        raise UsageError(
            f"{escape_nonprintable(suite.name)}: suite.toml names no program; name one that prints"
            f" the expected output: xtest new {escape_nonprintable(argument)} -- COMMAND"
        )
    return words or (suite.settings.program,)


def _load_validator(suite: Suite) -> SchemaValidator:
    try:
        return load_validator(suite, schemas_folder())
    except CorpusError as problem:
        raise UsageError(str(problem)) from None


# The input.


def _read_input() -> bytes:
    if sys.stdin.isatty():
        print("xtest: enter the input, then Ctrl-D:", file=sys.stderr)
    return sys.stdin.buffer.read()


def _check_input(suite: Suite, validator: SchemaValidator, draft: CaseDraft) -> None:
    fault = input_fault(draft)
    if fault:
        raise UsageError(f"not written: {fault}")
    broken = validator.input_violation(draft.kind, decode(draft.stdin).values)
    if broken is not None:
        hint = "; if intended: --off-schema" if draft.kind is InputKind.JSON else ""
        raise UsageError(f"not written: the input {broken.message}{hint}")
    for name, is_copy in _similar_cases(suite, draft):
        if is_copy:
            raise UsageError(f"not written: case {escape_nonprintable(name)} has the same input")


def _notes(suite: Suite, draft: CaseDraft) -> list[str]:
    lines = [
        f"  note      case {escape_nonprintable(name)} has the same values in other bytes"
        for name, is_copy in _similar_cases(suite, draft)
        if not is_copy
    ]
    needed = advice(suite.settings, draft)
    if needed:
        lines += [f"  add to    {SETTINGS_FILE}", *(f"    {line}" for line in needed)]
    return lines


def _similar_cases(suite: Suite, draft: CaseDraft) -> list[tuple[str, bool]]:
    """Return the cases with an equal input, and whether it is equal byte for byte."""
    given = [] if draft.kind is InputKind.RAW else decode(draft.stdin).values
    new = Case(suite.name, draft.name.text, draft.stdin, b"", [], draft.kind)
    sketch, key = input_sketch(new, given), input_key(new, given)
    similar = []
    for at, name in enumerate(suite.names):
        with suppress(BrokenCase):
            case, values = load_case(suite, name, at)
            if input_sketch(case, values) == sketch and input_key(case, values) == key:
                similar.append((case.name, case.stdin == draft.stdin))
    return similar


# The output.


def _expected_output(validator: SchemaValidator, draft: CaseDraft, words: tuple[str, ...]) -> bytes:
    program = find_program(words[0])
    if program is None:
        raise _UnusableOutput(no_program_text(words[0]))
    transcript = _run(Job((program, *words[1:]), draft.stdin, draft.policy.limits))
    fault = output_fault(transcript, draft)
    if fault:
        raise _UnusableOutput(f"{escape_nonprintable(shell_line(words))}: {fault}")
    broken = validator.output_violation(decode(transcript.stdout).values)
    if broken is not None:
        raise _UnusableOutput(
            f"{escape_nonprintable(shell_line(words))}: its output {broken.message}"
        )
    return transcript.stdout


def _run(job: Job) -> Transcript:
    ((_, transcript),) = run(iter([(None, job)]), 1, os.environ)
    return transcript


# Writing.


def _is_confirmed() -> bool:
    try:
        terminal = os.open("/dev/tty", os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        why = "no terminal to confirm on; --yes writes without asking"
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


def _write(suite: Suite, draft: CaseDraft, expected: bytes) -> None:
    files = {
        suite.folder / f"{draft.label}-in.json": draft.stdin,
        suite.folder / f"{draft.label}-out.json": expected,
    }
    try:
        write_new_files(files)
    except OSError as problem:
        where = problem.filename2 or problem.filename or suite.folder
        raise UsageError(
            f"not written: {escape_nonprintable(str(where))}: {os_reason(problem)}"
        ) from None

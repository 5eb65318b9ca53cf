"""`xtest new`: add a case to a suite. Source: docs/care.md."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TypeVar

import click

from harness.authoring.acceptance import PROPOSALS, Proposal, propose
from harness.authoring.lint_values import input_key, input_sketch
from harness.authoring.new_case import (
    CaseDraft,
    draft_case,
    input_fault,
    needed_settings,
    output_fault,
    preview_lines,
    script_lines,
)
from harness.authoring.reference import ReferenceRun, ReferenceWorkload
from harness.delivery.registry import Delivery
from harness.engine.ipc import RecordSerializer
from harness.engine.jobs import effective_limits, with_effective_limits
from harness.engine.judge_process import Judging, judge_apart
from harness.engine.plan import PlannedRun
from harness.errors import Refused, UsageError
from harness.jsonio.fast import decode
from harness.model.case import Case, InputKind, InvalidCase, stream_text
from harness.model.case_names import SETTINGS_FILE, TALK, CaseName
from harness.model.exit_codes import ExitCode
from harness.model.subject import Subject
from harness.model.transcript import Transcript
from harness.options import arguments, messages
from harness.options.arguments import ExecutionOptions
from harness.options.command import Command, require_command
from harness.options.completers import complete_suites
from harness.options.new_cases import add_settings, find_suite, free_name, write_case
from harness.options.setup import Setup, set_up
from harness.options.targets import FoundTargets, reference_subject
from harness.options.working import require_all, start_work
from harness.process.killable import Stopped
from harness.project.program_lookup import command_line
from harness.project.subjects import subject_on
from harness.project.targets import Target, no_program
from harness.suites.cases import BrokenCase, load_case, parse_case
from harness.suites.loading import Suite
from harness.suites.schema_checks import SchemaValidator, load_validator
from harness.text import escape_nonprintable, shell_line

T = TypeVar("T")


@click.command("new", cls=Command, takes_command=True)
@click.argument("suite", shell_complete=complete_suites)
@arguments.one_subject_option
@click.option("--prefix", default="", metavar="TEXT", help="Name the case TEXT-N instead of N.")
@click.option(
    "--raw",
    "kind",
    flag_value="raw",
    help="Accept any bytes as input, without parsing them as JSON.",
)
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
@click.option(
    "--talk", is_flag=True, help="INPUT is a script; COMMAND decides what its steps expect."
)
@arguments.rebuild_option
@arguments.sandbox_options
@click.option("-y", "--yes", is_flag=True, help="Write without asking.")
@click.pass_obj
@arguments.with_execution
def command(  # pylint: disable=too-many-arguments  # the options
    subject: tuple[str, ...] | None,
    /,
    suite: str,
    *,
    subjects: tuple[str, ...],
    prefix: str,
    kind: str | None,
    exit_status: int | None,
    talk: bool,
    yes: bool,
    execution: ExecutionOptions,
) -> int:
    """Add a case to a suite: xtest new SUITE [-- COMMAND...] < INPUT

    The input is kept byte for byte. The output of COMMAND (or of a subject, or of the suite's
    program) is shown, and becomes the expected output when you confirm.

    Exit status 0: written; 1: not written; 2: this input cannot become a case.
    """
    target = find_suite(suite)
    if talk and (kind is not None or exit_status is not None):
        raise UsageError("--talk cannot be combined with --raw, --off-schema or --exit")
    setup = _set_up_program(_find_program(target, suite, subject, subjects), execution)
    if talk:
        return _add_script(target, prefix, setup, execution, yes=yes)
    validator = load_validator(target)
    draft = draft_case(
        target.settings,
        *free_name(target, prefix),
        _read_input(),
        kind=None if kind is None else InputKind(kind),
        exit_status=exit_status,
    )
    _check_input(validator, draft)
    notes = _notes(target, draft, _similar_cases(target, draft))
    expected = _expected_output(validator, draft, setup, execution)
    if isinstance(expected, Refused):
        messages.print_message(f"not written: {expected.reason}")
        return ExitCode.FAILED
    if target.settings.has_alternatives(draft.name):
        expected = stream_text([decode(expected).values])
    messages.print_lines([*_preview_lines(setup.targets[0], draft, expected), *notes])
    sys.stdout.flush()
    if not yes and not _is_confirmed("these two files"):
        return ExitCode.FAILED
    _write(target, {f"{draft.label}-in.json": draft.stdin, f"{draft.label}-out.json": expected})
    _add_needed_settings(target, draft)
    return ExitCode.OK


def _add_script(
    suite: Suite, prefix: str, setup: Setup, execution: ExecutionOptions, *, yes: bool
) -> int:
    """Add a script that expects what the program answers. Raises UsageError."""
    name, label = free_name(suite, prefix)
    file = f"{label}{TALK}"
    target = setup.targets[0]
    target = target._replace(suite=suite._replace(files={name: (file,)}))
    unread = Case(suite.name, name.text, _read_input(), b"", [], InputKind.RAW, is_talk=True)
    case = parse_case(unread, target.suite, name, 0)
    if isinstance(case, InvalidCase):
        raise UsageError(f"not written: {case.reason}")
    if not unread.stdin.strip():
        raise UsageError("not written: the script is empty")
    case = with_effective_limits(case, target.subject)
    judging = Judging(_propose, _unchecked, PROPOSALS)
    run = _run(target, name, case, judging, setup=setup, execution=execution)
    if isinstance(run.judgement, Refused):
        messages.print_message(f"not written: {run.judgement.reason}")
        return ExitCode.FAILED
    text = case.stdin if run.judgement is None else run.judgement.text
    draft = CaseDraft(name, label, text, InputKind.RAW, case.policy)
    _similar_cases(suite, draft)
    messages.print_lines(script_lines(suite.name, shell_line(target.subject.command), draft, file))
    sys.stdout.flush()
    if not yes and not _is_confirmed("this file"):
        return ExitCode.FAILED
    _write(suite, {file: text})
    return ExitCode.OK


def _propose(case: Case | InvalidCase, transcript: Transcript) -> Proposal | Refused | None:
    if isinstance(case, InvalidCase):
        return Refused(case.reason)
    return propose(case, transcript, None, layout=None, is_new=True)


# The program.


def _find_program(
    suite: Suite, argument: str, argv: tuple[str, ...] | None, subjects: tuple[str, ...]
) -> FoundTargets:
    """Return the program whose output becomes the expected one. Raises UsageError.

    `argument` names the suite, `argv` are those after --, or None, `subjects` those of --subject.
    """
    require_command(argv)
    if subjects:
        project, config = reference_subject(subjects, argv)
        target = Target(suite, argument, subject_on(project, config, suite))
        return FoundTargets([target], [], project)
    if argv is None and not suite.settings.program:
        raise no_program(suite, "new", argument)
    argv = argv or (suite.settings.program,)
    return FoundTargets([Target(suite, argument, Subject(shell_line(argv), argv))], [], None)


def _set_up_program(found_targets: FoundTargets, execution: ExecutionOptions) -> Setup:
    setup = set_up(found_targets, execution)
    program = setup.targets[0].subject
    if program.fault:
        raise UsageError(f"{escape_nonprintable(program.name)}: {program.fault}")
    return setup


# The input.


def _read_input() -> bytes:
    if sys.stdin.isatty():
        messages.print_message("enter the input, then Ctrl-D:")
    return sys.stdin.buffer.read()


def _check_input(validator: SchemaValidator, draft: CaseDraft) -> None:
    fault = input_fault(draft)
    if fault:
        raise UsageError(f"not written: {fault}")
    violation = _bounded(lambda: _input_violation(validator, draft))
    if violation:
        hint = "; if intended, use --off-schema" if draft.kind is InputKind.JSON else ""
        raise UsageError(f"not written: the input {violation}{hint}")


def _input_violation(validator: SchemaValidator, draft: CaseDraft) -> str:
    violation = validator.input_violation(draft.kind, decode(draft.stdin).values)
    return "" if violation is None else violation.message


def _bounded(check: Callable[[], str]) -> str:
    """Return the fault that a check finds, or that it took too long or too much memory, or ""."""
    answer = judge_apart(lambda: check().encode("utf-8", "surrogatepass"))
    if isinstance(answer, Stopped):
        return f"cannot be checked: checking stopped {answer.reason}"
    return answer.decode("utf-8", "surrogatepass")


def _notes(suite: Suite, draft: CaseDraft, similar: list[str]) -> list[str]:
    lines = [
        f"  note      case {escape_nonprintable(name)} has the same values, written differently"
        for name in similar
    ]
    needed = needed_settings(suite.settings, draft)
    if needed:
        lines += [f"  add to    {SETTINGS_FILE}", *(f"    {line}" for line in needed)]
    return lines


def _similar_cases(suite: Suite, draft: CaseDraft) -> list[str]:
    """Return the cases with an equal input. Raises UsageError if one is equal byte for byte."""
    input_values = [] if draft.kind is InputKind.RAW else decode(draft.stdin).values
    new = Case(suite.name, draft.name.text, draft.stdin, b"", [], draft.kind)
    sketch, key = input_sketch(new, input_values), input_key(new, input_values)
    similar = []
    for at, name in enumerate(suite.names):
        with suppress(BrokenCase):
            case, values = load_case(suite, name, at)
            if input_sketch(case, values) != sketch or input_key(case, values) != key:
                continue
            if case.stdin == draft.stdin:
                shown = escape_nonprintable(case.name)
                raise UsageError(f"not written: case {shown} has the same input")
            similar.append(case.name)
    return similar


# The output.


def _expected_output(
    validator: SchemaValidator, draft: CaseDraft, setup: Setup, execution: ExecutionOptions
) -> bytes | Refused:
    """Return the output of the program on the input, or why it cannot be expected."""
    target = setup.targets[0]
    argv = command_line(target.subject)
    if isinstance(argv, Refused):
        return argv
    limits = effective_limits(draft.policy, target.subject, None)
    draft = draft._replace(policy=draft.policy._replace(limits=limits))

    def judge(_case: Case | InvalidCase, transcript: Transcript) -> Refused | None:
        fault = _output_fault(validator, draft, transcript)
        return Refused(fault) if fault else None

    files = (f"{draft.label}-in.json", f"{draft.label}-out.json")
    target = target._replace(suite=target.suite._replace(files={draft.name: files}))
    text, policy = draft.name.text, draft.policy
    case = Case(target.suite.name, text, draft.stdin, b"", [], draft.kind, policy=policy)
    judging = Judging(judge, _unchecked, RecordSerializer(Refused))
    run = _run(target, draft.name, case, judging, setup=setup, execution=execution)
    if run.judgement is None:
        return run.transcript.stdout
    program = escape_nonprintable(shell_line(target.subject.command))
    return Refused(f"{program}: {run.judgement.reason}")


def _run(
    target: Target,
    name: CaseName,
    case: Case,
    judging: Judging[T],
    *,
    setup: Setup,
    execution: ExecutionOptions,
) -> ReferenceRun[T]:
    """Run the program, and return what the run and the judge have shown. Raises UsageError."""
    work = ReferenceWorkload(target, setup.sandbox, lambda _: case, judging)
    planned = PlannedRun(target, name, (Delivery.PLAIN,), 0)
    with start_work(work, [planned], execution) as running:
        runs = list(running.all_results())
        require_all(running.losses)
    return runs[0]


def _unchecked(reason: str) -> Refused:
    return Refused(f"its output cannot be checked: checking stopped {reason}")


def _output_fault(validator: SchemaValidator, draft: CaseDraft, transcript: Transcript) -> str:
    fault = output_fault(transcript, draft)
    violation = None if fault else validator.output_violation(decode(transcript.stdout).values)
    return fault if violation is None else f"its output {violation.message}"


def _preview_lines(target: Target, draft: CaseDraft, expected: bytes) -> list[str]:
    shown_command = shell_line(target.subject.command)
    return list(preview_lines(target.suite.name, shown_command, draft, expected))


# Writing.


def _is_confirmed(files: str) -> bool:
    try:
        with open("/dev/tty", "r+b", buffering=0) as terminal:
            terminal.write(f"Write {files}? [y/N] ".encode())
            answer = terminal.read(100).strip().lower()
    except OSError:
        messages.print_message(
            "not written: no terminal to confirm on; --yes writes without asking"
        )
        return False
    if answer not in (b"y", b"yes"):
        messages.print_message("not written")
        return False
    return True


def _write(suite: Suite, texts: Mapping[str, bytes]) -> None:
    write_case(suite.folder, texts)
    print("written:", ", ".join(map(escape_nonprintable, texts)))


def _add_needed_settings(suite: Suite, draft: CaseDraft) -> None:
    needed = needed_settings(suite.settings, draft)
    if needed and add_settings(suite.folder, needed):
        print(f"added to {SETTINGS_FILE}")

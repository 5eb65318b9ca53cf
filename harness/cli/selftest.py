"""`xtest selftest`: find faulty outputs that a suite does not catch. Source: docs/care.md."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import partial
from typing import Any, Final

import click

from harness.authoring.dialogue_mutants import taken_messages
from harness.authoring.mutants import reference_output
from harness.authoring.mutation_score import MutantFinding, MutantOutcome, score_mutants
from harness.engine.ipc import RecordSerializer
from harness.engine.jobs import read_planned_case
from harness.engine.judge_process import judge_items, judging_with
from harness.engine.plan import PlannedRun
from harness.engine.request import Check, schema_check
from harness.engine.session_passes import SessionPasses, passes_in_workers, right_transcript
from harness.errors import Refused
from harness.judging.judge import output_values
from harness.model.case import Case
from harness.model.exit_codes import ExitCode
from harness.model.transcript import Exited, Transcript
from harness.model.verdict import Verdict
from harness.options import arguments, messages
from harness.options.command import Command, require_command
from harness.options.reference import Reference, ReferenceOptions, set_up_reference
from harness.process.killable import Stopped
from harness.project.targets import Target
from harness.reports.terminal.mutation_score import mutation_score_lines, score
from harness.reports.terminal.progress_line import shown_progress
from harness.reports.text.display import display_for
from harness.reports.text.events import remark_lines
from harness.suites.cases import read_case
from harness.text import escape_nonprintable, pluralize, shell_line, truncate

_COMMAND: Final = 60  # characters of a command line in the heading


@click.command("selftest", cls=Command, takes_command=True)
@arguments.required_suites_argument
@arguments.one_subject_option
@arguments.selection_options
@arguments.execution_options
@arguments.session_options
@click.option("-v", "--verbose", is_flag=True, help="Show every mutant and the cases that kill it.")
@click.pass_obj
@arguments.with_execution
def command(subject: tuple[str, ...] | None, /, *, verbose: bool, **requested: Any) -> int:
    """Measure how many faulty outputs a suite catches: xtest selftest SUITE... [-- COMMAND...]

    COMMAND is a correct program. Its outputs are mutated one change at a time; mutants that no case
    kills are listed.
    """
    require_command(subject)
    reference = set_up_reference(ReferenceOptions(**requested), subject, "selftest")
    targets, selected = reference.targets, reference.selected
    if selected.why_nothing_ran:
        print(f"{selected.why_nothing_ran}: nothing to mutate")
        return ExitCode.OK
    messages.print_problems(selected.problems)
    status: int = ExitCode.FAULT if selected.problems or not targets else ExitCode.OK
    for target in targets:
        status = max(status, _test_suite(target, reference, verbose=verbose))
    return status


def _test_suite(target: Target, reference: Reference, *, verbose: bool) -> int:
    passed, status = _run_on_suite(target, reference)
    name, program = escape_nonprintable(target.suite.name), shell_line(target.subject.command)
    heading = f"{name}: {pluralize(len(passed), 'case')} passed by {truncate(program, _COMMAND)}"
    messages.print_lines([heading])
    if not passed:
        reason = "; the reference passes none of the cases" if status else ""
        messages.print_message(f"{name}: no case to mutate{reason}")
        return ExitCode.FAULT
    check = schema_check([target.suite]) if target.suite.settings.output else None
    findings = _judge_mutants(_score(passed, check))
    if isinstance(findings, Refused):
        messages.print_message(f"{name}: {findings.reason}")
        return ExitCode.FAULT
    names = [planned.name.text for planned, _ in passed]
    messages.print_lines(mutation_score_lines(findings, names, verbose=verbose))
    messages.print_lines([f"{name}: {score(findings)}"])
    survived = any(each.outcome is MutantOutcome.SURVIVED for each in findings)
    return max(status, ExitCode.FAILED) if survived else status


def _judge_mutants(mutants: Iterator[MutantFinding]) -> list[MutantFinding] | Refused:
    """Return the findings, which are made in another process; show how many there are so far."""
    findings = []
    with shown_progress(1, "mutant") as board:
        slots = board.slots()
        for finding in judge_items(mutants, RecordSerializer(MutantFinding, MutantOutcome)):
            if isinstance(finding, Stopped):
                return Refused(f"judging mutants stopped {finding.reason}")
            findings.append(finding)
            slots.count_case()
    return findings


def _score(
    passed: list[tuple[PlannedRun, Transcript | None]], check: Check | None
) -> Iterator[MutantFinding]:
    """Yield the findings on the mutants of these runs; None stands for the expected output."""
    cases, outputs = [], []
    for planned, transcript in passed:
        case = read_case(planned.target.suite, planned.name, planned.case_index)
        assert isinstance(case, Case)
        transcript = right_transcript(case, planned) if transcript is None else transcript
        status = transcript.ending.status if isinstance(transcript.ending, Exited) else 0
        cases.append(case)
        if case.script is None:
            values = output_values(transcript.stdout, case.policy.comparison).values
            outputs.append(reference_output(values, status))
        else:
            values = taken_messages(case.script, transcript)
            outputs.append(reference_output(values, status, transcript))
    yield from score_mutants(cases, outputs, check)


def _run_sessions(planned: list[PlannedRun], reference: Reference) -> SessionPasses:
    """Return the cases that the reference passes in sessions; print what the sessions found."""
    execution = reference.execution
    with shown_progress(execution.parallel, "case") as board:
        settled = passes_in_workers(
            planned,
            execution.sessions,
            parallel=execution.parallel,
            wall_s=execution.wall,
            sandbox=reference.setup.sandbox,
            board=board,
        )
    display = display_for(sys.stdout)
    for finding in settled.findings:
        messages.print_lines(remark_lines(finding, display))
    for summary in settled.summaries:
        messages.print_lines(remark_lines(summary, display))
    return settled


def _run_on_suite(
    target: Target, reference: Reference
) -> tuple[list[tuple[PlannedRun, Transcript | None]], int]:
    """Return the cases that the reference passes, with its runs, and the exit status.

    A case that passed in a session has no run. Print a line for each case that did not pass.
    """
    planned = reference.planned(target)
    settled = _run_sessions(planned, reference)
    # By the index of the case.
    passed: dict[int, tuple[PlannedRun, Transcript | None]] = {
        each.case_index: (each, None) for each in planned if settled.has(each)
    }
    unusable: dict[int, str] = {}
    status: int = ExitCode.OK
    read = partial(read_planned_case, wall_s=reference.execution.wall, is_checked=False)
    others = [each for each in planned if each.case_index not in passed]
    for one, transcript, judgement in reference.run(target, others, read, judging_with(None)):
        index, verdict, name = (
            one.case_index,
            judgement.verdict,
            f"{target.suite.name}/{one.name.text}",
        )
        if verdict is Verdict.PASSED:
            passed[index] = one, transcript
        elif verdict is Verdict.INVALID_CASE:
            unusable[index] = f"invalid  {name}  {judgement.message}"
        else:
            unusable[index] = f"not passed  {name}  {verdict.value}: {judgement.message}"
        if verdict is not Verdict.PASSED:
            status = max(status, ExitCode.FAULT if verdict.is_fault else ExitCode.FAILED)
    messages.print_lines(escape_nonprintable(unusable[index]) for index in sorted(unusable))
    # Sorted, as runs end in any order.
    return [passed[index] for index in sorted(passed)], status

"""`xtest selftest`: find faulty outputs that a suite does not catch. Source: docs/care.md."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any, Final

import click

from harness.authoring.mutants import reference_output
from harness.authoring.mutation_score import MutantFinding, MutantOutcome, score_mutants
from harness.authoring.reference import (
    ReferenceCase,
    ReferenceRuns,
    read_cases,
    run_reference,
    schema_check,
)
from harness.engine.ipc import RecordSerializer
from harness.engine.judge_process import judge_items, judging_with
from harness.engine.plan import Plan
from harness.engine.request import Check
from harness.engine.session_passes import SessionPasses, passes_in_workers, right_transcript
from harness.judging.judge import output_values
from harness.model.case import Case, InvalidCase
from harness.model.exit_codes import ExitCode
from harness.model.transcript import Exited, Transcript
from harness.model.verdict import Verdict
from harness.options import arguments, messages
from harness.options.command import Command, require_command
from harness.options.reference import ReferenceOptions, set_up_reference
from harness.process.killable import Stopped
from harness.project.targets import Target
from harness.reports.terminal.display import display_for
from harness.reports.terminal.mutation_score import mutation_score_lines, score
from harness.reports.text.events import remark_lines
from harness.suites.cases import parse_case
from harness.text import escape_nonprintable, pluralize, shell_line, truncate

_COMMAND: Final = 60  # characters of a command line in the heading


@click.command("selftest", cls=Command, takes_command=True, starts_programs=True)
@arguments.required_suites_argument
@arguments.reference_option
@arguments.selection_options
@arguments.jobs_option
@arguments.wall_option
@arguments.rebuild_option
@arguments.sandbox_options
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
    reference = ReferenceOptions(**requested)
    targets, found, how = set_up_reference(reference, subject, "selftest")
    if found.why_nothing_ran:
        print(f"{found.why_nothing_ran}: nothing to mutate")
        return ExitCode.OK
    messages.print_problems(found.problems)
    status: int = ExitCode.FAULT if found.problems or not targets else ExitCode.OK
    for target in targets:
        status = max(status, _test_suite(target, found.plan, how, verbose=verbose))
    return status


def _test_suite(target: Target, plan: Plan, how: ReferenceRuns, *, verbose: bool) -> int:
    passed, status = _run_on_suite(target, plan, how)
    name, program = escape_nonprintable(target.suite.name), shell_line(target.subject.command)
    heading = f"{name}: {pluralize(len(passed), 'case')} passed by {truncate(program, _COMMAND)}"
    messages.print_lines([heading])
    if not passed:
        reason = "; the reference passes none of the cases" if status else ""
        messages.print_message(f"{name}: no case to mutate{reason}")
        return ExitCode.FAULT
    findings = []
    mutants = _score(passed, schema_check([target.suite]))
    for finding in judge_items(mutants, RecordSerializer(MutantFinding, MutantOutcome)):
        if isinstance(finding, Stopped):
            messages.print_message(f"{name}: judging mutants stopped {finding.reason}")
            return ExitCode.FAULT
        findings.append(finding)
    names = [one.case.name for one, _ in passed]
    messages.print_lines(mutation_score_lines(findings, names, verbose=verbose))
    messages.print_lines([f"{name}: {score(findings)}"])
    survived = any(each.outcome is MutantOutcome.SURVIVED for each in findings)
    return max(status, ExitCode.FAILED) if survived else status


def _score(
    passed: list[tuple[ReferenceCase, Transcript]], check: Check | None
) -> Iterator[MutantFinding]:
    """Yield the findings on the mutants of these runs."""
    cases, outputs = [], []
    for (planned, unread), transcript in passed:
        case = parse_case(unread, planned.target.suite, planned.name, planned.case_index)
        assert isinstance(case, Case) and isinstance(transcript.ending, Exited)
        cases.append(case)
        values = output_values(transcript.stdout, case.policy.comparison).values
        outputs.append(reference_output(values, transcript.ending.status))
    yield from score_mutants(cases, outputs, check)


def _run_sessions(target: Target, plan: Plan, how: ReferenceRuns) -> SessionPasses:
    """Return the cases that the reference passes in sessions; print what the sessions found."""
    runs = (each for each in plan if each.target is target)
    settled = passes_in_workers(
        runs, how.sessions, parallel=how.parallel, wall_s=how.wall_s, sandbox=how.sandbox
    )
    display = display_for(sys.stdout)
    for finding in settled.findings:
        messages.print_lines(remark_lines(finding, display))
    for summary in settled.summaries:
        messages.print_lines(remark_lines(summary, display))
    return settled


def _run_on_suite(
    target: Target, plan: Plan, how: ReferenceRuns
) -> tuple[list[tuple[ReferenceCase, Transcript]], int]:
    """Return the cases that the reference passes, with its runs, and the exit status.

    Print a line for each other case.
    """
    passed: dict[int, tuple[ReferenceCase, Transcript]] = {}  # by the case's position in its suite
    settled = _run_sessions(target, plan, how)
    unusable: dict[int, str] = {}
    cases = []
    status: int = ExitCode.OK
    for planned, case in read_cases(plan, target, how):
        if isinstance(case, InvalidCase):
            status = ExitCode.FAULT
            unusable[planned.case_index] = f"invalid  {case.suite}/{case.name}  {case.reason}"
        elif settled.has(planned):
            passed[planned.case_index] = (
                ReferenceCase(planned, case),
                right_transcript(case, planned),
            )
        else:
            cases.append(ReferenceCase(planned, case))
    for one, transcript, judgement in run_reference(cases, target, how, judging_with(None)):
        verdict = judgement.verdict
        if verdict is Verdict.PASSED:
            passed[one.planned.case_index] = one, transcript
        else:
            status = max(status, ExitCode.FAULT if verdict.is_fault else ExitCode.FAILED)
            unusable[one.planned.case_index] = (
                f"not passed  {one.case.suite}/{one.case.name}  {verdict.value}:"
                f" {judgement.message}"
            )
    messages.print_lines(escape_nonprintable(unusable[at]) for at in sorted(unusable))
    # Sorted, as runs end in any order.
    return [passed[at] for at in sorted(passed)], status

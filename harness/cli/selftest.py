"""`xtest selftest`: tell which faulty outputs a suite would not notice. Source: docs/care.md."""

from __future__ import annotations

from typing import Any, Final

import click

from harness.authoring.mutants import ReferenceOutput, reference_output
from harness.authoring.mutation_score import MutantOutcome, score_mutants
from harness.authoring.reference import (
    ReferenceCase,
    ReferenceRequest,
    plan_reference,
    read_cases,
    run_reference,
    schema_check,
)
from harness.cli import common
from harness.judging.judge import judge, output_values
from harness.model.case import Case, InvalidCase
from harness.model.exit_codes import ExitCode
from harness.model.transcript import Exited
from harness.model.verdict import Verdict
from harness.project.targets import Target
from harness.reports.terminal.mutation_score import mutation_score_lines, score
from harness.runner.plan import Plan
from harness.text import escape_nonprintable, pluralize, shell_line, truncate

__all__ = ["command"]

_COMMAND: Final = 60  # characters of a command line in the heading


@click.command("selftest", context_settings=common.HELP)
@common.required_suites_argument
@common.selection_options
@common.jobs_option
@common.wall_option
@click.option("-v", "--verbose", is_flag=True, help="Show every mutant and the cases that kill it.")
@click.pass_obj
def command(subject: tuple[str, ...] | None, /, *, verbose: bool, **requested: Any) -> int:
    """Measure how much a suite catches: xtest selftest SUITE... [-- COMMAND...]

    COMMAND is a correct program. Its outputs are mutated one change at a time; mutants that no case
    kills are listed.
    """
    request = ReferenceRequest(**requested)
    targets, found = plan_reference(request, subject, "selftest")
    if found.idle:
        print(f"{found.idle}: nothing to mutate")
        return ExitCode.OK
    common.print_problems(found.problems)
    status: int = ExitCode.FAULT if found.problems or not targets else ExitCode.OK
    for target in targets:
        status = max(status, _test_suite(target, found.plan, request, verbose=verbose))
    return status


def _test_suite(target: Target, plan: Plan, request: ReferenceRequest, *, verbose: bool) -> int:
    passed, status = _run_on_suite(target, plan, request)
    name, program = escape_nonprintable(target.suite.name), shell_line(target.subject.command)
    print(f"{name}: {pluralize(len(passed), 'case')} passed by {truncate(program, _COMMAND)}")
    if not passed:
        common.print_problem(f"{name}: no case to mutate")
        return ExitCode.FAULT
    cases, outputs = [case for case, _ in passed], [output for _, output in passed]
    findings = list(score_mutants(cases, outputs, schema_check([target.suite])))
    for line in mutation_score_lines(findings, [case.name for case in cases], verbose=verbose):
        print(line)
    print(f"{name}: {score(findings)}")
    survived = any(each.outcome is MutantOutcome.SURVIVED for each in findings)
    return max(status, ExitCode.FAILED) if survived else status


def _run_on_suite(
    target: Target, plan: Plan, request: ReferenceRequest
) -> tuple[list[tuple[Case, ReferenceOutput]], int]:
    """Return the cases that the reference passes, with its outputs, and the exit status.

    Prints a line for each of the other cases.
    """
    passed: dict[int, tuple[Case, ReferenceOutput]] = {}  # by the case's position in its suite
    unusable: dict[int, str] = {}
    cases: list[ReferenceCase] = []
    status: int = ExitCode.OK
    for at, name, case in read_cases(plan, target):
        if isinstance(case, InvalidCase):
            status = ExitCode.FAULT
            unusable[at] = f"invalid  {case.suite}/{case.name}  {case.reason}"
        else:
            cases.append(ReferenceCase(at, name, case))
    for (at, _, case, _), transcript in run_reference(cases, target.subject, request):
        judgement = judge(transcript, case, case.policy)
        if judgement.verdict is Verdict.PASSED and isinstance(transcript.ending, Exited):
            values = output_values(transcript.stdout, case.policy.comparison).values
            passed[at] = case, reference_output(values, transcript.ending.status)
        else:
            status = max(status, ExitCode.FAILED)
            line = f"{case.suite}/{case.name}  {judgement.verdict.value}: {judgement.message}"
            unusable[at] = f"not passed  {line}"
    for at in sorted(unusable):
        print(escape_nonprintable(unusable[at]))
    # Sorted, as runs end in any order.
    return [passed[at] for at in sorted(passed)], status

"""`xtest selftest`: tell which faulty outputs a suite would not notice. Source: docs/care.md."""

from __future__ import annotations

import sys
from typing import Any, Final, NamedTuple

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
from harness.cli.common import HELP, jobs_option, selection_options, wall_option
from harness.cli.completers import complete_suites
from harness.judging.judge import judge, output_values
from harness.model.case import Case, InvalidCase
from harness.model.exit_codes import ExitCode
from harness.model.transcript import Exited, Transcript
from harness.model.verdict import Verdict
from harness.project.targets import Target
from harness.reports.terminal.mutation_score import mutation_score_lines, score
from harness.runner.plan import Plan
from harness.runner.selection import selection_of
from harness.text import escape_nonprintable, pluralize, shell_line, truncate

__all__ = ["command"]

_COMMAND: Final = 60  # characters of a command line in the heading


@click.command("selftest", context_settings=HELP)
@click.argument(
    "suites", nargs=-1, required=True, metavar="SUITE...", shell_complete=complete_suites
)
@selection_options
@jobs_option
@wall_option
@click.option("-v", "--verbose", is_flag=True, help="Show every mutant and the cases that kill it.")
@click.pass_obj
# One argument for each option.
def command(  # pylint: disable=too-many-arguments,too-many-positional-arguments
    subject: tuple[str, ...] | None,
    /,
    suites: tuple[str, ...],
    jobs: int | None,
    wall: float | None,
    verbose: bool,
    **selecting: Any,
) -> int:
    """Measure how much a suite catches: xtest selftest SUITE... [-- COMMAND...]

    COMMAND is a correct program. Its outputs are mutated one change at a time; mutants that no case
    kills are listed.
    """
    request = ReferenceRequest(suites, selection_of(**selecting), jobs, wall)
    targets, found = plan_reference(request, subject, "selftest")
    if found.idle:
        print(f"{found.idle}: nothing to mutate")
        return ExitCode.OK
    for problem in found.problems:
        where, message = escape_nonprintable(problem.where), escape_nonprintable(problem.message)
        print(f"xtest: {where}: {message}", file=sys.stderr)
    status: int = ExitCode.FAULT if found.problems or not targets else ExitCode.OK
    for target in targets:
        status = max(status, _test_suite(target, found.plan, request, verbose=verbose))
    return status


class _PassedCase(NamedTuple):
    at: int  # the case's position in its suite
    case: Case
    output: ReferenceOutput


class _ReferenceOutcome(NamedTuple):
    """The cases that the reference passes, and the numbers of the others."""

    passed: list[_PassedCase]
    failed: int
    invalid: int


def _test_suite(target: Target, plan: Plan, request: ReferenceRequest, *, verbose: bool) -> int:
    outcome = _run_reference(target, plan, request)
    name, program = escape_nonprintable(target.suite.name), shell_line(target.subject.command)
    count = pluralize(len(outcome.passed), "case")
    print(f"{name}: {count} passed by {truncate(program, _COMMAND)}")
    if not outcome.passed:
        print(f"xtest: {name}: no case to mutate", file=sys.stderr)
        return ExitCode.FAULT
    cases = [each.case for each in outcome.passed]
    outputs = [each.output for each in outcome.passed]
    findings = list(score_mutants(cases, outputs, schema_check([target.suite])))
    for line in mutation_score_lines(findings, [case.name for case in cases], verbose=verbose):
        print(line)
    print(f"{name}: {score(findings)}")
    if outcome.invalid:
        return ExitCode.FAULT
    survived = any(each.outcome is MutantOutcome.SURVIVED for each in findings)
    return ExitCode.FAILED if survived or outcome.failed else ExitCode.OK


def _run_reference(target: Target, plan: Plan, request: ReferenceRequest) -> _ReferenceOutcome:
    """Run the reference on every case, and print a line for each that cannot be used."""
    passed: list[_PassedCase] = []
    unusable: list[tuple[int, str]] = []
    cases: list[ReferenceCase] = []
    for at, name, case in read_cases(plan, target):
        if isinstance(case, InvalidCase):
            unusable.append((at, f"invalid  {case.suite}/{case.name}  {case.reason}"))
        else:
            cases.append(ReferenceCase(at, name, case))
    invalid = len(unusable)
    for reference, transcript in run_reference(cases, target.subject, request):
        case = reference.case
        judgement = judge(transcript, case, case.policy)
        if judgement.verdict is Verdict.PASSED and isinstance(transcript.ending, Exited):
            output = _output(case, transcript, transcript.ending)
            passed.append(_PassedCase(reference.at, case, output))
        else:
            line = f"{case.suite}/{case.name}  {judgement.verdict.value}: {judgement.message}"
            unusable.append((reference.at, f"not passed  {line}"))
    for _, line in sorted(unusable):
        print(escape_nonprintable(line))
    # Sorted, as runs end in any order.
    passed.sort(key=lambda each: each.at)
    return _ReferenceOutcome(passed, len(unusable) - invalid, invalid)


def _output(case: Case, transcript: Transcript, ending: Exited) -> ReferenceOutput:
    values = output_values(transcript.stdout, case.policy.comparison).values
    return reference_output(values, ending.status)

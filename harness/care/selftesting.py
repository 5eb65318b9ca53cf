"""What `xtest selftest` does: has the reference answer, puts faults on its answers, tells the rest.

Starts the reference once for each case, and prints. Which faults there are is in
harness/care/mutation.py, what becomes of them in harness/care/strength.py. Source: docs/care.md.
"""

from __future__ import annotations

import sys
from typing import Final, NamedTuple

from harness.care.answers import Asked, Asking, answers, read_cases, schema_check, wanted
from harness.care.mutation import Answer, answer
from harness.care.strength import Outcome, findings
from harness.judging.judge import judge, output_values
from harness.records import Case, Exited, InvalidCase, Transcript, Verdict
from harness.report.strength import score, strength_lines
from harness.runs.plan import Plan, Target
from harness.runs.session import EXIT_FAULT, EXIT_OK, EXIT_SHORT
from harness.words import count_of, cut, shell_line, visible

__all__ = ["selftest"]

_COMMAND: Final = 60  # characters of a command


class _Right(NamedTuple):
    """A case that the reference passes, and its answer."""

    at: int
    case: Case
    answer: Answer


class _Reading(NamedTuple):
    """What came of the cases of a suite: those that can be used, and how many cannot."""

    right: list[_Right]
    short: int = 0  # cases that the reference does not pass
    broken: int = 0


def selftest(asking: Asking, command: tuple[str, ...] | None, *, verbose: bool) -> int:
    """Go through the suites. Returns the exit status: 0 every fault is noticed, 1 some are not, or
    the reference fell short, 2 the corpus is at fault. Raises UsageFault."""
    found = wanted(asking, command, "selftest")
    if found.idle:
        print(f"{found.idle}: nothing is left to put faults on")
        return EXIT_OK
    for problem in found.problems:
        print(f"xtest: {visible(problem.where)}: {visible(problem.message)}", file=sys.stderr)
    status = EXIT_FAULT if found.problems or not found.targets else EXIT_OK
    for target in found.targets:
        status = max(status, _tested(target, found.plan, asking, verbose=verbose))
    return status


def _tested(target: Target, plan: Plan, asking: Asking, *, verbose: bool) -> int:
    read = _read(target, plan, asking)
    name, program = visible(target.suite.name), shell_line(target.subject.command)
    many = count_of(len(read.right), "case")
    print(f"{name}: {many} with right answers of {cut(program, _COMMAND)}")
    if not read.right:
        print(f"xtest: {name}: no case to put faults on", file=sys.stderr)
        return EXIT_FAULT
    cases = [each.case for each in read.right]
    found = list(
        findings(cases, [each.answer for each in read.right], schema_check([target.suite]))
    )
    for line in strength_lines(found, [case.name for case in cases], verbose=verbose):
        print(line)
    print(f"{name}: {score(found)}")
    if read.broken:
        return EXIT_FAULT
    unnoticed = any(each.outcome is Outcome.UNNOTICED for each in found)
    return EXIT_SHORT if unnoticed or read.short else EXIT_OK


def _read(target: Target, plan: Plan, asking: Asking) -> _Reading:
    """The reference's answers; a line for each case that cannot be used."""
    right: list[_Right] = []
    told: list[tuple[int, str]] = []
    asked: list[Asked] = []
    for at, name, case in read_cases(plan, target):
        if isinstance(case, InvalidCase):
            told.append((at, f"invalid  {_named(case)}  {case.reason}"))
        else:
            asked.append(Asked(at, name, case))
    broken = len(told)
    for one, seen in answers(asked, target.subject, asking):
        judgement = judge(seen, one.case, one.case.policy)
        if judgement.verdict is Verdict.PASSED and isinstance(seen.ending, Exited):
            right.append(_Right(one.at, one.case, _answer(one.case, seen, seen.ending)))
        else:
            said = f"{judgement.verdict.value}: {judgement.message}"
            told.append((one.at, f"not right  {_named(one.case)}  {said}"))
    for _, line in sorted(told):
        print(visible(line))
    # Runs end in any order; what is found must not depend on it.
    return _Reading(sorted(right, key=lambda each: each.at), len(told) - broken, broken)


def _answer(case: Case, seen: Transcript, ending: Exited) -> Answer:
    values = output_values(seen.stdout, case.policy.comparison).values
    return answer(values, ending.status)


def _named(case: Case | InvalidCase) -> str:
    return f"{case.suite}/{case.name}"

"""Turn a planned run into a job for the process package, and its transcript into a verdict."""

from __future__ import annotations

from typing import Any

from harness.delivery.registry import Delivery, distinct_deliveries, feed
from harness.judging.judge import judge
from harness.model.case import Case, InvalidCase
from harness.model.events import Judged, Origin
from harness.model.judgement import Judgement
from harness.model.subject import ExecutionContext, Subject
from harness.model.transcript import Job, Transcript
from harness.model.verdict import Verdict
from harness.runner.plan import PlannedRun, repeat_command
from harness.runner.request import Check
from harness.suites.cases import read_case

__all__ = [
    "judge_run",
    "make_job",
    "mark_known_failure",
    "origin_of",
    "override_limits",
    "read_planned_case",
    "usable_deliveries",
]


def read_planned_case(
    planned: PlannedRun, check: Check | None, wall_s: float | None
) -> Case | InvalidCase:
    """Read a case with the limits that apply to it; `check` may declare it invalid."""
    case = read_case(planned.target.suite, planned.name, planned.at)
    if isinstance(case, InvalidCase):
        return case
    fault = check(case) if check is not None else ""
    if fault:
        return InvalidCase(case.suite, case.name, fault)
    return override_limits(case, planned.target.subject, wall_s)


def override_limits(case: Case, subject: Subject, wall_s: float | None = None) -> Case:
    """Return the case with the limits of its subject, and then `wall_s`, in place of its own."""
    if wall_s is None and not subject.limits:
        return case
    overrides: dict[str, Any] = dict(subject.limits)
    if wall_s is not None:
        overrides["wall_s"] = wall_s
    limits = case.policy.limits._replace(**overrides)
    return case._replace(policy=case.policy._replace(limits=limits))


def usable_deliveries(planned: PlannedRun, case: Case) -> tuple[Delivery, ...]:
    """Return the requested deliveries that make a difference for the input of the case."""
    if planned.deliveries == (Delivery.PLAIN,):
        return planned.deliveries
    conversation = planned.target.suite.settings.conversation
    return distinct_deliveries(planned.deliveries, case.stdin, case.kind, conversation=conversation)


def make_job(
    argv: tuple[str, ...], case: Case, delivery: Delivery, context: ExecutionContext | None
) -> Job:
    """Return the job that runs a case in a delivery that its input allows."""
    limits = case.policy.limits
    if delivery is Delivery.PLAIN:
        return Job(argv, case.stdin, limits, None, context)
    if delivery.is_paced:
        return Job(argv, b"", limits, feed(delivery, case.stdin, case.kind), context)
    return Job(argv, delivery.transform(case.stdin), limits, None, context)


def judge_run(case: Case, transcript: Transcript) -> Judgement:
    """Judge a run by the policy of its case; never raises."""
    try:
        return judge(transcript, case, case.policy)
    except (ArithmeticError, LookupError, MemoryError, TypeError, ValueError) as fault:
        # The judge is total; a bug in it must not be blamed on the subject.
        return Judgement(Verdict.HARNESS_FAULT, f"the judge failed: {fault!r}; please report this")


def mark_known_failure(planned: PlannedRun, event: Judged) -> Judged:
    """Return the event with the known failure that the suite lists for it, if any."""
    target = planned.target
    settings = target.suite.settings
    if not settings.known:
        return event
    return event._replace(known=settings.known_failure(target.subject, planned.name, event))


def origin_of(planned: PlannedRun, delivery: Delivery, options: tuple[str, ...] = ()) -> Origin:
    """Return the subject and delivery of a run, and the command that repeats it."""
    command = repeat_command(planned, delivery, options)
    return Origin(planned.target.subject.name, delivery.value, command)

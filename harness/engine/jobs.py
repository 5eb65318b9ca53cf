"""Turn planned runs into jobs for the process package, and complete the events of runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from harness.delivery.messages import message_format, script_deliveries
from harness.delivery.registry import LARGE_INPUT, Delivery, distinct_deliveries, feed
from harness.engine.plan import PlannedRun, repeat_command
from harness.errors import Refused
from harness.model.case import Case, Companion, CompanionRole, InvalidCase, Policy
from harness.model.events import Origin, RunResult, run_result
from harness.model.judgement import Judgement
from harness.model.limits import Limits, scale_times
from harness.model.sessions import FRESH
from harness.model.subject import ExecutionContext, Subject
from harness.model.transcript import CompanionJob, Job, NotStarted, Transcript
from harness.model.verdict import Verdict
from harness.project.program_lookup import command_line
from harness.suites.cases import own_rule, read_case
from harness.suites.shared_files import SUITE_VARIABLE

EMPTY_TRANSCRIPT: Final = Transcript(NotStarted("nothing to run"))
_PARSED_AT_ONCE: Final = 65_536  # bytes of input and expected output


def read_planned_case(
    planned: PlannedRun, wall_s: float | None, *, is_checked: bool
) -> Case | InvalidCase:
    """Read a case with the limits that apply to it.

    A large one, or one that `is_checked` against a schema, is parsed when it is judged.
    """
    most = 0 if is_checked else _PARSED_AT_ONCE
    case = read_case(planned.target.suite, planned.name, planned.case_index, most)
    if isinstance(case, InvalidCase):
        return case
    return with_effective_limits(case, planned.target.subject, wall_s)


def with_effective_limits(case: Case, subject: Subject, wall_s: float | None = None) -> Case:
    """Return the case with the limits that apply to a subject, and then `wall_s`."""
    if wall_s is None and not subject.limits:
        return case
    limits = effective_limits(case.policy, subject, wall_s)
    return case._replace(policy=case.policy._replace(limits=limits))


def effective_limits(policy: Policy, subject: Subject, wall_s: float | None) -> Limits:
    """Return the limits of a policy with those of a subject, and then `wall_s`, in their place.

    A limit of a subject replaces that of a suite, but never lowers one that the case sets. Its
    factor scales the times of both first.
    """
    overrides: dict[str, Any] = dict(subject.limits)
    limits = scale_times(policy.limits, overrides.pop("factor", 1))
    for name in policy.case_limits:
        if name in overrides:
            overrides[name] = max(overrides[name], getattr(limits, name))
    if wall_s is not None:
        overrides["wall_s"] = wall_s
    return limits._replace(**overrides)


def usable_deliveries(planned: PlannedRun, case: Case) -> tuple[Delivery, ...]:
    """Return the requested deliveries that make a difference for the input of the case."""
    if planned.deliveries == (Delivery.PLAIN,):
        return planned.deliveries
    if case.script is not None:
        return script_deliveries(planned.deliveries, case.script)
    conversation = planned.target.suite.settings.conversation
    return distinct_deliveries(planned.deliveries, case.stdin, case.kind, conversation=conversation)


def takes_long(delivery: Delivery, case: Case) -> bool:
    """Return whether laying out the input of a case for a delivery may take seconds."""
    is_laid_out = delivery is not Delivery.PLAIN and not delivery.is_paced
    return is_laid_out and len(case.stdin) > LARGE_INPUT


def make_job(
    argv: tuple[str, ...],
    case: Case,
    delivery: Delivery,
    context: ExecutionContext | None,
    variables: tuple[tuple[str, str], ...] = (),
) -> Job:
    """Return the job that runs a case, with the variables of its suite, in a delivery that its
    input allows."""
    job = Job(argv, case.stdin, case.policy.limits, None, context, variables=variables)
    job = with_companions(job, case.policy.companions)
    if case.script is not None:
        messages = message_format(delivery, case.script.rules.framing)
        return job._replace(stdin=b"", script=case.script, messages=messages)
    if delivery is Delivery.PLAIN:
        return job
    if delivery.is_paced:
        return job._replace(stdin=b"", feed=feed(delivery, case.stdin, case.kind))
    return job._replace(stdin=delivery.transform(case.stdin))


def with_companions(job: Job, companions: Sequence[Companion]) -> Job:
    """Return a job, whose variables name its suite, with the companions of the suite."""
    if not companions:
        return job
    context = ExecutionContext(dict(job.variables)[SUITE_VARIABLE])
    declared = []
    for companion in companions:
        for index, label in enumerate(companion.labels, start=1):
            places = {"{folder}": job.folder, "{index}": str(index)}
            words = tuple(_filled(word, places) for word in companion.command)
            argv = command_line(Subject(label, words, context))
            run: Job | NotStarted
            if isinstance(argv, Refused):
                run = NotStarted(argv.reason)
            else:
                stdin = job.stdin if companion.reads_input else b""
                variables = (*job.variables, ("XTEST_INDEX", str(index)))
                run = Job(argv, stdin, job.limits, None, context, variables=variables)
            listens = companion.role is CompanionRole.SERVER
            declared.append(CompanionJob(label, run, listens))
    return job._replace(companions=tuple(declared))


def _filled(word: str, places: Mapping[str, str]) -> str:
    for place, text in places.items():
        word = word.replace(place, text)
    return word


def with_known_failure(planned: PlannedRun, event: RunResult) -> RunResult:
    """Return the event with the known failure that the suite lists for it, if there is one."""
    target = planned.target
    settings = target.suite.settings
    if not settings.has_known_failures:
        return event
    return event._replace(known=settings.known_failure(target.subject, planned.name, event))


def with_present_names(
    planned: PlannedRun, event: RunResult, repeat_args: tuple[str, ...]
) -> RunResult:
    """Return the event with the present names, which need not be UTF-8, and command line."""
    return event._replace(
        suite=planned.target.suite.name,
        subject=planned.target.subject.name,
        case=planned.name.text,
        repeat=repeat_command(planned, Delivery(event.delivery), repeat_args),
    )


def with_present_facts(planned: PlannedRun, event: RunResult) -> RunResult:
    """Return the event with what the suite now says about the case, and its known failure."""
    suite = planned.target.suite
    own = own_rule(suite, planned.name, planned.case_index)
    info = suite.settings.info_for(planned.name, own)
    return with_known_failure(planned, event._replace(info=info, known=None))


def skipped_run(planned: PlannedRun, case: Case) -> RunResult | None:
    """Return the event of a case that the subject does not claim, or None if it does."""
    subject = planned.target.subject
    for rule in subject.skip:
        if rule.takes(planned.name, case.tags):
            names = case.suite, case.name, subject.name, Delivery.PLAIN.value
            event = RunResult(*names, Verdict.SKIPPED, str(rule), tags=case.tags, info=case.info)
            return with_known_failure(planned, event)
    return None


def origin_of(
    planned: PlannedRun,
    delivery: Delivery,
    repeat_args: tuple[str, ...] = (),
    judged_in: str = FRESH,
) -> Origin:
    """Return the subject and delivery of a run, and the command that repeats it."""
    command = repeat_command(planned, delivery, repeat_args)
    return Origin(planned.target.subject.name, delivery.value, command, judged_in)


def event_without_run(
    planned: PlannedRun,
    judgement: Judgement,
    repeat_args: tuple[str, ...] = (),
    delivery: Delivery = Delivery.PLAIN,
) -> RunResult:
    """Return the event of a case that was not run, for the reason in the judgement."""
    case = InvalidCase(planned.target.suite.name, planned.name.text, judgement.message)
    return run_result(case, None, judgement, origin_of(planned, delivery, repeat_args))

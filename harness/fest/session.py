"""Prepare a fest to be run: its submissions, its programs and their keys, and a sandbox."""

from __future__ import annotations

import os
import sys
import time
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Final, NamedTuple

from harness.errors import OutOfTime, UsageError
from harness.fest.config import (
    Fest,
    fest_suite,
    find_programs,
    name_problems,
    require_staff,
    role_of,
)
from harness.fest.events import CaseStatus, FestPlan, FestProgram, Role, Submitted
from harness.fest.runs import SHOWN_BYTES, FestInput
from harness.fest.submissions import (
    Submission,
    SubmissionCheck,
    SubmissionRules,
    read_submissions,
)
from harness.files import cache_folder
from harness.jsonio.decoder import Json
from harness.model.case import Case
from harness.model.events import Diagnostic, RunStarted, excerpt
from harness.model.subject import SubjectInfo
from harness.model.suite_info import SuiteInfo
from harness.options import messages
from harness.options.arguments import AUTO, ExecutionOptions
from harness.options.setup import Setup, choose_sandbox, set_up
from harness.options.targets import FoundTargets
from harness.process.killable import stop_reason, time_limit
from harness.process.sandbox import Sandbox
from harness.project.identity import describe_subject
from harness.project.targets import Target
from harness.results.file_digests import FileDigests
from harness.results.fingerprint import FingerprintContext, fingerprints_of
from harness.results.store import hash_of
from harness.suites.loading import Suite
from harness.version import VERSION

NO_SANDBOX = "none"
_DIGITS: Final = 16


class FestSession(NamedTuple):
    """A fest that is ready to run: its programs are the targets of the setup.

    `ruled` are the digests of the inputs of cases that are ruled valid: these always run.
    """

    setup: Setup
    inputs: Sequence[FestInput]
    ruled: frozenset[str]
    started: RunStarted
    problems: Sequence[Diagnostic]
    plan: FestPlan
    cases: Sequence[Submitted]


def prepare(
    fest: Fest,
    folders: Mapping[str, Path],
    roles: Sequence[Role],
    execution: ExecutionOptions,
    results: str = "",
) -> FestSession:
    """Read the submissions in `folders`, by team, and set up the programs with these roles.

    `results` is the file of --results or "". Raises UsageError.
    """
    suite = fest_suite(fest)
    cases, problems, inputs = _read_cases(fest, suite, folders)
    programs, project = find_programs(fest, suite, roles)
    if Role.TEAM in roles:
        problems += (
            Diagnostic(fest.where, text)
            for text in name_problems([*folders], _teams_with_programs(programs))
        )

    def choose(targets: Sequence[Target]) -> Sandbox | None:
        return _sandbox(execution.sandbox, suite, folders.values(), targets, results)

    found_targets = FoundTargets(programs, problems, project)
    setup = set_up(found_targets, execution, written=[results], choose=choose)
    require_staff(setup.targets, setup.built_remotely)
    plan = _plan(fest, folders, setup.targets, _keys(setup.targets, execution.sandbox, results))
    return FestSession(
        setup,
        inputs,
        _ruled_inputs(fest, cases),
        _started(folders, setup.targets, cases, execution.parallel),
        problems,
        plan,
        cases,
    )


def _teams_with_programs(targets: Iterable[Target]) -> list[str]:
    return [each.subject.name for each in targets if role_of(each) is Role.TEAM]


def _plan(
    fest: Fest,
    folders: Iterable[str],
    targets: Sequence[Target],
    keys: Mapping[tuple[str, str], str],
) -> FestPlan:
    programs = [_describe_program(each, keys.get(each.key, "")) for each in targets]
    return FestPlan(
        teams=tuple(dict.fromkeys((*folders, *_teams_with_programs(targets)))),
        duplicates=fest.config.duplicates,
        programs=tuple(programs),
        rulings=fest.config.rulings,
    )


def _describe_program(target: Target, key: str) -> FestProgram:
    subject = target.subject
    output = None if subject.build_failure is None else subject.build_failure.output
    return FestProgram(subject.name, role_of(target), key, subject.fault or None, output)


def _started(
    teams: Iterable[str], targets: Sequence[Target], cases: Iterable[Submitted], parallel: int
) -> RunStarted:
    usable = [each.team for each in cases if each.content is not None]
    numbers = {team: usable.count(team) for team in teams}
    return RunStarted(
        xtest=VERSION,
        started=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        suites=tuple(numbers),
        runs=len(usable) * len(targets),
        parallel=parallel,
        suite_infos=tuple(
            SuiteInfo(team, "", cases=number, selected=number * len(targets))
            for team, number in numbers.items()
        ),
        subjects=tuple(map(_describe, targets)),
        host=os.uname().nodename,
        command_line=("xtest", *sys.argv[1:]),
    )


def _describe(target: Target) -> SubjectInfo:
    role, name = role_of(target), target.subject.name
    subject = role.subject(name)
    title = name if role is Role.TEAM else subject
    return describe_subject([target])._replace(name=subject, title=title)


def _ruled_inputs(fest: Fest, cases: Sequence[Submitted]) -> frozenset[str]:
    valid = {
        (each.team, each.case) for each in fest.config.rulings if each.status is CaseStatus.VALID
    }
    return frozenset(each.input for each in cases if each.input and (each.team, each.case) in valid)


def _read_cases(
    fest: Fest, suite: Suite, folders: Mapping[str, Path]
) -> tuple[list[Submitted], list[Diagnostic], list[FestInput]]:
    """Return the submitted cases, the problems of folders, and the distinct inputs."""
    config = fest.config
    rules = SubmissionRules(
        suite.settings, config.max_cases, config.max_bytes, _schema_check(suite)
    )
    read = {team: read_submissions(team, folder, rules) for team, folder in folders.items()}
    problems = [Diagnostic(team, problem) for team, (_, problem) in read.items() if problem]
    cases, inputs = _submitted_cases({team: submissions for team, (submissions, _) in read.items()})
    return cases, problems, inputs


def _submitted_cases(
    submissions: Mapping[str, Iterable[Submission]],
) -> tuple[list[Submitted], list[FestInput]]:
    """Return the events of the cases of all teams, and the distinct inputs among them."""
    events: list[Submitted] = []
    inputs: dict[str, dict[str, Case]] = defaultdict(dict)
    for team, cases in submissions.items():
        for name, case, reason in cases:
            if case is None:
                events.append(Submitted(team, name, reason=reason))
                continue
            input_digest = _digest((case.stdin, case.kind.value, case.policy.limits))
            judged_by = (*case.policy[:2], *case.policy.checker)
            expected = case.expected_text, bool(case.alternatives), judged_by
            content = _digest((input_digest, expected))
            inputs[input_digest].setdefault(content, case)
            texts = case.stdin, case.expected_text
            shown = (excerpt(text, len(text), SHOWN_BYTES) for text in texts)
            events.append(Submitted(team, name, input_digest, content, None, *shown))
    return events, [FestInput(*each) for each in inputs.items()]


def _digest(value: object) -> str:
    return hash_of(value).hex()[:_DIGITS]


def _schema_check(suite: Suite) -> SubmissionCheck:
    """Return a check of submissions against the schemas of the fest's suite.toml."""
    if not (suite.settings.input or suite.settings.output):
        return lambda case, input_values: ""
    # Importing jsonschema takes 90 ms.
    # pylint: disable=import-outside-toplevel
    from harness.authoring.lint_suite import CASE_LIMIT_S
    from harness.suites.schema_checks import load_validator

    validator = load_validator(suite)

    def check(case: Case, input_values: list[Json]) -> str:
        try:
            with time_limit(CASE_LIMIT_S):
                violation = validator.first_violation(case, input_values)
        except OutOfTime as stop:
            return f"checking its schema stopped {stop_reason(stop, f'after {CASE_LIMIT_S} s')}"
        return "" if violation is None else violation.text

    return check


def _keys(
    targets: Sequence[Target], sandbox: str | None, results: str
) -> dict[tuple[str, str], str]:
    """Return keys that change with all that the results of a program depend on, by target."""
    context = FingerprintContext((f"--sandbox={sandbox}",), (), os.environ, {})
    with closing(FileDigests(cache_folder(os.environ), filter(None, [results]))) as digests:
        fingerprints = fingerprints_of(targets, context, digests, required=False)
    return {(each.suite, each.subject): each.key for each in fingerprints}


def _sandbox(
    choice: str | None,
    suite: Suite,
    folders: Iterable[Path],
    targets: Sequence[Target],
    results: str,
) -> Sandbox | None:
    """Return the sandbox, or None with a note if "auto" finds none that works.

    Raises UsageError, also if a protection that the suite requires is missing.
    """
    # Files are those beside fest.toml; nothing in the folders of teams is shown.
    settings = suite.settings._replace(files=(), rules=())
    hidden = [suite._replace(folder=folder, settings=settings) for folder in folders]
    if choice != NO_SANDBOX:
        try:
            return choose_sandbox(choice, hidden, targets, [results], suite.shared_files)
        except UsageError as problem:
            if choice != AUTO:
                raise
            messages.print_note(f"no sandbox works here, so programs run without one: {problem}")
    return choose_sandbox(None, hidden, targets, [results], ())

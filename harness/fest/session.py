"""Prepare a fest to be run: its submissions, its programs and their keys, and a sandbox."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from harness.errors import OutOfTime, UsageError
from harness.fest.config import (
    Entrant,
    Fest,
    fest_suite,
    find_entrants,
    name_problems,
    require_staff,
)
from harness.fest.events import CaseStatus, FestStarted, Role, Submitted
from harness.fest.execution import submitted_cases
from harness.fest.runs import FestInput, FestPlan
from harness.fest.submissions import SubmissionCheck, SubmissionRules, read_submissions
from harness.files import cache_folder
from harness.jsonio.decoder import Json
from harness.model.case import Case
from harness.model.events import Diagnostic
from harness.options import messages
from harness.options.execution import AUTO, ExecutionOptions
from harness.options.setup import Setup, choose_sandbox, set_up
from harness.options.targets import FoundTargets
from harness.process.killable import stop_reason, time_limit
from harness.process.sandbox import Sandbox
from harness.project.targets import Target
from harness.results.file_digests import FileDigests
from harness.results.fingerprint import FingerprintContext, fingerprints_of
from harness.suites.loading import Suite
from harness.version import VERSION

NO_SANDBOX = "none"


class FestSession(NamedTuple):
    """A fest that is ready to run, and the first events of its results."""

    plan: FestPlan
    setup: Setup
    started: FestStarted
    problems: Sequence[Diagnostic]
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
    entrants, project = find_entrants(fest, suite, roles)

    problems += _name_problems(fest, folders, entrants) if Role.TEAM in roles else ()

    def choose(targets: Sequence[Target]) -> Sandbox | None:
        return _sandbox(execution.sandbox, suite, folders.values(), targets, results)

    setup = set_up(
        FoundTargets([each.target for each in entrants], problems, project),
        execution,
        written=[results],
        choose=choose,
    )
    entrants = [
        Entrant(role, target) for (role, _), target in zip(entrants, setup.targets, strict=True)
    ]
    require_staff(entrants, setup.built_remotely)
    keys = _program_keys(entrants, execution.sandbox, results)
    plan = FestPlan(entrants, keys, inputs, _ruled_inputs(fest, cases), setup.sandbox)
    return FestSession(plan, setup, _started(fest, plan, folders, len(cases)), problems, cases)


def _name_problems(
    fest: Fest, folders: Iterable[str], entrants: Iterable[Entrant]
) -> Iterator[Diagnostic]:
    """Yield what is odd about the names of teams."""
    programs = [each.name for each in entrants if each.role is Role.TEAM]
    for text in name_problems([*folders], programs):
        yield Diagnostic(fest.where, text)


def _started(fest: Fest, plan: FestPlan, teams: Iterable[str], cases: int) -> FestStarted:
    programs = [each.name for each in plan.entrants if each.role is Role.TEAM]
    return FestStarted(
        xtest=VERSION,
        started=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        teams=tuple(dict.fromkeys((*teams, *programs))),
        cases=cases,
        duplicates=fest.config.duplicates,
        programs=plan.programs,
        rulings=fest.config.rulings,
    )


def _ruled_inputs(fest: Fest, cases: Sequence[Submitted]) -> frozenset[str]:
    """Return the digests of inputs of cases that are ruled valid: these always run."""
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
    cases, inputs = submitted_cases({team: found for team, (found, _) in read.items()})
    return cases, problems, inputs


def _schema_check(suite: Suite) -> SubmissionCheck:
    """Return a check of submissions against the schemas of the fest's suite.toml."""
    if not (suite.settings.input or suite.settings.output):
        return lambda case, given: ""
    # Importing jsonschema takes 90 ms.
    # pylint: disable=import-outside-toplevel
    from harness.authoring.lint_suite import CASE_LIMIT_S
    from harness.suites.schema_checks import load_validator

    validator = load_validator(suite)

    def check(case: Case, given: list[Json]) -> str:
        try:
            with time_limit(CASE_LIMIT_S):
                found = validator.first_violation(case, given)
        except OutOfTime as stop:
            return f"checking its schema stopped {stop_reason(stop, f'after {CASE_LIMIT_S} s')}"
        return "" if found is None else found.text

    return check


def _program_keys(entrants: Sequence[Entrant], sandbox: str | None, results: str) -> list[str]:
    """Return a key for each program that changes with all that its answers depend on, or ""."""
    keys: dict[tuple[Role, str], str] = {}
    context = FingerprintContext((f"--sandbox={sandbox}",), (), os.environ, {})
    with closing(FileDigests(cache_folder(os.environ), filter(None, [results]))) as digests:
        for role in Role:
            targets = [each.target for each in entrants if each.role is role]
            for found in fingerprints_of(targets, context, digests, required=False):
                keys[role, found.subject] = found.key
    return [keys.get((each.role, each.name), "") for each in entrants]


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

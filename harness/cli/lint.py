"""`xtest lint`: find errors and probable mistakes in suites. Source: docs/care.md."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path
from typing import Final

import click

from harness.authoring.lint_cache import read_known, write_known
from harness.authoring.lint_rules import (
    LintFinding,
    LintRule,
    Severity,
    finding_json,
    finding_line,
    sort_findings,
    summary_line,
)
from harness.authoring.lint_suite import SubjectsOf, lint_suite
from harness.cli import common
from harness.cli.completers import complete_rules
from harness.errors import UsageError
from harness.model.exit_codes import ExitCode
from harness.project.subjects import discover_suites, find_project, serving_subjects
from harness.project.targets import bundled_names
from harness.runner.store import cache_folder
from harness.suites.bundled import schemas_folder, test_cases_folder
from harness.suites.discovery import DiscoveredSuite, find_all
from harness.text import escape_ci_commands, quote

__all__ = ["command"]

_RULES: Final = tuple(rule.value for rule in LintRule)


@click.command("lint", context_settings=common.HELP)
@common.suites_argument
@common.repeatable("--ignore", "ignore", "RULE", complete_rules, "Leave out findings of this rule")
@click.option("--strict", is_flag=True, help="Count notes as findings, too.")
@common.format_option("One line of text or of JSON per finding [text].")
@click.option("--no-cache", is_flag=True, help="Check every case against its schema again.")
@common.without_command
def command(
    suites: tuple[str, ...], ignore: tuple[str, ...], strict: bool, form: str, no_cache: bool
) -> int:
    """Find errors and probable mistakes in suites: xtest lint [SUITE]...

    The default is the suites of xtest.toml, or the bundled suites without one. Exit status 0: no
    findings, or only notes; 1: errors or warnings; 2: something could not be read.
    """
    # JSON values have no cycles; collecting less often saves a quarter of the time.
    gc.set_threshold(500_000, 50, 50)
    everything, subjects_of = _find_suites(suites)
    left_out = {_parse_rule(name) for name in ignore} - {LintRule.UNREADABLE}
    folder = None if no_cache else cache_folder(os.environ)
    known = () if folder is None else read_known(folder)
    rules: list[LintRule] = []
    valid: list[bytes] = []  # digests of cases
    cases = 0
    for found in everything:
        result = lint_suite(found, schemas_folder(), known, subjects_of)
        rules += _print(result.findings, left_out, found.folder, form)
        valid += result.valid
        cases += result.cases
    if form == "text":
        print(summary_line(rules, cases, len(everything)))
    if folder is not None:
        write_known(folder, known, valid)
    return _exit_status(rules, strict=strict)


def _parse_rule(name: str) -> LintRule:
    if name in _RULES:
        return LintRule(name)
    near = get_close_matches(name, _RULES, n=1)
    hint = f"did you mean {near[0]}?" if near else f"rules: {', '.join(_RULES)}"
    raise UsageError(f"--ignore {quote(name, 60)}: no such rule; {hint}")


def _find_suites(given: tuple[str, ...]) -> tuple[list[DiscoveredSuite], SubjectsOf | None]:
    """Return the suites, and a function that returns the subjects of a suite, or None."""
    project = find_project()
    if project is None:
        return find_all(given or bundled_names(), test_cases_folder()), None
    return discover_suites(project, given, "lint"), serving_subjects(project)


def _print(
    findings: Iterable[LintFinding], left_out: set[LintRule], folder: Path, form: str
) -> list[LintRule]:
    """Print the findings except those of rules that are left out, and return their rules."""
    path = os.path.relpath(folder)
    where = str(folder) if path.startswith("..") else path
    shown = sort_findings(finding for finding in findings if finding.rule not in left_out)
    for finding in shown:
        if form == "json":
            print(finding_json(finding, where))
        else:
            print(escape_ci_commands(finding_line(finding, where)))
    return [finding.rule for finding in shown]


def _exit_status(rules: Iterable[LintRule], *, strict: bool) -> int:
    found = set(rules)
    if LintRule.UNREADABLE in found:
        return ExitCode.FAULT
    counted = {rule for rule in found if strict or rule.severity is not Severity.NOTE}
    return ExitCode.FAILED if counted else ExitCode.OK

"""`xtest lint`: find errors and probable mistakes in suites. Source: docs/care.md."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterable
from dataclasses import dataclass, field
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
from harness.cli.common import HELP, refuse_command
from harness.cli.completers import complete_rules, complete_suites
from harness.errors import UsageError
from harness.model.exit_codes import ExitCode
from harness.project.config import find_config
from harness.project.subjects import (
    configured_suites,
    no_suites_text,
    read_project,
    serving_subjects,
)
from harness.project.targets import bundled_names
from harness.runner.store import cache_folder
from harness.suites.bundled import schemas_folder, test_cases_folder
from harness.suites.discovery import DiscoveredSuite, find_all
from harness.suites.loading import CorpusError
from harness.text import escape_ci_commands, quote

__all__ = ["command"]

_RULES: Final = tuple(rule.value for rule in LintRule)


@click.command("lint", context_settings=HELP)
@click.argument("suites", nargs=-1, metavar="[SUITE]...", shell_complete=complete_suites)
@click.option(
    "--ignore",
    multiple=True,
    metavar="RULE",
    shell_complete=complete_rules,
    help="Leave out findings of this rule; repeatable.",
)
@click.option("--strict", is_flag=True, help="Count notes as findings, too.")
@click.option(
    "--format",
    "shape",
    type=click.Choice(("text", "json")),
    default="text",
    help="One line of text or of JSON per finding [text].",
)
@click.option("--no-cache", is_flag=True, help="Check every case against its schema again.")
@click.pass_obj
def command(  # pylint: disable=too-many-arguments,too-many-positional-arguments  # the options
    subject: tuple[str, ...] | None,
    suites: tuple[str, ...],
    ignore: tuple[str, ...],
    strict: bool,
    shape: str,
    no_cache: bool,
) -> int:
    """Find errors and probable mistakes in suites: xtest lint [SUITE]...

    The default is the suites of xtest.toml, or the bundled suites without one. Exit status 0: no
    findings, or only notes; 1: errors or warnings; 2: something could not be read.
    """
    refuse_command("lint", subject)
    # JSON values have no cycles; collecting less often saves a quarter of the time.
    gc.set_threshold(500_000, 50, 50)
    everything, subjects_of = _find_suites(suites)
    left_out = frozenset(_parse_rule(name) for name in ignore) - {LintRule.UNREADABLE}
    folder = None if no_cache else cache_folder(os.environ)
    known = () if folder is None else read_known(folder)
    total = _Total()
    for found in everything:
        result = lint_suite(found, schemas_folder(), known, subjects_of)
        shown = [finding for finding in result.findings if finding.rule not in left_out]
        _print(shown, found.folder, shape)
        total.rules += (finding.rule for finding in shown)
        total.good += result.valid
        total.cases += result.cases
    if shape == "text":
        print(summary_line(total.rules, total.cases, len(everything)))
    if folder is not None:
        write_known(folder, known, total.good)
    return _exit_status(total.rules, strict=strict)


@dataclass(slots=True)
class _Total:
    """The rule of each finding, the number of cases, and the digests of valid cases."""

    rules: list[LintRule] = field(default_factory=list)
    cases: int = 0
    good: list[bytes] = field(default_factory=list)


def _parse_rule(name: str) -> LintRule:
    if name in _RULES:
        return LintRule(name)
    near = get_close_matches(name, _RULES, n=1)
    hint = f"did you mean {near[0]}?" if near else f"rules: {', '.join(_RULES)}"
    raise UsageError(f"--ignore {quote(name, 60)}: no such rule; {hint}")


def _find_suites(given: tuple[str, ...]) -> tuple[list[DiscoveredSuite], SubjectsOf | None]:
    """Return the suites, and a function that returns the subjects of a suite, or None."""
    path = find_config()
    if path is None:
        return _found(given or tuple(bundled_names())), None
    project = read_project(path)
    arguments = configured_suites(project, given)
    if not arguments:
        raise UsageError(no_suites_text(project, "lint"))
    where = "" if given else f"{project.where}: suites: "
    return _found(arguments, where), serving_subjects(project)


def _found(arguments: tuple[str, ...], where: str = "") -> list[DiscoveredSuite]:
    try:
        return find_all(arguments, test_cases_folder())
    except CorpusError as problem:
        raise UsageError(f"{where}{problem}") from None


def _print(findings: Iterable[LintFinding], folder: Path, shape: str) -> None:
    where = _from_here(folder)
    for finding in sort_findings(findings):
        if shape == "text":
            print(escape_ci_commands(finding_line(finding, where)))
        else:
            print(finding_json(finding, where))


def _from_here(folder: Path) -> str:
    """Return a folder's path, relative if it lies in the current folder."""
    path = os.path.relpath(folder)
    return str(folder) if path.startswith("..") else path


def _exit_status(rules: Iterable[LintRule], *, strict: bool) -> int:
    found = set(rules)
    if LintRule.UNREADABLE in found:
        return ExitCode.FAULT
    counted = {rule for rule in found if strict or rule.severity is not Severity.NOTE}
    return ExitCode.FAILED if counted else ExitCode.OK

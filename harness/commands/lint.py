"""`xtest lint`: what is wrong, or most likely meant otherwise, in suites and their cases."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Final

import click

from harness.care.lint import (
    Finding,
    Rule,
    Severity,
    finding_json,
    finding_line,
    ordered,
    summary_line,
)
from harness.care.lintcache import cache_file, read_known, write_known
from harness.care.survey import SubjectsOf, survey
from harness.commands.common import HELP, refuse_command
from harness.lookup import find_config
from harness.runs.session import EXIT_FAULT, EXIT_OK
from harness.several.subjects import (
    configured_suites,
    no_suites_text,
    read_project,
    who_serves,
)
from harness.suites.bundled import schemas_folder, test_cases_folder
from harness.suites.corpus import CorpusError, Found, find_all
from harness.suites.targets import bundled_names
from harness.usage import UsageFault
from harness.words import quoted

__all__ = ["command"]

_EXIT_FINDINGS: Final = 1
_RULES: Final = tuple(rule.value for rule in Rule)


@click.command("lint", context_settings=HELP)
@click.argument("suites", nargs=-1, metavar="[SUITE]...")
@click.option(
    "--ignore",
    multiple=True,
    metavar="RULE",
    help="Leave out findings of this rule; repeatable.",
)
@click.option("--strict", is_flag=True, help="Notes are findings, too.")
@click.option(
    "--format",
    "shape",
    type=click.Choice(("text", "json")),
    default="text",
    help="A line of text, or of JSON, for each finding [text].",
)
@click.option("--no-cache", is_flag=True, help="Check all cases against their schemas again.")
@click.pass_obj
def command(  # pylint: disable=too-many-arguments,too-many-positional-arguments  # the options
    subject: tuple[str, ...] | None,
    suites: tuple[str, ...],
    ignore: tuple[str, ...],
    strict: bool,
    shape: str,
    no_cache: bool,
) -> int:
    """Look through suites for what is wrong. Unless some are named, these are those of xtest.toml,
    or the bundled ones where there is none.

    Exit status 0: nothing was found, or notes only; 1: errors or warnings; 2: something could not
    be read.
    """
    refuse_command("lint", subject)
    # JSON values have no cycles; looking for some again and again costs a quarter of the time.
    gc.set_threshold(500_000, 50, 50)
    everything, subjects_of = _asked(suites)
    left_out = frozenset(_rule(name) for name in ignore) - {Rule.UNREADABLE}
    file = None if no_cache else cache_file(os.environ)
    known = {} if file is None else read_known(file)
    total = _Total()
    for found in everything:
        seen = survey(found, schemas_folder(), known, subjects_of)
        shown = [finding for finding in seen.findings if finding.rule not in left_out]
        _print(shown, found.folder, shape)
        total.rules += (finding.rule for finding in shown)
        total.good += seen.good
        total.cases += seen.cases
    if shape == "text":
        print(summary_line(total.rules, total.cases, len(everything)))
    if file is not None:
        write_known(file, known, total.good)
    return _exit_status(total.rules, strict=strict)


@dataclass(slots=True)
class _Total:
    """What all suites came to: the rule of each finding, the cases that were looked at, and those
    that keep their schemas."""

    rules: list[Rule] = field(default_factory=list)
    cases: int = 0
    good: list[bytes] = field(default_factory=list)


def _rule(name: str) -> Rule:
    if name in _RULES:
        return Rule(name)
    near = get_close_matches(name, _RULES, n=1)
    hint = f"did you mean {near[0]}?" if near else f"these are: {', '.join(_RULES)}"
    raise UsageFault(f"--ignore {quoted(name, 60)}: no such rule; {hint}")


def _asked(given: tuple[str, ...]) -> tuple[list[Found], SubjectsOf | None]:
    """The suites that are to be looked through, and what tells their subjects."""
    path = find_config()
    if path is None:
        return _found(given or tuple(bundled_names())), None
    project = read_project(path)
    arguments = configured_suites(project, given)
    if not arguments:
        raise UsageFault(no_suites_text(project, "lint"))
    where = "" if given else f"{project.where}: suites: "
    return _found(arguments, where), who_serves(project)


def _found(arguments: tuple[str, ...], where: str = "") -> list[Found]:
    try:
        return find_all(arguments, test_cases_folder())
    except CorpusError as problem:
        raise UsageFault(f"{where}{problem}") from None


def _print(findings: Iterable[Finding], folder: Path, shape: str) -> None:
    line_of = finding_line if shape == "text" else finding_json
    for finding in ordered(findings):
        print(line_of(finding, _from_here(folder)))


def _from_here(folder: Path) -> str:
    """A folder's path as it is best read: from the caller's folder, where it lies in it."""
    path = os.path.relpath(folder)
    return str(folder) if path.startswith("..") else path


def _exit_status(rules: Iterable[Rule], *, strict: bool) -> int:
    found = set(rules)
    if Rule.UNREADABLE in found:
        return EXIT_FAULT
    counted = {rule for rule in found if strict or rule.severity is not Severity.NOTE}
    return _EXIT_FINDINGS if counted else EXIT_OK

"""`xtest lint`: find errors and probable mistakes in suites. Source: docs/care.md."""

from __future__ import annotations

import gc
import os
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import closing, suppress
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from harness.authoring.lint_rules import (
    LintFinding,
    LintRule,
    Severity,
    finding_json,
    finding_line,
    sort_findings,
    summary_line,
)
from harness.errors import UsageError
from harness.files import cache_folder, read_regular
from harness.model.case_names import CONFIG_FILE
from harness.model.exit_codes import ExitCode
from harness.options import arguments
from harness.options.command import Command
from harness.options.completers import completer
from harness.options.targets import is_output
from harness.project.subjects import (
    Project,
    discover_suites,
    find_project,
    idle_skip_rules,
    serving_subjects,
)
from harness.reports.text.display import display_for
from harness.results.store import Store
from harness.suites.discovery import DiscoveredSuite, find_suites
from harness.suites.loading import CorpusError
from harness.text import escape_ci_commands, escape_ci_json, pluralize, quote
from harness.tomlio.positions import TomlPlaces

if TYPE_CHECKING:
    from harness.authoring.lint_suite import SubjectsOf

_RULES: Final = {rule.label: rule for rule in LintRule}
_complete_rules = completer(lambda _ctx, _word: _RULES)


def _list_rules(context: click.Context, _parameter: click.Parameter, is_asked: bool) -> None:
    if is_asked:
        for rule in LintRule:
            print(f"{rule.label:16} {rule.severity.value:8} {rule.description}")
        context.exit()


@click.command("lint", cls=Command)
@arguments.suites_argument
@arguments.repeatable(
    "--ignore", "ignore", "RULE", _complete_rules, "Leave out findings of this rule"
)
@click.option("--strict", is_flag=True, help="Exit with status 1 for notes, too.")
@arguments.format_option("One line of text or of JSON per finding [text].")
@click.option("--no-cache", is_flag=True, help="Check every case against its schema again.")
@click.option(
    "--rules",
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=_list_rules,
    help="List the rules, and check nothing.",
)
def command(
    suites: tuple[str, ...], ignore: tuple[str, ...], strict: bool, form: str, no_cache: bool
) -> int:
    """Find errors and probable mistakes in suites: xtest lint [SUITE]...

    The default is the suites of xtest.toml. Exit status 0: no findings, or only notes; 1: errors or
    warnings; 2: something could not be read.
    """
    # JSON values have no cycles; collecting less often saves a quarter of the time.
    gc.set_threshold(500_000, 50, 50)
    project = find_project()
    discovered = discover_suites(project, suites, "lint")
    subjects_of = None if project is None else serving_subjects(project)
    left_out = {_parse_rule(name) for name in ignore} - {LintRule.UNREADABLE}
    rules: list[LintRule] = []
    cases = 0
    with closing(Store(cache_folder(os.environ))) as store:
        for folder, findings, number in _lint_each(
            discovered, subjects_of, None if no_cache else store
        ):
            rules += _print(findings, left_out, folder, form)
            cases += number
    if project is not None and not suites:
        rules += _print(_idle_skip_rules(project), left_out, Path(project.folder), form)
    if form == "text":
        print(summary_line(rules, cases, len(discovered)))
    if LintRule.UNREADABLE in rules:
        return ExitCode.FAULT
    if any(strict or rule.severity is not Severity.NOTE for rule in rules):
        return ExitCode.FAILED
    return ExitCode.OK


def _lint_each(
    discovered: list[DiscoveredSuite], subjects_of: SubjectsOf | None, store: Store | None
) -> Iterator[tuple[Path, list[LintFinding], int]]:
    """Yield the folder, findings and number of cases of each suite, then findings on several.

    A finding on an inherited file is yielded once.
    """
    # jsonschema takes 90 ms, for which help and completion would wait.
    from harness.authoring.lint_suite import lint_suite  # pylint: disable=import-outside-toplevel

    undocumented: list[Path] = []  # folders without a README
    inherited = set[object]()
    without_effect = defaultdict[tuple[str, LintFinding], dict[str, str]](dict)
    for suite in discovered:
        all_findings, cases = lint_suite(suite, store, subjects_of)
        findings = _drop_repeated(all_findings, suite.folder, inherited, without_effect)
        findings = [
            each
            for each in findings
            if each.rule is not LintRule.STRAY or not is_output(suite.folder / each.path)
        ]
        if len(discovered) > 1:
            undocumented += [suite.folder for each in findings if each.rule is LintRule.README]
            findings = [each for each in findings if each.rule is not LintRule.README]
        yield suite.folder, findings, cases
    yield from _idle_in_all_suites(without_effect)
    if undocumented:
        tree, finding = _without_readme(undocumented, len(discovered))
        yield tree, [finding], 0


def _idle_skip_rules(project: Project) -> Iterator[LintFinding]:
    text = read_regular(os.path.join(project.folder, CONFIG_FILE))
    for rule in idle_skip_rules(project):
        place = TomlPlaces(text).key("tag", rule.table, rule.number - 1)
        message = f"[[{rule.table}]] {rule.message}"
        yield LintFinding(CONFIG_FILE, place, LintRule.IDLE_MATCH, message)


def _parse_rule(name: str) -> LintRule:
    if name in _RULES:
        return _RULES[name]
    near = get_close_matches(name, _RULES, n=1)
    hint = f"did you mean {near[0]}?" if near else f"rules: {', '.join(_RULES)}"
    raise UsageError(f"--ignore {quote(name)}: no such rule; {hint}")


def _drop_repeated(
    findings: Iterable[LintFinding],
    folder: Path,
    reported: set[object],
    without_effect: dict[tuple[str, LintFinding], dict[str, str]],
) -> list[LintFinding]:
    """Return the findings on a suite without those on inherited files in `reported`, and add to it.

    Instead of returning an inherited path that this suite does not use, add the suite and its
    message to `without_effect`, by the folder of the file and the finding without its message.
    """
    kept = []
    for finding in findings:
        file = os.path.abspath(folder / finding.path)
        place = file, finding.position, finding.rule
        if finding.is_inherited and finding.rule is LintRule.IDLE_PATH:
            above, name = os.path.split(file)
            of_all = finding._replace(path=name, message="")
            without_effect[above, of_all][os.path.realpath(folder)] = finding.message
        elif not finding.is_inherited or place not in reported:
            kept.append(finding)
        reported.add(place)
    return kept


def _idle_in_all_suites(
    without_effect: dict[tuple[str, LintFinding], dict[str, str]],
) -> Iterator[tuple[Path, list[LintFinding], int]]:
    """Yield the inherited paths that no suite below their file uses."""
    for (folder, finding), messages in without_effect.items():
        with suppress(CorpusError):  # a folder that cannot be listed
            below = find_suites(folder)
            if messages.keys() >= set(map(os.path.realpath, below)):
                message = max(messages.values(), key=len)  # one that names another path, if any
                yield Path(folder), [finding._replace(message=message)], 0


def _print(
    findings: Iterable[LintFinding], left_out: set[LintRule], folder: Path, form: str
) -> list[LintRule]:
    """Print the findings except those of rules that are left out, and return their rules."""
    path = os.path.relpath(folder)
    where = str(folder) if path.startswith("..") else path
    style = display_for(sys.stdout).style
    shown = sort_findings(finding for finding in findings if finding.rule not in left_out)
    for finding in shown:
        if form == "json":
            print(escape_ci_json(finding_json(finding, where)))
        else:
            print(escape_ci_commands(finding_line(finding, where, style)))
    return [finding.rule for finding in shown]


def _without_readme(folders: list[Path], suites: int) -> tuple[Path, LintFinding]:
    """Return the lowest folder that has these folders below it, and one finding for all of them."""
    tree = folders[0]
    if len(folders) > 1:
        tree = Path(os.path.commonpath([os.path.abspath(folder) for folder in folders]))
    number = f"{len(folders):,} of {pluralize(suites, 'suite')}"
    message = f"{number} {'has' if len(folders) == 1 else 'have'} no README.md"
    return tree, LintFinding("", None, LintRule.README, message)

"""`xtest doctor`: show what holds on this machine, and how to get what is missing."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence

import click

from harness.cli import common
from harness.model.exit_codes import ExitCode
from harness.model.protection import SandboxKind
from harness.process.cgroups import accounting
from harness.process.diagnosis import Finding, diagnose
from harness.process.inventory import Exposure
from harness.process.sandbox import find_sandbox
from harness.project.program_lookup import missing_program
from harness.project.subjects import configured_suites, execution_context, find_project
from harness.project.targets import bundled_names
from harness.reports.terminal.display import Style, display_for
from harness.suites.discovery import find_all
from harness.suites.loading import CorpusError, Suite, read_suite
from harness.text import escape_nonprintable


@click.command("doctor", cls=common.Command)
@common.suites_argument
@common.format_option("Readable text, or one JSON array [text].")
def command(suites: tuple[str, ...], form: str) -> int:
    """Show what this machine has and lacks: xtest doctor [SUITE]...

    Checks control groups, sandboxes, Python versions, and what suites need: programs, renderers and
    protections. The default is the suites of xtest.toml, or the bundled suites without one. Exit
    status 1: something that the suites need is missing.
    """
    findings = [*diagnose(), *_needs(suites)]
    if form == "json":
        print(json.dumps([finding._asdict() for finding in findings], indent=2))
    else:
        common.print_lines(_lines(findings, display_for(sys.stdout).style))
    lacks = any(finding.needed and not finding.holds for finding in findings)
    return ExitCode.FAILED if lacks else ExitCode.OK


def _lines(findings: Sequence[Finding], style: Style) -> Iterator[str]:
    names = [escape_nonprintable(finding.name) for finding in findings]
    width = max(map(len, names))
    for finding, name in zip(findings, names, strict=True):
        status = style("ok       ", "good") if finding.holds else style("missing  ", "bad")
        yield f"{status}{name:<{width}}  {escape_nonprintable(finding.detail)}"
        if not finding.holds:
            yield f"{'':<9}{'':<{width}}  to get it: {escape_nonprintable(finding.fix)}"


def _needs(given: tuple[str, ...]) -> Iterator[Finding]:
    """Yield what suites and the subjects of xtest.toml need."""
    programs: dict[tuple[str, str], None] = {}  # names, and what is missing
    project = find_project()
    arguments: Sequence[str] = given or bundled_names()
    if project is not None:
        arguments = configured_suites(project, given)
        for subject in project.config.subjects:
            folder = execution_context(project, subject).folder
            first = [words[0] for words in (subject.command, subject.build) if words]
            for name in (*first, *(program for _, program in subject.programs)):
                if "{" not in name:
                    programs[name, missing_program(name, folder)] = None
    for found in find_all(arguments):
        try:
            suite = read_suite(found.name, found.folder)
        except CorpusError as problem:
            fix = "correct it; xtest lint shows its mistakes"
            yield Finding(f"suite {found.name}", False, str(problem), fix, needed=True)
            continue
        programs |= dict.fromkeys(_programs(suite))
        yield from _protections(suite)
    for name, missing in programs:
        fix = f"install {name}, or add its folder to PATH"
        if "/" in name:
            fix = "build it, or correct its path"
        yield Finding(f"program {name}", not missing, missing or "found", fix, needed=True)


def _programs(suite: Suite) -> list[tuple[str, str]]:
    """Return the programs that a suite names, and what is missing of each."""
    render = suite.settings.render
    names = suite.settings.program, render.command[0] if render is not None else ""
    return [(name, missing_program(name, str(suite.folder))) for name in names if name]


def _protections(suite: Suite) -> Iterator[Finding]:
    """Yield whether a sandbox promises what a suite requires."""
    required = suite.settings.sandbox.require
    if not required:
        return
    name, wanted = f"suite {suite.name}", ", ".join(each.value for each in required)
    counted = accounting().protections
    if counted.issuperset(required):
        yield Finding(name, True, wanted, needed=True)
        return
    for kind in SandboxKind:
        sandbox = find_sandbox(kind, Exposure())
        if not isinstance(sandbox, str) and set(required) <= counted | set(sandbox.protections):
            yield Finding(name, True, f"{wanted}, with --sandbox={kind.value}", needed=True)
            return
    fix = "see the sandboxes and control groups above"
    yield Finding(name, False, wanted, fix, needed=True)

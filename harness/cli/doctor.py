"""`xtest doctor`: show which features this machine supports, and how to get the others."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Sequence
from itertools import starmap
from typing import Final

import click

from harness.errors import Refused
from harness.model.exit_codes import ExitCode
from harness.model.protection import SandboxKind
from harness.model.subject import ExecutionContext, Subject
from harness.options import arguments, messages
from harness.options.command import Command
from harness.process.diagnosis import Finding, diagnose
from harness.process.inventory import Exposure
from harness.process.sandbox import find_sandbox
from harness.process.system import SYSTEM
from harness.project.program_lookup import missing_program
from harness.project.subjects import (
    configured_suites,
    execution_context,
    find_project,
    serving_subjects,
)
from harness.project.targets import bundled_names
from harness.reports.text.display import Style, style_and_width
from harness.suites.discovery import resolve_suites
from harness.suites.loading import CorpusError, Suite, read_suite
from harness.text import cells, escape_ci_json, escape_nonprintable, pad, wrap

_STATUS: Final = 9  # characters of a status
_MOST_INDENT: Final = 40
_FIX_INDENT: Final = " " * (_STATUS + 2)  # narrow, as a fix is often a command to paste

# A program, the folder where it runs, and the PATH to look it up, or None for xtest's own.
_NeededProgram = tuple[str, ExecutionContext]


@click.command("doctor", cls=Command)
@arguments.suites_argument
@arguments.format_option("Readable text, or one JSON array [text].")
def command(suites: tuple[str, ...], form: str) -> int:
    """Show which features this machine supports: xtest doctor [SUITE]...

    Checks control groups, sandboxes, Python versions, and what suites need: programs, renderers and
    protections. The default is the suites of xtest.toml or, without one, the bundled suites. Exit
    status 1: something that the suites need is missing.
    """
    findings = [*diagnose(), *_needs(suites)]
    if form == "json":
        print(escape_ci_json(json.dumps([each._asdict() for each in findings], indent=2)))
    else:
        messages.print_lines(_lines(findings, *style_and_width(sys.stdout)))
    lacks = any(finding.needed and not finding.holds for finding in findings)
    return ExitCode.FAILED if lacks else ExitCode.OK


def _lines(findings: Sequence[Finding], style: Style, width: int | None) -> Iterator[str]:
    names = [escape_nonprintable(finding.name) for finding in findings]
    longest = max(map(cells, names))
    indent = " " * min(_STATUS + longest + 2, _MOST_INDENT)
    for finding, name in zip(findings, names, strict=True):
        text, role = ("ok", "good") if finding.holds else ("missing", "bad")
        status = style(text.ljust(_STATUS), role)
        detail = escape_nonprintable(finding.detail)
        yield from wrap(f"{status}{pad(name, longest)}  {detail}", width, indent)
        if not finding.holds:
            fix = f"{_FIX_INDENT}to fix: {escape_nonprintable(finding.fix)}"
            yield from wrap(fix, width, _FIX_INDENT)


def _needs(named_suites: tuple[str, ...]) -> Iterator[Finding]:
    """Yield findings on what suites and the subjects of xtest.toml need."""
    suites: Sequence[str] = named_suites or bundled_names()
    project, subjects_of = find_project(), None
    needed: list[_NeededProgram] = []
    if project is not None:
        suites, subjects_of = configured_suites(project, named_suites), serving_subjects(project)
        for subject in project.config.subjects:
            if subject.build:
                context = execution_context(project, subject)._replace(is_own=False)
                needed.append((subject.build[0], context))
    for named in resolve_suites(suites):
        try:
            suite = read_suite(named.name, named.folder)
        except CorpusError as problem:
            fix = "correct it; xtest lint shows its mistakes"
            yield Finding(f"suite {named.name}", False, str(problem), fix, needed=True)
            continue
        for fault in suite.faults:
            yield Finding(f"suite {named.name}", False, fault, "correct it", needed=True)
        needed += _programs(suite, subjects_of(suite) if subjects_of else [])
        yield from _protections(suite)
    yield from dict.fromkeys(starmap(_program, dict.fromkeys(needed)))


def _program(name: str, context: ExecutionContext) -> Finding:
    missing, folder = missing_program(name, context), context.folder
    fix = f"install {name}, or add its folder to PATH"
    if not os.path.isdir(folder):
        fix = "create it, or correct folder in xtest.toml"
    elif "/" in name:
        fix = "build it, or correct its path"
    detail = "found" if missing is None else missing.reason
    return Finding(f"program {name}", missing is None, detail, fix, needed=True)


def _programs(suite: Suite, subjects: Sequence[Subject]) -> Iterator[_NeededProgram]:
    """Yield the programs that a suite needs with these subjects."""
    for subject in subjects:
        context, name = subject.context, subject.command[0]
        if context is not None and "{" not in name:
            yield name, context
    own = "" if subjects else suite.settings.program
    render = suite.settings.render
    for name in (own, render.command[0] if render is not None else ""):
        if name:
            yield name, ExecutionContext(str(suite.folder))


def _protections(suite: Suite) -> Iterator[Finding]:
    """Yield a finding on whether a sandbox gives the protections that a suite requires."""
    required = suite.settings.sandbox.require
    if not required:
        return
    name, wanted = f"suite {suite.name}", ", ".join(each.value for each in required)
    counted = SYSTEM.protections()
    if counted.issuperset(required):
        yield Finding(name, True, wanted, needed=True)
        return
    for kind in SandboxKind:
        sandbox = find_sandbox(kind, Exposure())
        if not isinstance(sandbox, Refused) and set(required) <= counted | set(sandbox.protections):
            yield Finding(name, True, f"{wanted}, with --sandbox={kind.value}", needed=True)
            return
    fix = "see the sandboxes and control groups above"
    yield Finding(name, False, wanted, fix, needed=True)

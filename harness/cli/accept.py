"""`xtest accept`: make what a program prints the expected output. Source: docs/care.md."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

import click

from harness.authoring.acceptance import (
    Layout,
    Proposal,
    RejectedCase,
    change_lines,
    confirm_repeatable,
    propose,
)
from harness.authoring.reference import (
    ReferenceCase,
    ReferenceRequest,
    plan_reference,
    read_cases,
    run_reference,
    schema_check,
)
from harness.cli import common
from harness.errors import UsageError, os_reason
from harness.files import atomic_write
from harness.model.case import InvalidCase
from harness.model.case_names import PACKED_FILE, CaseName
from harness.model.exit_codes import ExitCode
from harness.project.targets import Target
from harness.runner.plan import Plan, Selection
from harness.runner.request import Check
from harness.suites.cases import read_orphan
from harness.suites.loading import Suite
from harness.text import escape_nonprintable, pluralize, shell_line

__all__ = ["command"]

_KEYS: Final = (
    "y: yes, n: no, a: yes to this and all that follow, q: no to this and all that follow"
)
_INDENT: Final = " " * 4
_OUTCOMES: Final = ("unchanged", "written", "not written", "refused", "invalid")


class _AcceptOptions(NamedTuple):
    layout: str | None  # None keeps the layout of each file
    everything: bool
    dry_run: bool
    missing: bool
    full: bool


@click.command("accept", context_settings=common.HELP)
@common.required_suites_argument
@common.selection_options
@click.option("--all", "everything", is_flag=True, help="Write every change without asking.")
@click.option("--dry-run", is_flag=True, help="Show what would change, and write nothing.")
@click.option("--missing", is_flag=True, help="Also write outputs for inputs that have none.")
@click.option("--full", is_flag=True, help="Show every difference, however many there are.")
@click.option(
    "--layout",
    type=click.Choice([layout.value for layout in Layout]),
    help="One value per line, indented, or as printed [the layout of the old file].",
)
@common.jobs_option
@common.wall_option
@click.pass_obj
def command(
    subject: tuple[str, ...] | None,
    /,
    suites: tuple[str, ...],
    selection: Selection,
    jobs: int | None,
    wall: float | None,
    **options: Any,
) -> int:
    """Make what a program prints the expected output: xtest accept SUITE... [-- COMMAND...]

    Shows what would change, case by case, and writes what you confirm.
    """
    wanted = _AcceptOptions(**options)
    if wanted.everything and wanted.dry_run:
        raise UsageError("--all writes, --dry-run does not: choose one")
    request = ReferenceRequest(suites, selection, jobs, wall)
    targets, found = plan_reference(request, subject, "accept")
    for target in targets:
        if target.suite.packed is not None:
            raise UsageError(_packed_suite_text(target))
    if found.idle:
        print(f"{found.idle}: nothing to accept")
        return ExitCode.OK
    common.print_problems(found.problems)
    check = schema_check([each.suite for each in targets])
    dialog = _Dialog(wanted, request, found.plan, check)
    for target in targets:
        dialog.review(target)
    return dialog.summarize(faulty=bool(found.problems))


def _packed_suite_text(target: Target) -> str:
    unpack = shell_line(("xtest", "unpack", target.argument, "-o", "FOLDER"))
    return (
        f"{escape_nonprintable(target.suite.name)}: cases in {PACKED_FILE} cannot be rewritten;"
        f" unpack them ({unpack}), accept there, and pack them again"
    )


class _Dialog:
    """Show proposals case by case, ask, and write."""

    def __init__(
        self, options: _AcceptOptions, request: ReferenceRequest, plan: Plan, check: Check | None
    ) -> None:
        self._options = options
        self._layout = None if options.layout is None else Layout(options.layout)
        self._request = request
        self._plan = plan
        self._check = check
        self._tally: Counter[str] = Counter()
        self._asks = sys.stdin.isatty() and not options.everything and not options.dry_run
        self._writes = options.everything

    def review(self, target: Target) -> None:
        """Propose changes to a suite in the order of its cases.

        All programs end before the first question: their clocks would run on.
        """
        found: dict[int, tuple[ReferenceCase, Proposal | RejectedCase]] = {}
        for one, transcript in run_reference(self._cases(target), target.subject, self._request):
            proposal = propose(
                one.case, transcript, self._check, layout=self._layout, is_new=one.is_new
            )
            if proposal is None:
                self._tally["unchanged"] += 1
            else:
                found[one.at] = (one, proposal)
        # Run again: an output that is not repeatable cannot be expected.
        proposed = [one for one, proposal in found.values() if isinstance(proposal, Proposal)]
        for one, transcript in run_reference(proposed, target.subject, self._request):
            proposal = found[one.at][1]
            if isinstance(proposal, Proposal):
                found[one.at] = (one, confirm_repeatable(proposal, transcript))
        for _, (one, proposal) in sorted(found.items()):
            self._settle(target.suite, one, proposal)

    def summarize(self, *, faulty: bool) -> int:
        """Print the last line, and return the exit status."""
        tally = self._tally
        if not tally:
            common.print_problem("no case selected")
            return ExitCode.FAULT
        parts = ", ".join(f"{tally[each]:,} {each}" for each in _OUTCOMES if tally[each])
        print(f"{pluralize(tally.total(), 'case')}: {parts}")
        if tally["not written"] and not (self._options.dry_run or sys.stdin.isatty()):
            print("standard input is not a terminal: confirm on a terminal, or use --all")
        if faulty or tally["invalid"]:
            return ExitCode.FAULT
        return ExitCode.FAILED if tally["refused"] or tally["not written"] else ExitCode.OK

    def _cases(self, target: Target) -> Iterator[ReferenceCase]:
        for at, name, case in read_cases(self._plan, target):
            orphan = read_orphan(target.suite, name) if isinstance(case, InvalidCase) else None
            if not isinstance(case, InvalidCase):
                yield ReferenceCase(at, name, case)
            elif orphan is not None and self._options.missing:
                yield ReferenceCase(at, name, orphan, is_new=True)
            else:
                self._tally["invalid"] += 1
                hint = "; --missing writes it" if orphan is not None else ""
                _print_case("invalid", case.suite, case.name, f"{case.reason}{hint}")

    def _settle(self, suite: Suite, one: ReferenceCase, proposal: Proposal | RejectedCase) -> None:
        case = one.case
        if isinstance(proposal, RejectedCase):
            self._tally["refused"] += 1
            _print_case("refused", case.suite, case.name, proposal.reason)
            return
        kind = "new" if proposal.is_new else "change"
        _print_case(kind, case.suite, case.name, proposal.message)
        for line in change_lines(proposal, full=self._options.full):
            print(f"{_INDENT}{line}")
        path = _output_path(suite, one.name)
        if not (self._confirm(path) if self._asks else self._writes):
            self._tally["not written"] += 1
            return
        reason = _write(path, proposal)
        self._tally["not written" if reason else "written"] += 1
        result = f"not written: {reason}" if reason else f"written: {_shown(path)}"
        print(f"{_INDENT}{result}")

    def _confirm(self, path: Path) -> bool:
        """Ask whether to write; `a` and `q` also answer for all cases that follow."""
        while True:
            print(f"{_INDENT}write {_shown(path)}? [y/n/a/q] ", end="", flush=True)
            line = sys.stdin.readline()
            reply = line.strip().lower() if line else "q"
            if reply in ("a", "q"):
                self._asks, self._writes = False, reply == "a"
            if reply in ("y", "yes", "n", "no", "a", "q"):
                return reply in ("y", "yes", "a")
            print(f"{_INDENT}{_KEYS}")


def _print_case(kind: str, suite: str, case: str, message: str) -> None:
    print(f"{kind}  {escape_nonprintable(f'{suite}/{case}')}  {escape_nonprintable(message)}")


def _output_path(suite: Suite, name: CaseName) -> Path:
    """Return the path of a case's expected output, whether or not the file exists."""
    (stdin,) = (file for file in suite.files[name] if file.endswith("-in.json"))
    return suite.folder / f"{stdin.removesuffix('in.json')}out.json"


def _write(path: Path, proposal: Proposal) -> str:
    """Write an expected output. Return why that failed, or the empty text."""
    try:
        current = path.read_bytes() if os.path.lexists(path) else None
        if current != (None if proposal.is_new else proposal.case.expected_text):
            return f"{_shown(path)} was changed in the meantime"
        atomic_write(path, lambda file: file.write(proposal.text))
    except OSError as problem:
        return f"{_shown(path)}: {os_reason(problem, 'cannot be written')}"
    return ""


def _shown(path: Path) -> str:
    return escape_nonprintable(str(path))

"""`xtest accept`: update expected outputs to what a program prints. Source: docs/care.md."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any, Final

import click

from harness.analysis.failure_kinds import LISTED, FailureKind, FailureKinds, run_name
from harness.authoring.acceptance import (
    PROPOSALS,
    OutputLayout,
    Proposal,
    format_path,
    output_path,
    propose,
    repetition_fault,
    write_lines,
    write_output,
)
from harness.delivery.registry import Delivery
from harness.engine.jobs import (
    read_planned_case,
    skipped_run,
    with_effective_limits,
    with_known_failure,
)
from harness.engine.judge_process import Judging
from harness.engine.plan import PlannedRun
from harness.engine.request import Check, schema_check
from harness.errors import Refused, UsageError
from harness.model.case import Case, InvalidCase
from harness.model.case_names import PACKED_FILE
from harness.model.events import RunResult
from harness.model.exit_codes import ExitCode
from harness.model.transcript import Transcript
from harness.model.verdict import Verdict
from harness.options import arguments, messages
from harness.options.command import Command, refuse_installed, require_command
from harness.options.reference import Reference, ReferenceOptions, set_up_reference
from harness.project.targets import Target
from harness.reports.text.display import display_for, style_and_width
from harness.reports.text.events import output_lines
from harness.reports.text.phrases import reason_and_link
from harness.suites.cases import parse_case, read_orphan
from harness.suites.loading import Suite
from harness.text import escape_ci_commands, escape_nonprintable, pluralize, wrap

_KEY_HELP: Final = (
    "y writes this file, n does not; k writes all of its kind, a all later files, q no more"
)
_INDENT: Final = " " * 4
_OUTCOMES: Final = (
    "unchanged",
    "written",
    "known failure",
    "not claimed",
    "not written",
    "not shown",
    "refused",
    "invalid",
)

_Outcome = Proposal | Refused | InvalidCase


@click.command("accept", cls=Command, takes_command=True)
@arguments.required_suites_argument
@arguments.one_subject_option
@arguments.selection_options
@click.option("--all", "everything", is_flag=True, help="Write every change without asking.")
@click.option("--dry-run", is_flag=True, help="Show what would change, and write nothing.")
@click.option("--missing", is_flag=True, help="Also write outputs for inputs that have none.")
@click.option(
    "--full", is_flag=True, help="Show up to 200 differences, and all new values instead of 10."
)
@click.option(
    "--layout",
    type=click.Choice([layout.value for layout in OutputLayout]),
    help="One value per line, indented, or as printed [the layout of the old file].",
)
@arguments.execution_options
@click.pass_obj
@arguments.with_execution
def command(subject: tuple[str, ...] | None, /, **options: Any) -> int:
    """Update expected outputs to what a program prints: xtest accept SUITE... [-- COMMAND...]

    Shows what would change, case by case, and writes what you confirm.
    """
    requested = ReferenceOptions(**{name: options.pop(name) for name in ReferenceOptions._fields})
    if options["everything"] and options["dry_run"]:
        raise UsageError("--all cannot be combined with --dry-run")
    require_command(subject)
    reference = set_up_reference(requested, subject, "accept")
    selected = reference.selected
    for target in reference.targets:
        refuse_installed(target.suite.name, target.suite.folder)
    if selected.why_nothing_ran:
        print(f"{selected.why_nothing_ran}: nothing to accept")
        return ExitCode.OK
    messages.print_problems(selected.problems)
    suites = [each.suite for each in reference.targets]
    check = schema_check(suites) if any(each.settings.output for each in suites) else None
    dialog = _Dialog(reference, check, **options)
    for target in reference.targets:
        if dialog.mode is not _Mode.QUIT:
            dialog.review(target)
    return dialog.summarize(has_problems=bool(selected.problems))


class _Mode(Enum):
    """The treatment of the next change."""

    ASK = "ask"
    WRITE = "write"
    SHOW = "show"  # only
    QUIT = "quit"  # it is not shown


@dataclass
class _Dialog:
    """Shows proposals case by case, asks, and writes."""

    reference: Reference
    check: Check | None
    layout: str | None  # None keeps the layout of each file
    everything: bool
    dry_run: bool
    missing: bool
    full: bool

    def __post_init__(self) -> None:
        self._tally: Counter[str] = Counter()
        asks = sys.stdin.isatty() and not self.dry_run
        self.mode = _Mode.WRITE if self.everything else _Mode.ASK if asks else _Mode.SHOW
        self._kinds = _ChangeKinds()
        # Of a packed suite: old and new outputs, by the index of the line. They are written
        # together, because each write replaces the file.
        self._lines: dict[int, tuple[bytes, bytes]] = {}

    def review(self, target: Target) -> None:
        """Propose changes to a suite in the order of its cases.

        All programs end before the first question: time limits would continue during it.
        """
        new = {name.text for name, files in target.suite.files.items() if len(files) == 1}
        layout = None if self.layout is None else OutputLayout(self.layout)

        def judge(case: Case | InvalidCase, transcript: Transcript) -> _Outcome | None:
            if isinstance(case, InvalidCase):
                return case
            options = {"is_new": case.name in new, "full": self.full}
            return propose(case, transcript, self.check, layout=layout, **options)

        def read_proposed(planned: PlannedRun) -> Case | InvalidCase:
            case = self._read(planned)
            proposal = outcomes[planned.case_index][1]
            if isinstance(case, Case) and isinstance(proposal, Proposal):
                if case.is_talk:
                    changed = case._replace(stdin=proposal.text)
                    return parse_case(changed, target.suite, planned.name, planned.case_index)
                case = case._replace(expected_text=proposal.text)
            return case

        outcomes: dict[int, tuple[PlannedRun, _Outcome]] = {}  # by the index of the case
        judging = Judging[_Outcome | None](judge, _stopped, PROPOSALS)
        for run in self.reference.run(target, self.reference.planned(target), self._read, judging):
            if run.judgement is None:
                self._tally["unchanged"] += 1
            else:
                outcomes[run.planned.case_index] = run.planned, run.judgement
        # Run again: an output that is not repeatable cannot be expected.
        proposed = [each for each, outcome in outcomes.values() if isinstance(outcome, Proposal)]
        confirming = Judging[Refused | None](repetition_fault, _stopped, PROPOSALS)
        step = "confirming new outputs"
        for again in self.reference.run(target, proposed, read_proposed, confirming, step):
            if again.judgement is not None:
                outcomes[again.planned.case_index] = again.planned, again.judgement
        self._show_all(target.suite, [outcomes[index] for index in sorted(outcomes)])

    def _show_all(self, suite: Suite, outcomes: Sequence[tuple[PlannedRun, _Outcome]]) -> None:
        for planned, outcome in outcomes:
            if isinstance(outcome, Proposal):
                self._kinds.add(planned, outcome)
        try:
            for planned, outcome in outcomes:
                if self.mode is _Mode.QUIT:
                    self._tally["not shown"] += 1
                else:
                    self._show(planned, outcome)
            self._kinds.print_hidden()
        finally:
            self._write_lines(suite)

    def _write_lines(self, suite: Suite) -> None:
        """Write the lines of a packed suite that were agreed to."""
        if self._lines:
            path = suite.folder / PACKED_FILE
            reason = write_lines(path, self._lines)
            self._tally["not written" if reason else "written"] += len(self._lines)
            lines = pluralize(len(self._lines), "line")
            _print(f"not written: {reason}" if reason else f"written: {format_path(path)}: {lines}")
            self._lines = {}

    def summarize(self, *, has_problems: bool) -> int:
        """Print the last line, and return the exit status."""
        tally = self._tally
        if not tally:
            messages.print_message("no case selected")
            return ExitCode.FAULT
        parts = ", ".join(f"{tally[each]:,} {each}" for each in _OUTCOMES if tally[each])
        _print(f"{pluralize(tally.total(), 'case')}: {parts}")
        asks = not (self.dry_run or self.everything)
        if tally["not written"] and asks and not sys.stdin.isatty():
            _print("standard input is not a terminal: confirm on a terminal, or use --all")
        if has_problems or tally["invalid"]:
            return ExitCode.FAULT
        return ExitCode.FAILED if tally["refused"] or tally["not written"] else ExitCode.OK

    def _read(self, planned: PlannedRun) -> Case | InvalidCase:
        """Return a case, or, with --missing, an input without an output as one."""
        wall_s = self.reference.execution.wall
        case = read_planned_case(planned, wall_s, is_checked=False)
        if isinstance(case, InvalidCase) and self.missing:
            orphan = read_orphan(planned.target.suite, planned.name)
            if orphan is not None:
                return with_effective_limits(orphan, planned.target.subject, wall_s)
        return case

    def _reject(self, kind: str, planned: PlannedRun, reason: str) -> None:
        self._tally[kind] += 1
        _print_case(kind, planned, reason)

    def _show(self, planned: PlannedRun, outcome: _Outcome) -> None:
        match outcome:
            case InvalidCase():
                orphan = None if self.missing else read_orphan(planned.target.suite, planned.name)
                hint = ", or let --missing write it" if orphan is not None else ""
                self._reject("invalid", planned, f"{outcome.reason}{hint}")
            case Refused(reason):
                self._reject("refused", planned, reason)
            case Proposal():
                case = self._read(planned)
                if isinstance(case, InvalidCase):  # its files were changed meanwhile
                    self._reject("invalid", planned, case.reason)
                else:
                    self._show_proposal(planned, case, outcome)

    def _show_proposal(self, planned: PlannedRun, case: Case, proposal: Proposal) -> None:
        """Show a proposal, and write it if the user or an option says so."""
        kind = self._kinds.review(planned, proposal)
        doubt, why = _expected_to_fail(planned, case)
        asks = self.mode is _Mode.ASK and (bool(doubt) or not self._kinds.is_agreed(kind))
        is_whole = asks or bool(doubt) or self.full or self._kinds.is_first(kind)
        if is_whole:
            self._print_proposal(planned, proposal)
        else:
            self._kinds.print_brief(kind, planned, proposal)
        if doubt:
            _print(f"{_INDENT}{doubt}: {escape_nonprintable(why)}")
        path = output_path(planned.target.suite, planned.name)
        is_agreed = self._confirm(path, kind) if asks else self.mode in (_Mode.WRITE, _Mode.ASK)
        # An answer for all files does not include those that are expected to be wrong.
        if not is_agreed or (doubt and self.mode is _Mode.WRITE):
            self._tally[doubt if doubt and self.everything else "not written"] += 1
        elif planned.target.suite.packed is not None:
            self._lines[planned.case_index] = _side(case), proposal.text
        else:
            before = None if proposal.evidence is None else _side(case)
            reason = write_output(path, before, proposal.text)
            self._tally["not written" if reason else "written"] += 1
            if is_whole or reason:
                result = f"not written: {reason}" if reason else f"written: {format_path(path)}"
                _print(f"{_INDENT}{result}")

    def _print_proposal(self, planned: PlannedRun, proposal: Proposal) -> None:
        _print_case(_name_of(proposal), planned, proposal.message)
        if proposal.evidence is None or proposal.lines:
            for line in proposal.lines:
                _print(f"{_INDENT}{line}")
        else:
            display = display_for(sys.stdout, full=self.full)
            messages.print_lines(output_lines(proposal.evidence, display))

    def _confirm(self, path: Path, kind: FailureKind) -> bool:
        """Ask whether to write; `k`, `a` and `q` also answer for cases that follow."""
        alike = self._kinds.remaining(kind)
        of_kind = f" [k]ind: all {alike:,} like it" if alike > 1 else ""
        while True:
            question = f"write {format_path(path)}? [y]es [n]o{of_kind} [a]ll [q]uit:"
            _print(f"{_INDENT}{question}", end=" ")
            line = sys.stdin.readline()
            if not line:  # the end of input, which the terminal does not echo
                _print("")
            reply = line.strip().lower() if line else "q"
            if reply in ("k", "kind"):
                self._kinds.agree(kind)
            elif reply in ("a", "all", "q", "quit"):
                self.mode = _Mode.WRITE if reply[0] == "a" else _Mode.QUIT
            elif reply not in ("y", "yes", "n", "no"):
                _print(f"{_INDENT}{_KEY_HELP}")
                continue
            return reply[0] in "yka"


class _ChangeKinds:
    """The kinds of changes and new outputs: which were shown, and which are written unasked.

    Of a kind, the first is shown whole, a few more in a line, and the others are counted.
    """

    def __init__(self) -> None:
        self._kinds = FailureKinds(by_subject=False)
        self._reviewed = Counter[int]()  # by the number of a kind
        self._agreed = set[int]()
        self._hidden = Counter[str]()  # of a suite, by the name of the first of their kind

    def add(self, planned: PlannedRun, proposal: Proposal) -> None:
        """Count a proposal that will be reviewed."""
        self._kinds.add(_changed_run(planned, proposal))

    def review(self, planned: PlannedRun, proposal: Proposal) -> FailureKind:
        """Return the kind of a proposal whose turn it is."""
        kind = self._kinds.kind_of(_changed_run(planned, proposal))
        self._reviewed[kind.number] += 1
        return kind

    def is_first(self, kind: FailureKind) -> bool:
        return self._reviewed[kind.number] == 1

    def remaining(self, kind: FailureKind) -> int:
        """Return how many proposals of a kind are to be reviewed, with the present one."""
        return 1 + kind.count - self._reviewed[kind.number]

    def agree(self, kind: FailureKind) -> None:
        self._agreed.add(kind.number)

    def is_agreed(self, kind: FailureKind) -> bool:
        return kind.number in self._agreed

    def print_brief(self, kind: FailureKind, planned: PlannedRun, proposal: Proposal) -> None:
        first = run_name(kind.first)
        if self._reviewed[kind.number] > LISTED:
            self._hidden[first] += 1
        else:
            is_same = proposal.message == kind.first.message
            message = f"like {first}" if is_same and proposal.evidence else proposal.message
            _print_case(_name_of(proposal), planned, message)

    def print_hidden(self) -> None:
        for first, more in self._hidden.items():
            _print(f"{more:,} more like {escape_nonprintable(first)}")
        self._hidden.clear()


def _name_of(proposal: Proposal) -> str:
    return "new" if proposal.evidence is None else "change"


def _changed_run(planned: PlannedRun, proposal: Proposal) -> RunResult:
    """Return the run that made a proposal as a failure of the case."""
    names = planned.target.suite.name, planned.name.text, planned.target.subject.name
    result = Verdict(proposal.verdict), proposal.message
    return RunResult(*names, Delivery.PLAIN.value, *result, evidence=proposal.evidence)


def _expected_to_fail(planned: PlannedRun, case: Case) -> tuple[str, str]:
    """Return why the output of a program is probably wrong: its case is a known failure or is not
    claimed, and the reason; or "" and ""."""
    if (skipped := skipped_run(planned, case)) is not None:
        return "not claimed", skipped.message
    names = case.suite, case.name, planned.target.subject.name, Delivery.PLAIN.value
    differing = RunResult(*names, Verdict.DIFFERS, "", content=case.content)
    known = with_known_failure(planned, differing).known
    return ("", "") if known is None else ("known failure", reason_and_link(known))


def _side(case: Case) -> bytes:
    """Return what a proposal replaces: the expected output, or the script."""
    return case.stdin if case.is_talk else case.expected_text


def _stopped(reason: str) -> Refused:
    return Refused(f"judging stopped {reason}")


def _print_case(kind: str, planned: PlannedRun, message: str) -> None:
    name = escape_nonprintable(f"{planned.target.suite.name}/{planned.name.text}")
    _print(f"{kind}  {name}  {escape_nonprintable(message)}")


def _print(line: str, end: str = "\n") -> None:
    """Print a line, wrapped on a terminal, in which no CI server finds a command."""
    _, width = style_and_width(sys.stdout)
    lines = map(escape_ci_commands, wrap(line, width, 2 * _INDENT))
    print("\n".join(lines), end=end, flush=True)
